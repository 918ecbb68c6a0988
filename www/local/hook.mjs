// What a client's hook has done, in the process that was started for it or in one that has the store open: the plan is
// the module's, the reading of transcripts and the marks of what was done are ours.
import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./files.mjs";
import { log } from "./log.mjs";
import { isOff } from "./store.mjs";

/** The same event of the same session within this time is one that several clients' settings fired. */
const ONCE_MS = 10_000;
/** Marks are of no use after a day; what was read of a transcript is kept as long as clients keep those. */
const MARK_DAYS = 1;
const READ_DAYS = 60;
/** The most that is read of a transcript at a time. */
const TRANSCRIPT_BYTES = 64 * 1024 * 1024;
const SUBAGENT = /^agent-.+\.jsonl$/;

/**
 * @typedef {{ event: string, client: string, payload: string, max_tokens: number, child: boolean, cwd: string }} Asked
 */

/** @param {...string} parts */
const keyOf = (...parts) => createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 40);

/**
 * Answers a question that came by the socket.
 * @param {import("./host.mjs").Host} host
 * @param {{ do: string } & Asked} question
 */
export async function answerHook(host, question) {
  if (question.do === "ping") return { pid: process.pid };
  if (question.do !== "hook") return { error: `unknown: ${question.do}` };
  const { output, work } = await plan(host, question);
  // The client does not wait for what is only recorded.
  void work?.().catch((error) => log(host.log, `hook ${question.event}: ${error.message}`));
  return { output };
}

/**
 * Plans what an event asks for: what to print now, and the work that can be done after the answer.
 * @param {import("./host.mjs").Host} host
 * @param {Asked} asked
 * @returns {Promise<{ output: string, work?: () => Promise<void>, skipped?: string }>}
 */
export async function plan(host, { event, client, payload, max_tokens, child, cwd }) {
  return host.use(async (local) => {
    const plan = local.plan_hook({ client, event, payload, max_tokens, child });
    if (plan.do === "skip") return { output: "", skipped: plan.reason };
    if (isOff(plan.cwd ?? cwd)) return { output: "", skipped: "switched off for this project" };
    const folder = join(host.main.path, "cache", "hooks");
    if (!isFirst(folder, plan.key)) return { output: "", skipped: "another client's settings fired it, too" };
    if (plan.do === "recommend") {
      const answer = await local.handle(plan.request);
      if (answer.status >= 400) throw new Error(answer.body?.error?.message ?? `status ${answer.status}`);
      const output = local.hook_output(plan.shape, answer.body.prompt ?? "");
      return { output, work: () => local.flush() };
    }
    return { output: "", work: () => host.use((local) => record(local, folder, client, plan)) };
  });
}

/**
 * Whether nobody else did this lately; it is marked as done.
 * @param {string} folder
 * @param {string} key
 */
function isFirst(folder, key) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mark = join(folder, `done-${keyOf(key)}`);
  const made = () => {
    try {
      writeFileSync(mark, "", { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
      throw error;
    }
  };
  if (made()) {
    if (Math.random() < 0.02) sweep(folder);
    return true;
  }
  const age = Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (age < ONCE_MS) return false;
  unlinkSync(mark);
  return made();
}

/** @param {string} folder */
function sweep(folder) {
  for (const name of readdirSync(folder)) {
    const at = join(folder, name);
    const days = (Date.now() - (statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())) / 86_400_000;
    if (days > (name.startsWith("read-") ? READ_DAYS : MARK_DAYS)) unlinkSync(at);
  }
}

/**
 * Reads what is new in a session's transcripts, and sends what follows of it.
 * @param {Local} local
 * @param {string} folder
 * @param {string} client
 * @param {Extract<HookPlan, { do: "record" }>} plan
 */
async function record(local, folder, client, plan) {
  if (plan.settle_ms > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(plan.settle_ms, 1_000)));
  const reads = [];
  /** @type {{ path: string, next: number }[]} */
  const places = [];
  for (const path of [...subagents(plan.subagents_of), ...plan.transcripts]) {
    const from = readBefore(folder, plan.session, path);
    const bytes = readFrom(path, from);
    if (!bytes) continue;
    const read = local.read_transcript(client, bytes, from);
    // A run of a program is no session of a person; its lines are read once all the same.
    places.push({ path, next: Number(read.next) });
    if (!read.headless) reads.push(read);
    if (read.skipped > 0) log(undefined, `${path}: ${read.skipped} lines of unknown shapes`);
  }
  const requests = local.session_requests({ plan, reads, client });
  for (const request of requests) {
    const { status, body } = await local.handle(request);
    // 404: nothing was recommended for that decision; 409: it was said before, in other words.
    if (status >= 400 && ![404, 409].includes(status)) {
      throw new Error(`${request.path}: ${body?.error?.message ?? status}`);
    }
  }
  await local.flush();
  for (const { path, next } of places) {
    replaceFile(join(folder, `read-${keyOf(plan.session, path)}`), String(next), 0o600);
  }
}

/** @param {string | null | undefined} folder */
function subagents(folder) {
  if (!folder) return [];
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && SUBAGENT.test(file.name))
      .map((file) => join(file.parentPath ?? file.path, file.name))
      .sort();
  } catch {
    return [];
  }
}

/**
 * @param {string} folder
 * @param {string} session
 * @param {string} path
 */
function readBefore(folder, session, path) {
  const bytes = readFrom(join(folder, `read-${keyOf(session, path)}`), 0);
  const next = bytes ? Number(Buffer.from(bytes).toString()) : 0;
  // A transcript that was made anew is shorter.
  return Number.isSafeInteger(next) && next <= (statSync(path, { throwIfNoEntry: false })?.size ?? 0) ? next : 0;
}

/**
 * A file's bytes, whole: places are counted from its beginning. Null when it is not there.
 * @param {string} path
 * @param {number} from
 */
export function readFrom(path, from) {
  let file;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const size = Math.min(fstatSync(file).size - from, TRANSCRIPT_BYTES);
    const bytes = new Uint8Array(Math.max(size, 0));
    let length = 0;
    while (length < bytes.length) {
      const got = readSync(file, bytes, length, bytes.length - length, from + length);
      if (got === 0) break;
      length += got;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
