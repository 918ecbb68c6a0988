// The files of one store: what the engine module asks of this machine, all of it synchronous and durable before it returns.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Lock } from "./lock.mjs";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const NAME = /^[^/\\:\0]+(\/[^/\\:\0]+)*$/;
/** Windows has no such flag; there a link needs a privilege to be made. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error)?.code ?? "";

/**
 * An error with Node's code whose message names the file.
 * @param {string} code
 * @param {string} message
 */
export function fault(code, message) {
  return Object.assign(new Error(message), { code });
}

/** Remedies for a person, by error code. */
const REMEDIES = {
  ENOSPC: "the disk is full: free some space and try again; nothing was stored",
  EDQUOT: "the quota is used up: free some space and try again; nothing was stored",
  EROFS: "the file system is read-only",
  EACCES: "this user may not write there: check the owner and the permissions",
  EPERM: "this user may not write there: check the owner and the permissions",
  ELOOP: "it is a symbolic link, which a store never has: remove it",
};

/**
 * @param {unknown} error
 * @param {string} path
 */
function named(error, path) {
  const code = codeOf(error) || "EIO";
  const why = REMEDIES[/** @type {keyof typeof REMEDIES} */ (code)] ?? /** @type {Error} */ (error).message;
  return fault(code, `${path}: ${why}`);
}

/** @param {string} path */
export function syncFolder(path) {
  // Windows can't open folders; there a rename is durable with the file system's journal.
  if (process.platform === "win32") return;
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!["EINVAL", "ENOTSUP"].includes(codeOf(error))) throw error;
  } finally {
    closeSync(folder);
  }
}

/**
 * @param {number} file
 * @param {Uint8Array} bytes
 */
function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at);
}

/**
 * An open file's bytes from a place on, up to another one or the end.
 * @param {number} file
 * @param {number} from
 * @param {number} to
 */
export function readRange(file, from, to) {
  const end = Math.min(to, fstatSync(file).size);
  const bytes = new Uint8Array(Math.max(0, end - from));
  let length = 0;
  while (length < bytes.length) {
    const got = readSync(file, bytes, length, bytes.length - length, from + length);
    if (got === 0) break;
    length += got;
  }
  return bytes.subarray(0, length);
}

/** Parts of a store that this machine makes: never read from a project's folder. */
const OWN = ["cache", "link"];
/** Held by the one process that gives lessons their vectors. */
const TURN = join("cache", "embedding.lock");

/**
 * Makes a folder of a store, and gives its path. A repository can bring links: one on the way is refused, as following it
 * would write elsewhere.
 * @param {string} root the store's folder
 * @param {...string} parts
 */
export function folderOf(root, ...parts) {
  let at = root;
  for (const part of parts) {
    at = join(at, part);
    if (isLink(at)) throw named({ code: "ELOOP" }, at);
  }
  mkdirSync(at, { recursive: true, mode: FOLDER_MODE });
  return at;
}

/** @implements {Files} */
export class StoreFiles {
  /**
   * @param {string} root the store's folder, which exists
   * @param {string} own the folder of its `cache` and `link`
   */
  constructor(root, own) {
    this.root = root;
    this.own = own;
    this.lock = new Lock(join(root, "lock"));
    this.turn = new Lock(join(own, TURN));
  }

  /** @param {string} name */
  #path(name) {
    const parts = name.split("/");
    if (!NAME.test(name) || parts.includes("..") || parts.includes(".")) {
      throw fault("EINVAL", `${name}: is no name of a file in a store`);
    }
    const root = OWN.includes(parts[0] ?? "") ? this.own : this.root;
    const path = join(root, ...parts);
    // A repository can bring links; following one would write to a file elsewhere.
    for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) {
      if (isLink(folder)) throw named({ code: "ELOOP" }, folder);
    }
    return path;
  }

  /** @param {string} folder */
  list(folder) {
    const at = folder === "" ? this.root : this.#path(folder);
    if (folder !== "" && isLink(at)) throw named({ code: "ELOOP" }, at);
    try {
      const entries = readdirSync(at, { withFileTypes: true });
      const link = entries.find((entry) => entry.isSymbolicLink());
      // Left out, it would be a ledger that nobody misses.
      if (link && folder !== "") throw Object.assign(new Error(), { code: "ELOOP", at: join(at, link.name) });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => ({ name: entry.name, bytes: lstatSync(join(at, entry.name)).size }));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw named(error, /** @type {{ at?: string }} */ (error).at ?? at);
    }
  }

  /**
   * @param {string} name
   * @param {number} from
   * @param {number} to
   */
  read(name, from, to) {
    const path = this.#path(name);
    try {
      const file = openSync(path, constants.O_RDONLY | NO_FOLLOW);
      try {
        return readRange(file, from, to);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw named(error, path);
    }
  }

  /**
   * Appends at the end, which has to be at `at`: else another process has written.
   * @param {string} name
   * @param {number} at
   * @param {Uint8Array} bytes
   */
  append(name, at, bytes) {
    const path = this.#path(name);
    try {
      this.#folderOf(path);
      const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW, FILE_MODE);
      try {
        const { size } = fstatSync(file);
        if (size !== at)
          throw fault("EMOVED", `${path}: has ${size} bytes, ${at} were expected: another process wrote`);
        try {
          writeAll(file, bytes);
          fsyncSync(file);
        } catch (error) {
          // Half a line would be read as a torn one for ever.
          ftruncateSync(file, at);
          fsyncSync(file);
          throw error;
        }
      } finally {
        closeSync(file);
      }
      if (at === 0) syncFolder(dirname(path));
    } catch (error) {
      throw codeOf(error) === "EMOVED" ? error : named(error, path);
    }
  }

  /**
   * @param {string} name
   * @param {number} bytes
   */
  truncate(name, bytes) {
    const path = this.#path(name);
    try {
      const file = openSync(path, constants.O_RDWR | NO_FOLLOW);
      try {
        ftruncateSync(file, bytes);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw named(error, path);
    }
  }

  /**
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  replace(name, bytes) {
    const path = this.#path(name);
    try {
      this.#folderOf(path);
      replaceFile(path, bytes, FILE_MODE);
    } catch (error) {
      throw named(error, path);
    }
  }

  /**
   * As `replace`, but not durable: for what can be made again.
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  note(name, bytes) {
    const path = this.#path(name);
    try {
      this.#folderOf(path);
      replaceFile(path, bytes, FILE_MODE, false);
    } catch (error) {
      throw named(error, path);
    }
  }

  /** @param {string} name */
  remove(name) {
    const path = this.#path(name);
    try {
      unlinkSync(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw named(error, path);
    }
  }

  try_lock() {
    try {
      return this.lock.take();
    } catch (error) {
      throw codeOf(error) === "EHOST" ? error : named(error, this.lock.path);
    }
  }

  unlock() {
    this.lock.release();
  }

  try_turn() {
    try {
      folderOf(this.own, "cache");
      return this.turn.take() === null;
    } catch (error) {
      throw named(error, this.turn.path);
    }
  }

  end_turn() {
    this.turn.release();
  }

  /** @param {string} path */
  #folderOf(path) {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  }
}

/** @param {string} path */
function isLink(path) {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Writes a file beside the old one and puts it in its place, so that readers see one of both, whole.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {number} [mode]
 * @param {boolean} [durable] whether it has to outlive a loss of power
 */
export function replaceFile(path, content, mode = 0o644, durable = true) {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const beside = join(dirname(path), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const file = openSync(beside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, mode);
    try {
      writeAll(file, bytes);
      // The mask of the process may have taken bits away.
      if (process.platform !== "win32") fchmodSync(file, mode);
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    try {
      unlinkSync(beside);
    } catch {
      // It was never made.
    }
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}
