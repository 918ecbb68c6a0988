// The lock of a store: one process writes at a time, and what a dead one left is taken over by exactly one other.
//
// The file appears whole, by a hard link, with its owner and a nonce in it. Only who holds the claim on a dead owner's
// nonce (`lock.take.NONCE`, made exclusively) may put another lock in that one's place, and only while the lock still
// has that nonce. A claim whose owner died is claimed in turn by its own nonce.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";

/** A lock without a readable owner is one that is being written, or one that a crash emptied: after this it is the latter. */
const UNREADABLE_MS = 10_000;

/**
 * Of a process on another host or in another container nobody can tell whether it lives. A write holds the lock for some
 * milliseconds, a turn for minutes: after this, in milliseconds, it is gone.
 */
const FOREIGN_MS = 10 * 60_000;

/** In place of the start of a process that has ended, but is still in the table of processes. */
const ENDED = "ended";

/** @typedef {{ pid: number, host: string, space: string, started: string, since: string, nonce: string, at?: number }} Owner at: when its file was written, by the file system */

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error)?.code ?? "";

/** @param {string} path */
function readOr(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * When a process began, in some text that another process with the same id would not have; empty where it can't be told.
 * @param {number} pid
 */
function startOf(pid) {
  if (process.platform === "linux") {
    const stat = readOr(`/proc/${pid}/stat`);
    // The name in parentheses may hold spaces; the state is the third field, the start the 22nd.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that has ended and that nobody waited for: in a container without an init it stays so.
    if (/^[ZXx]$/.test(fields[0] ?? "")) return ENDED;
    const ticks = fields[19] ?? "";
    return ticks && `${readOr("/proc/sys/kernel/random/boot_id").slice(0, 8)}-${ticks}`;
  }
  if (process.platform === "win32") return "";
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", timeout: 2000 }).trim();
  } catch {
    return "";
  }
}

/** The numbers of processes mean nothing in another container, which may have this host's name. */
function pidSpace() {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** @type {Omit<Owner, "nonce" | "since"> | undefined} */
let us;
const self = () => (us ??= { pid: process.pid, host: hostname(), space: pidSpace(), started: startOf(process.pid) });

/** @param {Owner} owner */
function isDead(owner) {
  if (owner.host !== self().host || owner.space !== self().space) {
    return owner.at !== undefined && Date.now() - owner.at > FOREIGN_MS;
  }
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
  const started = startOf(owner.pid);
  return started === ENDED || (owner.started !== "" && started !== "" && started !== owner.started);
}

/** @param {Owner} owner */
const told = (owner) =>
  `pid ${owner.pid}${owner.host === self().host ? "" : ` on ${owner.host}`}${
    owner.space === self().space ? "" : " in another container"
  } since ${owner.since}`;

export class Lock {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** The nonce of the lock that we hold. */
    this.held = "";
  }

  /** Takes it. Null when it is ours now, else who holds it. Throws `EHOST` when another machine does. */
  take() {
    const nonce = randomBytes(12).toString("hex");
    const mine = JSON.stringify({ ...self(), since: new Date().toISOString(), nonce });
    for (let tried = 0; tried < 8; tried += 1) {
      if (this.#make(this.path, mine)) {
        this.held = nonce;
        return null;
      }
      const owner = this.#read(this.path);
      // It was let go of meanwhile.
      if (!owner) continue;
      if (owner === "unreadable") return "a process that is about to write its name";
      if (owner.host !== self().host && owner.host !== "" && !isDead(owner)) {
        throw Object.assign(
          new Error(
            `${this.path}: is held by ${told(owner)}. Two machines can't write to one folder over the network: ` +
              "give each its own clone, or connect both to a server. If that machine is gone, its lock is taken over after ten minutes.",
          ),
          { code: "EHOST" },
        );
      }
      if (owner.pid !== 0 && !isDead(owner)) return told(owner);
      const holder = this.#takeOver(owner, mine);
      if (holder === null) {
        this.held = nonce;
        return null;
      }
      if (holder) return holder;
    }
    return "others in turn";
  }

  /** Lets it go; what another process holds by now stays. */
  release() {
    const owner = this.held && this.#read(this.path);
    if (owner && owner !== "unreadable" && owner.nonce === this.held) unlink(this.path);
    this.held = "";
  }

  /**
   * Puts our lock in the place of a dead owner's. Null when it is ours; a text when another does it; "" to look again.
   * @param {Owner} dead
   * @param {string} mine
   */
  #takeOver(dead, mine) {
    const claims = [];
    for (let of = dead; ; ) {
      const claim = `${this.path}.take.${of.nonce}`;
      if (this.#make(claim, mine)) {
        claims.push(claim);
        break;
      }
      const other = this.#read(claim);
      if (!other) return "";
      if (other === "unreadable" || (other.pid !== 0 && !isDead(other))) {
        return other === "unreadable" ? "another process" : told(other);
      }
      claims.push(claim);
      of = other;
    }
    const now = this.#read(this.path);
    const still = now && now !== "unreadable" && now.nonce === dead.nonce;
    if (still) {
      const beside = `${this.path}.${randomBytes(6).toString("hex")}.tmp`;
      writeFileSync(beside, mine, { mode: 0o600, flag: "wx" });
      renameSync(beside, this.path);
    }
    // Ours last: the others are of dead processes, which it stands for.
    for (const claim of claims) unlink(claim);
    return still ? null : "";
  }

  /**
   * Makes a file with its content at once; whether there was none.
   * @param {string} path
   * @param {string} content
   */
  #make(path, content) {
    const beside = `${this.path}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      writeFileSync(beside, content, { mode: 0o600, flag: "wx" });
      try {
        linkSync(beside, path);
        return true;
      } finally {
        unlink(beside);
      }
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      // File systems without hard links, such as exFAT.
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(codeOf(error))) throw error;
    }
    try {
      const file = openSync(path, "wx", 0o600);
      try {
        writeFileSync(file, content);
      } finally {
        closeSync(file);
      }
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /**
   * @param {string} path
   * @returns {Owner | "unreadable" | null} null when there is none; one with pid 0 for what a crash emptied
   */
  #read(path) {
    try {
      // Of a link that points nowhere nobody could tell whether it was let go of.
      if (lstatSync(path).isSymbolicLink())
        throw Object.assign(new Error(`${path}: is a symbolic link`), { code: "ELOOP" });
      const text = readFileSync(path, "utf8");
      try {
        const owner = JSON.parse(text);
        if (Number.isInteger(owner?.pid) && /^[0-9a-f]{24}$/.test(owner.nonce)) {
          return { ...owner, at: lstatSync(path).mtimeMs };
        }
      } catch (error) {
        // It is no owner, which is handled below; or it was let go of meanwhile.
        if (codeOf(error) === "ENOENT") throw error;
      }
      const { ino, mtimeMs } = lstatSync(path);
      // The clock may have been set back since.
      if (Math.abs(Date.now() - mtimeMs) < UNREADABLE_MS) return "unreadable";
      const nonce = `${ino}-${Math.trunc(mtimeMs)}`;
      return { ...self(), pid: 0, started: "", since: "", nonce };
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  }
}

/** @param {string} path */
function unlink(path) {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
