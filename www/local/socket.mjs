// One process of those that have a store open answers the others at a socket: hooks get their lessons from a loaded model.
import { unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";

export { addressOf } from "./places.cjs";

/** From a look whether the place is free to the next: the one that answers may end before the others. */
const AGAIN_MS = 15_000;
/** A question is a hook's payload: a prompt, say. */
const QUESTION_BYTES = 32 * 1024 * 1024;

/**
 * Answers a question, with what is said before as lines of their own.
 * @typedef {(question: any, say: (line: object) => void) => Promise<object>} Answer
 */

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
 * @param {Answer} answer
 * @returns a function that ends it, and waits for what was asked before
 */
export function answerAt(address, answer) {
  if (!address) return async () => undefined;
  /** @type {Set<Promise<void>>} */
  const talks = new Set();
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
    const made = createServer((socket) => talk(socket, answer, talks));
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
  return async () => {
    ended = true;
    clearTimeout(timer);
    server?.close();
    await Promise.allSettled(talks);
  };
}

/**
 * @param {import("node:net").Socket} socket
 * @param {Answer} answer
 * @param {Set<Promise<void>>} talks those that are not answered yet
 */
function talk(socket, answer, talks) {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  /** @param {object} line */
  const say = (line) => void socket.write(`${JSON.stringify(line)}\n`);
  socket.on("data", (piece) => {
    text += piece;
    if (text.length > QUESTION_BYTES) return socket.destroy();
    const end = text.indexOf("\n");
    if (end < 0) return;
    const line = text.slice(0, end);
    text = "";
    const talked = (async () => {
      try {
        say(await answer(JSON.parse(line), say));
      } catch (error) {
        say({ error: /** @type {Error} */ (error).message });
      }
      socket.end();
    })();
    talks.add(talked);
    void talked.finally(() => talks.delete(talked));
  });
}
