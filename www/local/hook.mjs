// What a client's hook has done, in the process that was started for it or in one that has the store open: the plan is
// the module's, the reading of transcripts and the marks of what was done are ours.
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf, readRange, replaceFile } from "./files.mjs";
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
    const folder = folderOf(host.main.path, "cache", "hooks");
    if (!isFirst(folder, plan.key)) return { output: "", skipped: "another client's settings fired it, too" };
    if (plan.do === "recommend") {
      const answer = await local.handle(plan.request);
      if (answer.status >= 400) throw new Error(answer.body?.error?.message ?? `status ${answer.status}`);
      const shown = answer.body.recommended.map((/** @type {any} */ it) => it.slug);
      const output = shown.length > 0 ? local.hook_output(plan.shape, answer.body.prompt ?? "") : "";
      return {
        output,
        work: async () => {
          await local.flush();
          const state = stateBefore(folder, plan.session);
          keep(folder, plan.session, { ...state, shown: [...new Set([...state.shown, ...shown])] });
        },
      };
    }
    return { output: "", work: () => host.use((local) => record(host, local, folder, client, plan)) };
  });
}

/**
 * Whether nobody else did this lately; it is marked as done.
 * @param {string} folder
 * @param {string} key
 */
function isFirst(folder, key) {
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
  // A mark of the future is one from before the clock was set back.
  const age = Math.abs(Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  if (age < ONCE_MS) return false;
  unlinkSync(mark);
  return made();
}

/** @param {string} folder */
function sweep(folder) {
  for (const name of readdirSync(folder)) {
    const at = join(folder, name);
    const days = (Date.now() - (statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())) / 86_400_000;
    if (days > (name.startsWith("session-") ? READ_DAYS : MARK_DAYS)) unlinkSync(at);
  }
}

/**
 * What is kept of a session between its hooks: how far its transcripts were read, and what the end needs of them.
 * @typedef {{ reads: Record<string, Partial<TranscriptRead>>, kept: any, shown: string[] }} State
 */

/**
 * @param {string} folder
 * @param {string} session
 */
const stateOf = (folder, session) => join(folder, `session-${keyOf(session)}.json`);

/**
 * @param {string} folder
 * @param {string} session
 * @returns {State}
 */
function stateBefore(folder, session) {
  try {
    const { reads, kept, shown } = JSON.parse(readFileSync(stateOf(folder, session), "utf8"));
    return { reads: reads ?? {}, kept, shown: Array.isArray(shown) ? shown : [] };
  } catch {
    return { reads: {}, kept: undefined, shown: [] };
  }
}

/**
 * @param {string} folder
 * @param {string} session
 * @param {State} state
 */
const keep = (folder, session, state) => replaceFile(stateOf(folder, session), JSON.stringify(state), 0o600);

/**
 * Reads what is new in a session's transcripts, and sends what follows of it.
 * @param {import("./host.mjs").Host} host
 * @param {Local} local
 * @param {string} folder
 * @param {string} client
 * @param {Extract<HookPlan, { do: "record" }>} plan
 */
async function record(host, local, folder, client, plan) {
  if (plan.settle_ms > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(plan.settle_ms, 1_000)));
  const state = stateBefore(folder, plan.session);
  const reads = [];
  for (const path of [...subagents(plan.subagents_of), ...plan.transcripts]) {
    for (const read of pieces(local, client, path, readBefore(state, path))) {
      reads.push(read);
      // What was said is sent now, and never again.
      state.reads[path] = { ...read, said: "", shown: [], signs: [] };
      if (read.skipped > 0) log(host.log, `${path}: ${read.skipped} lines of unknown shapes`);
    }
  }
  const { session, decision_id, done, last_message, subagent } = plan;
  const {
    requests,
    suggested,
    keep: kept,
  } = local.record_session({
    session,
    decision_id,
    done,
    ...(last_message ? { last_message } : {}),
    subagent: subagent ?? false,
    reads,
    ...(state.kept ? { kept: state.kept } : {}),
    shown: state.shown,
  });
  for (const request of requests) {
    const { status, body } = await host.handle(request);
    // 404: nothing was recommended for that decision; 409: it was said before, in other words.
    if (status >= 400 && ![404, 409].includes(status)) {
      throw new Error(`${request.path}: ${body?.error?.message ?? status}`);
    }
  }
  // What tests or a commit point to waits for a person, where nobody told an outcome.
  if (suggested) await local.suggest(suggested);
  await local.flush();
  keep(folder, session, { ...state, kept });
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
 * @param {State} state
 * @param {string} path
 * @returns {Partial<TranscriptRead>}
 */
function readBefore(state, path) {
  const before = state.reads[path] ?? {};
  // A transcript that was made anew is shorter.
  return (before.next ?? 0) <= (statSync(path, { throwIfNoEntry: false })?.size ?? 0) ? before : {};
}

/**
 * Reads what is new in a transcript, piece by piece; nothing of one that is not there.
 * @param {Local} local
 * @param {string} client
 * @param {string} path
 * @param {Partial<TranscriptRead>} before
 * @returns {Generator<TranscriptRead>}
 */
export function* pieces(local, client, path, before) {
  for (let last = before; ; ) {
    const from = last.next ?? 0;
    const bytes = readFrom(path, from);
    if (!bytes || (bytes.length === 0 && last !== before)) return;
    const read = local.read_transcript_after(client, bytes, /** @type {TranscriptRead} */ (last));
    yield read;
    // A piece that is not full was the last one; in a full one without a line's end there is no way on.
    if (bytes.length < TRANSCRIPT_BYTES || read.next === from) return;
    last = read;
  }
}

/**
 * A file's bytes from a place on. Null when it is not there.
 * @param {string} path
 * @param {number} from
 */
function readFrom(path, from) {
  let file;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    return readRange(file, from, from + TRANSCRIPT_BYTES);
  } finally {
    closeSync(file);
  }
}
