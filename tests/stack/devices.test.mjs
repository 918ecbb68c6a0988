// Devices against the real servers: what they show is what the core folds, whatever goes wrong on the way.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Devices, added, converged, events, helpful, person, rated } from "./device.mjs";
import { ledgers } from "./ledgers.mjs";
import { cutting } from "./proxy.mjs";
import { url } from "./stack.mjs";

const DAY = 86_400_000;
/** So that feedback and days of the ledgers are among those that are pulled. */
const START = Date.now() - 20 * DAY;

let devices;
let who;
before(async () => {
  devices = new Devices();
  who = await person();
});
after(() => devices.end());

/** A space in which somebody did what `local` did. */
const named = (value, by) =>
  Array.isArray(value)
    ? value.map((one) => named(one, by))
    : value === null || typeof value !== "object"
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([name, of]) => [
            name,
            ["by", "outcome_by"].includes(name) && of === "local" ? by : named(of, by),
          ]),
        );

test("what a device shows of a ledger is the core's fold of it, to the bit", async () => {
  let [number, refused, feedback, tools] = [0, 0, 0, 0];
  for await (const ledger of ledgers(40, 4, START, "local")) {
    const space = await who.space(`ledger ${number}`);
    const device = await devices.device(`ledger ${number}`);
    const batch = ledger.batches.flatMap((one) => one.events.slice(1, -1)).join(",");
    await device.append(`[${batch}]`);
    const wanted = await device.fold();
    await device.connect(space);
    assert.deepStrictEqual(await device.space(), wanted, `ledger ${number}, before it is sent`);
    await device.settle();
    // Once it is sent, the server says who made it.
    assert.deepStrictEqual(await device.space(), named(wanted, `person:${who.id}`), `ledger ${number}`);
    const state = await device.state();
    assert.equal(state.unsent, 0);
    refused += state.set_aside.length;
    feedback += wanted.feedback_at.length;
    tools += wanted.tools.length;
    number += 1;
  }
  // Ledgers without any of these would prove little.
  assert(refused > 30 && feedback > 12 && tools > 8000, JSON.stringify({ refused, feedback, tools }));
});

test("two devices with ledgers of their own converge, and a third that joins later sees the same", async () => {
  const space = await who.space();
  const some = [];
  for await (const ledger of ledgers(3, 9, START, "local")) some.push(ledger);
  const [, first, second] = some;
  const all = [];
  for (const [name, ledger] of [
    ["phone", first],
    ["laptop", second],
  ]) {
    const device = await devices.device(name);
    const batch = ledger.batches.flatMap((one) => one.events.slice(1, -1)).join(",");
    await device.append(`[${batch.replaceAll('"op_id":"op-', `"op_id":"${name}-`)}]`);
    await device.connect(space);
    all.push(device);
  }
  const wanted = await converged(space, all);
  assert(wanted.lessons.length > 3);
  // Both go on, one of them by a clock that is a year ahead, and send in turns.
  const slug = wanted.lessons[0].slug;
  await all[1].append(events("FeedbackGiven", [{ outcome: "delivered", lessons: [slug], causal: [slug] }]));
  await all[0].append(rated(slug, 3));
  all.push(await devices.device("late", space, { clock: 365 * DAY }));
  await all[2].settle();
  await all[2].append(rated(slug, 2));
  const after = await converged(space, all);
  assert.equal(helpful(after, slug), helpful(wanted, slug) + 5);
});

test("a copied profile takes an actor of its own, and every act counts once", async () => {
  const space = await who.space();
  const one = await devices.device("original");
  await one.append([...added(["a"]), ...rated("a", 2)]);
  await one.connect(space);
  await one.settle();
  await one.append(rated("a", 1)); // In the outbox of both.
  await one.ask("clone", { to: "copy" });
  const two = await devices.device("copy");
  await one.append(rated("a", 3));
  await two.append(rated("a", 4));
  assert.equal((await one.state()).actor, (await two.state()).actor);
  const wanted = await converged(space, [one, two]);
  assert.equal(helpful(wanted, "a"), 2 + 1 + 3 + 4);
  assert.notEqual((await one.state()).actor, (await two.state()).actor);
});

test("an access token that expired is refreshed, and the round goes on", async () => {
  const space = await who.space();
  const device = await devices.device("expired");
  await device.append(added(["a"]));
  await device.connect(space, { expires_in: -60 });
  assert.equal((await device.sync()).phase, "Idle");
  await converged(space, [device]);
});

test("a session that ended asks to sign in again; what is made meanwhile is kept, and sent then", async () => {
  const space = await who.space();
  const device = await devices.device("ended");
  await device.append(added(["a"]));
  await device.connect(space, { expires_in: -60 });
  await device.ask("clone", { to: "spender" });
  await (await devices.device("spender")).settle(); // It spent the refresh token, which is good for one session.
  const status = await device.sync();
  assert.equal(status.phase, "SignedOut");
  assert.match(status.message, /[Ss]ign in again/);
  await device.append(rated("a", 2));
  assert.equal((await device.sync()).phase, "SignedOut");
  assert.equal(helpful(await device.space(), "a"), 2);
  await device.signIn();
  const wanted = await converged(space, [device]);
  assert.equal(helpful(wanted, "a"), 2);
});

for (const [what, cut] of [
  ["before the answer", () => 0],
  ["in the middle of the answer", (length) => Math.floor(length / 2)],
]) {
  test(`connections that break ${what}: nothing is lost or doubled`, async (t) => {
    const space = await who.space();
    const proxy = await cutting(url, cut);
    t.after(() => proxy.end());
    const one = await devices.device(`cut ${what}`);
    await one.append(added(Array.from({ length: 30 }, (_, n) => `l-${n}`)));
    await one.connect(space, { url: proxy.url });
    const two = await devices.device(`whole ${what}`, space);
    proxy.every = 2;
    for (let round = 0; round < 6; round++) {
      await one.append(rated(`l-${round}`, 7));
      await two.append([]);
      await one.sync();
      await two.sync();
      if (round % 2) await two.append(rated("l-0", 1));
    }
    proxy.every = 3;
    const wanted = await converged(space, [one, two]);
    assert.equal(
      wanted.lessons.reduce((sum, row) => sum + row.times_helpful, 0),
      6 * 7 + 3,
    );
    assert(proxy.cut > 4, `only ${proxy.cut} connections were cut`);
  });
}
