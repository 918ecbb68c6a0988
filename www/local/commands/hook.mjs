// `lessonloop hook EVENT --client NAME`: what clients call. It never fails the client: it ends with 0, and errors are in
// the store's log.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf } from "../files.mjs";
import { log } from "../log.mjs";
import { addressOf, ask } from "../socket.mjs";
import { findStores, isOff } from "../store.mjs";

/** The most that is printed unless the client's entry says another bound. */
const MAX_TOKENS = 1_500;
/** A process that answers at the socket has this long; then the store is opened here. */
const PATIENCE_MS = 1_500;
/** The most processes that are left behind in a minute. A hook that starts a client, whose hook starts another, ends here. */
const SPAWNS_A_MINUTE = 12;
/** Standard input of a client that never ends it is given up. */
const INPUT_MS = 2_000;
/** The longest wait for vectors that another process makes. */
const IDLE_MS = 60_000;
/** Set in what a hook leaves behind. */
const DETACHED = "LESSONLOOP_HOOK_DETACHED";

const RECORDS = ["stop", "subagent-stop", "session-end"];

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function hook({ values, positionals }) {
  let store;
  try {
    const payload = await input();
    const cwd = cwdOf(payload);
    if (process.env.LESSONLOOP_CHILD === "1" || isOff(cwd)) return 0;
    const places = findStores(cwd);
    store = (places.project ?? places.personal)?.path;
    if (!store) return 0;
    const asked = {
      event: positionals[0] ?? "",
      client: values.client ?? "claude",
      payload,
      max_tokens: Number(values["max-tokens"] ?? MAX_TOKENS) || MAX_TOKENS,
      child: process.env.CLAUDE_CODE_CHILD_SESSION === "1",
      cwd,
    };
    const detached = process.env[DETACHED] === "1";
    const answer = detached ? null : await ask(addressOf(places), { do: "hook", ...asked }, PATIENCE_MS);
    if (answer?.error) log(store, `hook ${asked.event}: ${answer.error}`);
    if (answer && !answer.error) {
      await print(answer.output);
      return 0;
    }
    if (!detached && isRecord(asked)) {
      leaveBehind(store, asked);
      return 0;
    }
    await here(places, asked, values);
  } catch (error) {
    log(store, `hook ${positionals[0] ?? ""}: ${/** @type {Error} */ (error).message}`);
  }
  return 0;
}

/**
 * Opens the store in this process.
 * @param {import("../store.mjs").Places} places
 * @param {import("../hook.mjs").Asked} asked
 * @param {Record<string, any>} values
 */
async function here(places, asked, values) {
  const [{ Host }, { plan }] = await Promise.all([import("../host.mjs"), import("../hook.mjs")]);
  const records = isRecord(asked);
  // A client waits for what is printed, and not for vectors of lessons that have none yet.
  const host = new Host({ places, indexing: records });
  if (!records && !values["no-model"]) await host.loadModel();
  const { output, work, skipped } = await plan(host, asked);
  if (skipped && process.env.LESSONLOOP_DEBUG) log(host.log, `hook ${asked.event}: skipped, ${skipped}`);
  await print(output);
  await work?.();
  if (records && work && isEnd(asked)) {
    // What the session taught is found by its meaning from now on, where nobody else sees to that.
    await host.loadModel();
    const idle = host.use((local) => local.idle());
    // Nobody sees to an end of what is left behind: a process that hangs at its embedding must not hold this one, too.
    await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, IDLE_MS).unref())]);
  }
}

/** @param {{ event: string, payload: string }} asked */
const isEnd = ({ event, payload }) =>
  event ? event === "session-end" : /"hook_event_name"\s*:\s*"(SessionEnd|sessionEnd)"/.test(payload);

/** @param {{ event: string, payload: string }} asked */
function isRecord({ event, payload }) {
  if (event) return RECORDS.includes(event);
  return /"hook_event_name"\s*:\s*"(Stop|SubagentStop|SessionEnd|stop|subagentStop|sessionEnd)"/.test(payload);
}

/**
 * Has another process do what takes long: at its end a client waits for a second or two.
 * @param {string} store
 * @param {import("../hook.mjs").Asked} asked
 */
function leaveBehind(store, asked) {
  if (!mayLeave(store)) {
    log(store, `hook ${asked.event}: too many in a minute, left out`);
    return;
  }
  const bin = fileURLToPath(new URL("../bin/lessonloop.mjs", import.meta.url));
  const child = spawn(process.execPath, [bin, "hook", asked.event, "--client", asked.client], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    windowsHide: true,
    env: { ...process.env, [DETACHED]: "1" },
  });
  child.on("error", (error) => log(store, `hook ${asked.event}: ${error.message}`));
  child.stdin.on("error", () => undefined);
  child.stdin.end(asked.payload);
  child.unref();
}

/** Whether another process may be left behind in this minute; it is counted. @param {string} store */
function mayLeave(store) {
  const folder = folderOf(store, "cache", "hooks");
  const minute = Math.floor(Date.now() / 60_000);
  for (let at = 0; at < SPAWNS_A_MINUTE; at += 1) {
    try {
      writeFileSync(join(folder, `left-${minute}-${at}`), "", { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
  }
  return false;
}

/** The folder that the client works in. @param {string} payload */
function cwdOf(payload) {
  try {
    const { cwd, workspace_roots } = JSON.parse(payload);
    const folder = cwd ?? workspace_roots?.[0];
    if (typeof folder === "string" && folder) return folder;
  } catch {
    // The module says what is wrong with it.
  }
  return process.cwd();
}

async function input() {
  if (process.stdin.isTTY) return "";
  let text = "";
  process.stdin.setEncoding("utf8");
  const timer = setTimeout(() => process.stdin.destroy(), INPUT_MS);
  try {
    for await (const piece of process.stdin) text += piece;
  } catch {
    // What came in will do.
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** @param {string} text */
function print(text) {
  return new Promise((resolve) => (text ? process.stdout.write(text, () => resolve(undefined)) : resolve(undefined)));
}
