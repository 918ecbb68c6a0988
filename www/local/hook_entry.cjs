// `lessonloop hook`, from the client's call to its end: reads the payload, hands it to the process that has the store open,
// and starts nothing else while there is one. CommonJS, and no module that it can do without: it runs at every prompt.
"use strict";
const { appendFileSync, fstatSync, mkdirSync, readFileSync, utimesSync, writeFileSync } = require("node:fs");
const { connect, Socket } = require("node:net");
const { basename, join } = require("node:path");
const { addressOf, findStores, isOff, recordFolder } = require("./places.cjs");
const { hooksPlace, put } = require("./spool.cjs");

/** The most that is printed unless the client's entry says another bound. */
const MAX_TOKENS = 1_500;
/** A payload that is not whole by then is given up: Claude Code ends a hook of the session's end after 1.5 s. */
const INPUT_MS = 900;
/** A prompt with pasted files is shorter. */
const INPUT_BYTES = 16 * 1024 * 1024;
/** A process that answers at the socket has this long; then the store is opened here. */
const PATIENCE_MS = 1_500;
/** The same where something is only handed on: first that it was heard, and at a session's end that it is recorded. */
const HEARD_MS = 400;
const RECORDED_MS = 500;
/** Lines of hooks that came without a payload: enough to see since when. */
const EMPTY_BYTES = 8 * 1024;

/** Our names of the events; a client's own are taken, too. */
const KINDS = [
  ["session-start", /^(sessionstart|sessioncreated)$/],
  ["session-end", /^(sessionend|sessiondeleted)$/],
  ["subagent-stop", /^subagentstop$/],
  ["stop", /^(stop|agentstop|afteragent|afteragentresponse|sessionidle)$/],
  ["moment", /^(moment|posttooluse|posttoolusefailure|aftertool)$/],
];
/** The events that are only recorded: nothing is printed for them, and no client has to wait. */
const RECORDS = ["stop", "subagent-stop", "session-end"];
/** The variables that tell who started the client: `lesson_clients::RUN_VARIABLES`. */
const VARIABLES = [
  "LESSONLOOP_CHILD",
  "LESSONLOOP_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_EXECPATH",
  "AI_AGENT",
  "CODEX_THREAD_ID",
  "COPILOT_AGENT_SESSION_ID",
  "COPILOT_CLI",
  "COPILOT_HOME",
  "GEMINI_CLI",
  "OPENCODE",
  "HOME",
  "USERPROFILE",
];
/** Set in what a hook leaves behind; its value is the store. */
const DETACHED = "LESSONLOOP_HOOK_DRAIN";

/** @typedef {import("./spool.cjs").Asked} Asked */

/**
 * Runs a hook to its end; errors are in the store's log.
 * @param {string[]} words
 * @returns {Promise<number>} always 0
 */
async function run(words) {
  /** @type {string | undefined} */
  let store;
  const { event, client, maxTokens, noModel } = options(words);
  try {
    if (process.env[DETACHED]) {
      await (await alone()).drainHere(process.env[DETACHED]);
      return 0;
    }
    const { text, why } = await input();
    const payload = why ? {} : JSON.parse(text);
    const cwd = folderOf(payload);
    if (isOff(cwd)) return 0;
    const places = findStores(cwd);
    store = (places.project ?? places.personal)?.path;
    if (places.untrusted && (await toldOfUntrusted(places.untrusted.path, client, kindOf(event, payload)))) return 0;
    if (!store) return 0;
    came(store, event, client, why);
    if (why) {
      await logged(store, `hook ${event}: the client sent no payload (${why}); nothing was done`);
      return 0;
    }
    const kind = kindOf(event, payload);
    if (kind === "moment" && !looksFailed(text)) return 0;
    if (kind === "session-start") leaveMark(payload);
    /** @type {Asked} */
    const asked = { event, client, payload: text, max_tokens: maxTokens, cwd, environment: environment() };
    if (RECORDS.includes(kind)) await handOver(places, store, asked, kind === "session-end");
    else await answer(places, store, asked, noModel);
  } catch (error) {
    await logged(store, `hook ${event}: ${/** @type {Error} */ (error).message}`);
  }
  return 0;
}

/**
 * Prints what the event asks for.
 * @param {import("./places.cjs").Places} places
 * @param {string} store
 * @param {Asked} asked
 * @param {boolean} noModel
 */
async function answer(places, store, asked, noModel) {
  // Asked again here, it is the same call: what a slow process has claimed for it is its own.
  const call = { ...asked, id: `${process.pid}-${Date.now()}` };
  const [told] = await exchange(addressOf(places), { do: "hook", ...call }, [PATIENCE_MS]);
  if (told?.error) await logged(store, `hook ${asked.event}: ${told.error}`);
  if (told && !told.error) return print(told.output ?? "");
  await (await alone()).answerHere(places, call, !noModel);
}

/**
 * Keeps what is to be recorded, and has it recorded: by the process that has the store open, or by one that is left behind.
 * @param {import("./places.cjs").Places} places
 * @param {string} store
 * @param {Asked} asked
 * @param {boolean} isEnd
 */
async function handOver(places, store, asked, isEnd) {
  const entry = basename(put(store, asked));
  // That process may be ended together with the client, so at a session's end it has to say that it is done.
  const patience = isEnd ? [HEARD_MS, RECORDED_MS] : [HEARD_MS];
  const [heard, done] = await exchange(addressOf(places), { do: "drain", entry }, patience);
  if (heard?.heard && (!isEnd || done?.done)) {
    if (done?.output) await print(done.output);
    return;
  }
  const { leaveBehind } = await alone();
  leaveBehind(store, asked);
}

/** The modules that open the store, loaded only where nobody else has it open. */
const alone = () => import("./hook_alone.mjs");

/**
 * Asks at an address; a line is awaited for each time that is given, and undefined stands for one that did not come.
 * @param {string | null} address
 * @param {object} question
 * @param {number[]} patience milliseconds
 * @returns {Promise<any[]>}
 */
function exchange(address, question, patience) {
  if (!address) return Promise.resolve([]);
  return new Promise((resolve) => {
    let rest = "";
    /** @type {any[]} */
    const lines = [];
    const socket = connect(address);
    let timer = setTimeout(end, patience[0]);
    function end() {
      clearTimeout(timer);
      socket.destroy();
      resolve(lines);
    }
    socket.setEncoding("utf8");
    socket.on("error", end);
    socket.on("close", end);
    socket.on("connect", () => socket.write(`${JSON.stringify(question)}\n`));
    socket.on("data", (piece) => {
      rest += piece;
      for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
        try {
          lines.push(JSON.parse(rest.slice(0, at)));
        } catch {
          return end();
        }
        rest = rest.slice(at + 1);
        if (lines.length === patience.length) return end();
        clearTimeout(timer);
        timer = setTimeout(end, patience[lines.length]);
      }
    });
  });
}

/**
 * The payload, as soon as it is a whole JSON object: some clients never end a hook's input. `why` tells why there is none.
 * @returns {Promise<{ text: string, why?: "empty" | "null" | "not json" | "unfinished" | "too long" }>}
 */
async function input() {
  const { text, isCut, isLong } = await inputText();
  const plain = text.replace(/^\uFEFF/, "").trim();
  if (isLong) return { text: "", why: "too long" };
  if (plain === "") return { text: "", why: "empty" };
  try {
    const value = JSON.parse(plain);
    if (value === null) return { text: "", why: "null" };
    if (typeof value !== "object" || Array.isArray(value)) return { text: "", why: "not json" };
    return { text: plain };
  } catch {
    return { text: "", why: isCut ? "unfinished" : "not json" };
  }
}

/** @returns {Promise<{ text: string, isCut?: boolean, isLong?: boolean }>} */
function inputText() {
  /** @type {import("node:net").Socket | NodeJS.ReadStream} */
  let stream;
  try {
    const kind = fstatSync(0);
    if (process.platform === "win32") stream = process.stdin;
    else if (kind.isFIFO() || kind.isSocket()) stream = new Socket({ fd: 0, readable: true, writable: false });
    // A terminal would wait for somebody to type.
    else if (kind.isCharacterDevice() && process.stdin.isTTY) return Promise.resolve({ text: "" });
    else return Promise.resolve({ text: readFileSync(0, "utf8") });
  } catch {
    return Promise.resolve({ text: "" });
  }
  return new Promise((resolve) => {
    let text = "";
    const whole = wholeObject();
    /** @param {{ isCut?: boolean, isLong?: boolean }} how */
    const end = (how) => {
      clearTimeout(timer);
      stream.removeAllListeners();
      stream.on("error", () => undefined);
      stream.destroy();
      resolve({ text, ...how });
    };
    const timer = setTimeout(() => end({ isCut: true }), INPUT_MS);
    stream.setEncoding("utf8");
    stream.on("data", (/** @type {string} */ piece) => {
      text += piece;
      if (text.length > INPUT_BYTES) return end({ isLong: true });
      const at = whole(piece);
      if (at < 0) return;
      text = text.slice(0, at);
      end({});
    });
    stream.on("end", () => end({}));
    stream.on("close", () => end({}));
    stream.on("error", () => end({}));
  });
}

/** Finds where an object's last brace closes, piece by piece: -1 before that, else the length of all up to there. */
function wholeObject() {
  let [depth, isString, isEscaped, length] = [0, false, false, 0];
  return (/** @type {string} */ piece) => {
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece[at];
      if (isEscaped) isEscaped = false;
      else if (isString) {
        if (char === "\\") isEscaped = true;
        else if (char === '"') isString = false;
      } else if (char === '"') isString = depth > 0;
      else if (char === "{" || char === "[") depth += 1;
      else if ((char === "}" || char === "]") && depth > 0) {
        depth -= 1;
        if (depth === 0) return length + at + 1;
      }
    }
    length += piece.length;
    return -1;
  };
}

/**
 * Reads the options. An older or newer entry of a client's file must not fail the client: unknown ones are passed over.
 * @param {string[]} words
 */
function options(words) {
  const [named, given] = [/** @type {string[]} */ ([]), /** @type {Record<string, string>} */ ({})];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) named.push(word);
    else if (value !== undefined || name === "no-model") given[name] = value ?? "";
    else if (["client", "max-tokens"].includes(name)) given[name] = words[(at += 1)] ?? "";
  }
  return {
    event: named[0] ?? "",
    client: given.client || "claude",
    maxTokens: Number(given["max-tokens"]) || MAX_TOKENS,
    noModel: "no-model" in given,
  };
}

/**
 * The event in our words, as far as it matters here; the module decides what is done.
 * @param {string} event
 * @param {any} payload
 */
function kindOf(event, payload) {
  const plain = (/** @type {unknown} */ name) =>
    typeof name === "string" ? name.toLowerCase().replace(/[^a-z0-9]/g, "") : "";
  const own = plain(payload.hook_event_name ?? payload.hookEventName ?? payload.event ?? payload.type);
  const name = plain(event) || own;
  const [kind] = KINDS.find(([, names]) => /** @type {RegExp} */ (names).test(name) || names === name) ?? [""];
  const ours = /** @type {string} */ (kind) || event;
  // Claude Code runs a subagent's Stop hooks as SubagentStop.
  return ours === "stop" && own === "subagentstop" ? "subagent-stop" : ours;
}

/**
 * True if a tool's result may tell of a failure. Most don't, and end here; of the rest the module decides.
 * @param {string} text
 */
const looksFailed = (text) =>
  /"(?:exit_?code|exitcode|code|status)"\s*:\s*"?-?[1-9]|"(?:is_?error|failed)"\s*:\s*true|"error"\s*:\s*["{]|"success"\s*:\s*false|exit(?:ed)?(?: with)?(?: code| status)?:?\s+[1-9]|posttoolusefailure|"result_?type"\s*:\s*"(?:failure|error)|error[:[]|fatal:|traceback|npm err|panic|uncaught|\bfail(?:ed)? |make: \*\*\*/i.test(
    text,
  );

/** Clients that show a `systemMessage` to the person. */
const SHOWS_MESSAGES = ["claude", "codex", "gemini"];

/**
 * Says once that a store is there which came with its repository; whether it did. Nothing of it is read for that, and its
 * path is this machine's.
 * @param {string} store
 * @param {string} client
 * @param {string} kind
 */
async function toldOfUntrusted(store, client, kind) {
  if (!SHOWS_MESSAGES.includes(client) || !["session-start", "prompt"].includes(kind)) return false;
  try {
    const folder = recordFolder(store);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "told"), "", { flag: "wx", mode: 0o600 });
  } catch {
    // It was said, or can't be noted: then it would be said at every prompt.
    return false;
  }
  const { typed } = await import("./invocation.mjs");
  const systemMessage = `Lessonloop: ${store} came with this repository, and agents get nothing of it. To let them: ${typed("trust")}`;
  await print(JSON.stringify({ systemMessage }));
  return true;
}

/** The folder that the client works in. @param {any} payload */
function folderOf(payload) {
  const folder = payload.cwd ?? payload.workspace_roots?.[0];
  return typeof folder === "string" && folder ? folder : process.cwd();
}

function environment() {
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of VARIABLES) {
    const value = process.env[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/**
 * Leaves the session's id to what its tools start: a client among that is told by it. Claude Code runs each command of its
 * shell tool after this file.
 * @param {any} payload
 */
function leaveMark(payload) {
  const file = process.env.CLAUDE_ENV_FILE;
  const id = payload.session_id;
  if (!file || typeof id !== "string" || !/^[\w.-]{1,200}$/.test(id)) return;
  try {
    appendFileSync(file, `export LESSONLOOP_SESSION=${id}\n`);
  } catch {
    // Without it nested runs are told by their environment alone.
  }
}

/**
 * Notes that a client called, and when it did without a payload; `doctor` looks at both.
 * @param {string} store
 * @param {string} event
 * @param {string} client
 * @param {string} [why]
 */
function came(store, event, client, why) {
  try {
    const folder = hooksPlace(store, "came");
    const name = `${client}.${event || "unnamed"}`.replace(/[^\w.-]/g, "_").slice(0, 100);
    if (why) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = hooksPlace(store, "empty.jsonl");
      const line = `${JSON.stringify({ at: new Date().toISOString(), event, client, why })}\n`;
      const before = read(file);
      // The latest ones are of interest.
      const kept = before.length > EMPTY_BYTES ? before.slice(before.indexOf("\n", EMPTY_BYTES / 2) + 1) : before;
      if (kept.length < before.length) writeFileSync(file, kept + line, { mode: 0o600 });
      else appendFileSync(file, line, { mode: 0o600 });
      return;
    }
    const now = new Date();
    try {
      utimesSync(join(folder, name), now, now);
    } catch {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, name), "", { mode: 0o600 });
    }
  } catch {
    // A store that can't be written is told about by what is to be stored.
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * @param {string | undefined} store
 * @param {string} what
 */
async function logged(store, what) {
  const { log } = await import("./log.mjs");
  log(store, what);
}

/** @param {string} text */
function print(text) {
  return new Promise((resolve) => {
    if (!text) return resolve(undefined);
    process.stdout.on("error", () => resolve(undefined));
    process.stdout.write(text, () => resolve(undefined));
  });
}

module.exports = { run, DETACHED };
