// The cost that one key may cause: its bytes and the isolate's time are bounded, so that it slows nobody else.
// Alone: it holds times.
import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { agent, edge, refused, space } from "./edge.mjs";

/** The limits as they are deployed, where the suites have none. */
const DEPLOYED = { BYTES_PER_SECOND: "65536", WORK_PER_SECOND: "250" };
const SESSIONS = 12;
const ASKED = 200;

/** A session of about a megabyte. */
const session = (number) => ({
  transcript: [
    "INJECTED: bounded-queues",
    ...Array.from(
      { length: 11_000 },
      (_, line) => `Step ${line} of ${number}: the queue is bounded, retries have a budget, and tenants stay apart.`,
    ),
    "DELIVERED: it works",
  ].join("\n"),
});

/** Milliseconds of one request after the other. */
async function times(who, count) {
  const all = [];
  for (let at = 0; at < count; at += 1) {
    const begun = performance.now();
    await who.post("/v1/search", { query: `queue ${at % 7}` });
    all.push(performance.now() - begun);
  }
  return all;
}
const p95 = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)];

test("parallel sessions of a megabyte from one key leave a neighbour's answers as quick as they were", async () => {
  const home = await space();
  const it = await edge({ bindings: DEPLOYED });
  const [heavy, neighbour] = await Promise.all(
    ["heavy", "neighbour"].map(async (name) => agent(it, (await home.agent(name)).key)),
  );
  await neighbour.post("/v1/search", { query: "queue" });
  await times(neighbour, 50);
  const quiet = p95(await times(neighbour, ASKED));
  const sent = Promise.all(Array.from({ length: SESSIONS }, (_, n) => heavy.send("POST", "/v1/sessions", session(n))));
  const beside = p95(await times(neighbour, ASKED));
  const answers = await sent;
  console.log({ quiet, beside, statuses: answers.map(({ status }) => status) });
  const held = answers.filter(({ status }) => status === 429);
  assert.ok(held.length >= SESSIONS - 2, "most are held back");
  assert.ok(answers.every(({ status }) => status === 200 || status === 429));
  for (const answer of held) {
    refused(answer, 429, "rate_limited");
    assert.ok(Number(answer.headers.get("retry-after")) >= 1);
  }
  assert.ok(beside <= Math.max(2 * quiet, 5), `${beside.toFixed(1)} ms, ${quiet.toFixed(1)} ms when it is quiet`);
});

test("small requests at a usual pace are not held back", async () => {
  const home = await space();
  const it = await edge({ bindings: DEPLOYED });
  const me = agent(it, (await home.agent("usual")).key);
  for (let at = 0; at < 100; at += 1) await me.post("/v1/recommend", { query: `tenants and queues ${at}` });
  await me.post("/v1/sessions", session(0));
});
