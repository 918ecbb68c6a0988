// Callers without a key that is in force: what they cost the server, and that they keep nobody out.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { url } from "../stack/stack.mjs";
import { agent, each, edge, refused, space } from "./edge.mjs";
import { between } from "./faults.mjs";

const proxy = await between(url);
after(() => proxy.end());
const home = await space();
const FLOOD = 1_500;
/** Where requests come from: Cloudflare sets it, and the local host takes the socket's where nothing does. */
const from = (address) => ({ "cf-connecting-ip": address });
const old = () => `llk_${randomBytes(32).toString("hex")}`;
const checked = () => {
  const random = old();
  return random + createHash("sha256").update(random).digest("hex").slice(0, 8);
};
const ASK = ["POST", "/v1/search", { query: "queue" }];

/** Sends a flood to a fresh isolate; how many got which status, and how many look-ups it cost. */
async function flood(make, headers) {
  const it = await edge({ at: proxy.url });
  proxy.seen.length = 0;
  const statuses = {};
  await each(Array.from({ length: FLOOD }, make), 16, async (key) => {
    const { status } = await agent(it, key).send(...ASK, headers);
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  const lookups = proxy.seen.filter(({ url: path }) => path.endsWith("/rpc/agent_key")).length;
  return { it, statuses, lookups };
}

test("fakes with a wrong checksum cost no look-up", async () => {
  const { it, statuses, lookups } = await flood(() => {
    const key = checked();
    return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  }, from("192.0.2.1"));
  assert.deepEqual([statuses, lookups], [{ 401: FLOOD }, 0]);
  const { key } = await home.agent("beside a flood");
  assert.equal((await agent(it, key).send(...ASK, from("192.0.2.1"))).status, 200);
});

for (const [what, make] of [
  ["fakes with a right checksum", checked],
  ["fakes of the old form", old],
]) {
  test(`${what} are looked up some times, and an agent that the isolate does not know is served`, async () => {
    const { it, statuses, lookups } = await flood(make, from("192.0.2.1"));
    assert.ok(lookups >= 200 && lookups < FLOOD / 2, `${lookups} look-ups`);
    assert.equal(statuses[401], lookups);
    assert.equal(statuses[429], FLOOD - lookups);
    const { key } = await home.agent("from elsewhere");
    assert.equal((await agent(it, key).send(...ASK, from("192.0.2.2"))).status, 200);
    assert.equal(
      (await agent(it, key).send(...ASK, from("192.0.2.1"))).status,
      200,
      "one that is known, from where the flood is",
    );
  });
}

test("without an address from a proxy, the socket's counts", async () => {
  const { statuses } = await flood(checked, {});
  assert.ok(statuses[429] > FLOOD / 2, JSON.stringify(statuses));
});

test("the platform's counter holds a key back where the isolate's own would not, and leaves others alone", async () => {
  const home = await space();
  const it = await edge({ ratelimits: { RATE_LIMITER: { simple: { limit: 5, period: 60 } } } });
  const [one, two] = [agent(it, (await home.agent("one")).key), agent(it, (await home.agent("two")).key)];
  // The local platform counts by the minutes of the clock: where one ends meanwhile, the next begins its count anew.
  const answers = [];
  while (answers.length <= 10 && answers.at(-1)?.status !== 429) {
    answers.push(await one.send("POST", "/v1/search", { query: "queue" }));
  }
  const last = answers.pop();
  refused(last, 429, "rate_limited");
  assert.ok(Number(last.headers.get("retry-after")) > 0);
  assert.ok(answers.length >= 5, `${answers.length} answers`);
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal((await two.send("POST", "/v1/search", { query: "queue" })).status, 200);
});
