// Claims that a member's own client may not make: approvals, counts that nobody counted, texts out of bounds.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { agent, author, lesson, pullAll, sql, user } from "./stack.mjs";

let ada, space;
before(async () => {
  ada = user();
  space = await ada.space("bounds");
});

const trustOf = async (slug) => (await pullAll(ada, space)).lessons.find((row) => row.slug === slug)?.trust;

test("a new lesson that claims to be approved is unreviewed, whoever pushes it", async () => {
  const { id, key } = await ada.call("create_agent_key", { p_space: space, p_name: "builder" });
  for (const [who, slug, more] of [
    [ada, "by-a-member", {}],
    [agent(key), "by-an-agent", { by: `agent:${id}` }],
  ]) {
    const by = author();
    const event = by.event("LessonAdded", lesson(slug, { trust: "approved", confidence: -0.0 }), more);
    // Written with escapes, and with an approval behind another word: the last one counts.
    const text = JSON.stringify([event]).replace(
      '"trust":"approved"',
      '"trust":"quarantined","trust":"\\u0061pproved"',
    );
    const answer = await who.pushText(space, by.actor, text.replace('"confidence":0', '"confidence":-0.0'));
    assert.deepEqual([answer.status, answer.rejected], ["ok", []]);
    assert.equal(await trustOf(slug), "unreviewed");
    const kept = sql("select payload from events where space = :'space' and op_id = :'op'", { space, op: event.op_id });
    assert.match(kept, /"trust"\s*:\s*"unreviewed"/);
    assert.match(kept, /-0\.0/, "the rest keeps its text");
    const again = await who.pushText(space, by.actor, text.replace('"confidence":0', '"confidence":-0.0'));
    assert.deepEqual([again.status, again.duplicates], ["ok", 1], "the same again is the same");
  }
});

test("an edit can't approve its text; a review can", async () => {
  const by = author();
  const edit = (base_rev, trust) =>
    by.event("LessonEdited", { lesson: "edited", base_rev, changes: { description: `at ${base_rev}` }, trust });
  await ada.push(space, by.actor, [by.event("LessonAdded", lesson("edited")), edit(1, "approved")]);
  assert.equal(await trustOf("edited"), "unreviewed");
  await ada.push(space, by.actor, [edit(2, "quarantined")]);
  assert.equal(await trustOf("edited"), "quarantined");
  const hash = sql("select lessonloop.content_hash(l) from lessons l where space = :'space' and slug = 'edited'", {
    space,
  });
  await ada.push(space, by.actor, [
    by.event("LessonReviewed", { lesson: "edited", verdict: "approve", content_hash: hash }),
  ]);
  assert.equal(await trustOf("edited"), "approved");
});

test("what an import brings is taken, and what nobody can have counted is refused by its field", async () => {
  const by = author();
  const counted = {
    use_count: 1_000_000,
    causal_hits: 40,
    times_applied: 7,
    success_count: 7,
    upvotes: 3,
    rev: 12,
    trial_from: 2,
  };
  const taken = await ada.push(space, by.actor, [by.event("LessonAdded", lesson("imported", counted))]);
  assert.deepEqual(taken.rejected, []);
  const row = (await pullAll(ada, space)).lessons.find(({ slug }) => slug === "imported");
  for (const [name, value] of Object.entries(counted)) assert.equal(row[name], value, name);

  const COUNTS = [
    "frequency",
    "upvotes",
    "downvotes",
    "times_surfaced",
    "times_helpful",
    "times_not_helpful",
    "use_count",
    "causal_hits",
    "times_applied",
    "success_count",
    "consecutive_failures",
    "rev",
    "trial_from",
  ];
  const forged = [
    ...COUNTS.flatMap((name) => [
      [name, { [name]: 4_294_967_295 }],
      [name, { [name]: 1_000_001 }],
      [name, { [name]: -1 }],
    ]),
    ["success_count", { success_count: 8, times_applied: 7 }],
    ["success_count", { success_count: 1 }],
    ["causal_hits", { causal_hits: 8, use_count: 7 }],
    ["times_applied", { success_count: 1, times_applied: "many" }],
    ["recommendation", { recommendation: "x".repeat(100_001) }],
    ["title", { title: "x".repeat(301) }],
    ["tags", { tags: Array(65).fill("x") }],
    ["findings", { findings: ["x".repeat(10_001)] }],
  ];
  const events = forged.map(([, more], n) => by.event("LessonAdded", lesson(`forged-${n}`, more)));
  const answer = await ada.push(space, by.actor, events);
  assert.equal(answer.status, "ok");
  assert.deepEqual(
    answer.rejected.map(({ field }) => field),
    forged.map(([field]) => field),
  );
  for (const { reason } of answer.rejected) assert.ok(reason.length > 20, reason);
  assert.ok(!(await pullAll(ada, space)).lessons.some(({ slug }) => slug.startsWith("forged")));
});
