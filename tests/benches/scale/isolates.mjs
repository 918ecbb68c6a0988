// A small simulation of isolates: which requests to the database the agents of many spaces cause, by how a space is had.
//
// Requests come at random, each to a space by how large its team is, and to one of the isolates that are warm. A replica looks for
// changes when it is older than five seconds and somebody asks (one request), is read anew by a fresh isolate (pages of 5,000 rows),
// and tracks what it recommended after the answer; a space on the server is asked at each request. Both look up a key once in 30 s.
import { dice } from "./dice.mjs";

const SECONDS = 600;
const FRESH = 5;
const KEY = 30;
/** An isolate that nobody asked for so long is gone, in seconds. */
const IDLE = 120;
const PAGE = 5_000;

/** `spaces`: how many; `asks`: requests a second over all; `isolates`: how many serve at once; `lessons` of a space. */
function run({ spaces, asks, isolates, lessons, on_server }) {
  const roll = dice(spaces * 31 + asks);
  const held = Array.from({ length: isolates }, () => new Map());
  let requests = 0;
  for (let n = 0; n < asks * SECONDS; n++) {
    const now = n / asks;
    // Few spaces ask often, as teams do.
    const space = Math.floor(spaces * roll() ** 3);
    const isolate = held[Math.floor(roll() * isolates)];
    const known = isolate.get(space);
    const is_warm = known && now - known.used < IDLE;
    const state = is_warm ? known : { synced: Number.NEGATIVE_INFINITY, key: Number.NEGATIVE_INFINITY, used: now };
    state.used = now;
    if (now - state.key > KEY) {
      requests += 1;
      state.key = now;
    }
    if (on_server) {
      // The candidates, and what was recommended.
      requests += 2;
    } else {
      if (!is_warm) requests += 1 + Math.ceil(lessons / PAGE);
      else if (now - state.synced > FRESH) requests += 1;
      // Recommendations are tracked along with the look for changes, a request of its own at least each five seconds.
      if (now - state.synced > FRESH) requests += 1;
      if (!is_warm || now - state.synced > FRESH) state.synced = now;
    }
    isolate.set(space, state);
  }
  return requests / SECONDS;
}

/** Requests to the database a second, as a table. */
export function simulate() {
  const rows = [
    ["requests a second", "spaces", "isolates", "replicas of 2,000", "replicas of 10,000", "on the server"],
  ];
  for (const [asks, spaces, isolates] of [
    [1, 10, 2],
    [10, 50, 10],
    [100, 500, 50],
    [1_000, 2_000, 200],
  ]) {
    const of = (more) => run({ asks, spaces, isolates, ...more }).toFixed(1);
    rows.push([
      String(asks),
      String(spaces),
      String(isolates),
      of({ lessons: 2_000 }),
      of({ lessons: 10_000 }),
      of({ lessons: 0, on_server: true }),
    ]);
  }
  return rows;
}
