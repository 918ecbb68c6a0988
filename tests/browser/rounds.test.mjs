// When the engine worker has the engine sync: one tab of all, and not more often than it has to.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, mock, test } from "node:test";

// It is a module of the site, not of Node: no package there says so.
const source = await readFile(new URL("../../www/worker/sync.js", import.meta.url), "base64");
const { Sync } = await import(`data:text/javascript;base64,${source}`);

const ROUND_EVERY_MS = 20_000;

/** Locks as browsers have them: one holder, the others wait in line. */
class Locks {
  #line = [];

  request(_name, held) {
    return new Promise((resolve) => {
      this.#line.push({ held, resolve });
      if (this.#line.length === 1) void held();
    });
  }

  /** The holder's tab is closed. */
  close() {
    this.#line.shift();
    if (this.#line.length > 0) void this.#line[0].held();
  }
}

/** An engine whose rounds end at once, or when `end` is called while `holds`. */
class Engine {
  rounds = 0;
  running = 0;
  looks = 0;
  asks = 0;
  holds = false;
  phase = "idle";
  #ends = [];

  async sync_round() {
    this.rounds += 1;
    this.running += 1;
    assert.equal(this.running, 1, "one round at a time");
    if (this.holds) await new Promise((end) => this.#ends.push(end));
    this.running -= 1;
    return { next_at: this.phase === "off" ? null : Date.now() + ROUND_EVERY_MS, changed: false };
  }

  async handle({ method, path }) {
    if (method === "POST") {
      assert.equal(path, "/v1/sync/now");
      this.asks += 1;
      return { status: 200, body: {} };
    }
    assert.equal(`${method} ${path}`, "GET /v1/sync");
    this.looks += 1;
    return { status: 200, body: { phase: this.phase } };
  }

  end() {
    this.#ends.shift()();
  }
}

let locks;
let online;

/** Lets promises run, then the timers of so many milliseconds. */
async function pass(ms) {
  const settle = () => new Promise((done) => setImmediate(done));
  await settle();
  for (let left = ms; left > 0; left -= 100) {
    mock.timers.tick(Math.min(left, 100));
    await settle();
  }
  await settle();
}

function tab(engine = new Engine()) {
  const heard = { steps: [], asks: 0, errors: [], watched: 0 };
  const sync = new Sync({
    onStep: (differs) => heard.steps.push(differs),
    askLeader: () => (heard.asks += 1),
    onError: (error) => heard.errors.push(error.message),
    tellWatched: () => (heard.watched += 1),
  });
  sync.adopt(engine, false);
  return { sync, engine, heard };
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  locks = new Locks();
  online = [];
  /** @type {any} */ (globalThis).self = { addEventListener: (_type, listener) => online.push(listener) };
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true, writable: true });
});

afterEach(() => mock.timers.reset());

test("a round at the start, and whenever the one before asks for the next", async () => {
  const { engine } = tab();
  await pass(0);
  await pass(100);
  assert.equal(engine.rounds, 1);
  await pass(ROUND_EVERY_MS - 1_000);
  assert.equal(engine.rounds, 1);
  await pass(2_000);
  assert.equal(engine.rounds, 2);
});

test("what is written goes out soon, several writes in one round", async () => {
  const { sync, engine } = tab();
  await pass(200);
  for (let at = 0; at < 5; at += 1) sync.written();
  await pass(200);
  assert.equal(engine.rounds, 1);
  await pass(200);
  assert.equal(engine.rounds, 2);
});

test("what is written during a round goes out in one more after it", async () => {
  const engine = new Engine();
  engine.holds = true;
  const { sync } = tab(engine);
  await pass(1_000);
  assert.equal(engine.rounds, 1);
  sync.written();
  sync.asked();
  await pass(5_000);
  assert.equal(engine.rounds, 1);
  engine.holds = false;
  engine.end();
  await pass(1_000);
  assert.equal(engine.rounds, 2);
  await pass(5_000);
  assert.equal(engine.rounds, 2);
});

test("going online and a person's wish begin a round at once", async () => {
  const { sync, engine } = tab();
  await pass(200);
  for (const listener of online) listener();
  await pass(100);
  assert.equal(engine.rounds, 2);
  sync.asked();
  await pass(100);
  assert.equal(engine.rounds, 3);
});

test("without a server writing begins no round, but connecting does", async () => {
  const engine = new Engine();
  engine.phase = "off";
  const { sync } = tab(engine);
  await pass(1_000);
  assert.equal(engine.rounds, 1);
  sync.written();
  await pass(60_000);
  assert.equal(engine.rounds, 1);
  engine.phase = "idle";
  sync.asked();
  await pass(ROUND_EVERY_MS + 1_000);
  assert.equal(engine.rounds, 3);
});

test("of two tabs one syncs, the other asks it, and takes over when it closes", async () => {
  const first = tab();
  const second = tab();
  await pass(1_000);
  second.sync.written();
  second.sync.asked();
  await pass(ROUND_EVERY_MS * 2);
  assert.equal(second.engine.rounds, 0);
  assert.equal(second.heard.asks, 1);
  assert.equal(first.engine.rounds, 3);

  const { rounds } = first.engine;
  first.sync.askedByTab();
  await pass(100);
  assert.equal(first.engine.rounds, rounds + 1);
  assert.equal(first.engine.asks, 1, "the engine that syncs hears of it");

  first.sync.abandon();
  locks.close();
  await pass(200);
  assert.equal(second.engine.rounds, 1);
});

test("a browser without locks syncs all the same", async () => {
  globalThis.navigator.locks = undefined;
  const { engine } = tab();
  await pass(200);
  assert.equal(engine.rounds, 1);
});

test("a change of the status is told while a round goes on, and only then", async () => {
  const engine = new Engine();
  engine.holds = true;
  const { heard } = tab(engine);
  await pass(300);
  engine.phase = "pulling";
  await pass(5_000);
  assert.equal(heard.steps.filter((differs) => differs).length, 1);
  engine.phase = "idle";
  engine.end();
  await pass(100);
  assert.equal(heard.steps.filter((differs) => differs).length, 2);
});

test("after a trap the next engine goes on, though the round of the first never ends", async () => {
  const broken = new Engine();
  broken.holds = true;
  const { sync } = tab(broken);
  await pass(1_000);
  sync.abandon();
  const { looks } = broken;
  await pass(5_000);
  assert.equal(broken.looks, looks, "it can't be asked any more");

  const fresh = new Engine();
  fresh.holds = true;
  sync.adopt(fresh, true);
  await pass(6_000);
  assert.equal(fresh.rounds, 0, "it leaves the rest of the page some time");
  await pass(6_000);
  assert.equal(fresh.rounds, 1);
  // The late end of the first one's round is no end of this one.
  broken.end();
  await pass(0);
  sync.written();
  await pass(1_000);
  assert.equal(fresh.rounds, 1);
});

test("what an engine throws is passed on, and a round comes again", async () => {
  const engine = new Engine();
  const { sync_round } = Engine.prototype;
  engine.sync_round = () => Promise.reject(new Error("unreachable"));
  const { heard } = tab(engine);
  await pass(100);
  assert.deepEqual(heard.errors, ["unreachable"]);
  engine.sync_round = sync_round;
  await pass(601_000);
  assert.ok(engine.rounds >= 1);
});

test("while a page is looked at the server is asked every two seconds, unless it fails", async () => {
  const { sync, engine } = tab();
  await pass(200);
  sync.watch(true);
  await pass(200);
  const before = engine.rounds;
  await pass(10_000);
  assert.ok(engine.rounds >= before + 4, `${engine.rounds - before} rounds in ten seconds`);
  engine.phase = "offline";
  await pass(3_000);
  const failed = engine.rounds;
  await pass(15_000);
  assert.equal(engine.rounds, failed, "the engine says when to try again");
  engine.phase = "idle";
  await pass(ROUND_EVERY_MS);
  sync.watch(false);
  await pass(3_000);
  const unseen = engine.rounds;
  await pass(15_000);
  assert.ok(engine.rounds <= unseen + 1);
});

test("a tab that does not sync says that it is looked at to the one that does", async () => {
  const { sync: leader, engine } = tab();
  const { sync: other, heard } = tab();
  await pass(200);
  other.watch(true);
  assert.equal(heard.watched, 1);
  leader.watchedByTab();
  await pass(200);
  const before = engine.rounds;
  await pass(10_000);
  assert.ok(engine.rounds >= before + 4, `${engine.rounds - before} rounds in ten seconds`);
  assert.equal(heard.watched, 2, "it says so again after a while");
});
