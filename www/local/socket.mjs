// One process of those that have a store open answers the others at a socket: hooks get their lessons from a loaded model.
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, realpathSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** From a look whether the place is free to the next: the one that answers may end before the others. */
const AGAIN_MS = 15_000;
/** A question is a hook's payload: a prompt, say. */
const QUESTION_BYTES = 4 * 1024 * 1024;

/**
 * The address for some stores, or null where this user has no place of its own.
 * @param {import("./store.mjs").Places} places
 */
export function addressOf(places) {
  const paths = [places.project, places.personal].map((place) => (place ? realpathSync(place.path) : ""));
  const key = createHash("sha256").update(paths.join("\0")).digest("hex").slice(0, 24);
  if (process.platform === "win32") return `\\\\.\\pipe\\lessonloop-${key}`;
  const folder = socketFolder();
  return folder && join(folder, `${key}.sock`);
}

/** A folder that only this user can enter. */
function socketFolder() {
  const uid = userInfo().uid;
  const folder = join(process.env.XDG_RUNTIME_DIR || tmpdir(), `lessonloop-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const { mode, uid: owner } = lstatSync(folder);
    // In a folder for all, somebody else may have made it.
    if (owner !== uid || !lstatSync(folder).isDirectory()) return null;
    if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return folder;
  } catch {
    return null;
  }
}

/**
 * Asks who answers at an address. Null when nobody does in time.
 * @param {string | null} address
 * @param {object} question
 * @param {number} [patience] milliseconds
 * @returns {Promise<any>}
 */
export function ask(address, question, patience = 5_000) {
  if (!address) return Promise.resolve(null);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(address);
    const timer = setTimeout(() => end(null), patience);
    /** @param {any} answer */
    function end(answer) {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    }
    socket.setEncoding("utf8");
    socket.on("error", () => end(null));
    socket.on("close", () => end(null));
    socket.on("connect", () => socket.write(`${JSON.stringify(question)}\n`));
    socket.on("data", (piece) => {
      text += piece;
      if (!text.includes("\n")) return;
      try {
        end(JSON.parse(text));
      } catch {
        end(null);
      }
    });
  });
}

/**
 * Answers at an address for as long as this process lives, or as soon as the one that does so now has ended.
 * @param {string | null} address
 * @param {(question: any) => Promise<object>} answer
 * @returns a function that ends it
 */
export function answerAt(address, answer) {
  if (!address) return () => undefined;
  let ended = false;
  /** @type {import("node:net").Server | null} */
  let server = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const again = () => {
    if (ended) return;
    timer = setTimeout(attempt, AGAIN_MS);
    timer.unref();
  };
  async function attempt() {
    const made = createServer((socket) => talk(socket, answer));
    made.unref();
    made.on("error", async (error) => {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code !== "EADDRINUSE" || ended) return again();
      // Its owner may be gone; a living one answers.
      if (process.platform !== "win32" && !(await ask(address, { do: "ping" }, 1_000))) {
        try {
          unlinkSync(/** @type {string} */ (address));
        } catch {
          // Another one was quicker.
        }
      }
      again();
    });
    made.listen(address, () => {
      server = made;
      if (ended) made.close();
    });
  }
  // The first look comes at once, and a second one soon, when a dead socket was in the way.
  void attempt();
  setTimeout(() => {
    if (!server && !ended) void attempt();
  }, 1_500).unref();
  return () => {
    ended = true;
    clearTimeout(timer);
    server?.close();
  };
}

/**
 * @param {import("node:net").Socket} socket
 * @param {(question: any) => Promise<object>} answer
 */
function talk(socket, answer) {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.on("data", async (piece) => {
    text += piece;
    if (text.length > QUESTION_BYTES) return socket.destroy();
    const end = text.indexOf("\n");
    if (end < 0) return;
    const line = text.slice(0, end);
    text = "";
    try {
      socket.end(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
    } catch (error) {
      socket.end(`${JSON.stringify({ error: /** @type {Error} */ (error).message })}\n`);
    }
  });
}
