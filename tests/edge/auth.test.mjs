// Callers that may ask: the lines on auth of the list of attacks.
// Alone: it holds times.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { after, test } from "node:test";
import { env, key as publishable, sql, token, url } from "../stack/stack.mjs";
import { agent, clocked, dist, edge, raw, refused, space, until } from "./edge.mjs";
import { between } from "./faults.mjs";

const proxy = await between(url);
after(() => proxy.end());
const it = await edge({ at: proxy.url });
const home = await space();
const { key, id } = await home.agent("auth agent");
const me = agent(it, key);
/** A key with its checksum, and one that is made up. */
const checked = (random) => random + createHash("sha256").update(random).digest("hex").slice(0, 8);
const made = () => checked(`llk_${randomBytes(32).toString("hex")}`);
const ASK = ["POST", "/v1/recommend", { query: "security" }];

function unauthorized(answer) {
  refused(answer, 401, "unauthorized");
  assert.match(answer.headers.get("www-authenticate"), /^Bearer\b/);
}

test("1: without a token, or with another scheme, there is 401 and how to ask", async () => {
  const nobody = agent(it);
  for (const [method, path, body] of [
    ASK,
    ["GET", "/v1/stats"],
    ["GET", "/v1/nothing"],
    ["POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }],
  ]) {
    unauthorized(await nobody.send(method, path, body));
  }
  for (const authorization of [
    "",
    "Bearer",
    "Bearer ",
    `Basic ${Buffer.from(`x:${key}`).toString("base64")}`,
    key,
    `Token ${key}`,
  ]) {
    unauthorized(await nobody.send(...ASK, { authorization }));
  }
});

test("2: a token that is wrong, cut, too long or of another kind gets the same answer", async () => {
  const wrong = [
    `llk_${randomBytes(32).toString("hex")}`,
    made(),
    `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`,
    key.slice(0, -1),
    `${key}0`,
    key.toUpperCase(),
    key.slice(4),
    `llk_${"a".repeat(100_000 - 4)}`.slice(0, 7_000),
    "llk_",
    publishable,
    createHash("sha256").update(key).digest("hex"),
  ];
  const texts = new Set();
  for (const bearer of wrong) {
    const answer = await agent(it, bearer).send(...ASK);
    unauthorized(answer);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1, "what is wrong with it is not told");
});

test("2: a near miss takes no longer than a far one", async () => {
  const flip = (at) => {
    const letters = [...key.slice(0, 68)];
    letters[at] = letters[at] === "0" ? "1" : "0";
    return checked(letters.join(""));
  };
  const time = async (bearer) => {
    const begun = performance.now();
    assert.equal((await agent(it, bearer).send(...ASK)).status, 401);
    return performance.now() - begun;
  };
  const near = [];
  const far = [];
  // Each once only: answers about keys are remembered for a while.
  for (let at = 0; at < 40; at += 1) {
    near.push(await time(flip(4 + 63 - (at % 60))));
    far.push(await time(made()));
  }
  const median = (times) => times.sort((a, b) => a - b)[times.length / 2];
  const [one, other] = [median(near), median(far)];
  assert.ok(Math.abs(one - other) < Math.max(3, 0.5 * other), `${one.toFixed(2)} ms against ${other.toFixed(2)} ms`);
});

test("3: a token in the address is refused, and nothing of it is logged or sent on", async () => {
  for (const name of ["token", "access_token", "key", "api_key", "apikey", "authorization"]) {
    unauthorized(await agent(it).send("POST", `/v1/recommend?${name}=${key}`, { query: "security" }));
    unauthorized(await me.send("POST", `/v1/recommend?${name}=${key}`, { query: "security" }));
  }
  unauthorized(await agent(it).send("POST", `/mcp?token=${key}`, { jsonrpc: "2.0", id: 1, method: "ping" }));
  assert.ok(!it.logged().includes(key), it.logged());
});

test("4: tokens of the server's own kind open nothing here, whoever signed them", async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    role: "authenticated",
    aud: "authenticated",
    sub: home.id,
    lessonloop: "edge",
    lessonloop_space: home.id,
  };
  for (const bearer of [
    token({ ...claims, exp: now - 10 }),
    token({ ...claims, nbf: now + 1000, exp: now + 2000 }),
    token({ ...claims, exp: now + 1000 }, { alg: "none" }),
    token({ ...claims, exp: now + 1000 }, { alg: "RS256" }),
    token({ ...claims, exp: now + 1000 }, { secret: publishable }),
    token({ ...claims, exp: now + 1000 }),
    home.who.bearer,
  ]) {
    unauthorized(await agent(it, bearer).send(...ASK));
  }
});

test("4: and those that were not signed with the project's key open nothing on the server", async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { role: "authenticated", aud: "authenticated", sub: home.who.id };
  for (const [bearer, status] of [
    [token({ ...claims, exp: now + 1000 }), 200],
    [token({ ...claims, exp: now - 100 }), 401],
    [token({ ...claims, nbf: now + 1000, exp: now + 2000 }), 401],
    [token({ ...claims, exp: now + 1000 }, { alg: "none" }), 401],
    [token({ ...claims, exp: now + 1000 }, { secret: publishable }), 401],
    // A token that an edge function signed before: a space's name opens nothing.
    [token({ ...claims, sub: home.id, lessonloop: "edge", lessonloop_space: home.id, exp: now + 1000 }), 404],
  ]) {
    const answer = await fetch(`${url}/rest/v1/rpc/pull_changes`, {
      method: "POST",
      headers: { apikey: publishable, authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      body: JSON.stringify({ p_space: home.id, p_ledger_version: 1 }),
    });
    assert.equal(answer.status, status, await answer.text());
  }
});

test("6: upstream go the agent's key in its header and the publishable key, and nothing else that opens anything", async () => {
  const decision_id = randomUUID();
  proxy.seen.length = 0;
  await me.post("/v1/recommend", { query: "row level security", decision_id });
  await me.post("/v1/track", { decision_id, reasoning: "I am applying 'row-level-security'." });
  await me.post("/v1/rate", { lesson: "row-level-security", helpful: true });
  assert.ok(proxy.seen.length >= 2, "nothing was sent");
  for (const { url: path, headers, body } of proxy.seen) {
    assert.equal(headers["x-lessonloop-key"], key, path);
    assert.equal(headers.apikey, publishable);
    assert.equal(headers.authorization, undefined, path);
    const { "x-lessonloop-key": _, ...others } = headers;
    const all = JSON.stringify([path, others, body]);
    assert.ok(!all.includes(key) && !all.includes("service_role"), path);
  }
  assert.ok(!it.logged().includes(key), it.logged());
});

test("6: nothing that is built names the role that may do everything, or holds a secret", () => {
  const files = [
    "edge/worker.js",
    "edge/headers.js",
    "edge/wrangler.toml",
    "engine/lessonloop.js",
    "engine/lessonloop_relaxed.js",
    "engine/lessonloop_bg.wasm",
    "engine/lessonloop_relaxed_bg.wasm",
  ];
  for (const file of files) {
    const bytes = readFileSync(join(dist, file));
    for (const word of [env("LESSONLOOP_STACK_SECRET"), publishable])
      assert.ok(!bytes.includes(word), `${file}: a secret`);
    // The module knows the word, to redact such keys in lessons.
    if (!file.endsWith(".wasm")) assert.ok(!bytes.includes("service_role"), file);
  }
});

test("5: a key that is revoked is refused within 60 seconds, and only that key", async () => {
  // Its clock is four times as fast: a quarter of a minute here is a minute there.
  const fast = await edge({ rewrite: (file, text) => (file === "edge/worker.js" ? clocked(text, 4) : text) });
  const [mine, other] = [await home.agent("revoked"), await home.agent("another")];
  const [me, they] = [agent(fast, mine.key), agent(fast, other.key)];
  await they.post("/v1/search", { query: "queue" });
  await me.post("/v1/search", { query: "queue" });
  assert.equal(await home.who.call("revoke_agent_key", { p_key: mine.id }), true);
  const begun = Date.now();
  await until(async () => (await me.send("POST", "/v1/search", { query: "queue" })).status === 401, {
    what: "the refusal",
  });
  assert.ok(Date.now() - begun <= 15_000);
  unauthorized(await me.rpc({ jsonrpc: "2.0", id: 1, method: "ping" }));
  await they.post("/v1/search", { query: "queue" });
});

test("a key's last use is noted", () => {
  const [used] = sql("select last_used_at is not null from agent_keys where id = :'id'", { id }).split("\n");
  assert.equal(used, "t");
});

test("several hosts, or several authorizations in one request, are refused", async () => {
  const twice = await raw(it.url, {
    path: "/v1/stats",
    headers: { authorization: [`Bearer ${key}`, `Bearer ${key}`] },
  });
  assert.equal(twice.status, 401, twice.text);
});
