// Agents: one space by the key, and nothing that is a person's to do.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { agent, author, client, edge, kinds, lesson, pullAll, sql, token, user } from "./stack.mjs";

const now = () => Math.floor(Date.now() / 1000);

let ada, ben, space, foreign;
before(async () => {
  [ada, ben] = [user(), user()];
  [space, foreign] = [await ada.space("Ada's"), await ben.space("Ben's")];
  for (const [who, of] of [
    [ada, space],
    [ben, foreign],
  ]) {
    const by = author();
    await who.push(of, by.actor, [by.event("LessonAdded", lesson("warning-x"))]);
  }
});

test("an agent reads and writes in its space as a member does", async () => {
  const one = edge(space);
  const by = author("isolate");
  const pushed = await one.push(space, by.actor, [
    by.event("LessonAdded", lesson("of-an-agent")),
    by.event("Rated", { lesson: "warning-x", helpful: true }),
  ]);
  assert.deepEqual([pushed.status, pushed.acked_seq, pushed.rejected], ["ok", 2, []]);
  const [mine, members] = [await pullAll(one, space), await pullAll(ada, space)];
  assert.deepEqual(mine.lessons.map((row) => row.slug).sort(), ["of-an-agent", "warning-x"]);
  for (const name of [...kinds, "days", "cursor", "epoch"]) {
    assert.deepEqual(mine[name], members[name], name);
  }
  assert.deepEqual(mine.acked, {}, "isolates come and go: their number is not sent with every page");
  const history = await one.call("lesson_history", { p_space: space, p_slug: "warning-x" });
  assert.equal(history.events.length, 2);
  assert.equal((await one.get(`/events?select=version&space=eq.${space}`)).body.length, 3);
});

test("what agents push is the space's own: no member goes on as their actor, and another isolate does", async () => {
  const by = author("isolate-2");
  await edge(space).push(space, by.actor, [by.event("Rated", { lesson: "warning-x", helpful: true })]);
  assert.equal(sql("select user_id from actors where space = :'space' and id = 'isolate-2'", { space }), space);
  const events = [by.event("Rated", { lesson: "warning-x", helpful: true })];
  const { status, body } = await ada.rpc("push_events", {
    p_space: space,
    p_ledger_version: 1,
    p_actor: by.actor,
    p_events: events,
  });
  assert.deepEqual([status, body.code], [403, "PT403"]);
  // Nor does it as a member's.
  const phone = author("ada's phone");
  await ada.push(space, phone.actor, [phone.event("Rated", { lesson: "warning-x", helpful: true })]);
  const taken = await edge(space).rpc("push_events", {
    p_space: space,
    p_ledger_version: 1,
    p_actor: phone.actor,
    p_events: [],
  });
  assert.deepEqual([taken.status, taken.body.code], [403, "PT403"]);
});

test("another space is not told from one that does not exist", async () => {
  const one = edge(space);
  const random = randomUUID();
  const calls = (of) => ({
    push_events: { p_space: of, p_ledger_version: 1, p_actor: "a", p_events: [] },
    pull_changes: { p_space: of, p_ledger_version: 1 },
    lesson_history: { p_space: of, p_slug: "warning-x" },
    put_embeddings: { p_space: of, p_model: "m", p_rows: [] },
    pull_embeddings: { p_space: of, p_model: "m" },
  });
  for (const name of Object.keys(calls(foreign))) {
    const [others, none] = [await one.rpc(name, calls(foreign)[name]), await one.rpc(name, calls(random)[name])];
    assert.deepEqual([others.status, others.body], [none.status, none.body], name);
    assert.deepEqual([none.status, none.body.code], [404, "PT404"], name);
  }
  const query_embedding = Array(384).fill(1);
  assert.deepEqual(await one.call("match_lessons", { query_embedding, match_team_id: foreign }), []);
  for (const table of ["spaces", "lessons", "events", "lesson_embeddings", "recommendations", "rejected_events"]) {
    const column = table === "spaces" ? "id" : "space";
    assert.deepEqual((await one.get(`/${table}?${column}=eq.${foreign}`)).body, [], table);
  }
});

test("an agent manages no spaces, members or keys, and sees none of them", async () => {
  const made = await ada.call("create_agent_key", { p_space: space, p_name: "held" });
  const one = agent(made.key);
  for (const [name, args] of /** @type {any[][]} */ ([
    ["create_space", { name: "mine" }],
    ["create_agent_key", { p_space: space, p_name: "n" }],
    ["list_agent_keys", { p_space: space }],
    ["revoke_agent_key", { p_key: made.id }],
    ["delete_space", { p_space: space, p_name: "Ada's" }],
    ["list_members", { p_space: space }],
    ["invite_member", { p_space: space, p_name: "n" }],
    ["revoke_invite", { p_space: space, p_invite: randomUUID() }],
    ["accept_invite", { p_code: "c" }],
    ["change_member", { p_space: space, p_user: ada.id, p_name: "n" }],
    ["remove_member", { p_space: space, p_user: ada.id }],
  ])) {
    const { status, body } = await one.rpc(name, args);
    assert.deepEqual([status, body.code], [401, "42501"], name);
  }
  for (const table of ["members", "agent_keys?select=id"]) {
    assert.deepEqual((await one.get(`/${table}`)).body.code, "42501", table);
  }
  assert.deepEqual((await one.get("/actors")).body, []);
  const listed = await ada.call("list_agent_keys", { p_space: space });
  assert.deepEqual(
    listed.filter((key) => key.id === made.id).map((key) => key.revoked_at),
    [null],
  );
  // Whatever function a later file adds: the tables say no.
  const claims = JSON.stringify({ role: "anon" });
  const headers = JSON.stringify({ "x-lessonloop-key": made.key });
  for (const statement of [
    `insert into spaces (name) values ('x')`,
    `insert into members (space, user_id) select space, user_id from members limit 1`,
    `delete from members`,
    `update agent_keys set revoked_at = now()`,
    `update spaces set name = 'x'`,
    `delete from spaces`,
  ]) {
    assert.throws(
      () =>
        sql(
          `begin; select set_config('request.jwt.claims', :'claims', true), set_config('request.headers', :'headers', true); ${statement}; rollback;`,
          { claims, headers },
        ),
      /an agent can't manage spaces, members or keys/,
      statement,
    );
  }
});

test("nobody is an agent or another person by what they may set of their account", async () => {
  const mine = { sub: ben.id, role: "authenticated", aud: "authenticated", exp: now() + 300 };
  const claim = { lessonloop: "edge", lessonloop_space: space, "x-lessonloop-key": "llk_" };
  for (const [what, claims] of /** @type {any[][]} */ ([
    ["user_metadata", { ...mine, user_metadata: claim }],
    ["app_metadata", { ...mine, app_metadata: claim }],
    ["both, with the space as name", { ...mine, user_metadata: { ...claim, sub: space }, app_metadata: claim }],
    ["claims of before", { ...mine, ...claim, sub: space }],
    ["under a person's name", { ...mine, ...claim }],
  ])) {
    const who = client(token(claims));
    for (const [name, args] of [
      ["pull_changes", { p_space: space, p_ledger_version: 1 }],
      ["push_events", { p_space: space, p_ledger_version: 1, p_actor: "x", p_events: [] }],
      ["pull_embeddings", { p_space: space, p_model: "m" }],
    ]) {
      const { status, body } = await who.rpc(name, args);
      assert.deepEqual([status, body.code], [404, "PT404"], `${what}: ${name}`);
    }
    assert.deepEqual((await who.get(`/lessons?space=eq.${space}`)).body, [], what);
  }
});

test("a key tells its space as long as it is in force", async () => {
  const made = await ada.call("create_agent_key", { p_space: space, p_name: "builder" });
  const one = agent(made.key);
  const look = async () => (await one.call("agent_key", {})).agent;
  const { epoch } = await ada.pull(space);
  assert.deepEqual(await look(), { id: made.id, name: "builder", space, space_name: "Ada's", epoch });

  const usedAt = () => sql("select last_used_at from agent_keys where id = :'id'", { id: made.id });
  const first = usedAt();
  assert.notEqual(first, "");
  await look();
  assert.equal(usedAt(), first, "once a minute");
  sql("update agent_keys set last_used_at = now() - interval '2 minutes' where id = :'id'", { id: made.id });
  await look();
  assert(usedAt() >= first);

  await ada.call("revoke_agent_key", { p_key: made.id });
  assert.equal(await look(), null);
  // At once, and for all that is asked of the server itself.
  assert.equal((await one.rpc("pull_changes", { p_space: space, p_ledger_version: 1 })).status, 401);
});

test("several keys open what each of them opens, and those that are not in force open nothing", async () => {
  const [mine, theirs] = [edge(space).key, edge(foreign).key];
  const revoked = await ada.call("create_agent_key", { p_space: space, p_name: "r" });
  await ada.call("revoke_agent_key", { p_key: revoked.id });
  const opens = async (...keys) => {
    const seen = await agent(...keys).get("/spaces?select=id");
    return seen.body.map(({ id }) => id).sort();
  };
  assert.deepEqual(await opens(revoked.key, mine), [space]);
  assert.deepEqual(await opens(mine, theirs), [space, foreign].sort());
  assert.deepEqual(await opens(revoked.key), []);
});
