// Push and pull: nothing lost, nothing counted twice, no row skipped.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { AT, author, kinds, lesson, pullAll, spaceWith, sql, user } from "./stack.mjs";

let who;
before(() => {
  who = user();
});

const sample = (from, count) => Array.from({ length: count }, (_, i) => `${from}-${i}`);

const rated = (slug, helpful = true) => ["Rated", { lesson: slug, helpful }];
const spaceOf = (slugs) => spaceWith(who, slugs);
const rows = (all) => Object.fromEntries([...kinds, "days"].map((name) => [name, all[name]]));
const versioned = (all) => kinds.flatMap((name) => all[name]);

test("one event replayed many times counts once", async () => {
  const { space, by } = await spaceOf(["a"]);
  const event = by.event(...rated("a"));
  const first = await who.push(space, by.actor, [event]);
  assert.equal(first.duplicates, 0);
  for (let times = 0; times < 20; times++) {
    const answer = await who.push(space, by.actor, Array(50).fill(event));
    assert.deepEqual(
      [answer.status, answer.duplicates, answer.acked_seq, answer.version],
      ["ok", 50, 2, first.version],
    );
  }
  // The same act, sent anew by another actor, and with its fields in another order.
  const other = { ...event, actor: "other", seq: 1 };
  assert.equal((await who.push(space, "other", [other])).duplicates, 1);
  assert.equal((await who.push(space, "other", [other])).duplicates, 1);
  const turned = Object.fromEntries(Object.entries(event).reverse());
  assert.equal((await who.push(space, by.actor, [turned])).duplicates, 1);
  const [held] = (await who.pull(space)).lessons;
  assert.deepEqual([held.times_helpful, held.confidence], [1, 0.52]);
});

test("while a table is new, one row is looked for by its key, not through all of its space", () => {
  const keys = [
    ["lessons", "slug"],
    ["recommendations", "decision_id"],
    ["tool_successes", "query_hash"],
    ["events", "op_id"],
    ["events", "actor"],
    ["decisions", "decision_id"],
    ["settings", "name"],
  ];
  for (const [table, name] of keys) {
    // Without statistics, as in a first sync. What functions plan then, they keep.
    const plan = sql(`create temp table fresh (like public.${table} including all);
      set enable_seqscan = off; set plan_cache_mode = force_generic_plan;
      prepare one (uuid, text) as select from fresh where space = $1 and ${name} = $2;
      explain execute one ('${randomUUID()}', 'a');`);
    assert.match(plan, new RegExp(`Index Cond: .*${name} = `), `${table}\n${plan}`);
    const { length } = plan.match(/Index Cond:/g);
    assert.equal(length, 1, plan);
  }
});

test("a gap stops the batch and names what is missing", async () => {
  const { space, by } = await spaceOf(["a"]);
  const events = [1, 2, 3, 4].map(() => by.event(...rated("a")));
  const answer = await who.push(space, by.actor, [events[0], events[2], events[3]]);
  assert.deepEqual([answer.status, answer.acked_seq, answer.expected_seq], ["gap", 2, 3]);
  const rest = await who.push(space, by.actor, events);
  assert.deepEqual([rest.status, rest.acked_seq, rest.duplicates], ["ok", 5, 1]);
  assert.equal((await who.pull(space)).lessons[0].times_helpful, 4);
});

test("a cloned actor is told so; under a new one the same acts count once", async () => {
  const { space, by } = await spaceOf(["a"]);
  const shared = by.event(...rated("a"));
  const [one, two] = [randomUUID(), randomUUID()].map((op_id) => ({ ...shared, op_id, seq: 3 }));
  assert.equal((await who.push(space, by.actor, [shared, one])).status, "ok");
  const answer = await who.push(space, by.actor, [shared, two]);
  assert.deepEqual([answer.status, answer.acked_seq, answer.duplicates], ["cloned", 3, 1]);
  const fresh = [shared, two].map((event, i) => ({ ...event, actor: "fresh", seq: i + 1 }));
  assert.deepEqual((({ status, duplicates }) => [status, duplicates])(await who.push(space, "fresh", fresh)), [
    "ok",
    1,
  ]);
  assert.equal((await who.pull(space)).lessons[0].times_helpful, 3);
});

test("what is forged, malformed or from the future is set aside with its reason, and the rest goes on", async () => {
  const { space, by } = await spaceOf(["a"]);
  const surfaced = (more) => [
    "Surfaced",
    { retrieval_id: "r", purpose: "p", context: { decision_id: "d" }, items: [], policy: "p", ...more },
  ];
  await who.push(space, by.actor, [by.event(...surfaced({ items: [{ lesson: "a", rank: 1, score: 1 }] }))]);
  const bad = [
    ["delta", ["Rated", { lesson: "a", helpful: true, delta: 100 }]],
    ["helpful", ["Rated", { lesson: "a", helpful: 1 }]],
    ["lesson", ["Rated", { helpful: true }]],
    ["event", ["CountersSet", { lesson: "a", upvotes: 9 }]],
    ["event", ["lesson", { slug: "b" }]],
    ["pnl_percent", ["OutcomeRecorded", { decision_id: "d", outcome: "success", pnl_percent: "NaN" }]],
    ["pnl_percent", ["OutcomeRecorded", { decision_id: "d", outcome: "success", pnl_percent: "INFINITE" }]],
    ["outcome", ["OutcomeRecorded", { decision_id: "d", outcome: "jackpot" }]],
    ["decision_id", ["Rated", { lesson: "a", helpful: true, decision_id: 7 }]],
    ["decision_id", ["Voted", { lesson: "a", up: true, decision_id: "nobody's" }]],
    ["lessons", ["FeedbackGiven", { outcome: "delivered", lessons: [], causal: [], decision_id: "d" }]],
    ["lesson", ["TrialGranted", { lesson: "b" }]],
    ["more", ["TrialGranted", { lesson: "a", more: 1 }]],
    ["changes", ["PolicyChanged", { changes: {} }]],
    ["changes", ["PolicyChanged", { changes: { "a b": 1 } }]],
    ["changes", ["PolicyChanged", { changes: { a: { b: 1 } } }]],
    ["measured", surfaced({ measured: { control: false, drawn: [{ lesson: "a", q: 1.5, withheld: true }] } })],
    ["measured", surfaced({ measured: { control: true, control_q: 1.01, drawn: [] } })],
    ["control_q", surfaced({ measured: { control: true, control_q: "0.1", drawn: [] } })],
    ["lesson", surfaced({ measured: { control: false, drawn: [{ lesson: "b", q: 0.5, withheld: true }] } })],
    ["shadow", surfaced({ measured: { shadow: {} } })],
    ["withheld", surfaced({ measured: { drawn: [{ lesson: "a", q: 0.5 }] } })],
    ["drawn", surfaced({ measured: { drawn: Array(101).fill({ lesson: "a", q: 0.5, withheld: true }) } })],
    ["trial_from", ["LessonAdded", lesson("b", { trial_from: 1.5 })]],
    [
      "detections",
      [
        "UsageTracked",
        { decision_id: "d", detections: [{ lesson: "a", applied: true, match_type: "explicit", confidence: 1.5 }] },
      ],
    ],
    [
      "detections",
      [
        "UsageTracked",
        { decision_id: "d", detections: [{ lesson: "b", applied: true, match_type: "explicit", confidence: 1 }] },
      ],
    ],
    ["rank", surfaced({ items: [{ lesson: "a", rank: -1, score: 1 }] })],
    ["times_helpful", ["LessonAdded", lesson("b", { times_helpful: -1 })]],
    ["times_helpful", ["LessonAdded", lesson("b", { times_helpful: 4294967296 })]],
    ["confidence", ["LessonAdded", lesson("b", { confidence: -0.1 })]],
    ["title", ["LessonAdded", lesson("b", { title: "x".repeat(301) })]],
    ["created_at", ["LessonAdded", lesson("b", { created_at: "yesterday" })]],
    ["slug", ["LessonAdded", lesson("No Slug")]],
  ];
  const events = bad.map(([, event]) => by.event(...event));
  const broken = [
    by.event(...rated("a"), { at: "2026-13-01T00:00:00Z" }),
    by.event(...rated("a"), { at: "9999-12-31T23:59:59-12:00" }),
    by.event(...rated("a"), { more: 1 }),
    by.event(...rated("a"), { op_id: "" }),
    by.event(...rated("a"), { by: 7 }),
    by.event(...rated("a"), { by: "x".repeat(201) }),
    by.event(...rated("a"), { request: "A".repeat(64) }),
  ];
  const last = by.event(...rated("a"));
  // JSON knows no infinity; a number may still be too large for a double.
  const text = JSON.stringify([...events, ...broken, last]).replace('"INFINITE"', "1e999");
  const answer = await who.pushText(space, by.actor, text);
  assert.equal(answer.status, "ok");
  assert.deepEqual(
    answer.rejected.map((one) => one.field),
    [...bad.map(([field]) => field), "at", "at", "more", "op_id", "by", "by", "request"],
  );
  assert.equal(answer.acked_seq, last.seq);
  const [held, ...others] = (await who.pull(space)).lessons;
  assert.deepEqual([others.length, held.times_helpful, held.times_applied], [0, 1, 0]);
  // The answer may be lost: asked again, it says the same.
  const again = await who.pushText(space, by.actor, text);
  assert.deepEqual(again.rejected, answer.rejected);
  assert.equal((await who.get(`/rejected_events?select=seq&space=eq.${space}`)).body.length, answer.rejected.length);
});

test("batches out of bounds and events that can't be placed change nothing", async () => {
  const { space, by } = await spaceOf(["a"]);
  const push = (p_events, p_actor = by.actor) =>
    who.rpc("push_events", { p_space: space, p_ledger_version: 1, p_actor, p_events });
  const event = by.event(...rated("a"));
  for (const [status, events, actor] of /** @type {any[][]} */ ([
    [413, Array(1001).fill(event)],
    [413, [{ ...event, op_id: "x".repeat(17_000_000) }]],
    [400, { event }],
    [400, null],
    [400, ["event"]],
    [400, [event, { ...event, seq: 0 }]],
    [400, [{ ...event, seq: -1 }]],
    [400, [{ ...event, seq: 1.5 }]],
    [400, [{ ...event, seq: "2" }]],
    [400, [event], ""],
    [400, [event], "x".repeat(201)],
  ])) {
    assert.equal((await push(events, actor)).status, status, JSON.stringify(events).slice(0, 80));
  }
  assert.equal((await who.request("POST", "/rest/v1/rpc/push_events", '{"p_space":')).status, 400);
  assert.equal((await who.pull(space)).lessons[0].times_helpful, 0);
  assert.equal((await push([event])).body.acked_seq, 2);
});

test("pages of any size give every row, and no page is cut by REST's row cap", async () => {
  const slugs = sample("many", 1500);
  const { space, by } = await spaceOf(slugs);
  // One event that changes a thousand rows.
  await who.push(space, by.actor, [
    by.event("FeedbackGiven", { outcome: "delivered", lessons: slugs.slice(0, 1000), causal: [] }),
    by.event("Surfaced", {
      retrieval_id: "r",
      purpose: "p",
      context: { decision_id: "d" },
      policy: "p",
      items: slugs.slice(0, 100).map((lesson, i) => ({ lesson, rank: i + 1, score: 0.5 })),
    }),
    by.event("ToolSucceeded", { query: "q", server: "s" }),
    by.event("PolicyChanged", { changes: { a: 1 } }),
  ]);
  const whole = await who.pull(space, 0, 5000);
  assert.deepEqual([...kinds.map((name) => whole[name].length), whole.has_more], [1500, 100, 1, 1, 1, 1, 0, 0, false]);
  assert.deepEqual(whole.days, [{ day: AT.slice(0, 10), events: 1504 }]);
  const all = 1604;
  assert.equal((await who.get(`/lessons?select=slug&space=eq.${space}`)).body.length, 1000, "the cap is there");
  for (const limit of [7, 100, all - 1, all]) {
    const paged = await pullAll(who, space, { limit });
    assert.deepEqual(rows(paged), rows(whole), `limit ${limit}`);
    assert.equal(paged.pages, Math.ceil(all / limit));
  }
  const versions = versioned(whole).map((row) => row.version);
  assert.equal(new Set(versions).size, versions.length, "a version is one row's");
  const none = await who.pull(space, whole.next_cursor);
  assert.deepEqual([versioned(none), none.days, none.next_cursor, none.has_more], [[], [], whole.next_cursor, false]);
});

test("the last page's cursor is the space's version, which events take too", async () => {
  const { space, by } = await spaceOf(["a"]);
  const before = await who.pull(space);
  assert.deepEqual([before.version, before.next_cursor], [before.next_cursor, 2]);
  // An event that changes no row takes a version all the same, and is one of its day.
  const { version, rejected } = await who.push(space, by.actor, [
    by.event("Surfaced", { retrieval_id: "r", purpose: "p", context: {}, items: [], policy: "p" }),
  ]);
  assert.deepEqual([version, rejected], [3, []]);
  const after = await who.pull(space, before.next_cursor);
  assert.deepEqual(
    [versioned(after), after.next_cursor, after.version, after.days.at(-1).events],
    [[], version, version, 2],
  );
  const part = await who.pull(space, 0, 1);
  assert.deepEqual([part.next_cursor, part.version, part.has_more], [version, version, false]);
  // A cursor from before a restore is ahead of the space: the version tells.
  const ahead = await who.pull(space, version + 5);
  assert.deepEqual([versioned(ahead), ahead.version, ahead.next_cursor, ahead.days], [[], version, version, []]);
});

test("times of feedback go back 30 days, and days are the latest 60 that have events", async () => {
  const { space, by } = await spaceOf(["a"]);
  const ago = (days) => ({ at: new Date(Date.parse(AT) - days * 86_400_000).toISOString() });
  const given = (days) => by.event("FeedbackGiven", { outcome: "delivered", lessons: ["a"], causal: [] }, ago(days));
  await who.push(
    space,
    by.actor,
    Array.from({ length: 70 }, (_, day) => given(70 - day)),
  );
  const page = await who.pull(space);
  assert.deepEqual(
    page.feedback.map((row) => row.at),
    Array.from({ length: 29 }, (_, day) => ago(29 - day).at),
  );
  assert.deepEqual(
    page.days,
    Array.from({ length: 60 }, (_, day) => ({ day: ago(59 - day).at.slice(0, 10), events: 1 })),
  );
});

test("a page of large lessons ends after some megabytes, and the next goes on", async () => {
  const space = await who.space();
  const by = author();
  const text = "x".repeat(100_000);
  const events = sample("large", 90).map((slug) => by.event("LessonAdded", lesson(slug, { recommendation: text })));
  await who.push(space, by.actor, events);
  const page = await who.pull(space);
  assert(page.has_more && page.lessons.length > 30 && page.lessons.length < 50, String(page.lessons.length));
  assert.equal((await pullAll(who, space)).lessons.length, 90);
});

test("64 committers at once, and a puller that misses nothing", async () => {
  const slugs = sample("shared", 8);
  const { space } = await spaceOf(slugs);
  const seen = new Map();
  let cursor = 0;
  let pages = 0;
  const pull = async () => {
    const page = await who.pull(space, cursor, 5);
    for (const row of [...page.lessons, ...page.tools]) {
      assert(row.version > cursor, "a row from before the cursor");
      seen.set(row.slug ?? row.query_hash, row);
    }
    cursor = page.next_cursor;
    pages += 1;
    return page.has_more;
  };
  let pushing = true;
  const puller = (async () => {
    while (pushing) await pull();
    while (await pull());
  })();
  const [committers, batches] = [64, 4];
  await Promise.all(
    Array.from({ length: committers }, async (_, n) => {
      const by = author();
      for (let batch = 0; batch < batches; batch++) {
        const answer = await who.push(space, by.actor, [
          by.event(...rated(slugs[(n + batch) % slugs.length])),
          by.event("ToolSucceeded", { query: `query ${n} ${batch}`, server: "s" }),
        ]);
        assert.deepEqual([answer.status, answer.rejected], ["ok", []]);
      }
    }),
  );
  pushing = false;
  await puller;
  const whole = await pullAll(who, space);
  assert.deepEqual(
    [...seen.values()].sort((a, b) => a.version - b.version),
    [...whole.lessons, ...whole.tools].sort((a, b) => a.version - b.version),
  );
  assert.equal(whole.tools.length, committers * batches);
  assert.equal(
    whole.lessons.reduce((sum, held) => sum + held.times_helpful, 0),
    committers * batches,
  );
  assert(pages > 50, `only ${pages} pages were pulled meanwhile`);
});

test("a lesson's history holds the events that moved it, newest first, page by page", async () => {
  const { space, by } = await spaceOf(["a", "b"]);
  const mine = [
    by.event(...rated("a")),
    by.event("Voted", { lesson: "a", up: false }),
    by.event("LessonsMerged", { into: "a", from: ["b"] }),
  ];
  await who.push(space, by.actor, [mine[0], mine[1], mine[2]]);
  const other = [by.event(...rated("nowhere")), by.event("ToolSucceeded", { query: "q", server: "s" })];
  await who.push(space, by.actor, other);
  const ids = [];
  let before = null;
  do {
    const page = await who.call("lesson_history", { p_space: space, p_slug: "a", p_before: before, p_limit: 2 });
    assert(page.events.length <= 2);
    ids.push(...page.events.map((one) => one.event.op_id));
    before = page.next_before;
  } while (before !== null);
  assert.deepEqual(ids.slice(0, 3), mine.map((event) => event.op_id).reverse());
  assert.equal(ids.length, 4, "and the event that added it");
  assert.equal((await who.rpc("lesson_history", { p_space: space, p_slug: "nowhere" })).status, 404);
});
