// Syncs stores that are linked to a server for as long as a process lives. What a round does, how long a failing server is
// left alone and what is told of it are the engine's; when rounds are run is ours.
import { join } from "node:path";
import { folderOf } from "./files.mjs";
import { Lock } from "./lock.mjs";
import { log } from "./log.mjs";
import { ownFolder } from "./places.cjs";

/** From a look whether anybody has written to the next. */
const LOOK_MS = 1_000;
/** From a write to the round that sends it: several writes in a row go together. */
const SOON_MS = 300;
/** From a look whether a store is linked, or its turn free, to the next. */
const AGAIN_MS = 15_000;
/** The longest wait without a round of a linked store: somebody may have signed in again in another process. */
const LONGEST_MS = 60_000;
/** A process that ends waits no longer for the round under way: clients kill one that does. */
const END_MS = 1_000;
/** Held by the one process that syncs a store while several have it open. */
const TURN = "syncing.lock";
/** Phases in which what is written waits until the next round is due by itself. */
const FAILING = ["offline", "trouble", "signed_out", "blocked"];

/**
 * @typedef {{ turn: Lock, path: string, kind: "project" | "personal", due: number, position: number, phase: string, told: string }} Side
 */

/**
 * Begins syncing; returns what ends it and what has a round run at once.
 * @param {import("./host.mjs").Host} host
 * @param {{ alone?: boolean, onStep?: () => void }} [options] `alone`: whether the store is left to another process that
 * syncs it already; `onStep` hears when where syncing stands is another than before
 */
export function keepSynced(host, { alone = true, onStep = () => undefined } = {}) {
  const places = [host.places.project, host.places.personal].filter((place) => place !== undefined);
  /** @type {Side[]} */
  const sides = places.map(({ kind, path }) => ({
    turn: new Lock(join(ownFolder(path), "cache", TURN)),
    path,
    kind,
    due: 0,
    position: -1,
    phase: "off",
    told: "",
  }));
  let ended = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** The look under way. */
  let looking = Promise.resolve();

  async function look() {
    for (const side of sides) {
      if (ended) return;
      try {
        await oneSide(host, side, alone, onStep);
      } catch (error) {
        side.due = Date.now() + LONGEST_MS;
        log(host.log, `sync: ${/** @type {Error} */ (error).message}`);
      }
    }
  }

  function again() {
    if (ended) return;
    timer = setTimeout(() => void (looking = look().finally(again)), LOOK_MS);
    timer.unref();
  }
  again();
  return {
    /** A person did something about syncing here. */
    asked() {
      for (const side of sides) side.due = 0;
    },
    async end() {
      ended = true;
      clearTimeout(timer);
      // A round that is cut off is begun anew by the next process.
      await Promise.race([looking, new Promise((resolve) => setTimeout(resolve, END_MS))]);
      for (const { turn } of sides) turn.release();
    },
  };
}

/**
 * Looks at one store, and runs a round if one is due.
 * @param {import("./host.mjs").Host} host
 * @param {Side} side
 * @param {boolean} alone
 * @param {() => void} onStep
 */
async function oneSide(host, side, alone, onStep) {
  const now = Date.now();
  const isLinked = side.phase !== "off";
  // Events that another process has written are to be sent, too.
  if (isLinked && !FAILING.includes(side.phase)) {
    const position = await positionOf(host);
    if (position !== side.position) side.due = Math.min(side.due, now + SOON_MS);
    side.position = position;
  }
  if (now < side.due) return;
  const before = await status(host, side);
  if (before.phase === "off" || (alone && !isOurs(side))) {
    side.due = now + AGAIN_MS;
    tell(host, side, before, onStep);
    return;
  }
  const { next_at } = await host.use((local) => local.sync_round(side.kind));
  // Events that the round brought are not to be sent.
  side.position = await positionOf(host);
  tell(host, side, await status(host, side), onStep);
  const ended = Date.now();
  side.due = Math.min(Math.max(next_at ?? ended + LONGEST_MS, ended + SOON_MS), ended + LONGEST_MS);
}

/** True if this process has the turn; a dead one's is taken over. @param {Side} side */
function isOurs({ turn, path }) {
  if (turn.held) return true;
  folderOf(ownFolder(path), "cache");
  return turn.take() === null;
}

/** @param {import("./host.mjs").Host} host */
const positionOf = (host) =>
  host.use(async (local) => {
    await local.catch_up();
    return local.position();
  });

/**
 * @param {import("./host.mjs").Host} host
 * @param {Side} side
 */
async function status(host, { kind }) {
  const request = { method: /** @type {const} */ ("GET"), path: "/v1/sync", headers: {}, body: null };
  return (await host.use((local) => local.handle_in(kind, request))).body;
}

/**
 * Notes where syncing stands; what is wrong goes to the log once, and so does that it is mended.
 * @param {import("./host.mjs").Host} host
 * @param {Side} side
 * @param {{ phase: string, message: string | null }} now
 * @param {() => void} onStep
 */
function tell(host, side, now, onStep) {
  if (FAILING.includes(now.phase) !== FAILING.includes(side.phase)) {
    log(host.log, `sync of the ${side.kind} store: ${now.phase}${now.message ? `: ${now.message}` : ""}`);
  }
  side.phase = now.phase;
  const told = JSON.stringify(now);
  if (told !== side.told) onStep();
  side.told = told;
}
