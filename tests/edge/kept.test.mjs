// An isolate's copy in the Cache API for the next one: that answers at once, and never in place of what the server says.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { url } from "../stack/stack.mjs";
import { agent, edge, raw, refused, space, until } from "./edge.mjs";
import { between } from "./faults.mjs";

const ends = [];
after(() => Promise.all(ends.map((end) => end())));

/** Says under which names it keeps. */
const telling = (file, text) =>
  file !== "edge/worker.js"
    ? text
    : text.replace(/await cache\.put\([^;]*\);/, (put) => `${put}\n  console.warn(\`keeps <\${name}>\`);`);

/** A space that an isolate has kept, and a way to start others behind a proxy. */
async function keeping({ rewrite = telling } = {}) {
  const kept = mkdtempSync(join(tmpdir(), "lessonloop-kept-"));
  const proxy = await between(url);
  ends.push(
    () => proxy.end(),
    () => rmSync(kept, { recursive: true, force: true }),
  );
  const home = await space();
  const made = await home.agent("keeping agent");
  let port;
  const start = async () => {
    // The kept copy belongs to the Worker's host.
    const it = await edge({ at: proxy.url, kept, rewrite, port });
    port ??= Number(new URL(it.url).port);
    return { it, me: agent(it, made.key) };
  };
  const first = await start();
  await first.me.post("/v1/recommend", { query: "row level security" });
  return { proxy, home, made, start, first };
}

const name = async ({ it }) =>
  (await until(() => it.logged().match(/keeps <([0-9a-f]{64})>/), { what: "a space that is kept" }))[1];
const holdRows = (proxy) => (proxy.choose = (asked) => (asked.url.includes("pull_changes") ? "slow" : "pass"));

test("a cold isolate answers from what another kept while the server is slow; writes wait, and count once", async () => {
  const { proxy, home, start, first } = await keeping();
  await name(first);
  await first.it.stop();
  holdRows(proxy);
  const { me } = await start();
  const answer = await me.post("/v1/recommend", { query: "row level security" });
  assert.deepEqual([answer.recommended[0].slug, answer.stale], ["row-level-security", true]);
  const key = { "idempotency-key": randomUUID() };
  const rate = () => me.send("POST", "/v1/rate", { lesson: "bounded-queues", helpful: true }, key);
  const waiting = rate();
  // A read that came after the write has its answer: the write is under way by then.
  assert.equal((await me.post("/v1/recommend", { query: "row level security" })).stale, true);
  assert.equal(home.counted("times_helpful from (select * from lessons where slug = 'bounded-queues') l"), "0");
  assert.ok(!proxy.seen.some(({ url, body }) => url.includes("push_events") && body.includes("bounded-queues")));
  proxy.choose = null;
  await waiting;
  await until(async () => (await rate()).status === 200, { what: "the write" });
  assert.equal(home.counted("times_helpful from (select * from lessons where slug = 'bounded-queues') l"), "1");
  await until(async () => !(await me.post("/v1/recommend", { query: "queue" })).stale, { what: "stale: false" });
  // The recommendation from the kept copy is on record.
  await until(() => Number(home.counted("count(distinct retrieval_id) from retrievals")) >= 2, {
    what: "the tracking",
  });
});

test("what changed since is in the first answer when the server is quick, and only that is read", async () => {
  const { proxy, start, first } = await keeping();
  await name(first);
  await first.me.post("/v1/lessons", {
    title: "Rotate keys every month",
    recommendation: "Rotate every key, and say when.",
  });
  await first.it.stop();
  proxy.seen.length = 0;
  const { me } = await start();
  const answer = await me.post("/v1/recommend", { query: "rotate keys" });
  assert.deepEqual(
    [answer.recommended[0].slug, answer.total_considered, answer.stale],
    ["rotate-keys-every-month", 5, false],
  );
  const pulls = proxy.seen
    .filter(({ url }) => url.includes("pull_changes"))
    .map(({ body }) => JSON.parse(body).p_cursor);
  assert.ok(pulls.length > 0 && pulls.every((cursor) => cursor > 0), `${pulls}`);
});

test("a revoked key gets nothing of what is kept", async () => {
  const { home, made, start, first } = await keeping();
  await name(first);
  await first.it.stop();
  await home.who.call("revoke_agent_key", { p_key: made.id });
  const { me } = await start();
  refused(await me.send("POST", "/v1/recommend", { query: "row level security" }), 401, "unauthorized");
});

test("another space's agent meets a name of its own", async () => {
  const { start, first } = await keeping();
  const mine = await name(first);
  const other = await space({ lessons: [{ slug: "their-own", title: "Their own lesson" }] });
  const { key } = await other.agent("other agent");
  await first.it.stop();
  const { it } = await start();
  const answer = await agent(it, key).post("/v1/recommend", { query: "row level security" });
  assert.equal(answer.total_considered, 1);
  assert.notEqual(await name({ it }), mine);
});

test("no request from outside leads to what is kept, even with its name", async () => {
  const { first, made } = await keeping();
  const path = `/v1/kept/${await name(first)}`;
  const authorization = `Bearer ${made.key}`;
  for (const asked of [
    {},
    { headers: { authorization } },
    { method: "POST", headers: { authorization } },
    { method: "PURGE" },
    { method: "HEAD" },
  ]) {
    const answer = await raw(first.it.url, { path, ...asked });
    assert.ok(answer.status >= 400, `${answer.status}`);
    assert.doesNotMatch(answer.text, /row-level-security|Bound every queue/);
  }
});

test("without a Cache API everything goes on", async () => {
  const { first } = await keeping({
    rewrite: (file, text) => (file === "edge/worker.js" ? text.replaceAll("caches.open", "nowhere.open") : text),
  });
  assert.equal((await first.me.post("/v1/rate", { lesson: "retry-budgets", helpful: true })).times_helpful, 1);
});
