// Rights to see and to do: tenants apart, nothing for anonymous callers, no writing round the functions.
// Alone: it changes policies.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { createClient } from "@supabase/supabase-js";
import { CALLS, FOR_AGENTS, SPACELESS, TABLES } from "./calls.mjs";
import { author, client, env, key, lesson, sql, token, url, user } from "./stack.mjs";

// Everything in the exposed schema that would let rows out; one line each.
const AUDIT = `
  select 'table without row-level security: ' || c.relname from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
  union all
  select 'view without security_invoker: ' || c.relname from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm')
    and not coalesce('security_invoker=true' = any (c.reloptions) or 'security_invoker=on' = any (c.reloptions), false)
  union all
  select 'function that anon may run: ' || p.proname from pg_proc p
  where p.pronamespace = 'public'::regnamespace and has_function_privilege('anon', p.oid, 'execute')
    and p.proname not in (${FOR_AGENTS.map((name) => `'${name}'`).join()})
  union all
  select 'function that anon may run and people may not: ' || p.proname from pg_proc p
  where p.pronamespace = 'lessonloop'::regnamespace and has_function_privilege('anon', p.oid, 'execute')
    and not has_function_privilege('authenticated', p.oid, 'execute')
  union all
  select 'definer function without an empty search_path: ' || p.proname from pg_proc p
  where p.pronamespace in ('public'::regnamespace, 'lessonloop'::regnamespace)
    and p.prosecdef and not coalesce('search_path=""' = any (p.proconfig), false)
  union all
  select 'table that may be written directly: ' || c.relname || ' by ' || r.rolname from pg_class c, pg_roles r
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and r.rolname in ('anon', 'authenticated')
    and has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate')
  union all
  select 'table that anon may read: ' || c.relname from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and has_any_column_privilege('anon', c.oid, 'select') and not exists (
    select from pg_policy p where p.polrelid = c.oid and 'anon'::regrole = any (p.polroles) and p.polcmd = 'r')
  order by 1`;

let ada, ben, space;
before(async () => {
  [ada, ben] = [user(), user()];
  space = await ada.space("Ada's");
  const by = author("phone");
  await ada.push(space, "phone", [
    by.event("LessonAdded", lesson("warning-x")),
    by.event("Surfaced", {
      retrieval_id: "r",
      purpose: "recommend",
      context: { decision_id: "d" },
      items: [{ lesson: "warning-x", rank: 1, score: 0.5, relevance: 0.5 }],
      policy: "p",
    }),
    by.event("UsageTracked", {
      decision_id: "d",
      detections: [{ lesson: "warning-x", applied: true, match_type: "explicit", confidence: 1 }],
    }),
    by.event("OutcomeRecorded", { decision_id: "d", outcome: "success" }),
    by.event("FeedbackGiven", { outcome: "delivered", lessons: ["warning-x"], causal: [] }),
    by.event("ToolSucceeded", { query: "deploy", server: "vercel" }),
    by.event("PolicyChanged", { changes: { "tools.core_servers": ["git"] } }),
    by.event("Rated", { lesson: "nowhere", helpful: true }),
  ]);
  const { embedded_hash } = (await ada.get("/lessons?select=embedded_hash")).body[0];
  const stored = await ada.call("put_embeddings", {
    p_space: space,
    p_model: "m",
    p_rows: [{ slug: "warning-x", content_hash: embedded_hash, embedding: Array(384).fill(1) }],
  });
  assert.deepEqual(stored, { stored: 1, stale: [], unknown: [] });
  await ada.call("create_agent_key", { p_space: space, p_name: "agent" });
});

test("nothing is exposed, and the audit would see it if it were", () => {
  assert.equal(sql(AUDIT), "");
  const planted = sql(`begin;
    create table public.leak (x int);
    create view public.peek as select * from public.lessons;
    create function public.door() returns int language sql security definer as 'select 1';
    grant execute on function public.door() to anon;
    grant update on public.lessons to authenticated;
    grant select on public.members to anon, public;
    alter policy members_read on public.members to authenticated;
    ${AUDIT};
    rollback;`);
  assert.deepEqual(planted.split("\n"), [
    "definer function without an empty search_path: door",
    "function that anon may run: door",
    "table that anon may read: members",
    "table that may be written directly: lessons by authenticated",
    "table without row-level security: leak",
    "view without security_invoker: peek",
  ]);
});

test("a member sees every table's rows of the own space, another user none of them", async () => {
  assert(TABLES.length >= 16);
  for (const table of TABLES) {
    const path = table === "agent_keys" ? "/agent_keys?select=id,name" : `/${table}`;
    const mine = await ada.get(path);
    assert.equal(mine.status, 200, table);
    assert(mine.body.length > 0, `${table} is empty: it would prove nothing`);
    const others = await ben.get(path);
    assert.deepEqual([others.status, others.body], [200, []], table);
  }
});

test("another's space is not told from one that does not exist", async () => {
  const random = randomUUID();
  for (const name of Object.keys(CALLS(space)).filter((name) => !SPACELESS.includes(name))) {
    const [others, none] = [await ben.rpc(name, CALLS(space)[name]), await ben.rpc(name, CALLS(random)[name])];
    assert.deepEqual([others.status, others.body], [none.status, none.body], name);
    assert.deepEqual(
      [none.status, name === "match_lessons" ? none.body : none.body.code],
      name === "match_lessons" ? [200, []] : [404, "PT404"],
      name,
    );
  }
  const [held] = await ada.call("list_agent_keys", { p_space: space });
  const tries = [
    await ben.rpc("revoke_agent_key", { p_key: held.id }),
    await ben.rpc("revoke_agent_key", { p_key: random }),
  ];
  assert.deepEqual([tries[0].status, tries[0].body], [404, tries[1].body]);
  assert.equal((await ada.call("list_agent_keys", { p_space: space }))[0].revoked_at, null);
});

test("no table is written directly, and no row moves to another space", async () => {
  const mine = await ben.space("Ben's");
  for (const table of TABLES) {
    const column = table === "spaces" ? "id" : "space";
    for (const [who, method, path, body] of [
      [ada, "POST", `/${table}`, { [column]: space }],
      [ada, "PATCH", `/${table}?${column}=eq.${space}`, { [column]: mine }],
      [ben, "PATCH", `/${table}?${column}=eq.${space}`, { [column]: mine }],
      [ada, "DELETE", `/${table}?${column}=eq.${space}`],
    ]) {
      const answer = await who.request(method, `/rest/v1${path}`, body);
      assert.deepEqual([answer.status, answer.body.code], [403, "42501"], `${method} ${path}`);
    }
  }
});

test("pushing as another's actor, or events of another actor, is refused", async () => {
  const both = await ada.space("both");
  sql("insert into members (space, user_id) values (:'space', :'id')", { space: both, id: ben.id });
  const by = author("ada's phone");
  const added = by.event("LessonAdded", lesson("warning-x"));
  assert.equal((await ada.push(both, by.actor, [added])).acked_seq, 1);
  const forged = by.event("Rated", { lesson: "warning-x", helpful: false });
  for (const [actor, events] of /** @type {any[][]} */ ([
    [by.actor, [forged]],
    [by.actor, []],
    ["ben's phone", [{ ...forged, seq: 1 }]],
  ])) {
    const { status, body } = await ben.rpc("push_events", {
      p_space: both,
      p_ledger_version: 1,
      p_actor: actor,
      p_events: events,
    });
    assert.deepEqual([status, body.code], [403, "PT403"], actor);
  }
  const page = await ben.pull(both);
  assert.equal(page.lessons[0].times_not_helpful, 0);
  assert.deepEqual(page.acked_seq, {}, "nothing was pushed, and Ada's actors are not his");
});

test("tokens that are expired, forged, unsigned or cut are refused", async () => {
  const claims = { sub: ada.id, role: "authenticated", aud: "authenticated", exp: Math.floor(Date.now() / 1000) + 600 };
  assert.equal((await client(token(claims)).pull(space)).lessons.length, 1);
  const good = token(claims);
  for (const [what, bad] of [
    ["expired", token({ ...claims, exp: claims.exp - 3600 })],
    ["not yet valid", token({ ...claims, nbf: claims.exp })],
    ["unsigned", token(claims, { alg: "none" })],
    ["of another secret", token(claims, { secret: "x".repeat(64) })],
    [
      "of another key",
      token(claims, { key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }) }),
    ],
    ["cut", good.slice(0, -5)],
    ["long", good + "A".repeat(5000)],
  ]) {
    const { status } = await client(bad).rpc("pull_changes", { p_space: space, p_ledger_version: 1 });
    assert.equal(status, 401, what);
  }
  // A project that has not taken its legacy secret out of use.
  const legacy = client(token(claims, { secret: env("LESSONLOOP_STACK_SECRET") }));
  assert.equal((await legacy.pull(space)).lessons.length, 1);
  // A role that the caller chose: the secret's holder alone signs roles, and this one is not the gateway's to take.
  const { status } = await client(token({ ...claims, role: "supabase_admin" })).rpc("pull_changes", {
    p_space: space,
    p_ledger_version: 1,
  });
  assert(status >= 400);
});

test("the stand-in signs in, refreshes once, and signs out", async () => {
  const nobody = client();
  const [email, password] = [env("LESSONLOOP_STACK_EMAIL"), env("LESSONLOOP_STACK_PASSWORD")];
  const grant = (type, body, more = "") => nobody.request("POST", `/auth/v1/token?grant_type=${type}${more}`, body);
  assert.equal((await grant("password", { email, password: "wrong" })).body.error_code, "invalid_credentials");
  const first = await grant("password", { email, password }, "&expires_in=-60");
  assert.equal(first.status, 200);
  assert.equal(
    (await client(first.body.access_token).rpc("create_space", { name: "n" })).status,
    401,
    "it has expired",
  );
  assert.equal(
    (await client(first.body.refresh_token).rpc("create_space", { name: "n" })).status,
    401,
    "it opens nothing",
  );
  const second = await grant("refresh_token", { refresh_token: first.body.refresh_token });
  assert.equal((await client(second.body.access_token).rpc("create_space", { name: "n" })).status, 200);
  assert.equal((await grant("refresh_token", { refresh_token: first.body.refresh_token })).status, 400, "it was used");
  const who = (bearer) => client(bearer).request("GET", "/auth/v1/user");
  const me = await who(second.body.access_token);
  assert.deepEqual([me.status, me.body.email, me.body.role], [200, email, "authenticated"]);
  assert.deepEqual(me.body, second.body.user);
  for (const [bearer, status, code] of [
    [undefined, 401, "no_authorization"],
    [first.body.access_token, 403, "bad_jwt"],
    [second.body.refresh_token, 403, "bad_jwt"],
    [ada.bearer, 403, "user_not_found"],
  ]) {
    const { status: got, body } = await who(bearer);
    assert.deepEqual([got, body.error_code], [status, code]);
  }
  const posted = await client(second.body.access_token).request("POST", "/auth/v1/user");
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
  assert.equal((await client(second.body.access_token).request("POST", "/auth/v1/logout")).status, 204);
  assert.equal((await who(second.body.access_token)).body.error_code, "session_not_found", "signed out");
  assert.equal((await grant("refresh_token", { refresh_token: second.body.refresh_token })).status, 400, "signed out");
});

test("supabase-js signs in, knows who it is, calls and signs out", async () => {
  const [email, password] = [env("LESSONLOOP_STACK_EMAIL"), env("LESSONLOOP_STACK_PASSWORD")];
  const supabase = createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    // Nothing here is sent as it happens, and Node 20 has no WebSocket.
    realtime: { transport: /** @type {any} */ (class {}) },
  });
  assert.equal((await supabase.auth.getUser()).data.user, null, "nobody yet");
  const signed = await supabase.auth.signInWithPassword({ email, password });
  assert.equal(signed.error, null);
  const { data, error } = await supabase.auth.getUser();
  assert.deepEqual([error, data.user.id, data.user.email], [null, signed.data.user.id, email]);
  const made = await supabase.rpc("create_space", { name: "by supabase-js" });
  assert.equal(made.error, null);
  const { data: mine } = await supabase.from("spaces").select("name").eq("id", made.data);
  assert.deepEqual(mine, [{ name: "by supabase-js" }]);
  const forged = await supabase.from("lessons").delete().eq("space", made.data);
  assert.equal(forged.status, 403, "tables are written by functions only");
  const { access_token } = signed.data.session;
  assert.equal((await supabase.auth.signOut()).error, null);
  assert.equal((await supabase.auth.getUser(access_token)).error.name, "AuthSessionMissingError");
});

test("the gateway wants the key, and answers to this machine's pages only", async () => {
  for (const [headers, message] of /** @type {any[][]} */ ([
    [{}, "No API key found in request"],
    [{ apikey: "of another project" }, "Invalid API key"],
  ])) {
    const response = await fetch(`${url}/rest/v1/lessons`, { headers });
    assert.deepEqual([response.status, (await response.json()).message], [401, message]);
  }
  const preflight = (origin) =>
    fetch(`${url}/rest/v1/lessons`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-headers": "apikey" },
    });
  const answer = await preflight("http://127.0.0.1:8787");
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get("access-control-allow-origin"), "http://127.0.0.1:8787");
  assert.equal(answer.headers.get("access-control-allow-headers"), "apikey");
  for (const origin of ["https://evil.example", "null", "http://localhost:1.evil.example"]) {
    const answer = await preflight(origin);
    assert.deepEqual([answer.status, answer.headers.get("access-control-allow-origin")], [403, null], origin);
  }
});

test("an agent's key is shown once and kept as a hash; revoking it is final", async () => {
  const made = await ada.call("create_agent_key", { p_space: space, p_name: "builder" });
  assert.match(made.key, /^llk_[0-9a-f]{72}$/);
  const [whole, checked, check] = made.key.match(/^(.{68})(.{8})$/);
  assert.equal(check, createHash("sha256").update(checked).digest("hex").slice(0, 8), whole);
  const other = await ada.call("create_agent_key", { p_space: space, p_name: "builder" });
  assert.notEqual(other.key, made.key);
  const listed = (await ada.call("list_agent_keys", { p_space: space })).find((one) => one.id === made.id);
  assert.deepEqual(Object.keys(listed).sort(), ["created_at", "id", "last_used_at", "name", "revoked_at"]);
  assert.equal((await ada.get("/agent_keys?select=key_hash")).status, 403);
  assert.equal(
    sql("select key_hash = sha256(convert_to(:'key', 'UTF8')) from agent_keys where id = :'id'", {
      key: made.key,
      id: made.id,
    }),
    "t",
  );
  assert.equal(await ada.call("revoke_agent_key", { p_key: made.id }), true);
  assert.equal(await ada.call("revoke_agent_key", { p_key: made.id }), false);
  for (const p_name of ["", " ", "x".repeat(101), null]) {
    assert.equal((await ada.rpc("create_agent_key", { p_space: space, p_name })).status, 400, p_name);
  }
});
