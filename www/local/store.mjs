// Where the stores are: the project's, found from a folder upwards, and the person's own.
import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fault, replaceFile } from "./files.mjs";
import { ancestors, CONFIG, isStore } from "./places.cjs";

export { FOLDER, findProject, findStores, isOff, isStore, personalPath } from "./places.cjs";

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
    replaceFile(join(path, CONFIG), `${JSON.stringify({ version: 1 }, null, 2)}\n`, 0o600);
  } catch (error) {
    const { code = "EIO" } = /** @type {NodeJS.ErrnoException} */ (error);
    throw fault(code, `${path}: the store can't be made there (${code}). Set LESSONLOOP_HOME to a writable folder.`);
  }
  return true;
}
