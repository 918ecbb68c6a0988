// When a process that stays runs rounds of syncing: the engine's part is told by the suite `replica`, over a server.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, mock, test } from "node:test";
import { setImmediate as soon } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { folder, installed } from "./installed.mjs";

const { keepSynced } = await import(pathToFileURL(join(installed(), "local/syncing.mjs")).href);

/** A store that an engine has open, as far as syncing asks of it. */
function store(path = folder("store"), phase = "idle") {
  // The person's own store holds its cache itself.
  process.env.LESSONLOOP_HOME = path;
  const seen = { rounds: 0, position: 1, phase, message: null, next: 60_000 };
  const local = {
    catch_up: async () => false,
    position: () => seen.position,
    handle_in: async () => ({ status: 200, body: { phase: seen.phase, message: seen.message } }),
    sync_round: async () => {
      seen.rounds += 1;
      return { next_at: Date.now() + seen.next, changed: false };
    },
  };
  const host = {
    places: { personal: { kind: "personal", path, label: "x" } },
    log: path,
    use: (work) => work(local),
  };
  return { seen, host, path };
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"] }));
afterEach(() => mock.timers.reset());

/** Lets so many seconds pass, each with what it begins. */
async function pass(seconds) {
  for (let second = 0; second < seconds; second += 1) {
    mock.timers.tick(1_000);
    await soon();
  }
}

test("a linked store is synced at once and after each write of whichever process", async () => {
  const { seen, host } = store();
  const syncing = keepSynced(host);
  await pass(1);
  assert.equal(seen.rounds, 1, "the first round");
  await pass(10);
  assert.equal(seen.rounds, 1, "nothing was written");
  seen.position += 1;
  await pass(2);
  assert.equal(seen.rounds, 2, "the round after a write");
  syncing.asked();
  await pass(1);
  assert.equal(seen.rounds, 3, "the round that a person asked for");
  await pass(61);
  assert.equal(seen.rounds, 4, "the round that is due by itself");
  await syncing.end();
  seen.position += 1;
  await pass(120);
  assert.equal(seen.rounds, 4, "after its end");
});

test("a server that fails is left alone until its round is due, and the log says so once", async () => {
  const { seen, host, path } = store();
  const syncing = keepSynced(host);
  await pass(1);
  assert.equal(seen.rounds, 1, "the first round");
  Object.assign(seen, { phase: "offline", message: "The server can't be reached.", next: 5_000 });
  seen.position += 1;
  await pass(2);
  assert.equal(seen.rounds, 2, "the round that finds it so");
  seen.position += 1;
  await pass(4);
  assert.equal(seen.rounds, 2, "written while it fails");
  await pass(1);
  assert.equal(seen.rounds, 3, "the round that is due");
  Object.assign(seen, { phase: "idle", message: null });
  await pass(5);
  assert.equal(seen.rounds, 4, "the round that mends it");
  await syncing.end();
  const log = readFileSync(join(path, "cache", "lessonloop.log"), "utf8");
  assert.equal(log.match(/offline: The server can't be reached/g)?.length, 1, log);
  assert.match(log, /: idle/);
});

test("of several sessions one syncs, another goes on when it ends, and the page's process always does", async () => {
  const one = store();
  const two = store(one.path);
  const page = store(one.path);
  const first = keepSynced(one.host);
  await pass(1);
  assert.equal(one.seen.rounds, 1, "the first one's round");
  const second = keepSynced(two.host);
  const steps = [];
  const third = keepSynced(page.host, { alone: false, onStep: () => steps.push(page.seen.phase) });
  await pass(1);
  assert.ok(page.seen.rounds === 1 && steps.length > 0, "the page's round");
  await pass(40);
  assert.equal(two.seen.rounds, 0, "two sync one store");
  await first.end();
  await pass(16);
  assert.equal(two.seen.rounds, 1, "the second one's round");
  await Promise.all([second.end(), third.end()]);
  assert.deepEqual(readdirSync(join(one.path, "cache")), []);
});

test("a store without a link is looked at and never synced", async () => {
  const { seen, host, path } = store(undefined, "off");
  const syncing = keepSynced(host);
  await pass(60);
  assert.equal(seen.rounds, 0);
  assert.deepEqual(readdirSync(path), [], "it leaves no trace");
  await syncing.end();
});
