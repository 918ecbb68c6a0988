// Where the stores are: the project's, found from a folder upwards, and the person's own.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fault, replaceFile } from "./files.mjs";
import { ancestors, CONFIG, isStore, personalPath, RECORD, recordFolder, recordOf, storeId } from "./places.cjs";

export { FOLDER, findProject, findStores, isOff, isStore, isTrusted, personalPath } from "./places.cjs";

const IGNORED = "# Rebuilt on each machine.\ncache/\nlink/\nlock\nlock.*\n*.tmp\n";

/**
 * @typedef {import("./places.cjs").Place} Place
 * @typedef {import("./places.cjs").Places} Places
 */

/** The root of the project: of the repository, else the folder itself. @param {string} from */
export function projectRoot(from) {
  for (const at of ancestors(from)) if (existsSync(join(at, ".git"))) return at;
  return resolve(from);
}

/**
 * Makes a store's folder; one that is there stays as it is.
 * @param {string} path
 * @returns whether it was made
 */
export function makeStore(path) {
  if (isStore(path)) return false;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (process.platform !== "win32") chmodSync(path, 0o700);
    // A link there is not followed, wherever it points.
    const ignored = join(path, ".gitignore");
    if (!lstatSync(ignored, { throwIfNoEntry: false })) writeFileSync(ignored, IGNORED, { mode: 0o600, flag: "wx" });
    const config = { version: 1, id: randomBytes(12).toString("hex") };
    replaceFile(join(path, CONFIG), `${JSON.stringify(config, null, 2)}\n`, 0o600);
  } catch (error) {
    const { code = "EIO" } = /** @type {NodeJS.ErrnoException} */ (error);
    throw fault(code, `${path}: the store can't be made there (${code}). Set LESSONLOOP_HOME to a writable folder.`);
  }
  if (path !== personalPath()) trust(path);
  return true;
}

/**
 * Keeps of a store what is this user's own to say, outside of it. The id that is trusted changes with the trust alone: else
 * a store that took another's place would be trusted once anything is noted of it.
 * @param {string} path
 * @param {{ trusted?: boolean, id?: string, clone?: string, prompts?: string }} change
 */
function record(path, change) {
  const folder = recordFolder(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = realpathSync(path);
    const before = recordOf(path);
    const now = { ...(before.path === real ? before : {}), path: real, ...change };
    replaceFile(join(folder, RECORD), `${JSON.stringify(now, null, 2)}\n`, 0o600);
  } catch (error) {
    const { code = "EIO" } = /** @type {NodeJS.ErrnoException} */ (error);
    throw fault(code, `${folder}: what you trust is kept there, and it can't be written (${code})`);
  }
}

/** Trusts a project's store from now on. @param {string} path */
export function trust(path) {
  record(path, { trusted: true, id: storeId(path) });
}

/** Takes that back, with what the store's cache and link here held. @param {string} path */
export function distrust(path) {
  rmSync(recordFolder(path), { recursive: true, force: true });
}

/** Says what a store's ledger keeps of prompts from now on. @param {string} path @param {string} prompts */
export function choosePrompts(path, prompts) {
  record(path, { prompts });
}

/**
 * A random name of the copy of a store that lies at this path, by which a copy elsewhere is told from it: two containers
 * with the same path write as two. A user's data folder that can't be written leaves the path.
 * @param {string} path
 * @returns {string}
 */
export function cloneName(path) {
  const real = realpathSync(path);
  const { clone, path: known } = recordOf(path);
  if (clone && known === real) return clone;
  const fresh = randomBytes(12).toString("hex");
  try {
    record(path, { clone: fresh });
    return fresh;
  } catch {
    return real;
  }
}
