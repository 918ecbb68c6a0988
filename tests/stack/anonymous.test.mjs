// A caller without an agent's key that is in force sees nothing and does nothing: every table by every operation, and every
// function, as the catalogue has them.
// Alone: it holds whole tables to what they were.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { CALLS, FOR_AGENTS, FUNCTIONS, TABLES } from "./calls.mjs";
import { agent, author, client, edge, env, key, lesson, sql, user } from "./stack.mjs";

const unknown = () => `llk_${randomBytes(32).toString("hex")}`;
/** Those who are nobody, by what they send. @type {[string, ReturnType<typeof client>][]} */
const nobodies = [];
const keys = [];
let ada, space, good;

before(async () => {
  ada = user();
  space = await ada.space("Ada's");
  const by = author();
  await ada.push(space, by.actor, [by.event("LessonAdded", lesson("warning-x"))]);
  good = edge(space);
  const revoked = await ada.call("create_agent_key", { p_space: space, p_name: "revoked" });
  await agent(revoked.key).call("agent_key", {});
  await ada.call("revoke_agent_key", { p_key: revoked.id });
  const left = await ada.space("left");
  const gone = edge(left);
  const { code } = await ada.call("delete_space", { p_space: left, p_name: "left" });
  await ada.call("delete_space", { p_space: left, p_name: "left", p_code: code });
  const hash = sql("select encode(key_hash, 'hex') from agent_keys where space = :'space' limit 1", { space });
  const made = unknown();
  keys.push(revoked.key, gone.key, good.key, made);
  nobodies.push(
    ["no key", client()],
    ["an empty key", agent("")],
    ["an unknown key", agent(made)],
    ["a revoked key", agent(revoked.key)],
    ["the key of a space that is gone", agent(gone.key)],
    ["a key's hash", agent(hash)],
    ["a key without its last digit", agent(good.key.slice(0, -1))],
    ["a key in capitals", agent(good.key.toUpperCase())],
    ["a pattern", agent("llk_%", "*", "' or true --")],
    ["the publishable key", agent(key)],
    ["many keys, none in force", agent(...Array.from({ length: 40 }, unknown), revoked.key)],
    ["a key behind as many as are looked at", agent(...Array.from({ length: 32 }, unknown), good.key)],
    ["a key in another header", client(undefined, undefined, { "lessonloop-key": good.key, "x-lessonloop-key": "" })],
    [
      "claims of a header's making",
      client(undefined, undefined, { "request.jwt.claims": JSON.stringify({ sub: ada.id }) }),
    ],
  );
});

/** Every row of every table, in a word. */
const everything = () =>
  sql(`select format('select %2$L, md5(coalesce(string_agg(x::text, chr(10) order by x::text), %3$L)) from %1$I.%2$I x', n.nspname, c.relname, '')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'lessonloop') and c.relkind = 'r' order by 1 \\gexec`);

test("the catalogue has nothing that is not asked here", () => {
  assert.deepEqual(FUNCTIONS, Object.keys(CALLS(space)).sort(), "CALLS names every function of the API");
  assert(TABLES.length >= 16);
  assert.deepEqual(
    FUNCTIONS.filter((name) => FOR_AGENTS.includes(name)),
    FOR_AGENTS,
  );
});

test("every table by every operation", async () => {
  const before = everything();
  for (const [who, nobody] of nobodies) {
    for (const table of TABLES) {
      const column = table === "spaces" ? "id" : "space";
      for (const path of [`/${table}`, `/${table}?${column}=eq.${space}`]) {
        const { status, body } = await nobody.get(path);
        if (status === 200) assert.deepEqual(body, [], `${who}: GET ${path}`);
        else assert.deepEqual([status, body.code], [401, "42501"], `${who}: GET ${path}`);
      }
      for (const [method, path, body] of /** @type {any[][]} */ ([
        ["POST", `/${table}`, { [column]: space }],
        ["PATCH", `/${table}?${column}=eq.${space}`, { [column]: randomUUID() }],
        ["PUT", `/${table}?${column}=eq.${space}`, { [column]: space }],
        ["DELETE", `/${table}?${column}=eq.${space}`],
      ])) {
        const answer = await nobody.request(method, `/rest/v1${path}`, body);
        assert(answer.status >= 400 && answer.status < 500, `${who}: ${method} ${path}: ${answer.status}`);
      }
    }
  }
  assert.equal(everything(), before);
});

test("every function", async () => {
  const before = everything();
  for (const [who, nobody] of nobodies) {
    for (const name of FUNCTIONS) {
      const { status, body } = await nobody.rpc(name, CALLS(space)[name]);
      const place = `${who}: ${name}: ${status} ${JSON.stringify(body)}`;
      if (name === "agent_key") assert.deepEqual([status, body], [200, { schema_version: 1, agent: null }], place);
      else if (name === "match_lessons") assert.deepEqual([status, body], [200, []], place);
      else if (FOR_AGENTS.includes(name)) assert.deepEqual([status, body.code], [401, "PT401"], place);
      else assert.deepEqual([status, body.code], [401, "42501"], place);
    }
    // A schema that is not exposed stays so.
    const inner = await nobody.request("POST", "/rest/v1/rpc/agents", {}, { "content-profile": "lessonloop" });
    assert.equal(inner.status, 406, who);
  }
  assert.equal(everything(), before);
});

test("the same calls with a key in force are taken, so the ones above prove something", async () => {
  for (const name of FOR_AGENTS) {
    const { status } = await good.rpc(name, CALLS(space)[name]);
    assert.equal(status, 200, name);
  }
  assert.deepEqual((await good.get("/lessons?select=slug")).body, [{ slug: "warning-x" }]);
  for (const name of FUNCTIONS.filter((name) => !FOR_AGENTS.includes(name))) {
    const { status, body } = await good.rpc(name, CALLS(space)[name]);
    assert.deepEqual([status, body.code], [401, "42501"], name);
  }
});

test("a person's request is the person's, whatever key it carries", async () => {
  const ben = user();
  const both = client(ben.bearer, ben.id, { "x-lessonloop-key": good.key });
  const { status, body } = await both.rpc("pull_changes", CALLS(space).pull_changes);
  assert.deepEqual([status, body.code], [404, "PT404"]);
  assert.deepEqual((await both.get("/lessons")).body, []);
  assert.deepEqual((await both.call("agent_key", {})).agent, null);
});

test("a key is found by its hash in one index, however many there are", () => {
  const plan = sql(
    `begin;
    insert into public.agent_keys (space, name, key_hash)
      select :'space', 'k', sha256(convert_to(n::text, 'UTF8')) from generate_series(1, 5000) n;
    analyze public.agent_keys;
    explain (analyze, costs off, timing off, summary off) select k.id from public.agent_keys k
      where k.key_hash = any (array(select sha256(convert_to(:'key', 'UTF8')))) and k.revoked_at is null;
    rollback;`,
    { space, key: good.key },
  );
  assert.match(plan, /agent_keys_key_hash_key/);
  assert.doesNotMatch(plan, /Seq Scan/);
});

test("no key is in any log of the servers, nor in an answer", async () => {
  const bad = await good.rpc("pull_changes", { p_space: "not a uuid", p_ledger_version: 1 });
  assert(bad.status >= 400);
  assert(!JSON.stringify(bad.body).includes(good.key));
  const folder = dirname(env("LESSONLOOP_STACK_DATA"));
  const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
  assert(logs.length >= 2, logs.join());
  for (const name of logs) {
    const text = readFileSync(join(folder, name), "utf8");
    for (const one of keys) assert(!text.includes(one), `${name} holds a key`);
  }
});
