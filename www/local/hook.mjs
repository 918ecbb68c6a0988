// The work of a client's hook, in the process that was started for it or in one that has the store open: the plan is
// the module's, the files and the marks of what was done are ours.
import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTrap } from "./engine.mjs";
import { folderOf } from "./files.mjs";
import { Lock } from "./lock.mjs";
import { log } from "./log.mjs";
import { CONFIG, ownFolder } from "./places.cjs";
import { isKnown, keyOf, receiptLine, record } from "./record.mjs";
import { note, saidBefore } from "./said.mjs";
import { hooksPlace, put, read, setAside, take, waiting } from "./spool.cjs";
import { isOff } from "./store.mjs";

export { pieces } from "./record.mjs";

/** The same event of the same session within this time is one that several clients' settings fired. */
const ONCE_MS = 10_000;
/** Marks are of no use after a day; what was read of a transcript is kept as long as clients keep those. */
const MARK_DAYS = 1;
const READ_DAYS = 60;
/** From one look whether another process is through to the next. */
const TURN_STEP_MS = 50;

/** @typedef {import("./spool.cjs").Asked} Asked */

/** The hooks of the stores that a host has open. */
export class Hooks {
  /** @param {import("./host.mjs").Host} host */
  constructor(host) {
    this.host = host;
    /** @type {Promise<unknown>} */
    this.draining = Promise.resolve();
    /** The text for a client at a session's end, by the file of its call. @type {Map<string, string>} */
    this.receipts = new Map();
    this.closing = false;
  }

  /** Answers a question that came by the socket. @type {import("./socket.mjs").Answer} */
  answer = async (question, say) => {
    if (question.do === "ping") return { pid: process.pid };
    if (question.do === "drain") {
      // It is on the disk: whoever asks need not wait, unless this process may be ended with the client.
      say({ heard: true });
      await this.drain();
      const output = this.receipts.get(question.entry);
      this.receipts.delete(question.entry);
      return this.isLeft(question.entry) ? { left: true } : { done: true, output };
    }
    if (question.do !== "hook") return { error: `unknown: ${question.do}` };
    const { output, work } = await this.plan(question);
    // The client does not wait for what is only stored.
    void this.#afterwards(work).catch((error) => log(this.host.log, `hook ${question.event}: ${error.message}`));
    return { output };
  };

  /** @param {(() => Promise<unknown>) | undefined} work */
  async #afterwards(work) {
    await work?.();
    // An end that could not be recorded when it was told.
    if (waiting(this.host.main.path).length > 0) await this.drain();
  }

  /** @param {string} [entry] */
  isLeft(entry) {
    return waiting(this.host.main.path).some(({ name }) => name === entry);
  }

  /**
   * Plans what an event asks for: what to print now, and the work that can be done after the answer.
   * @param {Asked & { id?: string }} asked
   * @returns {Promise<{ output: string, work?: () => Promise<unknown>, skipped?: string }>}
   */
  async plan(asked) {
    const { cwd, id = "" } = asked;
    return this.host.use(async (local) => {
      const plan = local.plan_hook(planInput(asked));
      if (plan.do === "skip") {
        this.#goesOn(asked);
        return { output: "", skipped: plan.reason };
      }
      const where = (plan.do === "forget" ? undefined : plan.cwd) ?? cwd;
      if (isOff(where)) return { output: "", skipped: "switched off for this project" };
      const folder = hooksPlace(this.host.main.path);
      if (plan.do === "forget") {
        noted(folder, keyOf(plan.session), { ...(plan.agent ? { agent: plan.agent } : {}), forget: true });
        return { output: "" };
      }
      if (plan.do === "record") {
        // An older hook hands its payload over in place of keeping it.
        put(this.host.main.path, asked);
        return { output: "", work: () => this.drain() };
      }
      const claim = claimed(folder, plan.key, id);
      if (claim === null) return { output: "", skipped: "another client's settings fired it, too" };
      try {
        return await this.#recommend(local, folder, plan);
      } catch (error) {
        if (claim) take(claim);
        throw error;
      }
    });
  }

  /**
   * @param {Local} local
   * @param {string} folder
   * @param {Extract<HookPlan, { do: "recommend" }>} plan
   */
  async #recommend(local, folder, plan) {
    const { request, moment, session, agent, fresh } = plan;
    const key = keyOf(session);
    if (moment) {
      if (!this.#hasMoments()) return { output: "", skipped: "moments are off" };
      // Only looked at: what is not given does not count as shown.
      const body = /** @type {any} */ (request.body);
      const looked = await local.handle({ ...request, body: { ...body, dry_run: true } });
      const [first] = looked.body?.recommended ?? [];
      const last = first && saidBefore(folder, key, agent).moments.get(first.slug);
      if (!first || !local.helps_now({ relevance: first.relevance, last: last ?? null, now: Date.now() })) {
        return { output: "", skipped: "no lesson is of high relevance, or it was given within the hour" };
      }
    }
    const answer = await local.handle(request);
    if (answer.status >= 400) throw new Error(answer.body?.error?.message ?? `status ${answer.status}`);
    // From here on without a pause, so that two prompts at once don't both give a lesson's text.
    const of = agent ? { agent } : {};
    if (fresh) noted(folder, key, { ...of, forget: true });
    const before = saidBefore(folder, key, agent);
    const { output, given } = local.hook_output_once(plan.shape, answer.body.prompt ?? "", before.given);
    const [first] = answer.body.recommended;
    noted(folder, key, {
      ...of,
      given,
      ...(moment && first ? { moment: { slug: first.slug, at: Date.now() } } : {}),
    });
    return { output, work: () => local.flush() };
  }

  /** Notes a prompt that asks for nothing: a stop after it is none of a session that is over. @param {Asked} asked */
  #goesOn({ payload }) {
    try {
      const { session_id, sessionId, conversation_id, sessionID } = JSON.parse(payload);
      const session = session_id ?? sessionId ?? conversation_id ?? sessionID;
      const folder = hooksPlace(this.host.main.path);
      if (typeof session === "string" && isKnown(folder, session)) note(folder, keyOf(session), {});
    } catch {
      // A payload that can't be read begins nothing.
    }
  }

  /** True if a failed tool may ask: `lessonloop config moments`, of the project's store or else the person's own. */
  #hasMoments() {
    const { project, personal } = this.host.places;
    for (const place of [project, personal]) {
      const set = place && settingsOf(place.path).moments;
      if (set !== undefined) return set !== "off";
    }
    return true;
  }

  /**
   * Records what hooks have kept, until nothing waits but what fails. `ended`: how many sessions ended.
   * @param {number} [patience] milliseconds to wait for another process that is at it
   * @param {() => void} [onTurn] called before it looks at what waits, with the turn
   * @returns {Promise<{ ended: number }>}
   */
  drain(patience = 0, onTurn = () => undefined) {
    const drained = this.draining.then(() => this.#drain(patience, onTurn));
    this.draining = drained.catch(() => undefined);
    return drained;
  }

  /** Resolves when what was handed over is recorded. */
  async idle() {
    this.closing = true;
    await this.draining;
  }

  /**
   * @param {number} patience
   * @param {() => void} onTurn
   */
  async #drain(patience, onTurn) {
    const store = this.host.main.path;
    const begun = Date.now();
    let ended = 0;
    /** @type {Set<string>} */
    const failed = new Set();
    for (;;) {
      const files = waiting(store).filter(({ name }) => !failed.has(name));
      if (files.length === 0) return { ended };
      const lock = new Lock(join(folderOf(ownFolder(store), "cache", "hooks"), "spool.lock"));
      if (lock.take() !== null) {
        if (this.closing || Date.now() - begun >= patience) return { ended };
        await new Promise((resolve) => setTimeout(resolve, TURN_STEP_MS));
        continue;
      }
      try {
        onTurn();
        // Read anew: hooks that saw somebody wait for the turn have left theirs to it.
        const now = waiting(store).filter(({ name }) => !failed.has(name));
        ended += await this.#recordAll(now, failed);
      } finally {
        lock.release();
      }
    }
  }

  /**
   * Records some files: within a session the end comes last, whenever its process ran.
   * @param {{ name: string, path: string }[]} files
   * @param {Set<string>} failed those that could not be recorded
   */
  async #recordAll(files, failed) {
    const folder = folderOf(ownFolder(this.host.main.path), "cache", "hooks");
    const entries = [];
    for (const file of files) {
      const asked = whole(file.path);
      if (asked === undefined) continue;
      if (asked)
        entries.push({ ...file, asked, plan: await this.host.use(async (local) => local.plan_hook(planInput(asked))) });
      else take(file.path);
    }
    const isDone = (/** @type {HookPlan} */ plan) => plan.do === "record" && plan.done;
    entries.sort((one, two) => Number(isDone(one.plan)) - Number(isDone(two.plan)));
    let ended = 0;
    for (const { name, path, asked, plan } of entries) {
      if (asked.refused) log(this.host.log, `hook ${asked.event}: kept beside the store, as ${asked.refused}`);
      try {
        if (plan.do === "record" && !isOff(plan.cwd ?? asked.cwd)) {
          // A stop that two clients' settings fired; an end that is told twice is found by what it tells.
          const mark = join(folder, `done-${keyOf(plan.key)}`);
          if (plan.done || !isFresh(mark)) {
            const receipt = await this.host.use((local) =>
              record(this.host, local, folder, { name, client: asked.client, plan }),
            );
            writeFileSync(mark, "", { mode: 0o600 });
            if (receipt) {
              ended += 1;
              const line = receiptLine(receipt);
              log(this.host.log, line);
              // The one form of a message to the person that is known to be read.
              if (asked.client === "claude") this.receipts.set(name, JSON.stringify({ systemMessage: line }));
            }
          }
        } else if (plan.do === "skip" && process.env.LESSONLOOP_DEBUG) {
          log(this.host.log, `hook ${asked.event}: skipped, ${plan.reason}`);
        }
        take(path);
      } catch (error) {
        failed.add(name);
        const { message } = /** @type {Error} */ (error);
        // A later hook records what failed for want of room or of a lock; a call that breaks the engine would do so for ever.
        const isHopeless = isTrap(error);
        if (isHopeless) setAside(path);
        log(
          this.host.log,
          `hook ${asked.event}: ${message}; ${isHopeless ? `set aside: ${path}` : "the next hook tries again"}`,
        );
      }
    }
    if (Math.random() < 0.1) sweep(folder);
    return ended;
  }
}

/** @param {Asked} asked */
const planInput = ({ client, event, payload, max_tokens, environment }) => ({
  client,
  event,
  payload,
  max_tokens,
  environment: environment ?? {},
});

/** The call in a file; null for one that is none, undefined when it is gone. @param {string} path */
function whole(path) {
  try {
    return read(path);
  } catch (error) {
    return error instanceof SyntaxError ? null : undefined;
  }
}

/** The settings of a store. @param {string} store @returns {any} */
export function settingsOf(store) {
  try {
    return JSON.parse(readFileSync(join(store, CONFIG), "utf8")) ?? {};
  } catch {
    return {};
  }
}

/**
 * True if a mark was made lately; one of the future is from before the clock was set back.
 * @param {string} mark
 */
function isFresh(mark) {
  const made = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Math.abs(Date.now() - made) < ONCE_MS;
}

/** A store that can't be written gives its lessons all the same. @param {unknown} error */
const isUnwritable = (error) =>
  ["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT", "ENOENT"].includes(
    /** @type {NodeJS.ErrnoException} */ (error).code ?? "",
  );

/** @param {Parameters<typeof note>} line */
function noted(...line) {
  try {
    note(...line);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
  }
}

/**
 * Claims an event, so that one of several clients prints it: the mark, null when another one did, and "" in a store that
 * can't be written. A hook that asks again, because it got no answer in time, has its claim.
 * @param {string} folder
 * @param {string} key
 * @param {string} id
 */
function claimed(folder, key, id) {
  const mark = join(folder, `done-${keyOf(key)}`);
  for (let left = 2; left > 0; left -= 1) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(mark, id, { flag: "wx", mode: 0o600 });
      return mark;
    } catch (error) {
      if (isUnwritable(error)) return "";
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
    try {
      if (id !== "" && readFileSync(mark, "utf8") === id) return mark;
      if (isFresh(mark)) return null;
      unlinkSync(mark);
    } catch {
      // Another one was quicker.
    }
  }
  return null;
}

/** @param {string} folder */
function sweep(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile() || !/^(?:done-|left-|session-|said-)/.test(entry.name)) continue;
    const at = join(folder, entry.name);
    const days = (Date.now() - (statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())) / 86_400_000;
    if (days > (/^(?:session|said)-/.test(entry.name) ? READ_DAYS : MARK_DAYS)) take(at);
  }
}
