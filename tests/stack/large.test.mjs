// A large space on the server: what is done in pieces within a statement's time limit, and what is counted.
// Alone: it holds times, and slows the server down.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fill, record } from "../benches/scale/corpus.mjs";
import { author, edge, lesson, sql, user } from "./stack.mjs";

const LESSONS = 8_000;
/** Lessons that are nearer than the one that is looked for: many times as many as are ranked. */
const NEARER = 6_000;
let who, id, by;

before(async () => {
  who = user();
  id = await who.space("Large");
  by = author();
  await fill(id, { to: LESSONS });
  sql("analyze lessons; analyze lessonloop.lesson_words; analyze lessonloop.vectors; analyze lessonloop.word_counts");
  // Decisions and ratings, as a space of some age has them.
  const events = [];
  for (let n = 0; n < 40; n++) {
    const lessons = [0, 1, 2].map((at) => record(n * 50 + at).slug);
    events.push(
      by.event("Surfaced", {
        retrieval_id: `r${n}`,
        purpose: "recommend",
        context: { decision_id: `d${n}` },
        items: lessons.map((slug, at) => ({ lesson: slug, rank: at + 1, score: 0.5, relevance: 0.5 })),
        policy: "p",
      }),
      by.event("FeedbackGiven", { outcome: "delivered", lessons, causal: [lessons[0]] }),
      by.event("Rated", { lesson: lessons[1], helpful: n % 2 === 0 }),
      by.event("Rated", { lesson: lessons[1], helpful: n % 3 === 0 }),
    );
  }
  assert.deepEqual((await who.push(id, by.actor, events)).rejected, []);
});

const report = (p_ask) => who.call("space_report", { p_space: id, p_ask });

test("numbers of all lessons in one answer, with the lessons of the lists alone", async () => {
  const begun = performance.now();
  const answer = await report({ kind: "numbers", model: "scale" });
  const took = performance.now() - begun;
  const { stats, bands, funnel, feedback_last_7_days, causal_ratio, embedded } = answer.report;
  assert.deepEqual(
    [stats.lessons, stats.archived, stats.total_surfaced, stats.total_rated, stats.lessons_rated, funnel.surfaced],
    [LESSONS, 0, 120, 80, 40, 120],
  );
  assert.equal(
    Object.values(bands).reduce((sum, n) => sum + n),
    LESSONS,
  );
  assert.deepEqual([feedback_last_7_days, embedded], [40, LESSONS]);
  assert.ok(causal_ratio > 0.3 && causal_ratio < 0.6, `${causal_ratio}`);
  assert.ok(answer.page.lessons.length >= 10 && answer.page.lessons.length < 120, `${answer.page.lessons.length} rows`);
  assert.ok(took < 8_000, `${took.toFixed(0)} ms`);
  assert.deepEqual(answer.report.runs, { runs: 40, with_outcome: 0, successes: 0, pending: 40, control: 0 });
  const uses = sql("select sum(use_count) from lessons where space = :'id' and not archived", { id });
  assert.deepEqual([answer.report.uses, Number(uses) > 120], [Number(uses), true]);
  const { tags } = (await report({ kind: "tags", visible: true })).report;
  assert.equal(tags.tags.words.length, 200);
  assert.ok(tags.tags.total > 1_000);
  assert.equal(
    tags.categories.words.reduce((sum, { lessons }) => sum + lessons, 0),
    LESSONS,
  );
  // Nobody else's to see.
  assert.equal((await user().rpc("space_report", { p_space: id, p_ask: {} })).status, 404);
  assert.equal((await edge(id).rpc("space_report", { p_space: id, p_ask: {} })).status, 200);
});

/** Lessons of which the standing beside the vectors is not their own. */
const untrue = () =>
  sql(
    `select count(*) from lessonloop.vectors v join lessons l on l.space = v.space and l.slug = v.slug
     where v.space = :'id' and (v.confidence, v.causal) is distinct from (l.confidence::real, lessonloop.causal_share(l)::real)`,
    { id },
  );

/** Checks that a lesson that thousands are nearer than is among the candidates if it stands well, and only then. */
async function standsAndIsFound(index) {
  assert.equal(untrue(), "0", "feedback and ratings have been followed");
  const of = record(0).slug;
  const packed = sql(
    "select replace(encode(packed, 'base64'), chr(10), '') from lesson_embeddings where space = :'id' and slug = :'of'",
    { id, of },
  );
  const far = sql(
    `select v.slug from lessonloop.vectors v where v.space = :'id'
     order by lessonloop.distance(v.near, (select n.near from lessonloop.vectors n where n.space = :'id' and n.slug = :'of')), v.slug
     offset :nearer limit 1`,
    { id, of, nearer: String(NEARER) },
  );
  const found = async () => {
    const p_ask = { words: [], count: 120, model: "scale", packed };
    const { page, counted } = await who.call("lesson_candidates", { p_space: id, p_ask });
    assert.equal(counted.index, index);
    assert.ok(page.lessons.some(({ slug }) => slug === of));
    return page.lessons.some(({ slug }) => slug === far);
  };
  const stands = (more) => sql(`update lessons set ${more} where space = :'id' and slug = :'far'`, { id, far });
  stands("confidence = 0.3, effectiveness = 0.2");
  assert.ok(!(await found()));
  stands("confidence = 1, effectiveness = 1, use_count = 10, causal_hits = 10");
  assert.ok(await found());
  assert.equal(untrue(), "0");
}

test("a lesson that stands far better than thousands of nearer ones is among the candidates", () =>
  standsAndIsFound("exact"));

test("by the index of the space, too, which follows how lessons stand", async () => {
  sql("select lessonloop.index_space(:'id')", { id });
  const relation = sql("select relation from lessonloop.near_indexes where space = :'id'", { id });
  await standsAndIsFound("ready");
  const otherwise = sql(
    `select count(*) from lessonloop.vectors v left join lessonloop.${relation} x on x.number = v.number
     where v.space = :'id' and x.band is distinct from lessonloop.band(v.confidence, v.causal)`,
    { id },
  );
  assert.equal(otherwise, "0");
  // Later tests rank by the scan again.
  sql("delete from lessonloop.near_indexes where space = :'id'", { id });
});

test("vectors come beside many lessons at once by key, whatever plan there was of emptied tables", async () => {
  const MANY = 3_000;
  const other = await who.space("Filled");
  // As after a large space went: the planner takes the tables for empty.
  sql(
    `create table lessonloop.kept as select * from lesson_embeddings; delete from lesson_embeddings;
     vacuum (analyze) lesson_embeddings; vacuum (analyze) lessonloop.vectors`,
  );
  /** Rows that were read of these tables, whether by an index or without. */
  const read = () =>
    Number(
      sql(
        `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables
         where relname in ('lesson_embeddings', 'vectors')`,
      ),
    );
  try {
    const before = read();
    await fill(other, { to: MANY });
    assert.equal(sql("select count(*) from lessonloop.vectors where space = :'other'", { other }), `${MANY}`);
    const each = (read() - before) / MANY;
    assert.ok(each < 50, `${each} rows read for each lesson: all are compared with all`);
  } finally {
    sql("insert into lesson_embeddings select * from lessonloop.kept; drop table lessonloop.kept");
  }
});

test("words and vectors that are missing are caught up in pieces, and counted once", async () => {
  const some = 1_500;
  const count = (what) => sql(`select count(*) from lessonloop.${what} where space = :'id'`, { id });
  const words = () =>
    sql(
      "select md5(string_agg(word || lessons, ',' order by word collate \"C\")) from lessonloop.word_counts where space = :'id' and lessons > 0",
      { id },
    );
  const whole = words();
  // As rows come that are copied in with triggers off.
  sql(
    `delete from lessonloop.lesson_words w where w.space = :'id' and w.slug in (select slug from lessons where space = :'id' order by slug limit :some);
     delete from lessonloop.vectors v where v.space = :'id' and v.slug in (select slug from lessons where space = :'id' order by slug desc limit :some);
     delete from lessonloop.caught_up`,
    { id, some: String(some) },
  );
  assert.deepEqual([count("lesson_words"), count("vectors")], [`${LESSONS - some}`, `${LESSONS - some}`]);
  assert.notEqual(words(), whole);
  let pieces = 0;
  for (; sql("set statement_timeout = '3s'; select lessonloop.derive_some(0.3)") !== "t"; pieces += 1) {
    assert.ok(pieces < 500, "it comes to an end");
  }
  assert.ok(pieces > 1, `${pieces} pieces`);
  assert.deepEqual([count("lesson_words"), count("vectors")], [`${LESSONS}`, `${LESSONS}`]);
  assert.equal(words(), whole);
  assert.equal(sql("select lessonloop.derive_some()"), "t", "once is enough");
});

test("a large space is deleted in pieces: nobody sees it from the first on, and the rest goes with each call", async () => {
  const { key: _, ...made } = await who.call("create_agent_key", { p_space: id, p_name: "agent" });
  assert.ok(made.id);
  const gone = () => Number(sql("select count(*) from lessons where space = :'id'", { id }));
  sql("select lessonloop.index_some(:'id', 0.05)", { id });
  const isolate = edge(id);
  const ask = (p_code) => who.rpc("delete_space", { p_space: id, p_name: "Large", ...(p_code ? { p_code } : {}) });
  const { code } = (await ask()).body;
  // A server so slow that one call does not get through, however fast this machine is.
  sql(`create function public.slow_delete() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return null; end';
    create trigger slow_delete before delete on public.lessons for each statement execute function public.slow_delete()`);
  const first = await ask(code);
  sql("drop trigger slow_delete on public.lessons; drop function public.slow_delete()");
  assert.deepEqual(first.body, { deleted: true, more: true });
  assert.ok(gone() > 0);
  for (const [other, status] of /** @type {[any, number][]} */ ([
    [who, 404],
    [isolate, 401],
  ])) {
    assert.equal((await other.rpc("pull_changes", { p_space: id, p_ledger_version: 1 })).status, status);
    assert.equal((await other.rpc("lesson_candidates", { p_space: id, p_ask: {} })).status, status);
    const pushed = await other.rpc("push_events", {
      p_space: id,
      p_actor: "late",
      p_events: [author("late").event("LessonAdded", lesson("late"))],
      p_ledger_version: 1,
    });
    assert.equal(pushed.status, status);
  }
  assert.deepEqual((await who.get(`/lessons?select=slug&space=eq.${id}`)).body, []);
  assert.equal((await ask("0".repeat(64))).status, 404, "another code is no key to it");
  // The owner's calls, or the operator's.
  assert.equal((await ask(code)).body.deleted, true);
  let pieces = 0;
  while (!JSON.parse(sql("set statement_timeout = '8s'; select lessonloop.catch_up(2)")).done) {
    pieces += 1;
    assert.ok(pieces < 100, "it comes to an end");
  }
  for (const table of [
    "lessons",
    "events",
    "recommendations",
    "lesson_embeddings",
    "lessonloop.lesson_words",
    "lessonloop.vectors",
    "lessonloop.word_counts",
    "lessonloop.leaving",
    "lessonloop.near_building",
  ]) {
    assert.equal(sql(`select count(*) from ${table} where space = :'id'`, { id }), "0", table);
  }
  assert.equal(sql("select count(*) from spaces where id = :'id'", { id }), "0");
});
