// Gaps in a space that is read by parts: vectors of half of its lessons, its index, functions of the server; and spaces that
// together are more than an isolate holds.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill, record, situation } from "../benches/scale/corpus.mjs";
import { sql, url } from "../stack/stack.mjs";
import { METERED, agent, edge, memory, refused, space, until } from "./edge.mjs";
import { between } from "./faults.mjs";

const proxies = [];
after(() => Promise.all(proxies.map((proxy) => proxy.end())));
const through = async () => {
  const proxy = await between(url);
  proxies.push(proxy);
  return proxy;
};
const BY_PARTS = { bindings: { REPLICA_BYTES: "0" } };

/** The id of the model that the edge has. */
const modelOf = (me) =>
  until(
    async () => {
      await me.post("/v1/search", { query: "anything" });
      const { model } = await me.get("/v1/health");
      return model.loaded ? model.id : null;
    },
    { what: "the model" },
  );

test("vectors missing for half: words rank, the answer says how many lack one, and meaning is back with them", async () => {
  const home = await space({ lessons: [] });
  const me = agent(await edge(BY_PARTS), (await home.agent()).key);
  const model = await modelOf(me);
  await fill(home.id, { to: 40, model });
  sql(
    `drop table if exists lessonloop.put_aside;
     create table lessonloop.put_aside as select * from lesson_embeddings limit 0;
     insert into lessonloop.put_aside select * from lesson_embeddings where space = :'space' and abs(hashtext(slug)) % 2 = 0;
     delete from lesson_embeddings e using lessonloop.put_aside p where e.space = p.space and e.slug = p.slug`,
    { space: home.id },
  );
  const lacking = Number(sql("select count(*) from lessonloop.put_aside where space = :'space'", { space: home.id }));
  assert.ok(lacking > 10);
  const some = await me.post("/v1/recommend", { query: situation(1, 40) });
  assert.equal(some.semantic, false);
  assert.equal(some.semantic_reason, `${lacking} of 40 lessons have no vector yet`);
  assert.ok(some.recommended.length > 0);
  assert.deepEqual((await me.get("/v1/health")).model, {
    loaded: true,
    id: model,
    embedded: 40 - lacking,
    pending: lacking,
  });
  sql("insert into lesson_embeddings select * from lessonloop.put_aside; drop table lessonloop.put_aside");
  const all = await me.post("/v1/recommend", { query: situation(1, 40) });
  assert.equal(all.semantic, true);
});

test("while an index is built in pieces the space is answered, and what is written meanwhile is in it", async () => {
  const home = await space({ lessons: [] });
  const me = agent(await edge(BY_PARTS), (await home.agent()).key);
  const model = await modelOf(me);
  await fill(home.id, { to: 900, model });
  const piece = () => JSON.parse(sql("select lessonloop.index_some(:'space', 0.01)", { space: home.id }));
  const ready = () => sql("select count(*) from lessonloop.near_indexes where space = :'space'", { space: home.id });
  let pieces = 0;
  for (; ; pieces += 1) {
    const { done, indexed } = piece();
    const answer = await me.post("/v1/recommend", { query: situation(pieces, 900), limit: 3 });
    assert.deepEqual([answer.candidates_of >= 900, answer.semantic], [true, true]);
    if (done) break;
    assert.equal(ready(), "0", `${indexed} of 900: it is there whole or not at all`);
    await me.post("/v1/lessons", { title: `Quokka rule ${pieces}`, recommendation: "Feed quokkas at noon." });
    assert.ok(pieces < 100);
  }
  assert.ok(pieces >= 3, `${pieces} pieces`);
  assert.equal(ready(), "1");
  // Lessons get their vectors after the answer; each is in the index, by whichever way.
  const relation = sql("select relation from lessonloop.near_indexes where space = :'space'", { space: home.id });
  await until(
    () =>
      sql(
        `select (select count(*) from lessonloop.${relation}) = (select count(*) from lessonloop.vectors where space = :'space')
           and (select count(*) from lessonloop.vectors where space = :'space') = 900 + :pieces`,
        { space: home.id, pieces: String(pieces) },
      ) === "t",
    { what: "vectors of what was written" },
  );
  const found = await me.post("/v1/search", { query: "feeding quokkas at noon" });
  assert.match(found.results[0].slug, /^quokka-rule/);
});

test("a server without the function that counts says which schema it needs; all else goes on", async () => {
  const home = await space();
  const proxy = await through();
  proxy.choose = ({ url: path }) => (/space_report/.test(path) ? "lacks" : null);
  const me = agent(await edge({ ...BY_PARTS, at: proxy.url }), (await home.agent()).key);
  for (const path of ["/v1/stats", "/v1/health", "/v1/tags"]) {
    const answer = await me.send("GET", path);
    refused(answer, 503, "unavailable");
    assert.match(answer.body.error.message, /space_report, which is part of version 1 of the schema/);
    assert.equal(answer.headers.get("retry-after"), "60");
  }
  assert.equal((await me.post("/v1/recommend", { query: "queue" })).recommended[0].slug, "bounded-queues");
});

test("pages of long lessons are cut by bytes, and the cursor goes on", async () => {
  const LONG = 290;
  const home = await space({ lessons: [] });
  await fill(home.id, { to: LONG });
  sql("update lessons set recommendation = 'Say it at length. ' || repeat('word ', 3000) where space = :'space'", {
    space: home.id,
  });
  const me = agent(await edge({ ...METERED, ...BY_PARTS }), (await home.agent()).key);
  const seen = [];
  let pages = 0;
  for (let cursor = ""; ; pages += 1) {
    const page = await me.get(`/v1/lessons?limit=1000&sort=title${cursor ? `&cursor=${cursor}` : ""}`);
    const bytes = page.lessons.reduce((sum, lesson) => sum + lesson.recommendation.length, 0);
    assert.ok(bytes < 4_100_000, `${bytes} bytes`);
    seen.push(...page.lessons.map(({ slug }) => slug));
    if (!page.next_cursor) break;
    cursor = encodeURIComponent(page.next_cursor);
  }
  assert.ok(pages > 0);
  assert.equal(new Set(seen).size, LONG);
  assert.equal(seen.length, LONG);
  const hot = await me.get("/v1/lessons?limit=1000&q=length");
  assert.ok(hot.lessons.length > 100);
  // Those that a request names are read whole, or it is refused: one that were left out would be taken for unknown.
  const much = await me.send("POST", "/v1/feedback", { outcome: "delivered", lessons: seen });
  refused(much, 413, "too_large", "lessons");
  assert.equal(much.headers.get("retry-after"), null);
  // An agent says what became of fifteen lessons at most.
  const some = seen.slice(0, 15);
  assert.equal((await me.post("/v1/feedback", { outcome: "delivered", lessons: some })).updated.length, some.length);
});

test("spaces that are more than an isolate may hold: it keeps within its bytes, and each is answered", async () => {
  const LESSONS = 2_000;
  const homes = await Promise.all([0, 1, 2].map(() => space({ lessons: [] })));
  // One of them fits at a time, or nearly two.
  const it = await edge({ ...METERED, bindings: { REPLICA_BYTES: "16000000" } });
  const model = await modelOf(agent(it, (await (await space()).agent()).key));
  const agents = [];
  for (const home of homes) {
    await fill(home.id, { to: LESSONS, model });
    agents.push(agent(it, (await home.agent()).key));
  }
  const { isolate: before } = await memory(it);
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      agents.map((me, n) => me.post("/v1/recommend", { query: situation(n + round, LESSONS), limit: 3 })),
    );
    for (const answer of answers) assert.equal(answer.recommended.length, 3);
  }
  // A write waits for its space, however it is had.
  for (const [n, me] of agents.entries()) {
    await me.post("/v1/rate", { lesson: record(n).slug, helpful: true });
    assert.equal(homes[n].counted("sum(times_helpful) from lessons"), "1");
  }
  const { isolate } = await memory(it);
  // Pages on their way come on top of what is held.
  assert.ok(isolate <= Math.min(before + 40, 110), `${isolate.toFixed(0)} MB, ${before.toFixed(0)} before`);
});
