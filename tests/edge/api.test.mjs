// Every request of the interface over HTTP, through workerd, with the server's tables looked at.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { env, url } from "../stack/stack.mjs";
import { agent, edge, raw, refused, space, until } from "./edge.mjs";

const it = await edge();
const home = await space();
const { key, name } = await home.agent("api agent");
const me = agent(it, key);

test("recommend gives lessons, the prompt, its times, and is tracked on the server", async () => {
  const decision_id = randomUUID();
  const answer = await me.send("POST", "/v1/recommend", { query: "row level security", decision_id, explain: true });
  assert.equal(answer.status, 200, answer.text);
  const { body } = answer;
  assert.equal(body.recommended[0].slug, "row-level-security");
  assert.equal(body.stale, false);
  assert.match(body.prompt, /row level security/i);
  assert.equal(body.trace.filter(({ rank }) => rank).length, body.recommended.length);
  for (const part of ["embed", "rank", "store"])
    assert.match(answer.headers.get("server-timing"), new RegExp(`\\b${part}\\b`));
  assert.equal(answer.headers.get("cache-control"), "no-store");
  // Tracking comes after the answer.
  await until(() => home.counted("count(*) from recommendations") !== "0", { what: "the tracking" });
  const tracked = home.counted("count(*) from recommendations");
  assert.equal(Number(tracked), body.recommended.length);
});

test("search and patterns find lessons by their words", async () => {
  const found = await me.post("/v1/search", { query: "retries budget" });
  assert.equal(found.results[0].slug, "retry-budgets");
  const patterns = await me.post("/v1/patterns", { feature: "keep tenants apart", limit: 2 });
  assert.ok(patterns.results.length <= 2);
  assert.ok(patterns.results.some(({ slug }) => slug === "tenant-isolation"));
});

test("track, outcome and feedback are on the server when they are answered", async () => {
  const decision_id = randomUUID();
  await me.post("/v1/recommend", { query: "bounded queues", decision_id });
  const seen = await me.post("/v1/track", { decision_id, reasoning: "I am applying 'bounded-queues' here." });
  assert.equal(seen.recorded, true);
  const applied = seen.detections.find(({ slug }) => slug === "bounded-queues");
  assert.deepEqual([applied.applied, applied.match_type], [true, "explicit"]);
  const outcome = await me.post("/v1/outcome", { decision_id, outcome: "profit", pnl_percent: 2.5 });
  assert.equal(outcome.lessons_updated, 1);
  assert.equal(
    home.counted("count(*) from (select * from recommendations where trade_outcome = 'success' and was_applied) r"),
    "1",
  );
  const feedback = await me.post("/v1/feedback", {
    lessons: ["bounded-queues"],
    causal: ["bounded-queues"],
    outcome: "delivered",
  });
  assert.deepEqual([feedback.updated[0].slug, feedback.updated[0].causal_hits], ["bounded-queues", 1]);
});

test("rate and vote move the counts on the server; a part of a title that fits two lessons is refused with both", async () => {
  const rated = await me.post("/v1/rate", { lesson: "tenant-isolation", helpful: true });
  assert.deepEqual([rated.slug, rated.times_helpful], ["tenant-isolation", 1]);
  const voted = await me.post("/v1/vote", { lesson: "Keep tenants", up: true });
  assert.deepEqual([voted.slug, voted.upvotes], ["tenant-isolation", 1]);
  const row = home.counted(
    "times_helpful || ' ' || upvotes from (select * from lessons where slug = 'tenant-isolation') l",
  );
  assert.equal(row, "1 1");
  const unclear = await me.send("POST", "/v1/rate", { lesson: "every", helpful: true });
  refused(unclear, 409, "ambiguous");
  assert.deepEqual(unclear.body.error.candidates.sort(), ["bounded-queues", "row-level-security"]);
  refused(await me.send("POST", "/v1/rate", { lesson: "nothing like it", helpful: true }), 404, "not_found", "lesson");
});

test("lessons are added, listed, read and edited; an edit that comes too late is refused", async () => {
  const added = await me.post("/v1/lessons", { title: "Name the unit in the variable", recommendation: "timeout_ms" });
  assert.equal(added.slug, "name-the-unit-in-the-variable");
  assert.equal(added.trust, "unreviewed");
  assert.equal(added.source, name, "where it came from");
  const listed = await me.get("/v1/lessons?q=unit&limit=5");
  assert.deepEqual(
    listed.lessons.map(({ slug }) => slug),
    [added.slug],
  );
  const edited = await me.patch(`/v1/lessons/${added.slug}`, {
    description: "So that nobody guesses.",
    base_rev: added.rev,
  });
  assert.equal(edited.description, "So that nobody guesses.");
  const late = await me.send("PATCH", `/v1/lessons/${added.slug}`, { description: "Too late.", base_rev: added.rev });
  refused(late, 409, "conflict", "base_rev");
  assert.equal((await me.get(`/v1/lessons/${added.slug}`)).description, "So that nobody guesses.");
  const history = await me.get(`/v1/lessons/${added.slug}/history`);
  assert.equal(history.events.length, 2);
  assert.equal(
    home.counted(`description from (select * from lessons where slug = '${added.slug}') l`),
    "So that nobody guesses.",
  );
});

test("a session's transcript gives lessons and feedback", async () => {
  const transcript =
    "INJECTED: retry-budgets\nINSIGHT: Run every migration twice in its test.\nDELIVERED: Migrations can be repeated.\n";
  const recorded = await me.post("/v1/sessions", { transcript });
  assert.deepEqual([recorded.outcome, recorded.injected], ["delivered", ["retry-budgets"]]);
  assert.equal(recorded.feedback.updated[0].slug, "retry-budgets");
  const [{ slug, added }] = recorded.insights;
  assert.ok(added, JSON.stringify(recorded));
  assert.equal(home.counted(`trust from (select * from lessons where slug = '${slug}') l`), "unreviewed");
});

test("tool successes are suggested again", async () => {
  assert.deepEqual(await me.post("/v1/tools/success", { query: "find a customer in the ledger", server: "stripe" }), {
    recorded: true,
  });
  const { servers } = await me.post("/v1/tools/suggest", { query: "find the customer in a ledger" });
  assert.equal(servers[0].server, "stripe");
});

test("stats, health and policy answer", async () => {
  const stats = await me.get("/v1/stats");
  assert.ok(stats.lessons >= 5, JSON.stringify(stats));
  const health = await me.get("/v1/health");
  assert.ok(health.model !== undefined && health.store !== undefined, JSON.stringify(health));
  const { rank } = await me.get("/v1/policy");
  assert.ok(rank.top_search >= 1, JSON.stringify(rank));
});

test("a write with an Idempotency-Key counts once, and the key means one request", async () => {
  const before = (await me.post("/v1/rate", { lesson: "retry-budgets", helpful: true })).times_helpful;
  const headers = { "idempotency-key": randomUUID() };
  const answers = [];
  for (let time = 0; time < 3; time += 1)
    answers.push(await me.post("/v1/rate", { lesson: "retry-budgets", helpful: true }, headers));
  assert.deepEqual(
    answers.map(({ times_helpful }) => times_helpful),
    Array(3).fill(before + 1),
  );
  const other = await me.send("POST", "/v1/rate", { lesson: "retry-budgets", helpful: false }, headers);
  assert.equal(other.status, 409, other.text);
  assert.equal(
    home.counted("times_helpful from (select * from lessons where slug = 'retry-budgets') l"),
    String(before + 1),
  );
});

test("what is wrong is named, with the remedy", async () => {
  for (const [method, path, body, status, code, field] of [
    ["POST", "/v1/recommend", { query: 5 }, 400, "invalid_request", "query"],
    ["POST", "/v1/recommend", { query: "x", limit: 0 }, 400, "invalid_request", "limit"],
    ["POST", "/v1/recommend", { query: "x", color: "red" }, 400, "invalid_request", "color"],
    ["POST", "/v1/recommend", "[1]", 400, "invalid_request"],
    ["POST", "/v1/recommend", "{", 400, "invalid_request", "body"],
    ["POST", "/v1/search", {}, 400, "invalid_request", "query"],
    ["POST", "/v1/search", { query: "x".repeat(8_001) }, 400, "invalid_request", "query"],
    ["POST", "/v1/outcome", { decision_id: "d", outcome: "won" }, 400, "invalid_request", "outcome"],
    ["POST", "/v1/outcome", '{"decision_id":"d","outcome":"profit","pnl_percent":1e999}', 400, "invalid_request"],
    ["POST", "/v1/feedback", { lessons: ["no-such-lesson"], outcome: "delivered" }, 404, "not_found"],
    ["POST", "/v1/rate", { lesson: "tenant-isolation" }, 400, "invalid_request", "helpful"],
    ["POST", "/v1/rate", { lesson: "tenant-isolation", helpful: "yes" }, 400, "invalid_request", "helpful"],
    ["POST", "/v1/lessons", { title: "" }, 400, "invalid_request", "title"],
    ["GET", "/v1/lessons/no-such-lesson", undefined, 404, "not_found"],
    ["GET", "/v1/lessons?limit=x", undefined, 400, "invalid_request", "limit"],
    ["GET", "/v1/nothing", undefined, 404, "not_found"],
  ]) {
    const answer = await me.send(method, path, body);
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}: ${answer.text}`);
    refused(answer, status, code, field);
  }
  const wrong = await me.send("DELETE", "/v1/lessons/tenant-isolation");
  assert.ok(wrong.status >= 400 && wrong.status < 500, wrong.text);
  refused(
    await me.send("POST", "/v1/rate", '{"lesson":"tenant-isolation","helpful":true}', { "content-type": "text/plain" }),
    400,
    "invalid_request",
    "content-type",
  );
});

test("what people do is not an agent's to do", async () => {
  for (const [method, path, body] of [
    ["POST", "/v1/lessons/tenant-isolation/restore"],
    ["POST", "/v1/lessons/tenant-isolation/review", { verdict: "approved" }],
    ["POST", "/v1/lessons/merge", { into: "tenant-isolation", from: ["bounded-queues"] }],
    ["POST", "/v1/import", { files: [] }],
    ["GET", "/v1/export?format=jsonl"],
    ["GET", "/v1/sync"],
    ["POST", "/v1/sync/sign-out"],
  ]) {
    refused(await me.send(method, path, body), 403, "forbidden");
  }
});

test("HEAD answers like GET, without the body", async () => {
  const answer = await raw(it.url, { method: "HEAD", path: "/v1/stats", headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([answer.status, answer.text], [200, ""]);
});

test("the OpenAPI document names every route, and all schemas that it refers to", async () => {
  const document = await me.get("/openapi.json");
  assert.match(document.openapi, /^3\.1/);
  for (const [path, method] of [
    ["/v1/recommend", "post"],
    ["/v1/search", "post"],
    ["/v1/patterns", "post"],
    ["/v1/track", "post"],
    ["/v1/outcome", "post"],
    ["/v1/feedback", "post"],
    ["/v1/rate", "post"],
    ["/v1/vote", "post"],
    ["/v1/lessons", "get"],
    ["/v1/lessons", "post"],
    ["/v1/lessons/{slug}", "get"],
    ["/v1/lessons/{slug}", "patch"],
    ["/v1/lessons/{slug}/history", "get"],
    ["/v1/sessions", "post"],
    ["/v1/tools/success", "post"],
    ["/v1/tools/suggest", "post"],
    ["/v1/stats", "get"],
    ["/v1/health", "get"],
    ["/v1/policy", "get"],
  ]) {
    assert.ok(document.paths[path]?.[method], `${method} ${path} is missing`);
  }
  const refs = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? [];
  for (const ref of new Set(refs.map((text) => text.slice(8, -1)))) {
    assert.ok(ref.startsWith("#/"), `${ref} lies elsewhere`);
    const found = ref
      .slice(2)
      .split("/")
      .reduce((at, part) => at?.[part], document);
    assert.ok(found, `${ref} is not there`);
  }
});

test("the dashboard is served with its headers, and nothing else of the build", async () => {
  const page = await raw(it.url, { path: "/lessons/some-lesson" });
  assert.equal(page.status, 200);
  assert.match(page.headers["content-type"], /^text\/html/);
  // The same as `cargo xtask serve` sends, which may connect to hosted projects beside the same server.
  const served = await raw(env("LESSONLOOP_URL"), { path: "/lessons/some-lesson" });
  assert.equal(page.text, served.text);
  for (const name of [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-resource-policy",
    "cross-origin-opener-policy",
    "cache-control",
  ]) {
    assert.ok(served.headers[name], name);
    assert.equal(page.headers[name], served.headers[name].replace(" https://*.supabase.co", ""), name);
  }
  const policy = page.headers["content-security-policy"];
  assert.ok(policy.includes(`connect-src 'self' ${url};`), policy);
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types default/);
  assert.match(page.text, /<script type="importmap">\{"integrity":\{"\/[^"]+\.js":"sha384-/);
  const same = await raw(it.url, { path: "/lessons/some-lesson", headers: { "if-none-match": page.headers.etag } });
  assert.equal(same.status, 304);
  for (const path of ["/edge/worker.js", "/edge/wrangler.toml", "/.assetsignore", "/none.js"]) {
    assert.equal((await raw(it.url, { path })).status, 404, path);
  }
  assert.equal((await raw(it.url, { method: "POST", path: "/", body: "x" })).status, 405);
});
