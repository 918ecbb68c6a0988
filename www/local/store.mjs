// Where the stores are: the project's, found from a folder upwards, and the person's own.
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fault, replaceFile } from "./files.mjs";

/** The folder's name in a project. */
export const FOLDER = ".lessonloop";
const CONFIG = "config.json";
const IGNORED = "# Rebuilt on each machine.\ncache/\nlink/\nlock\nlock.*\n*.tmp\n";

/**
 * @typedef {{ kind: "project" | "personal", path: string, label: string }} Place
 * @typedef {{ project?: Place, personal?: Place }} Places
 */

/** @param {string} path */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Whether a folder holds a store, and not only a switch such as `off`. @param {string} path */
export const isStore = (path) => existsSync(join(path, CONFIG)) || isFolder(join(path, "ledger"));

/** The person's store of this platform, whether it is there or not. */
export function personalPath(env = process.env, platform = process.platform) {
  if (env.LESSONLOOP_HOME) return resolve(env.LESSONLOOP_HOME);
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, "lessonloop");
  const home = homedir();
  if (platform === "win32") return join(env.APPDATA ?? join(home, "AppData", "Roaming"), "lessonloop");
  if (platform === "darwin") return join(home, "Library", "Application Support", "lessonloop");
  return join(home, ".local", "share", "lessonloop");
}

/** @param {string} from */
function* ancestors(from) {
  for (let at = resolve(from); ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}

/**
 * The main working tree of a repository, when `folder` is the root of another one of its trees.
 * @param {string} folder
 */
function mainTree(folder) {
  const git = join(folder, ".git");
  if (!statSync(git, { throwIfNoEntry: false })?.isFile()) return null;
  const [, gitdir] = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8")) ?? [];
  if (!gitdir) return null;
  const own = resolve(folder, gitdir.trim());
  try {
    const common = resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
    return basename(common) === ".git" ? dirname(common) : null;
  } catch {
    // A submodule, which has a store of its own or its parent's.
    return null;
  }
}

/**
 * The project's store that a folder belongs to: the nearest one upwards. In a working tree without one it is the main
 * tree's; where it is committed, each tree has its own by the checkout.
 * @param {string} from
 */
export function findProject(from) {
  for (const at of ancestors(from)) {
    const here = join(at, FOLDER);
    if (isStore(here)) return here;
    const main = mainTree(at);
    if (main && isStore(join(main, FOLDER))) return join(main, FOLDER);
  }
  return null;
}

/** The root of the project: of the repository, else the folder itself. @param {string} from */
export function projectRoot(from) {
  for (const at of ancestors(from)) if (existsSync(join(at, ".git"))) return at;
  return resolve(from);
}

/** Whether hooks are switched off for a folder. @param {string} from */
export function isOff(from) {
  for (const at of ancestors(from)) if (existsSync(join(at, FOLDER, "off"))) return true;
  return false;
}

/**
 * The stores that are there. With `LESSONLOOP_HOME` that one alone.
 * @param {string} from
 * @param {"project" | "personal"} [only]
 * @returns {Places}
 */
export function findStores(from, only) {
  const own = personalPath();
  /** @type {Places} */
  const found = {};
  if (isStore(own) && only !== "project") found.personal = { kind: "personal", path: own, label: "personal" };
  if (process.env.LESSONLOOP_HOME || only === "personal") return found;
  const path = findProject(from);
  if (path && path !== own) found.project = { kind: "project", path, label: basename(dirname(path)) || "project" };
  return found;
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
