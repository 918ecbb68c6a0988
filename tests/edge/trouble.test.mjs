// The server fails, the module traps: agents get lessons as long as there are some, an error that
// they can act on otherwise, and what is answered as recorded is recorded once.
// Alone: it holds times.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { after, describe, test } from "node:test";
import { url } from "../stack/stack.mjs";
import { agent, edge, refused, space, until } from "./edge.mjs";
import { between } from "./faults.mjs";

const proxies = [];
after(() => Promise.all(proxies.map((proxy) => proxy.end())));

/** An edge function behind a proxy of its own, and an agent of a new space. */
async function behind({ lessons, ...options } = /** @type {any} */ ({})) {
  const proxy = await between(url);
  proxies.push(proxy);
  const it = await edge({ at: proxy.url, ...options });
  const home = await space(lessons ? { lessons } : {});
  const { key } = await home.agent("troubled agent");
  return { proxy, it, home, key, me: agent(it, key) };
}

const FAULTS = [
  ["down", "down"],
  ["answers 500", "error"],
  ["answers with a web page", "html"],
  ["breaks off in the middle", "cut"],
  ["takes 10 seconds", "slow"],
];

for (const [name, mode] of FAULTS) {
  // Both at once: each has a server and an edge of its own, and waits for them.
  describe(`the server ${name}`, { concurrency: 2 }, () => {
    test("recommendations go on and say that they are old, writes say when to try again and count once", async () => {
      const { proxy, home, me } = await behind();
      const decision_id = randomUUID();
      await me.post("/v1/recommend", { query: "row level security", decision_id });
      await until(() => home.counted("count(*) from recommendations") !== "0");
      proxy.mode = mode;

      const headers = { "idempotency-key": randomUUID() };
      const rate = () => me.send("POST", "/v1/rate", { lesson: "row-level-security", helpful: true }, headers);
      const begun = performance.now();
      const sure = await rate();
      assert.ok(performance.now() - begun < 15_000, `${(performance.now() - begun).toFixed(0)} ms`);
      refused(sure, 503, "unavailable");
      assert.ok(Number(sure.headers.get("retry-after")) >= 1);
      assert.match(sure.body.error.message, /same request again/);

      const asked = performance.now();
      const late = await me.post("/v1/recommend", { query: "bounded queue", decision_id: randomUUID() });
      assert.ok(performance.now() - asked < 2_000, `${(performance.now() - asked).toFixed(0)} ms`);
      assert.equal(late.recommended[0].slug, "bounded-queues");
      await until(async () => (await me.post("/v1/recommend", { query: "bounded queue" })).stale, {
        what: "stale: true",
      });
      await me.post("/v1/search", { query: "tenants" });
      const health = await me.get("/v1/health");
      assert.ok(JSON.stringify(health).length > 0);

      proxy.mode = "pass";
      await until(async () => (await rate()).status === 200, { what: "the write" });
      await rate();
      const count = () =>
        home.counted("times_helpful from (select * from lessons where slug = 'row-level-security') l");
      assert.equal(count(), "1");
      await until(async () => !(await me.post("/v1/recommend", { query: "bounded queue" })).stale, {
        what: "stale: false",
      });
      // The tracking of what was recommended meanwhile is not lost.
      await until(() => home.counted("count(distinct decision_id) from recommendations") >= "2", {
        what: "the tracking",
      });
      assert.equal(count(), "1");
    });

    test("before the first request: 503 and when to try again; then it goes on by itself", async () => {
      const { proxy, me } = await behind();
      proxy.mode = mode;
      for (const [method, path, body] of [
        ["POST", "/v1/recommend", { query: "x" }],
        ["POST", "/v1/rate", { lesson: "x", helpful: true }],
      ]) {
        const begun = performance.now();
        const answer = await me.send(method, path, body);
        assert.ok(performance.now() - begun < 30_000, `${(performance.now() - begun).toFixed(0)} ms`);
        if (mode === "slow" && answer.status === 200) continue;
        refused(answer, 503, "unavailable");
        assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      }
      const mcp = await me.rpc({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "playbook_search_lessons", arguments: { query: "queue" } },
      });
      assert.ok(mcp.status === 200 || mcp.status === 503, mcp.text);
      assert.doesNotThrow(() => JSON.parse(mcp.text), mcp.text);
      proxy.mode = "pass";
      await until(async () => (await me.send("POST", "/v1/recommend", { query: "queue" })).status === 200, {
        what: "a recommendation",
      });
    });
  });
}

test("an answer that is lost after the server did it counts once, with and without an Idempotency-Key", async () => {
  const { proxy, home, me } = await behind();
  await me.post("/v1/search", { query: "queue" });
  for (const headers of [{ "idempotency-key": randomUUID() }, {}]) {
    proxy.choose = (asked) => (asked.url.includes("push_events") ? "lost" : "pass");
    const body = { lesson: "retry-budgets", helpful: true };
    const first = await me.send("POST", "/v1/rate", body, headers);
    assert.ok([200, 503].includes(first.status), first.text);
    proxy.choose = null;
    if (first.status === 503)
      await until(async () => (await me.send("POST", "/v1/rate", body, headers)).status === 200);
  }
  assert.equal(home.counted("times_helpful from (select * from lessons where slug = 'retry-budgets') l"), "2");
});

test("an agent that goes away before its answer takes nothing with it", async () => {
  const { proxy, home, me, it, key } = await behind();
  await me.post("/v1/search", { query: "queue" });
  proxy.mode = "slow";
  proxy.delay = 700;
  const gone = Array.from({ length: 8 }, (_, at) =>
    fetch(`${it.url}/v1/rate`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": `gone-${at}` },
      body: JSON.stringify({ lesson: "bounded-queues", helpful: true }),
      signal: AbortSignal.timeout(150),
    }).catch(() => null),
  );
  await Promise.all(gone);
  // Others' requests, made meanwhile, are answered.
  const answers = await Promise.all(Array.from({ length: 8 }, () => me.send("POST", "/v1/search", { query: "queue" })));
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  proxy.mode = "pass";
  for (let at = 0; at < 8; at += 1) {
    await until(
      async () =>
        (
          await me.send(
            "POST",
            "/v1/rate",
            { lesson: "bounded-queues", helpful: true },
            { "idempotency-key": `gone-${at}` },
          )
        ).status === 200,
    );
  }
  assert.equal(home.counted("times_helpful from (select * from lessons where slug = 'bounded-queues') l"), "8");
});

/** A glue whose engine traps when it is asked for this path: at once, or in a task of its own. */
const trapping = (path, how) => (file, text) =>
  file !== "engine/lessonloop_relaxed.js"
    ? text
    : `${text}
      const handle = Edge.prototype.handle;
      Edge.prototype.handle = function (request) {
        if (request.path !== "${path}") return handle.call(this, request);
        const trap = () => { throw new WebAssembly.RuntimeError("unreachable"); };
        ${how}
      };`;

for (const [name, how] of [
  ["at once", "trap();"],
  ["in its promise", "return Promise.resolve().then(trap);"],
  ["in a task that nobody waits for", "queueMicrotask(trap); return new Promise(() => {});"],
]) {
  test(`a trap ${name} is a 503 for who waits, and a fresh engine for the next; nothing that was recorded is lost`, async () => {
    const { me, home, proxy } = await behind({ rewrite: trapping("/v1/policy", how) });
    const rated = await me.post("/v1/rate", { lesson: "tenant-isolation", helpful: true });
    for (let time = 0; time < 3; time += 1) {
      proxy.mode = "slow";
      proxy.delay = 1_500;
      proxy.seen.length = 0;
      const waiting = me.send(
        "POST",
        "/v1/rate",
        { lesson: "tenant-isolation", helpful: true },
        { "idempotency-key": `trap-${time}` },
      );
      // Other requests may follow it.
      await until(() => proxy.seen.some(({ url, body }) => url.includes("push_events") && body.includes("Rated")), {
        every: 10,
      });
      const answer = await me.send("GET", "/v1/policy");
      refused(answer, 503, "unavailable");
      assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      assert.equal((await waiting).status, 503);
      proxy.mode = "pass";
      const found = await me.post("/v1/recommend", { query: "row level security" });
      assert.equal(found.recommended[0].slug, "row-level-security");
      await until(
        async () =>
          (
            await me.send(
              "POST",
              "/v1/rate",
              { lesson: "tenant-isolation", helpful: true },
              { "idempotency-key": `trap-${time}` },
            )
          ).status === 200,
      );
    }
    const count = home.counted("times_helpful from (select * from lessons where slug = 'tenant-isolation') l");
    assert.equal(Number(count), rated.times_helpful + 3);
  });
}

test("an edge function that is not set up says what is missing, and still serves the dashboard", async () => {
  const it = await edge({ bindings: { SUPABASE_KEY: "" } });
  const answer = await agent(it, "llk_x").send("POST", "/v1/search", { query: "x" });
  refused(answer, 503, "unavailable", "key");
  refused(await agent(it).send("GET", "/v1/setup"), 503, "unavailable", "key");
  assert.equal((await fetch(`${it.url}/lessons`)).status, 200);
});

test("an empty space gives an empty list, and says what to do", async () => {
  const { me } = await behind({ lessons: [] });
  const answer = await me.post("/v1/recommend", { query: "anything" });
  assert.deepEqual(answer.recommended, []);
  assert.deepEqual((await me.post("/v1/search", { query: "anything" })).results, []);
  assert.equal((await me.get("/v1/stats")).lessons, 0);
});
