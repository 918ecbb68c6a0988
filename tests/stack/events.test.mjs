// Events on the server: what a decision's row says, who made what, keys used again, and what is said once.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { agent, author, lesson, pullAll, sql, user } from "./stack.mjs";

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
  assert.deepEqual([answer.schema_version, answer.status, answer.rejected], [1, "ok", []]);
  return { space, by };
}

const told = (who, space, p_slug) => who.call("lesson_history", { p_space: space, p_slug });

const one = async (who, space, name, more = {}) => {
  const rows = (await pullAll(who, space))[name];
  return rows.find((row) => Object.entries(more).every(([key, value]) => row[key] === value));
};
const payload = (space, op_id) =>
  JSON.parse(sql("select payload from events where space = :'space' and op_id = :'op_id'", { space, op_id }));
const fields = (answer) => answer.rejected.map((row) => row.field);

test("a lesson's history has the lift that each event left it with, the newest that of its row", async () => {
  const { space, by } = await decided();
  assert.deepEqual(fields(await ada.push(space, by.actor, [by.event(...tracked("d", "a"))])), []);
  const before = (await told(ada, space, "a")).events;
  const came = by.event(...outcome("d", "success"));
  assert.deepEqual(fields(await ada.push(space, by.actor, [came])), []);
  const [moved, ...rest] = (await told(ada, space, "a")).events;
  assert.equal(moved.event.op_id, came.op_id);
  const row = JSON.parse(
    sql("select json_build_array(lift_mean, lift_variance) from lessons where space = :'space' and slug = 'a'", {
      space,
    }),
  );
  assert.deepEqual([moved.lift.mean, moved.lift.variance], row);
  assert.deepEqual(rest, before, "what came before is told as it was");
  // The other lesson was not applied: nothing is learned of it.
  const other = (await told(ada, space, "b")).events.flatMap(({ lift }) => (lift ? [lift.mean] : []));
  assert.equal(new Set(other).size, 1, `${other}`);
  assert.ok(moved.lift.mean > other[0], `${moved.lift.mean}, ${other[0]}`);
});

test("a decision's row tells who asked, what came of it and who said so, and settings are rows", async () => {
  const { space, by } = await decided();
  const phone = author("phone");
  const said = [
    phone.event(...tracked("d", "a")),
    phone.event(...outcome("d", "success", 2.5)),
    phone.event(...rated("a", true)),
  ];
  assert.deepEqual(fields(await ada.push(space, phone.actor, said)), []);
  const late = [
    by.event(...outcome("d", "failure")),
    by.event(...outcome("d", "success")),
    by.event(...outcome("d", "profit")),
  ];
  const told = await ada.push(space, by.actor, late);
  assert.deepEqual(fields(told), ["outcome", "outcome"], "another outcome is refused, the same one is none");
  assert.match(told.rejected[0].reason, /settled as success/);

  const page = await pullAll(ada, space);
  assert.deepEqual(page.recommendations.map((row) => [row.lesson, row.trade_outcome]).sort(), [
    ["a", "success"],
    ["b", "success"],
  ]);
  const [{ version, at, outcome_at, ...rest }] = page.decisions;
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
    taught: true,
  });
  assert(Date.parse(at) && Date.parse(outcome_at) && version > 0);
  const held = page.lessons.find((row) => row.slug === "a");
  assert.deepEqual([held.times_applied, held.success_count, held.times_helpful], [1, 1, 1]);

  for (const value of [["git"], null]) {
    await ada.push(space, by.actor, [by.event("PolicyChanged", { changes: { "tools.core_servers": value } })]);
    const { settings } = await pullAll(ada, space);
    assert.deepEqual(
      settings.map((row) => [row.name, row.value]),
      [["tools.core_servers", value]],
    );
  }
});

test("what a recommendation measured is kept to the bit", async () => {
  const { space, by } = await decided();
  const drawn = [{ lesson: "a", q: 0.5, withheld: false }];
  const good = by.event(...surfaced("m", ["a"], { measured: { control: false, control_q: 0.125, drawn } }));
  // The text keeps the sign of a zero, which a reader of JavaScript's would lose.
  const text = JSON.stringify([good]).replace('"q":0.5', '"q":-0.0');
  assert.deepEqual(fields(await ada.pushText(space, by.actor, text)), []);
  const [row] = (await pullAll(ada, space)).decisions.filter((one) => one.decision_id === "m");
  assert.deepEqual([row.measured.control_q, Object.is(row.measured.drawn[0].q, -0)], [0.125, true]);
  const { events } = await told(ada, space, "a");
  assert.equal(events[0].event.event.Surfaced.measured.control_q, 0.125);
});

test("who made an event is what the token or the key says, and a liar's claim is overwritten", async () => {
  const { space } = await decided();
  const foreign = await ben.space();
  const [key, gone] = [
    await ada.call("create_agent_key", { p_space: space, p_name: "k" }),
    await ada.call("create_agent_key", { p_space: space, p_name: "g" }),
  ];
  const second = await ada.call("create_agent_key", { p_space: space, p_name: "second" });
  const theirs = await ben.call("create_agent_key", { p_space: foreign, p_name: "x" });
  await ada.call("revoke_agent_key", { p_key: gone.id });
  const claims = [
    undefined,
    "",
    "local",
    `person:${ben.id}`,
    `agent:${key.id}`,
    `agent:${second.id}`,
    "agent:' or 1=1",
    `agent:${theirs.id}`,
  ];
  // One that answers for two agents, and names them.
  const isolate = agent(key.key, second.key, gone.key, theirs.key);
  for (const [who, real] of [
    [ada, () => `person:${ada.id}`],
    [ben, () => `person:${ben.id}`],
    [isolate, (claim) => (claim === `agent:${second.id}` ? claim : `agent:${key.id}`)],
  ]) {
    const by = author();
    const events = [...claims, `agent:${key.id.toUpperCase()}`].map((claim, i) =>
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

test("what a key made that was revoked meanwhile is set aside, and so is what names a key that was not sent", async () => {
  const { space } = await decided();
  const [one, gone] = await Promise.all(
    ["one", "gone"].map((p_name) => ada.call("create_agent_key", { p_space: space, p_name })),
  );
  const by = author();
  const rate = (id) => by.event(...rated("a", true), { by: `agent:${id}` });
  const [before, after, other] = [rate(gone.id), rate(gone.id), rate(one.id)];
  assert.deepEqual(fields(await agent(one.key, gone.key).push(space, by.actor, [before])), []);
  await ada.call("revoke_agent_key", { p_key: gone.id });
  const sent = [before, after, other];
  for (const isolate of [agent(gone.key, one.key), agent(one.key)]) {
    const answer = await isolate.push(space, by.actor, sent);
    assert.deepEqual([answer.status, answer.acked_seq, fields(answer)], ["ok", 3, ["by"]]);
    assert.equal(answer.rejected[0].seq, after.seq, "what was there before the key was revoked stays");
    assert.match(answer.rejected[0].reason, /revoked/);
  }
  assert.equal(payload(space, other.op_id).by, `agent:${one.id}`);
  assert.equal(
    sql("select count(*) from events where space = :'space' and op_id = :'op'", { space, op: after.op_id }),
    "0",
  );
  // With that key alone nothing is taken at all.
  const { status, body } = await agent(gone.key).rpc("push_events", {
    p_space: space,
    p_actor: by.actor,
    p_events: [rate(gone.id)],
    p_ledger_version: 1,
  });
  assert.deepEqual([status, body.code], [401, "PT401"]);
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
