// The edge: one space by its token's claims, keys by their hash, and nothing that is a person's to do.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { author, client, edge, kinds, lesson, pullAll, sql, token, user } from "./stack.mjs";

const now = () => Math.floor(Date.now() / 1000);
const hashOf = (key) => createHash("sha256").update(key).digest("hex");

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

test("an edge reads and writes in its space as a member does", async () => {
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

test("what an edge pushes is the space's own: no member and no other edge goes on as its actor", async () => {
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
    create_agent_key: { p_space: of, p_name: "n" },
    list_agent_keys: { p_space: of },
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
  // A space that is gone is not there for its own edge either.
  const { status, body } = await edge(random).rpc("push_events", {
    p_space: random,
    p_ledger_version: 1,
    p_actor: "a",
    p_events: [],
  });
  assert.deepEqual([status, body.code], [404, "PT404"]);
});

test("an edge manages no spaces, members or keys, and sees none of them", async () => {
  const made = await ada.call("create_agent_key", { p_space: space, p_name: "held" });
  for (const one of [edge(space), edge()]) {
    for (const [name, args, code] of /** @type {any[][]} */ ([
      ["create_space", { name: "mine" }, "PT403"],
      ["create_agent_key", { p_space: space, p_name: "n" }, "PT404"],
      ["list_agent_keys", { p_space: space }, "PT404"],
      ["revoke_agent_key", { p_key: made.id }, "PT404"],
      ["delete_space", { p_space: space, p_name: "Ada's" }, "PT403"],
      ["list_members", { p_space: space }, "PT404"],
      ["invite_member", { p_space: space, p_name: "n" }, "PT404"],
      ["revoke_invite", { p_space: space, p_invite: randomUUID() }, "PT404"],
      ["accept_invite", { p_code: "c" }, "PT403"],
      ["change_member", { p_space: space, p_user: ada.id, p_name: "n" }, "PT404"],
      ["remove_member", { p_space: space, p_user: ada.id }, "PT404"],
    ])) {
      const { status, body } = await one.rpc(name, args);
      assert.deepEqual([String(status), body.code], [code.slice(2), code], name);
    }
    for (const table of ["members", "agent_keys?select=id", "actors"]) {
      assert.deepEqual((await one.get(`/${table}`)).body, [], table);
    }
  }
  const listed = await ada.call("list_agent_keys", { p_space: space });
  assert.deepEqual(
    listed.map((key) => [key.id, key.revoked_at]),
    [[made.id, null]],
  );
  // Whatever function a later file adds: the tables say no.
  const claims = JSON.stringify({ sub: space, lessonloop: "edge", lessonloop_space: space });
  for (const statement of [
    `insert into spaces (name) values ('x')`,
    `insert into members (space, user_id) select space, user_id from members limit 1`,
    `delete from members`,
    `update agent_keys set revoked_at = now()`,
    `update spaces set name = 'x'`,
    `delete from spaces`,
  ]) {
    assert.throws(
      () => sql(`begin; select set_config('request.jwt.claims', :'claims', true); ${statement}; rollback;`, { claims }),
      /an edge can't manage spaces, members or keys/,
      statement,
    );
  }
});

test("nobody is an edge by what they may set of their account, or by half of the claims", async () => {
  const mine = { sub: ben.id, role: "authenticated", aud: "authenticated", exp: now() + 300 };
  const claim = { lessonloop: "edge", lessonloop_space: space };
  for (const [what, claims] of /** @type {any[][]} */ ([
    ["user_metadata", { ...mine, user_metadata: claim }],
    ["app_metadata", { ...mine, app_metadata: claim }],
    ["both, with the space as name", { ...mine, user_metadata: { ...claim, sub: space }, app_metadata: claim }],
    ["a space alone", { ...mine, lessonloop_space: space }],
    ["another kind", { ...mine, ...claim, lessonloop: "Edge" }],
    ["a kind that is no text", { ...mine, ...claim, lessonloop: ["edge"] }],
    ["under a person's name", { ...mine, ...claim }],
    ["a space that is no text", { ...mine, ...claim, sub: space, lessonloop_space: [space] }],
    ["in capitals", { ...mine, ...claim, sub: space.toUpperCase(), lessonloop_space: space.toUpperCase() }],
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
  // A person's spaces are not an edge's, whatever the name on its token.
  const named = client(token({ ...mine, ...claim }));
  assert.deepEqual((await named.get("/spaces")).body, []);
  // An edge's token ends as every other does, and counts only with the project's secret.
  for (const one of [
    edge(space, { exp: now() - 60 }),
    client(token({ ...mine, ...claim, sub: space }, { secret: "x".repeat(64) })),
    client(token({ ...mine, ...claim, sub: space }, { alg: "none" })),
  ]) {
    assert.equal((await one.rpc("pull_changes", { p_space: space, p_ledger_version: 1 })).status, 401);
  }
});

test("a key is found by its hash, by edges only, as long as it is in force", async () => {
  const made = await ada.call("create_agent_key", { p_space: space, p_name: "builder" });
  const look = edge();
  const p_hash = hashOf(made.key);
  const found = await look.call("agent_key_space", { p_hash });
  assert.deepEqual(found, { id: made.id, name: "builder", space, space_name: "Ada's" });

  const usedAt = () => sql("select last_used_at from agent_keys where id = :'id'", { id: made.id });
  const first = usedAt();
  assert.notEqual(first, "");
  await look.call("agent_key_space", { p_hash });
  assert.equal(usedAt(), first, "once a minute");
  sql("update agent_keys set last_used_at = now() - interval '2 minutes' where id = :'id'", { id: made.id });
  await look.call("agent_key_space", { p_hash });
  assert(usedAt() >= first);

  const unknown = await look.rpc("agent_key_space", { p_hash: hashOf("llk_unknown") });
  await ada.call("revoke_agent_key", { p_key: made.id });
  const revoked = await look.rpc("agent_key_space", { p_hash });
  assert.deepEqual([revoked.status, revoked.body], [200, null]);
  assert.deepEqual([unknown.status, unknown.body], [200, null]);

  for (const bad of [
    null,
    "",
    "0".repeat(63),
    "0".repeat(65),
    p_hash.toUpperCase(),
    `${p_hash}\n`,
    made.key,
    "g".repeat(64),
    "' or 1=1 --",
  ]) {
    const { status, body } = await look.rpc("agent_key_space", { p_hash: bad });
    assert.deepEqual([status, body.code], [400, "PT400"], JSON.stringify(bad));
    assert.match(body.message, /^p_hash /);
  }
  for (const who of [
    ada,
    client(token({ sub: ada.id, role: "authenticated", exp: now() + 300, user_metadata: { lessonloop: "edge" } })),
  ]) {
    const { status, body } = await who.rpc("agent_key_space", { p_hash });
    assert.deepEqual([status, body.code], [403, "PT403"]);
  }
});
