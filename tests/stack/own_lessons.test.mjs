// Where two agents' keys write, none of them moves a standing alone: the rule on the server, in its history, and over a
// database that had keys before the rule.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { agent, author, lesson, pullAll, sql, user } from "./stack.mjs";

/** A space with two keys, and an edge that speaks for both. */
async function twoKeys() {
  const ada = user();
  const space = await ada.space("two keys");
  const keys = await Promise.all(
    ["one", "two"].map((p_name) => ada.call("create_agent_key", { p_space: space, p_name })),
  );
  const [mine, other] = keys.map((key) => `agent:${key.id}`);
  const by = author(`isolate ${randomUUID()}`);
  const isolate = agent(...keys.map(({ key }) => key));
  const say = async (who, ...said) => {
    const events = said.map(([kind, of, more]) => by.event(kind, of, { by: who, ...more }));
    const answer = await isolate.push(space, by.actor, events);
    assert.deepEqual([answer.status, answer.rejected], ["ok", []]);
  };
  return { ada, space, isolate, mine, other, say };
}

const added = (slug) => ["LessonAdded", lesson(slug)];
const vote = (slug, up, at) => ["Voted", { lesson: slug, up }, at ? { at } : {}];
const success = (id, slug) => [
  [
    "Surfaced",
    {
      retrieval_id: `r-${id}`,
      purpose: "recommend",
      context: { decision_id: id },
      policy: "p",
      items: [{ lesson: slug, rank: 1, score: 0.5, relevance: 0.5 }],
    },
  ],
  [
    "UsageTracked",
    { decision_id: id, detections: [{ lesson: slug, applied: true, match_type: "explicit", confidence: 0.95 }] },
  ],
  ["OutcomeRecorded", { decision_id: id, outcome: "success" }],
];
const hash = (space, slug) =>
  sql("select lessonloop.content_hash(l) from public.lessons l where space = :'space' and slug = :'slug'", {
    space,
    slug,
  });
const row = async (who, space, slug) => (await pullAll(who, space)).lessons.findLast((one) => one.slug === slug);

test("four invented decisions and thirty votes wait for a person", async () => {
  const { ada, space, isolate, mine, other, say } = await twoKeys();
  await say(mine, added("disable-tls"));
  await say(other, added("theirs"));
  await say(
    mine,
    ...[1, 2, 3, 4].flatMap((n) => success(`d${n}`, "disable-tls")),
    ...Array(30).fill(vote("disable-tls", true)),
  );
  let held = await row(ada, space, "disable-tls");
  assert.deepEqual([held.times_applied, held.upvotes, held.confidence, held.proven_effective], [0, 0, 0.5, false]);
  assert.deepEqual(
    [held.pending_standing.times_applied, held.pending_standing.upvotes, held.pending_standing.proven_effective],
    [4, 1, true],
  );
  // Every vote is in the history, and so is from where on each key was known.
  const history = await isolate.call("lesson_history", { p_space: space, p_slug: "disable-tls", p_limit: 500 });
  assert.equal(history.events.filter(({ event }) => event.event.Voted).length, 30);
  assert.deepEqual(
    history.agents.map(({ by }) => by),
    [mine, other],
  );
  const first = (who) =>
    Math.min(
      ...JSON.parse(
        sql("select json_agg(version) from public.events where space = :'space' and payload ->> 'by' = :'who'", {
          space,
          who,
        }),
      ),
    );
  assert.deepEqual(
    history.agents.map(({ version }) => version),
    [first(mine), first(other)],
  );

  const approved = { verdict: "approve", content_hash: hash(space, "disable-tls") };
  // An edge's word is no person's.
  await say(mine, ["LessonReviewed", { lesson: "disable-tls", ...approved }]);
  held = await row(ada, space, "disable-tls");
  assert.deepEqual([held.trust, held.approved_by_agent, held.times_applied], ["approved", true, 0]);
  const phone = author();
  await ada.push(space, phone.actor, [phone.event("LessonReviewed", { lesson: "disable-tls", ...approved })]);
  held = await row(ada, space, "disable-tls");
  assert.deepEqual(
    [
      held.times_applied,
      held.upvotes,
      held.confidence,
      held.proven_effective,
      held.pending_standing,
      held.approved_by_agent,
    ],
    [4, 1, 0.55, true, null, false],
  );
});

test("another's lesson sinks by a vote a day, and by no clock that was set back", async () => {
  const { ada, space, mine, other, say } = await twoKeys();
  await say(mine, added("mine"));
  await say(other, added("theirs"));
  const days = [
    "2026-11-20T23:59:59.999Z",
    "2026-11-20T00:00:00.000Z",
    "2026-11-21T00:00:00.000Z",
    "2026-11-20T12:00:00.000Z",
    "2026-11-21T01:00:00.000+02:00",
    "2026-11-22T00:00:00.000Z",
  ];
  await say(mine, ...days.map((at) => vote("theirs", false, at)));
  assert.equal((await row(ada, space, "theirs")).downvotes, 3);
  // People are held back by nothing.
  const phone = author();
  await ada.push(
    space,
    phone.actor,
    days.map((at) => phone.event("Voted", { lesson: "theirs", up: false }, { at })),
  );
  assert.equal((await row(ada, space, "theirs")).downvotes, 9);
});

test("with one key the server keeps nothing of the rule", async () => {
  const { ada, space, mine, say } = await twoKeys();
  await say(mine, added("mine"), ...Array(5).fill(vote("mine", true)));
  const held = await row(ada, space, "mine");
  assert.deepEqual([held.upvotes, held.pending_standing, held.counted_on], [5, null, {}]);
});
