// A space that no isolate holds, as it may hold few: requests read their part of it from the store. The loop is walked through
// it, and what may go wrong.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill, record, situation } from "../benches/scale/corpus.mjs";
import { author, lesson, sql, url } from "../stack/stack.mjs";
import { agent, edge, raw, refused, space, until, METERED } from "./edge.mjs";
import { between } from "./faults.mjs";

const LESSONS = 4_000;

const proxies = [];
after(() => Promise.all(proxies.map((proxy) => proxy.end())));
/** A proxy to the stack that ends with the tests. */
const through = async () => {
  const proxy = await between(url);
  proxies.push(proxy);
  return proxy;
};

/** An edge that may hold a quarter of them. */
const few = (more = {}) => edge({ ...more, bindings: { ...more.bindings, REPLICA_BYTES: "3000000" } });

/** One large space for all tests of this file: it takes a while to write. */
let made;
const large = () => {
  made ??= (async () => {
    const home = await space({
      name: "Large",
      lessons: [{ slug: "row-level-security", title: "Row level security on every table" }],
    });
    await fill(home.id, { to: LESSONS });
    return home;
  })();
  return made;
};

test("the loop through a large space: recommend, track, outcome, feedback, rate, and nothing of it is pulled", async () => {
  const home = await large();
  const proxy = await through();
  const it = await few({ at: proxy.url, ...METERED });
  const me = agent(it, (await home.agent()).key);
  const asked = situation(1, LESSONS);
  const was = { stats: await me.get("/v1/stats") };
  const answer = await me.post("/v1/recommend", { query: asked, decision_id: "one", limit: 5 });
  assert.equal(answer.candidates_of, LESSONS + 1);
  // More where the project counts, which the server doesn't weigh.
  assert.ok(answer.total_considered > 20 && answer.total_considered <= 80, `${answer.total_considered}`);
  const project = await me.post("/v1/recommend", { query: asked, tech_stack: ["rust"], dry_run: true });
  assert.ok(project.total_considered > 80 && project.total_considered <= 120, `${project.total_considered}`);
  assert.equal(answer.recommended.length, 5);
  assert.equal(answer.stale, false);
  assert.ok(answer.prompt.includes(answer.recommended[0].slug));
  // A lesson of the topic is among them.
  const words = new Set(asked.split(" ").slice(0, 3));
  assert.ok(
    answer.recommended.some(({ lesson }) =>
      `${lesson.title} ${lesson.description}`.split(" ").some((word) => words.has(word)),
    ),
  );

  const [first, second] = answer.recommended.map(({ slug }) => slug);
  const tracked = await me.post("/v1/track", { decision_id: "one", reasoning: `Applying '${first}' here.` });
  const applied = tracked.detections.filter((seen) => seen.applied).map(({ slug }) => slug);
  assert.deepEqual(applied, [first]);
  const outcome = await me.post("/v1/outcome", { decision_id: "one", outcome: "success" });
  assert.equal(outcome.lessons_updated, 5);
  assert.deepEqual(outcome.effectiveness_recalculated, [first]);
  assert.equal((await me.post("/v1/outcome", { decision_id: "one", outcome: "success" })).repeated, true);
  refused(await me.send("POST", "/v1/outcome", { decision_id: "one", outcome: "failure" }), 409, "conflict");
  refused(
    await me.send("POST", "/v1/outcome", { decision_id: "none", outcome: "success" }),
    403,
    "forbidden",
    "decision_id",
  );

  const given = await me.post("/v1/feedback", {
    outcome: "delivered",
    lessons: [first, second],
    causal: [first],
    decision_id: "one",
  });
  assert.equal(given.updated.length, 2);
  await me.post("/v1/rate", { lesson: second, helpful: true });
  await me.post("/v1/vote", { lesson: second, up: true });
  // The numbers of all lessons have moved.
  const now = { stats: await me.get("/v1/stats"), health: await me.get("/v1/health") };
  assert.deepEqual(
    [now.stats.lessons, now.stats.total_rated, now.stats.total_surfaced - was.stats.total_surfaced],
    [LESSONS + 1, was.stats.total_rated + 1, 5],
  );
  assert.deepEqual([now.health.funnel.applied, now.health.funnel.success, now.health.feedback_last_7_days], [1, 1, 1]);
  assert.equal(now.health.model.pending + now.health.model.embedded, LESSONS + 1);
  const held = sql(
    "select times_applied || ' ' || success_count || ' ' || (causal_hits - :'causal') from lessons where space = :'space' and slug = :'slug'",
    { space: home.id, slug: first, causal: String(Math.floor(record(Number(first.split("-")[2])).use_count / 2)) },
  );
  assert.equal(held, "1 1 1");
  assert.equal(
    home.counted(`times_helpful || ' ' || upvotes from (select * from lessons where slug = '${second}') l`),
    "1 1",
  );
  // Rows were read by parts: no page of changes, and few bytes of memory.
  assert.deepEqual(
    proxy.seen.filter(({ url }) => url.includes("pull_changes")),
    [],
  );
  assert.ok(proxy.seen.some(({ url }) => url.includes("space_size")));
  const module = Number((await raw(it.url, { path: "/v1/metered" })).text);
  assert.ok(module < 60e6, `${module} bytes`);
});

test("what one isolate makes, another one's requests find", async () => {
  const home = await large();
  const [one, two] = [agent(await few(), (await home.agent()).key), agent(await few(), (await home.agent("b")).key)];
  const added = await one.post("/v1/lessons", {
    title: "Xylophones before zithers",
    recommendation: "Tune xylophones before zithers.",
  });
  assert.equal(added.slug, "xylophones-before-zithers");
  assert.equal((await two.get(`/v1/lessons/${added.slug}`)).title, "Xylophones before zithers");
  const found = await two.post("/v1/search", { query: "xylophones zithers" });
  assert.equal(found.results[0].slug, added.slug);
  // The same title again takes the next slug; by a part of its title it is one lesson or asked about.
  const again = await two.post("/v1/lessons", { title: "Xylophones before zithers", recommendation: "Again." });
  assert.equal(again.slug, "xylophones-before-zithers-2");
  const unclear = await two.send("POST", "/v1/rate", { lesson: "ylophones before", helpful: true });
  assert.equal(unclear.status, 409);
  assert.deepEqual(unclear.body.error.candidates, [added.slug, again.slug]);
  const edited = await one.patch(`/v1/lessons/${added.slug}`, {
    base_rev: 1,
    recommendation: "Tune both, quokkas first.",
  });
  assert.equal(edited.rev, 2);
  assert.equal((await two.post("/v1/search", { query: "quokkas" })).results[0].slug, added.slug);
  refused(await two.send("GET", "/v1/lessons/nothing-here"), 404, "not_found");
  // Pages by cursor.
  const page = await two.get("/v1/lessons?limit=3&sort=updated");
  assert.equal(page.lessons.length, 3);
  assert.ok(page.lessons.some(({ slug }) => slug === added.slug) && page.next_cursor);
  const next = await two.get(`/v1/lessons?limit=3&sort=updated&cursor=${page.next_cursor}`);
  assert.equal(new Set([...page.lessons, ...next.lessons].map(({ slug }) => slug)).size, 6);
  const oldest = await two.get("/v1/lessons?limit=3&sort=updated&reverse=true");
  assert.ok(oldest.lessons[0].updated_at <= oldest.lessons[2].updated_at);
  assert.ok(oldest.lessons[2].updated_at < page.lessons[0].updated_at);
  await one.post("/v1/recommend", { query: "xylophones", decision_id: "listed" });
  const runs = await until(async () => {
    const { decisions } = await one.get("/v1/decisions");
    return decisions.length > 0 ? decisions : null;
  });
  assert.deepEqual([runs[0].id, runs[0].query], ["listed", "xylophones"]);
  assert.equal((await one.get("/v1/decisions/listed")).id, "listed");
  assert.deepEqual((await two.get("/v1/decisions")).decisions, []);
  const stats = await two.get("/v1/stats");
  assert.ok(stats.lessons > LESSONS && stats.total_surfaced >= 5, JSON.stringify(stats));
  // A key that is used again elsewhere counts once, and for something else not at all.
  const mine = agent(await few(), (await home.agent("c")).key);
  const key = { "idempotency-key": "rate-once" };
  await mine.post("/v1/rate", { lesson: added.slug, helpful: true }, key);
  await mine.post("/v1/rate", { lesson: added.slug, helpful: true }, key);
  refused(await mine.send("POST", "/v1/rate", { lesson: added.slug, helpful: false }, key), 409, "conflict");
  assert.equal(home.counted(`times_helpful from (select * from lessons where slug = '${added.slug}') l`), "1");
});

test("queries of stop words, of words that all lessons have, and of words that none has", async () => {
  const home = await large();
  const me = agent(await few(), (await home.agent()).key);
  for (const query of ["the and of", "index", "qqqqq wwwww"]) {
    const answer = await me.post("/v1/recommend", { query, limit: 5 });
    assert.ok(answer.candidates_of > LESSONS);
    assert.ok(Array.isArray(answer.recommended), query);
  }
  const hot = await me.post("/v1/search", { query: "index" });
  assert.equal(hot.results.length, 10, "a word that every lesson has finds lessons all the same");
  const none = await me.post("/v1/search", { query: "qqqqq" });
  assert.deepEqual(none.results, []);
  assert.match(none.hint, /No lesson has these words/);
});

test("a domain and a market without words, and patterns of a project", async () => {
  const home = await large();
  const me = agent(await few(), (await home.agent()).key);
  const decision = await me.post("/v1/recommend", { domain: "Perps", market: { volatility: "high" }, limit: 5 });
  assert.equal(decision.recommended.length, 5);
  assert.ok(decision.recommended.every(({ lesson }) => ["perps", ""].includes(lesson.domain)));
  const project = await me.post("/v1/recommend", { project_type: "web-app", tech_stack: ["rust"], limit: 5 });
  assert.ok(project.recommended.length > 0);
  const patterns = await me.post("/v1/patterns", { feature: situation(3, LESSONS), tech_stack: ["rust"] });
  assert.ok(patterns.results.length > 0);
});

test("the switch is set by bytes: a small space is held, unless none may be", async () => {
  const home = await space();
  const { key } = await home.agent();
  const pulls = ({ seen }) => seen.filter(({ url }) => url.includes("pull_changes")).length;
  const one = await through();
  const held = agent(await edge({ at: one.url }), key);
  assert.equal((await held.post("/v1/recommend", { query: "queue" })).candidates_of, undefined);
  assert.ok(pulls(one) > 0);
  const two = await through();
  const none = agent(await edge({ at: two.url, bindings: { REPLICA_BYTES: "0" } }), key);
  const answer = await none.post("/v1/recommend", { query: "queue" });
  assert.deepEqual([answer.candidates_of, answer.recommended[0].slug, pulls(two)], [4, "bounded-queues", 0]);
});

test("a space that grows over the switch while agents ask is read by parts from then on, and nothing is lost", async () => {
  const home = await space();
  const it = await edge({ bindings: { REPLICA_BYTES: "60000" } });
  const me = agent(it, (await home.agent()).key);
  assert.equal((await me.post("/v1/recommend", { query: "queue" })).candidates_of, undefined);
  const asking = (async () => {
    for (let n = 0; n < 20; n++) await me.post("/v1/rate", { lesson: "bounded-queues", helpful: true });
  })();
  const by = author();
  const events = Array.from({ length: 300 }, (_, n) => {
    const { slug, use_count, ...more } = record(n);
    return by.event("LessonAdded", lesson(slug, { ...more, causal_hits: 0, use_count }));
  });
  assert.deepEqual((await home.who.push(home.id, by.actor, events)).rejected, []);
  await asking;
  const answer = await until(
    async () => {
      const answer = await me.post("/v1/recommend", { query: "queue" });
      return answer.candidates_of ? answer : null;
    },
    { within: 60_000, every: 1_000, what: "the switch" },
  );
  assert.equal(answer.candidates_of, 304);
  assert.equal(home.counted("times_helpful from (select * from lessons where slug = 'bounded-queues') l"), "20");
});

test("a store that is away answers 503 with when to try again, and a write counts once", async () => {
  const home = await large();
  const proxy = await through();
  const me = agent(await few({ at: proxy.url }), (await home.agent()).key);
  await me.post("/v1/recommend", { query: "retry" });
  proxy.mode = "error";
  const answer = await me.send("POST", "/v1/recommend", { query: "retry" });
  refused(answer, 503, "unavailable");
  assert.ok(Number(answer.headers.get("retry-after")) >= 1);
  // A write whose answer is lost on the way was done, and the same request again finds it so.
  proxy.mode = "pass";
  const key = { "idempotency-key": "lost-once" };
  let lost = false;
  proxy.choose = ({ url }) => {
    if (lost || !url.includes("push_events")) return null;
    lost = true;
    return "lost";
  };
  const first = await me.send("POST", "/v1/vote", { lesson: "row-level-security", up: true }, key);
  if (first.status !== 200)
    assert.equal((await me.send("POST", "/v1/vote", { lesson: "row-level-security", up: true }, key)).status, 200);
  assert.equal(home.counted("upvotes from (select * from lessons where slug = 'row-level-security') l"), "1");
  assert.equal((await me.send("POST", "/v1/recommend", { query: "retry" })).status, 200);
});

test("another space's agent finds nothing of it", async () => {
  await large();
  const other = await space({ lessons: [{ slug: "their-own", title: "Their own index" }] });
  const me = agent(await edge({ bindings: { REPLICA_BYTES: "0" } }), (await other.agent()).key);
  const answer = await me.post("/v1/recommend", { query: situation(1, LESSONS) });
  assert.equal(answer.candidates_of, 1);
  refused(await me.send("GET", "/v1/lessons/pattern-scale-1"), 404, "not_found");
});

test("a server without functions: a space that fits is held as before, one that does not says what to apply", async () => {
  const home = await space();
  const { key } = await home.agent();
  const proxy = await through();
  proxy.choose = ({ url }) => (/space_size|space_rows|lesson_candidates/.test(url) ? "lacks" : null);
  const held = agent(await edge({ at: proxy.url }), key);
  assert.equal((await held.post("/v1/recommend", { query: "queue" })).recommended[0].slug, "bounded-queues");
  const small = agent(await edge({ at: proxy.url, bindings: { REPLICA_BYTES: "5000" } }), key);
  const answer = await small.send("POST", "/v1/recommend", { query: "queue" });
  refused(answer, 503, "unavailable");
  assert.match(answer.body.error.message, /version 1 of the schema.*supabase\/migrations/);
  assert.ok(Number(answer.headers.get("retry-after")) > 1);
});
