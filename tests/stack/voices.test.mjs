// Whose word counts on the server: a key changes nothing in force by any event, and a voice that is withdrawn has moved nothing, in
// every replica.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { agent, author, lesson, pullAll, sql, user } from "./stack.mjs";

/** A space with a person's approved lesson and an agent's key. */
async function space() {
  const ada = user();
  const id = await ada.space("voices");
  const key = await ada.call("create_agent_key", { p_space: id, p_name: "bad" });
  const [phone, isolate] = [author(), author(`isolate ${randomUUID()}`)];
  const bad = `agent:${key.id}`;
  const they = agent(key.key);
  const say = (...said) =>
    they.push(
      id,
      isolate.actor,
      said.map(([kind, of]) => isolate.event(kind, of, { by: bad })),
    );
  const person = (...said) =>
    ada.push(
      id,
      phone.actor,
      said.map(([kind, of]) => phone.event(kind, of)),
    );
  await person(["LessonAdded", lesson("kept")]);
  const content_hash = sql("select lessonloop.content_hash(l) from public.lessons l where space = :'id'", { id });
  await person(["LessonReviewed", { lesson: "kept", verdict: "approve", content_hash }]);
  return { ada, id, bad, say, person, content_hash };
}

const row = async ({ ada, id }, slug) => (await pullAll(ada, id)).lessons.findLast((one) => one.slug === slug);

test("an event of a key changes nothing in force, whatever it is", async () => {
  const it = await space();
  await it.say(["LessonAdded", lesson("mine")]);
  const before = await row(it, "kept");
  const attacks = [
    ["LessonEdited", { lesson: "kept", base_rev: 1, changes: { title: "Mine" }, trust: "approved" }],
    ["LessonArchived", { lesson: "kept" }],
    ["LessonRestored", { lesson: "kept" }],
    ["LessonsMerged", { into: "mine", from: ["kept"] }],
    ["LessonsMerged", { into: "kept", from: ["mine"] }],
    ["LessonReviewed", { lesson: "kept", verdict: "quarantine", content_hash: it.content_hash }],
  ];
  const { rejected } = await it.say(...attacks);
  assert.deepEqual(
    rejected.map(({ field }) => field),
    attacks.map(() => "lesson"),
  );
  assert.ok(rejected.every(({ reason }) => /propose the change/.test(reason)));
  const voice = { voice: `person:${it.ada.id}` };
  assert.equal((await it.say(["VoiceWithdrawn", voice])).rejected[0].field, "voice");
  assert.deepEqual(await row(it, "kept"), before);

  const change = { lesson: "kept", proposal: "p1", base_rev: 1, changes: { title: "Mine" }, trust: "unreviewed" };
  assert.deepEqual((await it.say(["ChangeProposed", change])).rejected, []);
  const { proposals, version, ...held } = await row(it, "kept");
  assert.deepEqual([{ ...held, proposals: [] }, version > before.version], [{ ...without(before, "version") }, true]);
  assert.deepEqual([proposals[0].id, proposals[0].by, proposals[0].changes], ["p1", it.bad, { title: "Mine" }]);
  const [own] = (await it.say(["ProposalSettled", { lesson: "kept", proposal: "p1", accepted: true }])).rejected;
  assert.equal(own.field, "proposal");
  await it.person(["ProposalSettled", { lesson: "kept", proposal: "p1", accepted: false }]);
  assert.deepEqual((await row(it, "kept")).proposals, []);
});

const without = (row, name) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));

test("a withdrawn voice has moved nothing, and replicas read everything again", async () => {
  const it = await space();
  const item = { lesson: "kept", rank: 1, score: 0.5, relevance: 0.5 };
  await it.say(
    ["LessonAdded", lesson("planted")],
    ["Surfaced", { retrieval_id: "r", purpose: "x", context: { decision_id: "d" }, policy: "p", items: [item] }],
    [
      "UsageTracked",
      { decision_id: "d", detections: [{ lesson: "kept", applied: true, match_type: "explicit", confidence: 1 }] },
    ],
    ["OutcomeRecorded", { decision_id: "d", outcome: "failure" }],
    ["Rated", { lesson: "kept", helpful: false }],
  );
  const before = await it.ada.pull(it.id, 0);
  assert.equal((await row(it, "kept")).times_applied, 1);
  await it.person(["VoiceWithdrawn", { voice: it.bad }]);
  const after = await it.ada.pull(it.id, before.next_cursor);
  assert.notEqual(after.epoch, before.epoch);
  const clean = await row(it, "kept");
  assert.deepEqual(
    [clean.times_applied, clean.times_surfaced, clean.times_not_helpful, clean.trust],
    [0, 0, 0, "approved"],
  );
  assert.equal((await row(it, "planted")).archived, true);
  assert.deepEqual(Object.keys((await pullAll(it.ada, it.id)).agents.at(-1).withdrawn), [it.bad]);

  // It goes on writing.
  await it.say(["Rated", { lesson: "kept", helpful: false }], ["LessonAdded", lesson("again")]);
  assert.equal((await row(it, "kept")).times_not_helpful, 0);
  assert.equal((await row(it, "again")).archived, true);

  await it.person(["VoiceReinstated", { voice: it.bad }]);
  const back = await row(it, "kept");
  assert.deepEqual([back.times_applied, back.times_surfaced, back.times_not_helpful], [1, 1, 2]);
  assert.deepEqual([(await row(it, "planted")).archived, (await row(it, "again")).archived], [false, false]);
});
