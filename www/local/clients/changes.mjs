// The changes that `init` makes in clients' files: planned whole before anything is written, written whole or not at all.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../files.mjs";
import { Failure } from "../print.mjs";
import * as givenBack from "./restore_config.mjs";
import { ParseError } from "./jsonc.mjs";

/**
 * @typedef {import("./entry.mjs").Edit} Edit
 * @typedef {Edit & { at: string, before: string | null, after: string | null, first?: string | null, folders?: string[] }} Change
 * `at`: where a link leads; `first`: what the file was before ours came into it, where that is known; `folders`: those that
 * were made for it
 */

/**
 * Plans the changes of the edits.
 * @param {Edit[]} edits
 * @param {Edit[] | null} removals the edits that take ours out again; null when these do so
 * @returns {Promise<Change[]>}
 */
export async function changes(edits, removals) {
  /** @type {Change[]} */
  const changed = [];
  for (const edit of edits) {
    const at = placeOf(edit.path);
    const before = read(edit.path);
    const known = givenBack.before(edit.path, before);
    const after = await edited(edit, edit.whole ? "" : (before ?? edit.empty));
    // A file of our own that another client needs as well stays.
    if (!removals && known && !(edit.whole && after !== "")) {
      changed.push({ ...edit, at, before, after: known.before, folders: known.folders });
      continue;
    }
    const isEmpty = after.trim() === "" || after.replace(/\s/g, "") === "{}" || after === edit.empty;
    if (before === null && isEmpty) continue;
    if (after === before) continue;
    const first = known ? known.before : removals && (await untouched(removals, edit, before));
    changed.push({
      ...edit,
      at,
      before,
      after: isEmpty && before !== null ? null : after,
      ...(first === undefined ? {} : { first }),
      ...(known || isEmpty ? { folders: known?.folders ?? givenBack.foldersOf(edit.path) } : {}),
    });
  }
  for (const change of changed) writable(change);
  return changed;
}

/**
 * @param {Edit} edit
 * @param {string} text
 */
async function edited(edit, text) {
  try {
    return await edit.edit(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Failure(`${edit.path}: ${error.message}. The file was left as it is; mend it, then run this again.`);
  }
}

/**
 * A file in which nothing is ours yet; undefined for one in which something is.
 * @param {Edit[]} removals
 * @param {Edit} edit
 * @param {string | null} before
 */
async function untouched(removals, edit, before) {
  if (before === null) return null;
  const removal = removals.find(({ path }) => path === edit.path);
  if (edit.whole || !removal) return undefined;
  return (await edited(removal, before)) === before ? before : undefined;
}

/** A file that is a link into a folder of settings stays one. @param {string} path */
function placeOf(path) {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  try {
    return realpathSync(path);
  } catch {
    throw new Failure(
      `${path}: is a link to nothing; it was left as it is. Make the file that it leads to, or remove it.`,
    );
  }
}

/** @param {string} path */
export function read(path) {
  try {
    const bytes = readFileSync(path);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOENT") return null;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      throw new Failure(`${path}: is not UTF-8 text; it was left as it is`);
    if (code === "EISDIR") throw new Failure(`${path}: is a folder, where a file is expected; move it away`);
    throw new Failure(`${path}: can't be read (${code}); check its owner and permissions`);
  }
}

/** Refuses what can't be written, before anything is. @param {Change} change */
function writable({ path, at, before }) {
  const whole = "Nothing was changed.";
  if (before !== null && (statSync(at).mode & 0o222) === 0) {
    throw new Failure(`${path}: is read-only, as something else may manage it; make it writable first. ${whole}`);
  }
  const [missed] = missing(dirname(at)).slice(-1);
  const folder = missed ? dirname(missed) : dirname(at);
  try {
    if (before !== null) accessSync(at, constants.W_OK);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Failure(
      `${path}: can't be written (${code}); check the owner and permissions of ${before === null ? folder : path}. ${whole}`,
    );
  }
}

/** The folders of a path that are not there, the deepest first. @param {string} folder @returns {string[]} */
function missing(folder) {
  return existsSync(folder) ? [] : [folder, ...missing(dirname(folder))];
}

/**
 * Writes all of it; where one can't be written, those before it are as they were.
 * @param {Change[]} all
 */
export function writeAll(all) {
  /** @type {Change[]} */
  const done = [];
  try {
    for (const change of all) {
      const made = put(change);
      done.push({ ...change, folders: change.folders ?? made });
    }
  } catch (error) {
    for (const change of done.reverse()) restore(change);
    const { code, path } = /** @type {NodeJS.ErrnoException} */ (error);
    const { path: file } = all[done.length];
    throw new Failure(
      `${file}: can't be written (${code ?? error}${path && path !== file ? `, at ${path}` : ""}); free some space and check its owner and permissions. Clients' files are as they were.`,
    );
  }
  for (const { path, after, first, folders } of done) {
    if (after === null || first === undefined) givenBack.forget(path);
    else givenBack.keep(path, first, after, folders ?? []);
  }
  // The folder of several files goes with the last of them.
  givenBack.removeFolders(done.flatMap(({ after, folders }) => (after === null ? (folders ?? []) : [])));
}

/** @param {Change} change @returns the folders that were made, the deepest first */
function put({ path, at, after }) {
  if (after === null) {
    unlinkSync(path);
    return [];
  }
  const made = missing(dirname(at));
  try {
    mkdirSync(dirname(at), { recursive: true });
    const mode = (statSync(at, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
    replaceFile(at, after, mode);
    if (process.platform !== "win32") chmodSync(at, mode);
  } catch (error) {
    givenBack.removeFolders(made);
    throw error;
  }
  return made;
}

/** @param {Change} change */
function restore({ path, at, before, folders }) {
  try {
    if (before !== null)
      return replaceFile(at, before, (statSync(at, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777);
    unlinkSync(path);
    givenBack.removeFolders(folders ?? []);
  } catch {
    // The first error is what is told.
  }
}
