// Version 2 of the ledger: clients of both versions beside each other, old data, who made what, and keys used again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ledgers } from "./ledgers.mjs";
import { author, edge, env, kinds, lesson, pullAll, sql, user } from "./stack.mjs";

let ada, ben;
before(() => {
  [ada, ben] = [user(), user()];
});

const surfaced = (id, lessons, more = {}) => [
  "Surfaced",
  {
    retrieval_id: randomUUID(),
    purpose: "recommend",
    context: { decision_id: id, domain: "perps" },
    policy: "p",
    items: lessons.map((slug, i) => ({ lesson: slug, rank: i + 1, score: 0.5, relevance: 0.5 })),
    ...more,
  },
];
const tracked = (id, slug) => [
  "UsageTracked",
  {
    decision_id: id,
    detections: [{ lesson: slug, applied: true, match_type: "explicit", confidence: 0.95 }],
  },
];
const outcome = (id, came, pnl_percent = null) => ["OutcomeRecorded", { decision_id: id, outcome: came, pnl_percent }];
const given = (id, lessons, more = {}) => [
  "FeedbackGiven",
  { outcome: "delivered", lessons, causal: [], decision_id: id, ...more },
];
const rated = (slug, helpful, decision_id) => ["Rated", { lesson: slug, helpful, decision_id }];

/** A space of Ada's and Ben's with two lessons that were recommended for the decision `d`. */
async function decided() {
  const space = await ada.space();
  sql("insert into members (space, user_id) values (:'space', :'id')", { space, id: ben.id });
  const by = author();
  const events = [
    by.event("LessonAdded", lesson("a")),
    by.event("LessonAdded", lesson("b")),
    by.event(...surfaced("d", ["a", "b"])),
  ];
  const answer = await ada.push(space, by.actor, events);
  assert.deepEqual([answer.ledger_version, answer.status, answer.rejected], [4, "ok", []]);
  return { space, by };
}

/** As a client of version 1 calls: it says nothing of versions, and knows no new words. */
const old = (who) => ({
  push: (space, p_actor, p_events) => who.call("push_events", { p_space: space, p_actor, p_events }),
  pull: (space, p_cursor = 0, p_limit = 1000) => who.call("pull_changes", { p_space: space, p_cursor, p_limit }),
});

const told = (who, space, p_slug, more = {}) =>
  who.call("lesson_history", { p_space: space, p_slug, p_ledger_version: 4, ...more });

const one = async (who, space, name, more = {}) => {
  const rows = (await pullAll(who, space))[name];
  return rows.find((row) => Object.entries(more).every(([key, value]) => row[key] === value));
};
const payload = (space, op_id) =>
  JSON.parse(sql("select payload from events where space = :'space' and op_id = :'op_id'", { space, op_id }));
const fields = (answer) => answer.rejected.map((row) => row.field);

test("clients of both versions write and read beside each other, each in its own words", async () => {
  const { space, by } = await decided();
  const phone = author("old phone");
  const answer = await old(ada).push(space, phone.actor, [
    phone.event(...tracked("d", "a")),
    phone.event(...outcome("d", "profit", 2.5)),
    phone.event("Rated", { lesson: "a", helpful: true }),
  ]);
  assert.deepEqual([answer.status, answer.rejected], ["ok", []]);
  const late = await ada.push(space, by.actor, [
    by.event(...outcome("d", "failure")),
    by.event(...outcome("d", "success")),
  ]);
  assert.deepEqual(fields(late), ["outcome"], "another outcome is refused, the same one is none");

  const news = await pullAll(ada, space);
  const olds = await old(ada).pull(space);
  const outcomes = (page) => page.recommendations.map((row) => [row.lesson, row.trade_outcome]).sort();
  assert.deepEqual(outcomes(news), [
    ["a", "success"],
    ["b", "success"],
  ]);
  assert.deepEqual(outcomes(olds), [
    ["a", "profit"],
    ["b", "profit"],
  ]);
  assert.deepEqual([olds.decisions, olds.settings, olds.next_cursor, olds.has_more], [null, null, news.cursor, false]);
  assert(olds.lessons.every((row) => !("by" in row || "trial_from" in row)));
  const [decision] = news.decisions;
  const { version, at, outcome_at, ...rest } = decision;
  assert.deepEqual(rest, {
    decision_id: "d",
    context: { decision_id: "d", query: null, domain: "perps", project_type: null, tech_stack: [], phase: null },
    by: `person:${ada.id}`,
    measured: null,
    outcome: "success",
    pnl_percent: 2.5,
    outcome_by: `person:${ada.id}`,
    feedback: [],
    opinions: [],
  });
  assert(Date.parse(at) && Date.parse(outcome_at) && version > 0);
  const held = news.lessons.find((row) => row.slug === "a");
  assert.deepEqual([held.times_applied, held.success_count, held.times_helpful], [1, 1, 1]);

  // What an old client has no rows for moves its cursor all the same.
  const cursor = olds.next_cursor;
  await ada.push(space, by.actor, [
    by.event("PolicyChanged", { changes: { "tools.core_servers": ["git"] } }),
    by.event("TrialGranted", { lesson: "a" }),
  ]);
  await ada.push(space, by.actor, [by.event("PolicyChanged", { changes: { "tools.core_servers": null } })]);
  const page = await old(ada).pull(space, cursor);
  assert.deepEqual([page.lessons.map((row) => row.slug), page.next_cursor], [["a"], (await ada.pull(space)).version]);
  assert.deepEqual(
    (await pullAll(ada, space)).settings.map(({ name, value }) => [name, value]),
    [["tools.core_servers", null]],
  );
  assert.equal((await one(ada, space, "lessons", { slug: "a" })).trial_from, 1);
  for (const limit of [1, 2, 3]) {
    const [seen, rows] = [new Set(), await old(ada).pull(space)];
    for (let at = 0; ; ) {
      const { lessons, recommendations, next_cursor, has_more } = await old(ada).pull(space, at, limit);
      for (const row of [...lessons, ...recommendations]) seen.add(row.version);
      assert(next_cursor > at, "a page that leads nowhere");
      at = next_cursor;
      if (!has_more) break;
    }
    assert.deepEqual(
      [...seen].sort(),
      [...rows.lessons, ...rows.recommendations].map((row) => row.version).sort(),
      `limit ${limit}`,
    );
  }
  // A client of a later version is served as of this one, and told so; one below the least is told to update.
  const newer = await ada.pull(space, 0, 1000, 4);
  assert.deepEqual([newer.ledger_version, newer.decisions.length], [4, 1]);
  assert.equal((await ada.push(space, by.actor, [by.event(...rated("a", true))], 9)).ledger_version, 4);
  const count = sql("select count(*) from events");
  for (const [name, args] of /** @type {any[][]} */ ([
    ["push_events", { p_actor: by.actor, p_events: [by.event(...rated("a", true))] }],
    ["pull_changes", {}],
  ])) {
    const { status, body } = await ada.rpc(name, { p_space: space, p_ledger_version: 0, ...args });
    assert.deepEqual([status, body.code], [426, "PT426"], name);
    assert.match(body.message, /update the app.*nothing is lost/);
  }
  assert.equal(sql("select count(*) from events"), count);
});

test("an event that an updated client sends again in new words is the same event", async () => {
  const { space } = await decided();
  const phone = author();
  const event = phone.event(...outcome("d", "loss", 1));
  await old(ada).push(space, phone.actor, [event]);
  const again = {
    ...event,
    by: "local",
    event: { OutcomeRecorded: { decision_id: "d", outcome: "failure", pnl_percent: 1.0 } },
  };
  const answer = await ada.push(space, phone.actor, [again]);
  assert.deepEqual([answer.status, answer.duplicates], ["ok", 1]);
  const other = { ...event, event: { OutcomeRecorded: { decision_id: "d", outcome: "success", pnl_percent: 1.0 } } };
  assert.equal((await ada.push(space, phone.actor, [other])).status, "cloned");
});

test("who made an event is what the token says, and a liar's claim is overwritten", async () => {
  const { space } = await decided();
  const foreign = await ben.space();
  const [key, gone] = [
    await ada.call("create_agent_key", { p_space: space, p_name: "k" }),
    await ada.call("create_agent_key", { p_space: space, p_name: "g" }),
  ];
  const theirs = await ben.call("create_agent_key", { p_space: foreign, p_name: "x" });
  await ada.call("revoke_agent_key", { p_key: gone.id });
  const claims = [
    undefined,
    "",
    "local",
    `person:${ben.id}`,
    `agent:${key.id}`,
    "agent:' or 1=1",
    `agent:${theirs.id}`,
  ];
  const isolate = edge(space);
  for (const [who, real] of [
    [ada, () => `person:${ada.id}`],
    [ben, () => `person:${ben.id}`],
    [isolate, (claim) => (claim === `agent:${key.id}` || claim === `agent:${gone.id}` ? claim : "")],
  ]) {
    const by = author();
    const events = [...claims, `agent:${gone.id}`, `agent:${key.id.toUpperCase()}`].map((claim, i) =>
      by.event(
        "LessonAdded",
        lesson(`l-${i}-${randomUUID()}`, { by: "person:root", confidence: -0.0 }),
        claim === undefined ? {} : { by: claim },
      ),
    );
    // The claim in the lesson itself counts for nothing either, and the sign of a zero is kept.
    const text = JSON.stringify(events).replaceAll('"confidence":0', '"confidence":-0.0');
    assert.deepEqual((await who.pushText(space, by.actor, text)).rejected, []);
    const rows = new Map((await pullAll(who, space)).lessons.map((row) => [row.slug, row]));
    for (const event of events) {
      const held = rows.get(event.event.LessonAdded.lesson.slug);
      const wanted = real(event.by);
      assert.deepEqual([held.by, Object.is(held.confidence, -0)], [wanted, true], event.by);
      assert.equal(payload(space, event.op_id).by ?? "", wanted);
      assert.match(
        sql("select payload from events where space = :'space' and op_id = :'op_id'", { space, op_id: event.op_id }),
        /"confidence":-0\.0/,
      );
    }
    // Sent again as they were, or with another claim, they are the same.
    assert.equal((await who.pushText(space, by.actor, text)).duplicates, events.length);
    const again = await who.push(
      space,
      by.actor,
      events.map((event) => ({ ...event, by: "agent:other" })),
    );
    assert.deepEqual([again.status, again.duplicates], ["ok", events.length]);
  }
});

test("a key that was used for another request is refused, and the same request counts once", async () => {
  const { space, by } = await decided();
  const [first, second] = ["1".repeat(64), "2".repeat(64)];
  const event = by.event(...rated("a", true), { request: first });
  await ada.push(space, by.actor, [event]);
  assert.equal(payload(space, event.op_id).request, first);
  const anew = (more) => ({ ...by.event(...rated("a", true)), op_id: event.op_id, ...more });
  const sent = [anew({ request: first }), anew({}), anew({ request: second }), anew({ request: first })];
  const answer = await ada.push(space, by.actor, sent);
  assert.deepEqual([answer.status, answer.duplicates, answer.acked_seq], ["ok", 3, sent.at(-1).seq]);
  assert.deepEqual(
    answer.rejected.map(({ seq, op_id, field }) => ({ seq, op_id, field })),
    [{ seq: sent[2].seq, op_id: event.op_id, field: "request" }],
  );
  assert.match(answer.rejected[0].reason, /^this Idempotency-Key was used for another request before/);
  // The answer may be lost: asked again, it says the same.
  const again = await ada.push(space, by.actor, sent);
  assert.deepEqual([again.rejected, again.duplicates], [answer.rejected, 4]);
  // From another actor as well, and the other way round when the first had none.
  const other = author();
  const theirs = await ada.push(space, other.actor, [
    { ...other.event(...rated("a", false)), op_id: event.op_id, request: second },
  ]);
  assert.deepEqual([fields(theirs), theirs.duplicates], [["request"], 0]);
  const plain = by.event(...rated("b", true));
  await ada.push(space, by.actor, [plain]);
  assert.equal(
    (await ada.push(space, by.actor, [{ ...by.event(...rated("b", true)), op_id: plain.op_id, request: second }]))
      .duplicates,
    1,
  );
  const { lessons } = await ada.pull(space);
  assert.deepEqual(lessons.map((row) => [row.slug, row.times_helpful, row.times_not_helpful]).sort(), [
    ["a", 1, 0],
    ["b", 1, 0],
  ]);
  // An event that was set aside keeps no key.
  const bad = by.event(...rated("nowhere", true), { request: first });
  const good = { ...by.event(...rated("a", true)), op_id: bad.op_id, request: second };
  assert.deepEqual(fields(await ada.push(space, by.actor, [bad, good])), ["lesson"]);
  assert.equal((await one(ada, space, "lessons", { slug: "a" })).times_helpful, 2);
});

test("everybody says a thing of a decision once: the same again changes nothing, another is refused", async () => {
  const { space } = await decided();
  const [phone, laptop, desk] = [author(), author(), author()];
  const tell = async (who, by, ...events) =>
    fields(
      await who.push(
        space,
        by.actor,
        events.map((event) => by.event(...event)),
      ),
    );
  const state = async () => {
    const page = await pullAll(ada, space);
    const held = page.lessons.find((row) => row.slug === "a");
    return [
      held.use_count,
      held.times_helpful,
      held.times_not_helpful,
      page.feedback.length,
      page.decisions[0].feedback.length,
      page.decisions[0].opinions.length,
    ];
  };
  assert.deepEqual(
    await tell(ada, phone, given("d", ["b", "a"]), given("d", ["a", "b", "a"]), rated("a", true, "d")),
    [],
  );
  assert.deepEqual(await state(), [1, 1, 0, 1, 1, 1]);
  const { version } = await one(ada, space, "decisions");
  // From another of her devices: the same person.
  assert.deepEqual(await tell(ada, desk, given("d", ["a", "b"]), rated("a", true, "d")), []);
  assert.deepEqual(await tell(ada, desk, given("d", ["a"]), rated("a", false, "d")), ["decision_id", "decision_id"]);
  assert.deepEqual(await state(), [1, 1, 0, 1, 1, 1]);
  assert.equal((await one(ada, space, "decisions")).version, version);
  assert.deepEqual(await tell(ben, laptop, given("d", ["a"], { outcome: "blocked" }), rated("a", false, "d")), []);
  assert.deepEqual(await state(), [2, 1, 1, 2, 2, 2]);
  // Without a decision each counts.
  assert.deepEqual(await tell(ada, phone, rated("a", true), rated("a", true)), []);
  assert.deepEqual(await state(), [2, 3, 1, 2, 2, 2]);
  const c = laptop.event("LessonAdded", lesson("c"));
  await ben.push(space, laptop.actor, [c]);
  assert.deepEqual(await tell(ben, laptop, given("d", ["a", "c"]), rated("c", true, "d"), given("none", ["a"])), [
    "lessons",
    "lesson",
    "decision_id",
  ]);
});

test("an outcome may come before its decision, and stands in the history of what was recommended for it", async () => {
  const { space, by } = await decided();
  const events = [
    by.event(...outcome("early", "pending")),
    by.event(...outcome("early", "failure", -3)),
    by.event(...surfaced("early", ["a"])),
    by.event(...tracked("early", "a")),
    by.event(...given("early", ["a"])),
    by.event(...rated("a", true, "early")),
    by.event("TrialGranted", { lesson: "a" }),
  ];
  assert.deepEqual(fields(await ada.push(space, by.actor, events.slice(0, 2))), []);
  const before = await one(ada, space, "decisions", { decision_id: "early" });
  assert.deepEqual([before.at, before.by, before.outcome, before.context.decision_id], [null, "", "failure", null]);
  assert.deepEqual(fields(await ada.push(space, by.actor, events.slice(2))), []);
  const now = await one(ada, space, "decisions", { decision_id: "early" });
  assert.deepEqual([now.by, now.context.decision_id, now.outcome_at], [`person:${ada.id}`, "early", before.outcome_at]);
  const held = await one(ada, space, "lessons", { slug: "a" });
  assert.deepEqual([held.times_applied, held.consecutive_failures, held.trial_from], [1, 0, 1]);
  const history = await told(ada, space, "a");
  const ids = new Set(history.events.map((row) => row.event.op_id));
  assert.deepEqual(
    events.filter((event) => !ids.has(event.op_id)),
    [],
  );
  assert.deepEqual((await told(ada, space, "b")).events.length, 2);
  // Counted once in a retrieval, it is recommended for a second decision: what is said of that hangs on it.
  const first = surfaced("x", ["b"]);
  const second = [first[0], { .../** @type {any} */ (first[1]), context: { decision_id: "y" } }];
  const later = [by.event(...first), by.event(...second), by.event(...rated("b", true, "y"))];
  assert.deepEqual(fields(await ada.push(space, by.actor, later)), []);
  const { events: rows } = await told(ada, space, "b");
  assert.deepEqual(
    rows.slice(0, 3).map((row) => row.event.op_id),
    later.map((event) => event.op_id).reverse(),
  );
});

test("a lesson's history is told to each client in the words of its version", async () => {
  const { space, by } = await decided();
  const measured = { control: false, drawn: [{ lesson: "a", q: -0.0, withheld: false }] };
  const phone = author("old phone");
  const events = [
    by.event("LessonAdded", lesson("c", { by: "agent:x", trial_from: 0, confidence: 0.5 })),
    by.event(...surfaced("m", ["c"], { measured })),
    by.event(...tracked("m", "c")),
    by.event(...outcome("m", "success", 2.5), { request: "1".repeat(64) }),
    by.event(...rated("c", true, "m")),
    by.event("Voted", { lesson: "c", up: true, decision_id: "m" }),
    by.event(...given("m", ["c"])),
    by.event("TrialGranted", { lesson: "c" }),
    by.event(...surfaced("n", ["c"])),
    by.event(...outcome("n", "failure")),
    by.event(...surfaced("o", ["c"])),
    by.event(...outcome("o", "pending")),
  ];
  // The text keeps the sign of a zero, which a reader of JavaScript's would lose.
  const text = JSON.stringify(events).replace('"q":0', '"q":-0.0').replace('"confidence":0.5', '"confidence":-0.0');
  assert.deepEqual(fields(await ada.pushText(space, by.actor, text)), []);
  await old(ada).push(space, phone.actor, [phone.event(...surfaced("p", ["c"])), phone.event(...outcome("p", "loss"))]);

  const all = (await told(ada, space, "c")).events.map((row) => row.event).reverse();
  assert.deepEqual(
    all.slice(0, events.length).map((event) => event.op_id),
    events.map((event) => event.op_id),
  );
  assert(all.every((event) => event.by === `person:${ada.id}`));
  assert.deepEqual([all[1].event.Surfaced.measured.drawn.length, all[4].event.Rated.decision_id], [1, "m"]);

  const olds = async (more = {}) => await ada.call("lesson_history", { p_space: space, p_slug: "c", ...more });
  const page = (await olds()).events.map((row) => row.event).reverse();
  assert.deepEqual(
    page.map((event) => event.op_id),
    all.filter((event) => !("TrialGranted" in event.event)).map((event) => event.op_id),
  );
  const known = page.map((event) => Object.entries(event.event)[0]);
  for (const event of page) assert.deepEqual(Object.keys(event), ["op_id", "actor", "seq", "at", "event"]);
  for (const [kind, inner] of known) {
    const more =
      { Surfaced: ["measured"], Rated: ["decision_id"], Voted: ["decision_id"], FeedbackGiven: ["decision_id"] }[
        kind
      ] ?? [];
    assert(!more.some((field) => field in inner), kind);
    if (kind === "LessonAdded")
      assert(!("by" in inner.lesson || "trial_from" in inner.lesson) && inner.lesson.slug === "c");
  }
  assert.deepEqual(
    known
      .filter(([kind]) => kind === "OutcomeRecorded")
      .map(([, { outcome: word, pnl_percent }]) => [word, pnl_percent]),
    [
      ["profit", 2.5],
      ["loss", null],
      ["pending", null],
      ["loss", null],
    ],
  );
  const { events: added } = await olds({ p_limit: 500, p_ledger_version: 1 });
  assert.deepEqual(
    added.map((row) => row.event),
    [...page].reverse(),
  );
  const raw = sql(
    `select lessonloop.event_json(payload, kind, 1) from events where space = :'space' and kind = 'LessonAdded' and op_id = :'op_id'`,
    { space, op_id: events[0].op_id },
  );
  assert.match(raw, /"confidence" ?: ?-0\.0/);
  // Page by page, each of them is told once, although what is left out has a place between them.
  const seen = [];
  for (let before = null; ; ) {
    const { events: rows, next_before } = await olds({ p_before: before, p_limit: 3 });
    seen.push(...rows.map((row) => row.event.op_id));
    if ((before = next_before) === null) break;
  }
  assert.deepEqual(
    seen.reverse(),
    page.map((event) => event.op_id),
  );
  // One that is newer gets what there is; one that is too old is told to update.
  assert.equal((await told(ada, space, "c", { p_ledger_version: 5 })).events.length, all.length);
  const { status, body } = await ada.rpc("lesson_history", { p_space: space, p_slug: "c", p_ledger_version: 0 });
  assert.deepEqual([status, body.code], [426, "PT426"]);
});

test("a client of version 3 gets no probability of control runs, one of version 2 neither what two policies drafted nor why a text was approved", async () => {
  const { space, by } = await decided();
  const shadow = { comparison: "c", decided: null, first: ["a"], second: ["b"] };
  const drawn = [{ lesson: "a", q: 0.2, withheld: false }];
  const [kind, event] = /** @type {[string, any]} */ (surfaced("e", ["a", "b"]));
  const measured = { control: false, control_q: 0.1, drawn, shadow };
  const approved = { lesson: "a", verdict: "approve", content_hash: "-", reason: "I have tried it." };
  const answer = await ada.push(space, by.actor, [
    by.event(kind, { ...event, measured }),
    by.event("LessonReviewed", approved),
  ]);
  // The text is another one by its hash: the reason is well formed, and the review is refused for what it is of.
  assert.deepEqual(
    answer.rejected.map(({ field }) => field),
    ["content_hash"],
  );
  const of = async (version) =>
    (await ada.pull(space, 0, 1000, version)).decisions.find((row) => row.decision_id === "e").measured;
  assert.deepEqual(await of(4), measured);
  assert.deepEqual(await of(3), { control: false, drawn, shadow });
  assert.deepEqual(await of(2), { control: false, drawn });
  const kept = (version) => told(ada, space, "b", { p_ledger_version: version });
  const events = async (version) =>
    (await kept(version)).events.map((row) => row.event).filter((one) => one.event.Surfaced?.measured);
  const [now, before, then] = [await events(4), await events(3), await events(2)];
  assert.deepEqual(now[0].event.Surfaced.measured, measured);
  assert.deepEqual(before[0].event.Surfaced.measured, { control: false, drawn, shadow });
  assert.deepEqual(then, [
    { ...now[0], event: { Surfaced: { ...now[0].event.Surfaced, measured: { control: false, drawn } } } },
  ]);
  assert.equal((await events(1)).length, 0);
  for (const [wrong, field] of /** @type {any[][]} */ ([
    [{ ...shadow, decided: "third" }, "decided"],
    [{ ...shadow, first: "a" }, "first"],
    [{ ...shadow, comparison: "c".repeat(201) }, "comparison"],
    [{ ...shadow, third: [] }, "third"],
    [{ ...shadow, second: ["nowhere"] }, "lesson"],
  ])) {
    const { rejected } = await ada.push(space, by.actor, [
      by.event(kind, { ...event, retrieval_id: randomUUID(), measured: { ...measured, shadow: wrong } }),
    ]);
    assert.deepEqual(
      rejected.map((one) => one.field),
      [field],
    );
  }
});

const FIRST = "20261123"; // Files from here on are of version 2.
const folder = env("LESSONLOOP_STACK_MIGRATIONS");
const files = readdirSync(folder).sort();
const NAME = `old_${randomUUID().slice(0, 8)}`;

/** SQL in a database of its own, as the superuser or another role. */
const there = (text, { as = process.env.PGUSER, more = [] } = {}) =>
  execFileSync(env("LESSONLOOP_STACK_PSQL"), ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", ...more], {
    input: text,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, PGDATABASE: NAME, PGUSER: as, PGOPTIONS: "-c client_min_messages=warning" },
  }).trim();
const migrate = (some) => {
  for (const file of some) there("", { as: "postgres", more: ["-1", "-f", join(folder, file)] });
};
const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;
const claim = (claims) =>
  `set role authenticated; select set_config('request.jwt.claims', ${quoted(JSON.stringify(claims))}, false) \\g /dev/null\n`;
after(() => sql(`drop database if exists ${NAME}`));

/** All that is folded, apart from versions and places: by space, without the columns that version 2 brought. */
const folded = (space, more = {}) => {
  const rows = (
    table,
    order,
    drop,
  ) => `(select coalesce(json_agg(to_jsonb(x) - '{space,version${drop}}'::text[] order by ${order}), '[]')
    from public.${table} x where x.space = ${quoted(space)})`;
  const made = JSON.parse(
    there(`select json_build_object(
    'lessons', ${rows("lessons", 'x.slug collate "C"', `,approved_by_agent,own_word,counted_on${more.all ? "" : ",by,trial_from,text_at"}`)},
    'recommendations', ${rows("recommendations", 'x.decision_id collate "C", x.position', "")},
    'decisions', ${rows("decisions", 'x.decision_id collate "C"', ",asked_at")},
    'tools', ${rows("tool_successes", "x.position", ",position")},
    'retrievals', ${rows("retrievals", 'x.retrieval_id collate "C", x.lesson collate "C"', "")},
    'feedback', ${rows("feedback_times", "x.version", "")},
    'days', ${rows("activity", "x.day", "")},
    'events', (select count(*) from public.events e where e.space = ${quoted(space)}))`),
  );
  return made;
};
const word = (came) => ({ profit: "success", loss: "failure" })[came] ?? came;

test("a database of version 1 is migrated with its standing unchanged, once, and its replicas learn of it", async () => {
  sql(`create database ${NAME}`);
  there(readFileSync(join(folder, "../../crates/xtask/src/stack/bootstrap.sql"), "utf8"));
  there(`grant create on database ${NAME} to postgres; alter schema public owner to postgres;`);
  migrate(files.filter((file) => file < FIRST));
  const person = randomUUID();
  there(`insert into auth.users (id) values (${quoted(person)})`);
  const mine = claim({ sub: person, role: "authenticated" });

  const spaces = [];
  let [accepted, refused] = [0, 0];
  // Nobody is named in them; what version 1 does not know, it sets aside.
  for await (const ledger of ledgers(90, 77, undefined, "")) {
    const space = there(`${mine} select public.create_space('old')`);
    const pushes = ledger.batches.map(
      ({ actor, events }) =>
        `select public.push_events(${quoted(space)}, ${quoted(actor)}, ${quoted(events.replace(/"trial_from":\d+,/g, ""))}::json);`,
    );
    for (const answer of there(mine + pushes.join("\n"))
      .split("\n")
      .map((line) => JSON.parse(line))) {
      assert.equal(answer.status, "ok");
      refused += answer.rejected.length;
    }
    spaces.push(space);
  }
  const before = new Map(spaces.map((space) => [space, folded(space)]));
  const versions = () => there("select json_object_agg(id, version) from public.spaces");
  const cursors = JSON.parse(versions());

  migrate(files.filter((file) => file >= FIRST));
  const migrated = versions();
  const pull = (space, cursor, version) =>
    JSON.parse(there(`${mine} select public.pull_changes(${quoted(space)}, ${cursor}, 5000, ${version});`));
  const seen = { decisions: 0, outcomes: 0, records: 0 };
  for (const space of spaces) {
    const [was, is] = [before.get(space), folded(space)];
    accepted += is.events;
    assert.deepStrictEqual(is.lessons, was.lessons);
    for (const name of ["tools", "retrievals", "feedback", "days", "events"])
      assert.deepStrictEqual(is[name], was[name], name);
    assert.deepStrictEqual(
      is.recommendations,
      was.recommendations.map((row) => ({ ...row, trade_outcome: word(row.trade_outcome) })),
    );
    assert.deepStrictEqual(
      is.decisions.map(({ decision_id, outcome, pnl_percent }) => ({ decision_id, outcome, pnl_percent })),
      was.decisions.map((row) => ({ ...row, outcome: word(row.outcome) })),
    );
    // The same ledger, folded by version 2 for nobody, gives the same rows, those of decisions too.
    const copy = there(`${mine} select public.create_space('copy')`);
    const events = there(`select json_agg(format('{"op_id":%s,"actor":"copy","seq":%s,"at":%s,"event":%s}',
        e.payload -> 'op_id', e.n, e.payload -> 'at', e.payload -> 'event')::json)
      from (select x.payload, row_number() over (order by x.version) as n from public.events x where x.space = ${quoted(space)}) e`);
    const all = JSON.parse(events || "[]").length;
    if (all > 0 && all <= 1000) {
      const nobody = claim({ sub: copy, lessonloop: "edge", lessonloop_space: copy, role: "authenticated" });
      const answer = JSON.parse(
        there(`${nobody} select public.push_events(${quoted(copy)}, 'copy', ${quoted(events)}::json, 2)`),
      );
      assert.deepEqual([answer.acked_seq, answer.rejected], [all, []]);
      assert.deepStrictEqual(folded(copy, { all: true }), folded(space, { all: true }));
    }
    // A replica that goes on from where it was sees what changed; an old one in its own words.
    const [news, olds] = [pull(space, cursors[space], 2), pull(space, cursors[space], 1)];
    const finals = was.recommendations.filter((row) => ["profit", "loss"].includes(row.trade_outcome));
    assert.deepEqual(
      [news.decisions.length, news.recommendations.length, news.lessons.length],
      [was.decisions.length, finals.length, 0],
    );
    assert.deepEqual(
      olds.recommendations.map((row) => row.trade_outcome).sort(),
      finals.map((row) => row.trade_outcome).sort(),
    );
    assert.equal(news.next_cursor, olds.next_cursor);
    const taken = kinds.flatMap((name) => news[name].map((row) => row.version));
    assert.equal(new Set(taken).size, taken.length, "a version is one row's");
    seen.decisions += was.decisions.length;
    seen.outcomes += was.decisions.filter((row) => row.outcome !== null).length;
    seen.records += finals.length;
  }
  console.log({ accepted, refused, ...seen });
  assert(accepted > 300 && seen.decisions > 30 && seen.outcomes > 10 && seen.records > 10, JSON.stringify(seen));

  // All files again, as is done after every update: nothing is migrated twice.
  const held = there("select json_agg(d order by d.space, d.decision_id) from public.decisions d");
  const numbers = versions();
  migrate(files);
  assert.equal(there("select json_agg(d order by d.space, d.decision_id) from public.decisions d"), held);
  assert.equal(versions(), numbers);
  assert.deepEqual(Object.keys(JSON.parse(migrated)).sort(), Object.keys(cursors).sort());
  const left = there(`select string_agg(p.oid::regprocedure::text, ' ') from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname in ('push_events', 'pull_changes', 'lesson_history')`);
  assert.match(left, /^(?:(?:push_events|pull_changes|lesson_history)\([^)]*,integer\)(?: |$)){3}$/);
});

test("while files are run, nobody is served by old functions with new rows, and what those made is migrated", () => {
  const person = there("select id from auth.users limit 1");
  const mine = claim({ sub: person, role: "authenticated" });
  const push = (space, by, events, more = "") =>
    JSON.parse(
      there(
        `${mine} select public.push_events(${quoted(space)}, ${quoted(by.actor)}, ${quoted(JSON.stringify(events))}::json${more})`,
      ),
    );
  const shown = (space) => {
    const { lessons, decisions, recommendations } = folded(space, { all: true });
    const [held] = lessons;
    return [
      decisions.map((row) => [row.decision_id, row.outcome, row.at !== null, row.outcome_at !== null]),
      recommendations.map((row) => row.trade_outcome),
      [held.times_applied, held.success_count, held.times_helpful],
    ];
  };
  const start = (by) => [
    by.event("LessonAdded", lesson("a")),
    by.event(...surfaced("d", ["a"])),
    by.event(...tracked("d", "a")),
  ];
  const lost = (by, id) => [
    by.event(...surfaced(id, ["a"])),
    by.event(...tracked(id, "a")),
    by.event(...outcome(id, "loss")),
  ];

  // Again, from the first: those of version 2 are served by the new functions, those of version 1 try again later.
  migrate(files.filter((file) => file < FIRST));
  const space = there(`${mine} select public.create_space('between')`);
  const [news, olds] = [author(), author()];
  const first = push(
    space,
    news,
    [
      ...start(news),
      news.event(...outcome("d", "success"), { request: "1".repeat(64) }),
      news.event(...given("d", ["a"]), { by: "x" }),
    ],
    ", 2",
  );
  assert.deepEqual([first.ledger_version, first.rejected], [4, []]);
  const late = [
    olds.event("Rated", { lesson: "a", helpful: true }),
    olds.event(...outcome("d", "profit")),
    ...lost(olds, "e"),
  ];
  assert.throws(() => push(space, olds, late), /is not unique/);
  migrate(files.filter((file) => file >= FIRST));
  assert.deepEqual(push(space, olds, late).rejected, []);
  assert.deepEqual(shown(space), [
    [
      ["d", "success", true, true],
      ["e", "failure", true, true],
    ],
    ["success", "failure"],
    [2, 1, 1],
  ]);

  // For the first time: the old functions serve until the last file.
  const served = [
    "push_events(uuid, text, json, integer)",
    "pull_changes(uuid, bigint, integer, integer)",
    "lesson_history(uuid, text, bigint, integer, integer)",
  ];
  for (const name of served) there(`drop function public.${name}`);
  migrate(files.filter((file) => file < FIRST));
  const other = there(`${mine} select public.create_space('first')`);
  const by = author();
  const news_files = files.filter((file) => file >= FIRST);
  for (const file of news_files) {
    if (file === news_files[0]) push(other, by, [...start(by), by.event(...outcome("d", "profit"))]);
    push(other, by, lost(by, `before ${file}`));
    migrate([file]);
  }
  const many = news_files.length;
  const [decisions, outcomes, counts] = shown(other);
  assert.deepEqual(
    decisions.map((row) => row.slice(1)),
    [...Array(many).fill(["failure", true, true]), ["success", true, true]],
  );
  assert.deepEqual(
    [outcomes, counts],
    [
      [...Array(many).fill("failure"), "success"],
      [many + 1, 1, 0],
    ],
  );
  const versions =
    there(`select count(*), count(distinct version), max(version) <= (select version from spaces where id = ${quoted(other)}) from (
    select version from decisions where space = ${quoted(other)} union all select version from recommendations where space = ${quoted(other)}
    union all select version from lessons where space = ${quoted(other)}) x`);
  const rows = 2 * (many + 1) + 1;
  assert.equal(versions, `${rows}|${rows}|t`);
});
