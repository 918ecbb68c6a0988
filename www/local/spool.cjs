// The calls of clients' hooks, from the moment a hook has it until it is recorded: a file each in the store's
// cache. Whoever records takes a file away only after its work is stored, so an end outlives every process.
"use strict";
const {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} = require("node:fs");
const { basename, dirname, join } = require("node:path");
const { nameOf, ownFolder, runFolder } = require("./places.cjs");

const NAME = /^\d{15}-[0-9a-z-]+\.json$/;
/** More than a machine's sessions leave in a month; the oldest go then. */
const MOST = 2_000;

/**
 * A hook's call as it is handed on. `environment`: the variables that tell who started the client; `refused`: why the store
 * could not keep it.
 * @typedef {{ event: string, client: string, payload: string, max_tokens: number, cwd: string,
 *   environment: Record<string, string>, refused?: string }} Asked
 */

/**
 * A place below the folder of the store's hooks. A link on the way is refused.
 * @param {string} store
 * @param {...string} parts
 */
function hooksPlace(store, ...parts) {
  let at = ownFolder(store);
  for (const part of ["cache", "hooks", ...parts]) at = plain(join(at, part));
  return at;
}

/** The path, which is no link. @param {string} path */
function plain(path) {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  throw Object.assign(new Error(`${path}: it is a symbolic link, which a store never has: remove it`), {
    code: "ELOOP",
  });
}

/** @param {string} store */
const inStore = (store) => hooksPlace(store, "spool");
/** Beside the store, for a store whose disk is full or can't be written. @param {string} store */
function beside(store) {
  const folder = runFolder();
  return folder && join(folder, `spool-${nameOf([store])}`);
}

/**
 * Keeps a call until it is recorded, durably.
 * @param {string} store
 * @param {Asked} asked
 * @returns the file
 */
function put(store, asked) {
  try {
    return write(inStore(store), JSON.stringify(asked));
  } catch (error) {
    const other = beside(store);
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!other || code === "ELOOP") throw error;
    return write(other, JSON.stringify({ ...asked, refused: message }));
  }
}

let written = 0;
/**
 * @param {string} folder
 * @param {string} text
 */
function write(folder, text) {
  mkdirSync(plain(folder), { recursive: true, mode: 0o700 });
  written += 1;
  // In the order of the calls, to a hundredth of a millisecond.
  const at = Math.trunc((performance.timeOrigin + performance.now()) * 100)
    .toString()
    .padStart(15, "0");
  const name = `${at}-${process.pid}-${written}.json`;
  const half = join(folder, `.${name}.tmp`);
  try {
    const file = openSync(half, "wx", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(half, join(folder, name));
  } catch (error) {
    try {
      unlinkSync(half);
    } catch {
      // It was never made.
    }
    throw error;
  }
  return join(folder, name);
}

/**
 * The folders where calls of a store are kept, those that are there.
 * @param {string} store
 */
function spools(store) {
  const isThere = (/** @type {string | null} */ folder) =>
    folder !== null && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return /** @type {string[]} */ ([inStore(store), beside(store)].filter(isThere));
}

/**
 * The files that wait to be recorded, oldest first.
 * @param {string} store
 */
function waiting(store) {
  const files = [];
  for (const folder of spools(store)) {
    for (const name of readdirSync(folder)) if (NAME.test(name)) files.push({ name, path: join(folder, name) });
  }
  files.sort((one, two) => (one.name < two.name ? -1 : 1));
  for (const { path } of files.splice(0, Math.max(0, files.length - MOST))) take(path);
  return files;
}

/**
 * The call that a file holds; null for one that holds none.
 * @param {string} path
 * @returns {Asked | null}
 */
function read(path) {
  const asked = JSON.parse(readFileSync(path, "utf8"));
  const isWhole = ["event", "client", "payload", "cwd"].every((name) => typeof asked?.[name] === "string");
  return isWhole ? asked : null;
}

/** Takes a file away once it is recorded. @param {string} path */
function take(path) {
  try {
    unlinkSync(path);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
  }
}

/** Puts a file aside that can't be recorded by this version. @param {string} path */
function setAside(path) {
  renameSync(path, join(dirname(path), `failed-${basename(path)}`));
}

module.exports = { hooksPlace, put, setAside, spools, waiting, read, take };
