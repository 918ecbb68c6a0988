// A hook where no process has the store open: it opens the store itself for what is printed, and leaves a process behind
// for what is only recorded.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf } from "./files.mjs";
import { DETACHED } from "./hook_entry.cjs";
import { Hooks } from "./hook.mjs";
import { Host } from "./host.mjs";
import { Lock } from "./lock.mjs";
import { log } from "./log.mjs";
import { findStores, ownFolder } from "./places.cjs";
import { waiting } from "./spool.cjs";

/**
 * The most processes that are left behind in a minute: several windows with subagents reach a dozen. All but two of them end
 * at once; a hook that starts a client, whose hook starts another, ends here.
 */
const SPAWNS_A_MINUTE = 120;
/** The longest wait for vectors that another process makes. */
const IDLE_MS = 60_000;
/** The longest wait for another process that records: it may have died with its client. */
const TURN_MS = 30_000;

/** @typedef {import("./spool.cjs").Asked} Asked */

/**
 * Prints what an event asks for, by an engine that is opened for it.
 * @param {import("./places.cjs").Places} places
 * @param {Asked & { id: string }} asked
 * @param {boolean} withModel
 */
export async function answerHere(places, asked, withModel) {
  // A client waits for what is printed, and not for vectors of lessons that have none yet.
  const host = new Host({ places, indexing: false });
  if (withModel) await host.loadModel();
  const hooks = new Hooks(host);
  const { output, skipped, work } = await hooks.plan(asked);
  if (skipped && process.env.LESSONLOOP_DEBUG) log(host.log, `hook ${asked.event}: skipped, ${skipped}`);
  await new Promise((resolve) => (output ? process.stdout.write(output, resolve) : resolve(undefined)));
  await work?.();
  const store = host.main.path;
  // An end that nobody recorded: the process that had it was ended.
  if (waiting(store).length > 0) leaveBehind(store, asked);
}

/**
 * Records what waits in a store, until nothing does.
 * @param {string} cwd
 */
export async function drainHere(cwd) {
  const host = new Host({ places: findStores(cwd), indexing: true });
  try {
    // One process records, and one waits for its turn. Whoever waits looks at what is there once it has that, so that all
    // others can end.
    const next = new Lock(join(folderOf(ownFolder(host.main.path), "cache", "hooks"), "next.lock"));
    if (next.take() !== null) return;
    const { ended } = await new Hooks(host).drain(TURN_MS, () => next.release()).finally(() => next.release());
    if (!ended) return;
    // The lessons that the session taught are found by their meaning from now on, where nobody else sees to that.
    await host.loadModel();
    const idle = host.use((local) => local.idle());
    // Nobody sees to an end of what is left behind: a process that hangs at its embedding must not hold this one, too.
    await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, IDLE_MS).unref())]);
  } catch (error) {
    log(host.log, `hook: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Has another process do what takes long: at its end a client waits for a second or two. Where there are too many, the
 * next hook does it.
 * @param {string} store
 * @param {Asked} asked
 */
export function leaveBehind(store, { event, cwd }) {
  if (!mayLeave(store)) {
    log(store, `hook ${event}: too many processes in a minute; the next hook records it`);
    return;
  }
  const bin = fileURLToPath(new URL("./bin/lessonloop.mjs", import.meta.url));
  const child = spawn(process.execPath, [bin, "hook"], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
    env: { ...process.env, [DETACHED]: cwd, LESSONLOOP_CHILD: String((Number(process.env.LESSONLOOP_CHILD) || 0) + 1) },
  });
  child.on("error", (error) => log(store, `hook ${event}: ${error.message}`));
  child.unref();
}

/** True if another process may be left behind in this minute; it is counted. @param {string} store */
function mayLeave(store) {
  try {
    const folder = folderOf(ownFolder(store), "cache", "hooks");
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
  } catch {
    // A process that can't be counted is not started: a store without room would start them without an end.
    return false;
  }
}
