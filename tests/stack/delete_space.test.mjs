// Deleting a space: its owner, in two steps, with everything in it and nothing else.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { author, lesson, sql, user } from "./stack.mjs";

const TABLES = sql(`select string_agg(table_name, ',') from information_schema.columns
  where table_schema = 'public' and column_name = 'space'`).split(",");
const rowsOf = (space) =>
  TABLES.reduce(
    (sum, table) => sum + Number(sql(`select count(*) from ${table} where space = :'space'`, { space })),
    0,
  );

let ada, ben, space, other;
const filled = async (name) => {
  const made = await ada.space(name);
  const by = author();
  const answer = await ada.push(made, by.actor, [
    by.event("LessonAdded", lesson("a")),
    by.event("Surfaced", {
      retrieval_id: "r",
      purpose: "recommend",
      context: { decision_id: "d" },
      items: [{ lesson: "a", rank: 1, score: 1, relevance: 1 }],
      policy: "p",
    }),
    by.event("OutcomeRecorded", { decision_id: "d", outcome: "success" }),
    by.event("FeedbackGiven", { outcome: "delivered", lessons: ["a"], causal: [] }),
    by.event("ToolSucceeded", { query: "deploy", server: "vercel" }),
    by.event("PolicyChanged", { changes: { "tools.core_servers": ["git"] } }),
    by.event("Rated", { lesson: "nowhere", helpful: true }),
  ]);
  assert.equal(answer.rejected.length, 1);
  await ada.call("create_agent_key", { p_space: made, p_name: "agent" });
  return made;
};
const ask = (who, p_name, p_code) => who.rpc("delete_space", { p_space: space, p_name, ...(p_code ? { p_code } : {}) });

beforeEach(async () => {
  [ada, ben] = [user(), user()];
  space = await filled("Team A");
  other = await filled("Team A");
  sql("insert into members (space, user_id, joined_at) values (:'space', :'ben', now() + interval '1 second')", {
    space,
    ben: ben.id,
  });
});

test("two steps delete the space and all its rows, and no other's", async () => {
  const [before, others] = [rowsOf(space), rowsOf(other)];
  assert.ok(before > 12);
  const first = await ask(ada, "Team A");
  assert.equal(first.status, 200);
  const { code, expires_at, ...told } = first.body;
  assert.deepEqual(told, { deleted: false, lessons: 1, events: 6, members: 2, agent_keys: 1 });
  const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
  assert.ok(minutes > 9 && minutes <= 10.1, `${minutes} minutes`);
  assert.equal(rowsOf(space), before, "the first step changes nothing");
  assert.deepEqual((await ask(ada, "Team A", code)).body, { deleted: true });
  assert.deepEqual([rowsOf(space), rowsOf(other)], [0, others]);
  for (const name of ["pull_changes", "delete_space"]) {
    const { status, body } = await ada.rpc(name, {
      p_space: space,
      ...(name === "delete_space" ? { p_name: "Team A", p_code: code } : { p_ledger_version: 1 }),
    });
    assert.deepEqual([status, body.code], [404, "PT404"], name);
  }
});

test("the name has to be typed, and the code to be the last one, the caller's, and fresh", async () => {
  for (const name of ["", "team a", "Team A ", null]) {
    const { status, body } = await ask(ada, name);
    assert.deepEqual([status, body.code, body.details], [400, "PT400", "p_name"], String(name));
  }
  const { code } = (await ask(ada, "Team A")).body;
  assert.equal((await ask(ada, "Team B", code)).body.code, "PT400", "with the code, too");
  const { code: newer } = (await ask(ada, "Team A")).body;
  for (const wrong of [code, "0".repeat(64), newer.slice(1)]) {
    assert.equal((await ask(ada, "Team A", wrong)).body.code, "PT409", wrong);
  }
  const elsewhere = await ada.rpc("delete_space", { p_space: other, p_name: "Team A", p_code: newer });
  assert.equal(elsewhere.body.code, "PT409", "it is of one space");
  sql("update lessonloop.deletions set expires_at = now() - interval '1 second' where space = :'space'", { space });
  assert.equal((await ask(ada, "Team A", newer)).body.code, "PT409", "ten minutes are over");
  assert.ok(rowsOf(space) > 0);
});

test("another member can't, and codes can't be read", async () => {
  const refused = await ask(ben, "Team A");
  assert.deepEqual([refused.status, refused.body.code], [403, "PT403"]);
  const { code } = (await ask(ada, "Team A")).body;
  assert.equal((await ask(ben, "Team A", code)).status, 403);
  assert.equal(
    sql("select count(*) from lessonloop.deletions where code_hash = convert_to(:'code', 'UTF8')", { code }),
    "0",
  );
  assert.equal((await ada.get("/deletions")).status, 404);
  // The space's maker has left: the next member is its owner.
  sql("delete from members where space = :'space' and user_id = :'ada'", { space, ada: ada.id });
  assert.equal((await ask(ada, "Team A", code)).status, 404);
  const next = await ask(ben, "Team A");
  assert.equal((await ask(ben, "Team A", next.body.code)).body.deleted, true);
});
