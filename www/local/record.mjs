// The recording of a session: its transcripts are read on from where they were read before, and what follows of them is sent.
// A session's state is written by one process at a time, which holds the turn of the spool.
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRange, replaceFile } from "./files.mjs";
import { log } from "./log.mjs";
import { lengthOf, saidBefore } from "./said.mjs";

/** The most that is read of a transcript at a time. */
const TRANSCRIPT_BYTES = 64 * 1024 * 1024;
const SUBAGENT = /^agent-.+\.jsonl$/;
/** Sessions that `lessonloop last` can tell of. */
const RECEIPT = "last.json";

/**
 * State kept of a session between its hooks: how far its transcripts were read, what the end needs of them, which ones
 * are the session's own, what is being recorded just now, how long the file of what was said was at the end, and what the
 * receipt tells.
 * @typedef {{ reads: Record<string, Partial<TranscriptRead>>, kept?: any, transcripts: string[],
 *   pending?: { entry: string, ends: Record<string, number> }, ended?: number,
 *   receipt: { used: string[], learned: { slug: string, text: string }[] } }} State
 * @typedef {{ session: string, client: string, ended_at: string, given: string[], used: string[],
 *   learned: { slug: string, text: string }[], outcome: string | null, suggested: string | null }} Receipt
 * @typedef {Extract<HookPlan, { do: "record" }>} RecordPlan
 */

/** @param {...string} parts */
export const keyOf = (...parts) => createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 40);

/** @param {string} folder @param {string} session */
const stateFile = (folder, session) => join(folder, `session-${keyOf(session)}.json`);

/** True if anything was recorded of a session. @param {string} folder @param {string} session */
export const isKnown = (folder, session) =>
  statSync(stateFile(folder, session), { throwIfNoEntry: false }) !== undefined;

/**
 * @param {string} path
 * @returns {State}
 */
function stateAt(path) {
  try {
    const read = JSON.parse(readFileSync(path, "utf8"));
    const { receipt } = read;
    return {
      ...read,
      reads: read.reads ?? {},
      transcripts: read.transcripts ?? [],
      receipt: { used: receipt?.used ?? [], learned: receipt?.learned ?? [] },
    };
  } catch {
    return { reads: {}, transcripts: [], receipt: { used: [], learned: [] } };
  }
}

/** @param {string} folder @param {string} session @param {State} state */
const keep = (folder, session, state) => replaceFile(stateFile(folder, session), JSON.stringify(state), 0o600);

/**
 * Reads what is new in a session's transcripts, and sends what follows of it. A process may be ended at any place here:
 * recording the same entry again reads the same pieces, whose requests count once.
 * @param {import("./host.mjs").Host} host
 * @param {Local} local
 * @param {string} folder
 * @param {{ name: string, client: string, plan: RecordPlan }} entry
 * @returns {Promise<Receipt | null>} what came of the session, at its end
 */
export async function record(host, local, folder, { name, client, plan }) {
  const { session } = plan;
  const before = stateAt(stateFile(folder, session));
  const length = lengthOf(folder, keyOf(session));
  const again = before.pending?.entry === name ? before.pending : undefined;
  // A stop whose process came after the end's: no prompt came between, so the session is over.
  const isLate = !plan.done && !plan.subagent && before.ended === length;
  const done = plan.done || isLate;
  if (plan.settle_ms > 0 && !again)
    await new Promise((resolve) => setTimeout(resolve, Math.min(plan.settle_ms, 1_000)));

  const own = plan.subagent ? [] : plan.transcripts;
  // Copilot CLI names no transcript at the end.
  const transcripts = done && plan.transcripts.length === 0 ? before.transcripts : plan.transcripts;
  const paths = [...new Set([...subagents(plan.subagents_of), ...transcripts])];
  const ends = again?.ends ?? Object.fromEntries(paths.map((path) => [path, sizeOf(path)]));
  /** @type {State} */
  const state = { ...before, transcripts: [...new Set([...before.transcripts, ...own])] };
  if (!again) keep(folder, session, { ...state, pending: { entry: name, ends } });

  const reads = [];
  const next = { ...state.reads };
  for (const [path, end] of Object.entries(ends)) {
    for (const read of pieces(local, client, path, readBefore(folder, state, path), end)) {
      reads.push(read);
      // The words that were said are sent now, and never again.
      next[path] = { ...read, said: "", shown: [], prompted: [], signs: [], .../** @type {object} */ ({ known: [] }) };
      if (read.skipped > 0) log(host.log, `${path}: ${read.skipped} lines of unknown shapes`);
    }
  }
  const heard = [...(plan.reads ?? []), ...reads];
  const isRead = heard.some((read) => read.said !== "" || read.signs.length > 0) || Boolean(plan.last_message);
  // An end that is told twice has nothing more to tell.
  if (plan.done && before.ended === length && !isRead) {
    keep(folder, session, { ...state, reads: next, pending: undefined });
    return null;
  }
  const given = saidBefore(folder, keyOf(session), null).shown;
  const { decision_id, last_message, subagent } = plan;
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
    reads: heard,
    ...(state.kept ? { kept: state.kept } : {}),
    shown: given,
  });
  const receipt = {
    used: new Set(state.receipt.used),
    learned: new Map(state.receipt.learned.map((it) => [it.slug, it])),
  };
  let outcome = null;
  // The lessons' part in the outcome is found by its meaning. Without a model all that were shown are causes.
  const judges = requests.some(({ path }) => path === "/v1/sessions") && (kept.told ?? null) !== null && done;
  if (judges) await host.loadModel(local);
  for (const request of requests) {
    const { status, body } = await host.handle(request);
    // 404: nothing was recommended for that decision; 409: it was said before, in other words.
    if (status >= 400 && ![404, 409].includes(status)) {
      throw new Error(`${request.path}: ${body?.error?.message ?? status}`);
    }
    if (status >= 400) continue;
    for (const it of body?.detections ?? []) if (it.applied) receipt.used.add(it.slug);
    for (const { slug, text, added } of body?.insights ?? []) if (added) receipt.learned.set(slug, { slug, text });
    if (request.path === "/v1/outcome") outcome = /** @type {any} */ (request.body)?.outcome ?? null;
  }
  // An outcome that tests or a commit point to waits for a person, where nobody told an outcome.
  const waits = suggested ? await local.suggest(suggested) : false;
  await local.flush();
  const told = { used: [...receipt.used], learned: [...receipt.learned.values()] };
  keep(folder, session, {
    ...state,
    reads: next,
    kept,
    pending: undefined,
    receipt: told,
    ended: done ? length : undefined,
  });
  if (!done) return null;
  /** @type {Receipt} */
  const whole = {
    session,
    client,
    ended_at: new Date().toISOString(),
    given,
    ...told,
    outcome,
    suggested: waits && suggested ? suggested.outcome : null,
  };
  replaceFile(join(folder, RECEIPT), JSON.stringify(whole), 0o600);
  return whole;
}

/** The receipt of the session that ended last. @param {string} folder @returns {Receipt | null} */
export function lastReceipt(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, RECEIPT), "utf8"));
  } catch {
    return null;
  }
}

/** A receipt as one line. @param {Receipt} receipt */
export function receiptLine({ given, used, learned, outcome, suggested }) {
  const named = (/** @type {string[]} */ slugs) => (slugs.length > 0 ? ` (${slugs.join(", ")})` : "");
  const parts = [
    `gave ${given.length}${named(given)}`,
    `used ${used.length}${named(used)}`,
    `learned ${learned.length}${named(learned.map(({ slug }) => slug))}`,
  ];
  if (outcome) parts.push(`outcome: ${outcome}`);
  else if (suggested) parts.push(`outcome suggested: ${suggested}, see \`lessonloop review\``);
  return `Lessonloop: ${parts.join(" · ")}`;
}

/** @param {string} path */
const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

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
 * @param {State} state
 * @param {string} path
 * @returns {Partial<TranscriptRead>}
 */
function readBefore(folder, state, path) {
  const before = state.reads[path];
  // A transcript that was made anew is shorter.
  if (before && (before.next ?? 0) <= sizeOf(path)) return before;
  const counted = countedIn(folder, dirname(path));
  return counted.length > 0 ? /** @type {any} */ ({ known: counted }) : {};
}

/**
 * Rows of the transcripts of a folder that other sessions counted: a fork begins with copies of them.
 * @param {string} folder
 * @param {string} of
 */
function countedIn(folder, of) {
  const counted = new Set();
  for (const name of readdirSync(folder)) {
    if (!name.startsWith("session-")) continue;
    for (const [path, read] of Object.entries(stateAt(join(folder, name)).reads)) {
      if (dirname(path) === of) for (const id of /** @type {any} */ (read).counted ?? []) counted.add(id);
    }
  }
  return [...counted];
}

/**
 * Reads what is new in a transcript, piece by piece; nothing of one that is not there.
 * @param {Local} local
 * @param {string} client
 * @param {string} path
 * @param {Partial<TranscriptRead>} before
 * @param {number} [end] the place up to which it is read
 * @returns {Generator<TranscriptRead>}
 */
export function* pieces(local, client, path, before, end = Number.POSITIVE_INFINITY) {
  for (let last = before; ; ) {
    const from = last.next ?? 0;
    const bytes = readFrom(path, from, end);
    if (!bytes || (bytes.length === 0 && last !== before)) return;
    const read = local.read_transcript_after(client, bytes, /** @type {TranscriptRead} */ (last));
    yield read;
    // A piece that is not full was the last one; in a full one without a line's end there is no way on.
    if (bytes.length < TRANSCRIPT_BYTES || read.next === from) return;
    last = read;
  }
}

/**
 * A file's bytes between two places. Null when it is not there.
 * @param {string} path
 * @param {number} from
 * @param {number} end
 */
function readFrom(path, from, end) {
  let file;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    return readRange(file, from, Math.min(end, from + TRANSCRIPT_BYTES));
  } finally {
    closeSync(file);
  }
}
