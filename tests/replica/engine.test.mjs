// Two and three devices on one space of the real server: everything converges, nothing is lost or counted twice.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { test } from "node:test";
import { env, key, sql, url, user } from "../stack/stack.mjs";
import { EMAIL, device } from "./engine.mjs";

const lesson = (slug, more = {}) => ({ slug, title: `About ${slug}`, recommendation: `Do ${slug}.`, ...more });

/** A space with two devices on it, and some lessons. */
async function pair(slugs = ["a", "b", "c"]) {
  const one = await device();
  const space = await one.create();
  for (const slug of slugs) await one.post("/v1/lessons", lesson(slug));
  await one.sync();
  const two = await device();
  await two.connect({ space });
  await two.sync();
  return { one, two, space };
}

test("connecting names the field that is wrong, and leaves the store as it was", async () => {
  const it = await device();
  await it.post("/v1/lessons", lesson("mine"));
  const html = createServer((_, response) => response.end("<!doctype html><title>Sign in to the hotel</title>"));
  await new Promise((done) => html.listen(0, "127.0.0.1", done));
  const { port } = html.address();
  const password = env("LESSONLOOP_STACK_PASSWORD");
  const fields = { url, key, email: EMAIL, password };
  for (const [change, status, field, words] of /** @type {any[][]} */ ([
    [{ url: "" }, 400, "url", /https:\/\//],
    [{ url: "abc.supabase.co" }, 400, "url", /begin with https/],
    [{ url: "http://abc.supabase.co" }, 400, "url", /not encrypted/],
    [{ url: "javascript://x" }, 400, "url", /https/],
    [{ url: "https://user:pass@abc.supabase.co" }, 400, "url", /host/],
    [{ url: "http://127.0.0.1:9" }, 503, "url", /can't be reached/],
    [{ url: `http://127.0.0.1:${port}` }, 503, "url", /web page/],
    [{ key: "" }, 400, "key", /empty/],
    [{ key: "not the key\r\nx: y" }, 400, "key", /characters/],
    [{ key: "eyJhbGciOiJIUzI1NiJ9.e30.wrong" }, 400, "key", /not this project's/],
    [{ email: "" }, 400, "email", /./],
    [{ password: "" }, 400, "password", /empty/],
    [{ password: "wrong" }, 401, "password", /wrong/],
    [{ space: "00000000-0000-4000-8000-000000000000" }, 404, "space", /no member/],
    [{ space: "x", create: "y" }, 400, "create", /not both/],
    [{ create: " " }, 400, "create", /./],
  ])) {
    const { status: got, body } = await it.send("POST", "/v1/sync/connect", { ...fields, ...change });
    assert.deepEqual([got, body.error?.field], [status, field], JSON.stringify([change, body]));
    assert.match(body.error.message, words);
    assert.ok(!JSON.stringify(body).includes(password), "a password in an answer");
  }
  html.close();
  assert.equal((await it.status()).phase, "off");
  assert.equal((await it.get("/v1/lessons/mine")).title, "About mine");
});

test("what was here before goes to the space, what is there comes here, and nothing counts twice", async () => {
  const { one, space } = await pair(["a", "shared"]);
  const late = await device();
  await late.post("/v1/lessons", lesson("own-lesson"));
  // The same lesson, and another one under the same name.
  await late.post("/v1/lessons", lesson("shared"));
  await late.post("/v1/lessons", lesson("a", { title: "Another a" }));
  await late.post("/v1/rate", { lesson: "own-lesson", helpful: true });
  await late.post("/v1/rate", { lesson: "shared", helpful: true });
  const choice = await late.connect();
  assert.equal(choice.connected, false);
  assert.ok(
    choice.spaces.some(({ id, name }) => id === space && name === "A space"),
    JSON.stringify(choice),
  );
  await late.connect({ space });
  await late.sync();
  await one.sync();
  assert.deepEqual(await late.shown(), await one.shown());
  const held = await one.get("/v1/lessons/shared");
  assert.equal(held.standing.times_helpful, 1);
  assert.equal((await one.get("/v1/lessons/a")).title, "About a", "the server's stays");
  // Only what differs is worth a person's time.
  const aside = await late.get("/v1/sync/set-aside");
  assert.deepEqual([aside.conflicts.length, aside.others.map(({ subject }) => subject)], [0, ["a"]]);
  assert.match(aside.others[0].reason, /already/);
  const left = await late.post("/v1/sync/settle", { ids: [aside.others[0].id], keep: "theirs" });
  assert.deepEqual(left, { conflicts: [], others: [] });
});

test("the whole loop on one device is the same on the other, decisions and health too", async () => {
  const { one, two } = await pair(["row-level-security", "tenant-isolation", "cache-keys"]);
  for (const [decision, outcome] of [
    ["d1", "profit"],
    ["d2", "loss"],
    ["d3", "profit"],
  ]) {
    const { recommended } = await one.post("/v1/recommend", { query: "row level security", decision_id: decision });
    const [first] = recommended.map(({ slug }) => slug);
    await one.post("/v1/track", { decision_id: decision, reasoning: `I am applying '${first}' here.` });
    await one.post("/v1/outcome", { decision_id: decision, outcome, pnl_percent: outcome === "profit" ? 2.5 : -1 });
    await one.post("/v1/feedback", { lessons: [first], causal: [first], outcome: "delivered" });
  }
  await one.post("/v1/tools/success", { query: "find a file", server: "files" });
  await one.post("/v1/vote", { lesson: "cache-keys", up: true });
  await one.post("/v1/lessons/cache-keys/archive");
  await one.sync();
  await two.sync();
  const shown = await two.shown();
  assert.deepEqual(shown, await one.shown());
  // The other two lessons have nothing to do with the query.
  assert.deepEqual(shown.funnel, { surfaced: 3, applied: 3, outcome: 3, success: 2 });
  assert.equal(shown.feedback_last_7_days, 3);
  const { servers } = await two.post("/v1/tools/suggest", { query: "find the file" });
  assert.equal(servers[0].server, "files");
  // The other device goes on where this one stopped.
  const again = await two.send("POST", "/v1/outcome", { decision_id: "d1", outcome: "loss" });
  assert.equal(again.status, 409, "a settled outcome stays");
});

test("both offline for a while, both write: every count is right, and a late edit is a person's to decide", async () => {
  const { one, two, space } = await pair();
  await one.post("/v1/rate", { lesson: "a", helpful: true });
  await one.post("/v1/rate", { lesson: "a", helpful: true });
  await two.post("/v1/rate", { lesson: "a", helpful: true });
  await two.post("/v1/rate", { lesson: "a", helpful: false });
  await one.patch("/v1/lessons/b", { base_rev: 1, recommendation: "One's words." });
  await two.patch("/v1/lessons/b", { base_rev: 1, recommendation: "Two's words.", title: "Two's title" });
  await one.post("/v1/lessons/c/archive");
  await two.patch("/v1/lessons/c", { base_rev: 1, recommendation: "Edited while it was archived." });
  // One's own writes are seen at once.
  assert.equal((await one.get("/v1/lessons/a")).standing.times_helpful, 2);
  await one.sync();
  await two.sync();
  await one.sync();
  assert.deepEqual(await one.shown(), await two.shown());
  const { standing } = await one.get("/v1/lessons/a");
  assert.deepEqual([standing.times_helpful, standing.times_not_helpful], [3, 1]);
  assert.equal((await two.get("/v1/lessons/b")).recommendation, "One's words.");
  const archived = await two.get("/v1/lessons/c");
  assert.deepEqual([archived.archived, archived.recommendation], [true, "Edited while it was archived."]);

  const status = await two.status();
  assert.equal(status.conflicts, 1);
  const { conflicts } = await two.get("/v1/sync/set-aside");
  assert.equal(conflicts[0].slug, "b");
  assert.deepEqual(conflicts[0].fields, [
    { name: "title", theirs: "About b", mine: "Two's title" },
    { name: "recommendation", theirs: "One's words.", mine: "Two's words." },
  ]);
  await two.post("/v1/sync/settle", { ids: [conflicts[0].id], keep: "mine" });
  assert.equal((await two.status()).conflicts, 0);
  await two.sync();
  await one.sync();
  assert.equal((await one.get("/v1/lessons/b")).title, "Two's title");
  assert.deepEqual(await one.shown(), await two.shown());
  assert.equal(sql("select count(*) from rejected_events where space = :'space'", { space }), "1");
});

test("history and the whole ledger come from the server, with what was not sent yet behind", async () => {
  const { one, two } = await pair();
  await one.post("/v1/rate", { lesson: "a", helpful: true });
  await one.post("/v1/recommend", { query: "about a", decision_id: "d" });
  await one.post("/v1/outcome", { decision_id: "d", outcome: "profit" });
  await one.post("/v1/track", { decision_id: "d", reasoning: "I am applying 'a' now." });
  await one.post("/v1/lessons/merge", { into: "a", from: ["b"] });
  await one.sync();
  await two.sync();
  await two.post("/v1/vote", { lesson: "a", up: true });
  const { events } = await two.get("/v1/lessons/a/history");
  assert.deepEqual(
    events.map(({ event }) => event),
    ["LessonAdded", "Rated", "Surfaced", "UsageTracked", "LessonsMerged", "Voted"],
  );
  assert.deepEqual(events.at(-1).after, (await two.get("/v1/lessons/a")).standing);
  const merged = await two.get("/v1/lessons/b/history");
  assert.equal(merged.events.at(-1).summary, "Merged into a");

  await two.sync();
  const ledger = await two.get("/v1/export?format=jsonl");
  const copy = await device();
  const imported = await copy.post("/v1/import", { files: [{ path: "ledger.jsonl", content: ledger }] });
  assert.deepEqual(imported.rejected, []);
  assert.deepEqual(await copy.shown(), await two.shown());
  // The other way round would count twice.
  const refused = await two.post("/v1/import", { files: [{ path: "ledger.jsonl", content: ledger }] });
  assert.deepEqual(
    refused.rejected.map(({ code, path }) => [code, path]),
    [["linked", "ledger.jsonl"]],
  );
});

test("signing out warns of what is not sent, removes all that is here, and nothing on the server", async () => {
  const { one, two } = await pair();
  await one.post("/v1/rate", { lesson: "a", helpful: true });
  const warned = await one.send("POST", "/v1/sync/sign-out", {});
  assert.deepEqual([warned.status, warned.body.error.field], [409, "discard_unsent"]);
  assert.match(warned.body.error.message, /^1 events? /);
  await one.sync();
  const off = await one.post("/v1/sync/sign-out", {});
  assert.equal(off.phase, "off");
  assert.deepEqual((await one.shown()).lessons, []);
  await two.sync();
  assert.equal((await two.get("/v1/lessons/a")).standing.times_helpful, 1);
  // Somebody else may use the browser now.
  await one.post("/v1/lessons", lesson("fresh"));
  assert.equal((await one.get("/v1/lessons/fresh")).slug, "fresh");
});

test("keys of agents are the server's; those of another space are as if there were none", async () => {
  const it = await device();
  assert.equal((await it.send("GET", "/v1/agent-keys")).status, 409);
  const space = await it.create();
  assert.deepEqual(await it.get("/v1/agent-keys"), { keys: [] });
  const made = await it.post("/v1/agent-keys", { name: "builder" });
  assert.equal(
    sql("select key_hash = sha256(convert_to(:'key', 'UTF8')) from agent_keys where id = :'id'", {
      key: made.key,
      id: made.id,
    }),
    "t",
  );
  const [listed] = (await it.get("/v1/agent-keys")).keys;
  assert.deepEqual([listed.id, listed.name, listed.last_used_at, listed.revoked_at], [made.id, "builder", null, null]);

  const stranger = user();
  const theirs = await stranger.call("create_agent_key", { p_space: await stranger.space(), p_name: "theirs" });
  const refusals = [];
  for (const id of [theirs.id, randomUUID()]) {
    const { status, body } = await it.send("POST", `/v1/agent-keys/${id}/revoke`);
    refusals.push([status, body.error.code, body.error.field, body.error.message.replace(id, "ID")]);
  }
  assert.deepEqual(refusals[0].slice(0, 3), [404, "not_found", "id"]);
  assert.deepEqual(refusals[0], refusals[1]);

  assert.deepEqual(await it.post(`/v1/agent-keys/${made.id}/revoke`), { revoked: true });
  assert.deepEqual(await it.post(`/v1/agent-keys/${made.id}/revoke`), { revoked: false });
  assert.ok((await it.get("/v1/agent-keys")).keys[0].revoked_at);
  sql("delete from members where space = :'space'", { space });
  const out = await it.send("GET", "/v1/agent-keys");
  assert.deepEqual([out.status, out.body.error.code], [404, "not_found"]);
});

test("a clock that is a year off changes no order and no sign-in", async () => {
  const { one, two } = await pair();
  const year = 365 * 86_400_000;
  const early = await device({ now: () => Date.now() - year });
  await early.connect({ space: (await one.status()).space_id });
  await early.sync();
  await early.patch("/v1/lessons/a", { base_rev: 1, title: "From last year" });
  await early.post("/v1/rate", { lesson: "a", helpful: true });
  await early.sync();
  await two.patch("/v1/lessons/a", { base_rev: 1, title: "Too late" });
  await two.sync();
  await early.sync();
  assert.equal((await two.get("/v1/lessons/a")).title, "From last year");
  assert.equal((await two.status()).conflicts, 1);
  // A lift is told as of the reader's own day, as it fades towards what is believed of a lesson that nobody has seen.
  const stored = async (device) =>
    (await device.shown()).lessons.map(({ lift, ...more }) => ({ ...more, learned: [lift.at, lift.runs] }));
  assert.deepEqual(await stored(early), await stored(two));
});

test("a member who is put out of a space is told so, and keeps what is here", async () => {
  const { two, space } = await pair();
  sql("delete from members where space = :'space'", { space });
  await two.round();
  const status = await two.status();
  assert.equal(status.phase, "blocked");
  assert.match(status.message, /no member/);
  assert.equal((await two.get("/v1/lessons/a")).title, "About a");
  await two.post("/v1/rate", { lesson: "a", helpful: true });
  assert.equal((await two.status()).unsent, 1);
  assert.ok(user, "others can still be made");
});
