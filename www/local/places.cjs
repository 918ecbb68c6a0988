// Where the stores are, the project's and the person's own, which of them this user trusts, and where the process that has
// them open listens. CommonJS with few built-in modules: a hook that only forwards is through before Node would have linked
// the other modules.
"use strict";
const { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } = require("node:fs");
const { homedir, tmpdir } = require("node:os");
const { basename, dirname, join, resolve } = require("node:path");

/** The folder's name in a project. */
const FOLDER = ".lessonloop";
const CONFIG = "config.json";
/** The file of a record, in the folder that this user has for a store. */
const RECORD = "store.json";
const FOLDER_MODE = 0o700;

/**
 * @typedef {{ kind: "project" | "personal", path: string, label: string }} Place
 * `untrusted`: a project's store that came with its repository; nothing reads it but what shows it to a person.
 * @typedef {{ project?: Place, personal?: Place, untrusted?: Place }} Places
 */

/** @param {string} path */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** True if a folder holds a store, and not only a switch such as `off`. @param {string} path */
const isStore = (path) => existsSync(join(path, CONFIG)) || isFolder(join(path, "ledger"));

/** The person's store of this platform, whether it is there or not. */
function personalPath(env = process.env, platform = process.platform) {
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
function findProject(from) {
  for (const at of ancestors(from)) {
    const here = join(at, FOLDER);
    if (isStore(here)) return here;
    const main = mainTree(at);
    if (main && isStore(join(main, FOLDER))) return join(main, FOLDER);
  }
  return null;
}

/** True if hooks are switched off for a folder. @param {string} from */
function isOff(from) {
  for (const at of ancestors(from)) if (existsSync(join(at, FOLDER, "off"))) return true;
  return false;
}

/**
 * The stores that are there. With `LESSONLOOP_HOME` that one alone.
 * @param {string} from
 * @param {"project" | "personal"} [only]
 * @returns {Places}
 */
function findStores(from, only) {
  const own = personalPath();
  /** @type {Places} */
  const found = {};
  if (isStore(own) && only !== "project") found.personal = { kind: "personal", path: own, label: "personal" };
  if (process.env.LESSONLOOP_HOME || only === "personal") return found;
  const path = findProject(from);
  if (path && path !== own) {
    const place = /** @type {const} */ ({ kind: "project", path, label: basename(dirname(path)) || "project" });
    found[isTrusted(path) ? "project" : "untrusted"] = place;
  }
  return found;
}

/** This user's records of stores, outside of them. Beside the person's own store, as the program is that npx installed. */
const machineFolder = () => join(dirname(personalPath()), "lessonloop-machine", "stores");

/** The folder with this user's record of a store. @param {string} store */
const recordFolder = (store) => join(machineFolder(), nameOf([realpathSync(store)]));

/**
 * The folder of a store's cache and link. A project's store may come with a repository, which could bring both: a link
 * sends prompts to a server, and a cache holds what lessons are worth. So they are in a place that no repository reaches.
 * @param {string} store
 */
const ownFolder = (store) => (store === personalPath() ? store : recordFolder(store));

/**
 * A store's own id, which goes with its copies; "" for one that has none.
 * @param {string} store
 * @returns {string}
 */
function storeId(store) {
  const { id } = json(join(store, CONFIG));
  return typeof id === "string" ? id : "";
}

/** A JSON object in a file; an empty one for what can't be read. @param {string} file @returns {Record<string, any>} */
function json(file) {
  try {
    const value = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/**
 * This user's record of a store. `clone`: a random name of the copy that lies at this path; `prompts`: what its ledger keeps of
 * prompts, where this user said so.
 * @param {string} store
 * @returns {{ path?: string, id?: string, trusted?: boolean, clone?: string, prompts?: string }}
 */
const recordOf = (store) => json(join(recordFolder(store), RECORD));

/**
 * True if this user trusts a project's store: it was made by them here, or they said so, and it is still the same one.
 * Another working tree of a repository whose main tree has a trusted store is its owner's, too.
 * @param {string} store
 */
function isTrusted(store) {
  // A repository could bring a link to another store of this person.
  if (lstatSync(store).isSymbolicLink()) return false;
  const id = storeId(store);
  const holds = (/** @type {string} */ at) => {
    const { path, id: known, trusted } = recordOf(at);
    return trusted === true && path === realpathSync(at) && known === id;
  };
  if (holds(store)) return true;
  const main = mainTree(dirname(store));
  const there = main && join(main, FOLDER);
  return Boolean(id && there && isStore(there) && storeId(there) === id && holds(there));
}

/**
 * A name for some paths: 64 bits by FNV-1a, twice. Only this user's own stores are told apart by it.
 * @param {string[]} paths
 */
function nameOf(paths) {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4];
  for (const byte of Buffer.from(paths.join("\0"))) {
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte ^ (low >>> 16), 0x01000193);
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * The address of the process that has some stores open, or null where this user has no place of its own.
 * @param {Places} places
 */
function addressOf(places) {
  const name = nameOf([places.project, places.personal].map((place) => (place ? realpathSync(place.path) : "")));
  if (process.platform === "win32") return `\\\\.\\pipe\\lessonloop-${name}`;
  const folder = runFolder();
  return folder && join(folder, `${name}.sock`);
}

/** A folder for what lives as long as a session of this user, which only they can enter. */
function runFolder() {
  const uid = process.getuid?.();
  const folder = join(process.env.XDG_RUNTIME_DIR || tmpdir(), `lessonloop-${uid ?? "user"}`);
  try {
    mkdirSync(folder, { mode: FOLDER_MODE, recursive: true });
    const made = lstatSync(folder);
    // In a folder for all, somebody else may have made it.
    if (!made.isDirectory() || (uid !== undefined && made.uid !== uid)) return null;
    if (uid !== undefined && (made.mode & 0o077) !== 0) chmodSync(folder, FOLDER_MODE);
    return folder;
  } catch {
    return null;
  }
}

module.exports = {
  FOLDER,
  CONFIG,
  isStore,
  personalPath,
  ancestors,
  findProject,
  isOff,
  findStores,
  isTrusted,
  storeId,
  machineFolder,
  recordFolder,
  recordOf,
  ownFolder,
  RECORD,
  nameOf,
  addressOf,
  runFolder,
};
