// Spaces apart, and counts that only real events move: the lines on tenancy and counters of the list of attacks.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { key as publishable, url } from "../stack/stack.mjs";
import { agent, each, edge, refused, space } from "./edge.mjs";

const it = await edge();
const mine = await space({ name: "Mine", lessons: [{ slug: "mine-only", title: "Mine alone: rotate credentials" }] });
const theirs = await space({
  name: "Theirs",
  lessons: [{ slug: "theirs-only", title: "Theirs alone: rotate credentials" }],
});
const me = agent(it, (await mine.agent("one")).key);
const they = agent(it, (await theirs.agent("one")).key);

/** An answer without what is random in it, and with the names that were asked for taken out. */
const shape = ({ status, text }, ...names) =>
  `${status} ${names.reduce((all, name) => all.replaceAll(name, "NAME"), text)}`;

test("7: what is another space's gets the answer of what does not exist", async () => {
  const decision = randomUUID();
  await they.post("/v1/recommend", { query: "rotate credentials", decision_id: decision });
  const nowhere = randomUUID();
  for (const [method, path, body] of /** @type {any[][]} */ ([
    ["GET", (name) => `/v1/lessons/${name}`],
    ["GET", (name) => `/v1/lessons/${name}/history`],
    ["PATCH", (name) => `/v1/lessons/${name}`, () => ({ description: "x", base_rev: 1 })],
    ["POST", () => "/v1/rate", (name) => ({ lesson: name, helpful: true })],
    ["POST", () => "/v1/vote", (name) => ({ lesson: name, up: true })],
    ["POST", () => "/v1/feedback", (name) => ({ lessons: [name], outcome: "delivered" })],
  ])) {
    const answers = [];
    for (const name of ["theirs-only", "never-was-one"])
      answers.push(shape(await me.send(method, path(name), body?.(name)), name));
    assert.equal(answers[0], answers[1]);
    assert.match(answers[0], /^404 /);
  }
  for (const [path, body] of /** @type {any[][]} */ ([
    ["/v1/track", (decision_id) => ({ decision_id, reasoning: "I am applying 'theirs-only'." })],
    ["/v1/outcome", (decision_id) => ({ decision_id, outcome: "profit" })],
  ])) {
    const answers = [];
    for (const id of [decision, nowhere]) answers.push(shape(await me.send("POST", path, body(id)), id));
    assert.equal(answers[0], answers[1]);
  }
  // A space that is named in any other place is not looked at.
  for (const headers of [
    { "x-space": theirs.id },
    { "lessonloop-space": theirs.id },
    { cookie: `space=${theirs.id}` },
  ]) {
    const { results } = await me.post("/v1/search", { query: "rotate credentials" }, headers);
    assert.deepEqual(
      results.map(({ slug }) => slug),
      ["mine-only"],
    );
  }
  refused(await me.send("POST", "/v1/search", { query: "x", space: theirs.id }), 400, "invalid_request", "space");
  const listed = await me.send("GET", `/v1/lessons?space=${theirs.id}`);
  assert.ok(!listed.text.includes("theirs-only"), listed.text);
});

test("8: with the publishable key alone there is nothing to see and nothing to do", async () => {
  const nobody = agent(it, publishable);
  for (const [method, path, body] of [
    ["POST", "/v1/search", { query: "rotate" }],
    ["GET", "/v1/lessons"],
    ["POST", "/v1/lessons", { title: "x" }],
  ]) {
    refused(await nobody.send(method, path, body), 401, "unauthorized");
  }
  const answer = await fetch(`${url}/rest/v1/rpc/agent_key`, {
    method: "POST",
    headers: { apikey: publishable, "content-type": "application/json" },
    body: "{}",
  });
  assert.equal((await answer.json()).agent, null);
});

test("12: in one isolate, requests of two spaces at once see their own space only", async () => {
  await each(Array(400).fill(), 16, async (_, at) => {
    const [who, own, other] = at % 2 ? [me, "mine-only", "theirs-only"] : [they, "theirs-only", "mine-only"];
    const answer =
      at % 4 < 2
        ? await who.send("POST", "/v1/recommend", {
            query: "rotate credentials",
            decision_id: `d-${at % 8}`,
            explain: true,
          })
        : await who.send("GET", "/v1/lessons?limit=100");
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.text.includes(own) && !answer.text.includes(other), answer.text);
  });
  // The same decision id in both spaces is two decisions.
  await me.post("/v1/track", { decision_id: "d-1", reasoning: "I am applying 'mine-only'." });
  await me.post("/v1/outcome", { decision_id: "d-1", outcome: "profit" });
  assert.equal(theirs.counted("count(*) from (select * from recommendations where was_applied) r"), "0");
});

test("12: an answer to a repeated request is never another agent's", async () => {
  const headers = { "idempotency-key": "the same for both" };
  const one = await me.post("/v1/rate", { lesson: "credentials", helpful: true }, headers);
  const two = await they.post("/v1/rate", { lesson: "credentials", helpful: true }, headers);
  assert.deepEqual([one.slug, two.slug], ["mine-only", "theirs-only"]);
});

test("20: one request replayed 10,000 times counts once", async () => {
  const before = Number(mine.counted("times_helpful from (select * from lessons where slug = 'mine-only') l"));
  const headers = { "idempotency-key": randomUUID() };
  const statuses = new Set();
  await each(Array(10_000).fill(), 24, async () => {
    statuses.add((await me.send("POST", "/v1/rate", { lesson: "mine-only", helpful: true }, headers)).status);
  });
  assert.deepEqual([...statuses], [200]);
  assert.equal(
    Number(mine.counted("times_helpful from (select * from lessons where slug = 'mine-only') l")),
    before + 1,
  );
});

test("20: replayed in another isolate, it still counts once", async () => {
  const count = () => Number(mine.counted("times_helpful from (select * from lessons where slug = 'mine-only') l"));
  const before = count();
  const { key } = await mine.agent("replayer");
  const headers = { "idempotency-key": randomUUID() };
  for (const isolate of [it, await edge(), it]) {
    await agent(isolate, key).post("/v1/rate", { lesson: "mine-only", helpful: true }, headers);
  }
  assert.equal(count(), before + 1);
});

test("35: a key used again for something else is refused, here and elsewhere, and what was acknowledged is there", async () => {
  const { key } = await mine.agent("again");
  const headers = { "idempotency-key": "add-lesson-1" };
  const first = await agent(it, key).post("/v1/lessons", { title: "Pin the base image" }, headers);
  const elsewhere = await edge();
  for (const isolate of [it, elsewhere]) {
    const other = await agent(isolate, key).send("POST", "/v1/lessons", { title: "Bound every queue" }, headers);
    refused(other, 409, "conflict", "idempotency-key");
    const again = await agent(isolate, key).post("/v1/lessons", { title: "Pin the base image" }, headers);
    assert.equal(again.slug, first.slug);
  }
  assert.equal(
    mine.counted("count(*) from (select * from lessons where title in ('Pin the base image', 'Bound every queue')) l"),
    "1",
  );
});

test("42: a decision is the key's, whatever the keys are called, and the ledger says whose", async () => {
  const id = randomUUID();
  const decision_id = `a/b ${id}`;
  const [one, twin] = [await mine.agent("same name"), await mine.agent("same name")];
  await agent(it, one.key).post("/v1/recommend", { query: "rotate credentials", decision_id });
  refused(
    await agent(it, twin.key).send("POST", "/v1/outcome", { decision_id, outcome: "success" }),
    403,
    "forbidden",
    "decision_id",
  );
  await agent(it, one.key).post("/v1/outcome", { decision_id, outcome: "success" });
  const path = `/v1/decisions/${encodeURIComponent(decision_id)}`;
  const seen = await agent(it, one.key).get(path);
  assert.deepEqual([seen.id, seen.outcome, seen.by === seen.outcome_by], [decision_id, "success", true]);
  refused(await agent(it, twin.key).send("GET", path), 404, "not_found");
  const names = mine.counted(
    `string_agg(payload ->> 'by', ' ') from (select * from events where kind = 'OutcomeRecorded' and payload::text like '%${id}%') e`,
  );
  assert.equal(names, seen.by);
});

test("21: numbers that nobody could have are refused, and change nothing", async () => {
  const decision_id = randomUUID();
  await me.post("/v1/recommend", { query: "rotate credentials", decision_id });
  await me.post("/v1/track", { decision_id, reasoning: "I am applying 'mine-only'." });
  const before = mine.counted("count(*) from events");
  for (const pnl of ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", '"5"', "[]", "{}", "true"]) {
    const answer = await me.send(
      "POST",
      "/v1/outcome",
      `{"decision_id":"${decision_id}","outcome":"profit","pnl_percent":${pnl}}`,
    );
    refused(answer, 400, "invalid_request");
  }
  for (const [path, body] of [
    ["/v1/rate", { lesson: "mine-only", helpful: 100 }],
    ["/v1/rate", { lesson: "mine-only", helpful: true, times_helpful: 1000 }],
    ["/v1/vote", { lesson: "mine-only", up: -1 }],
    ["/v1/feedback", { lessons: ["mine-only"], outcome: "delivered", delta: 9 }],
    ["/v1/feedback", { lessons: Array(1001).fill("mine-only"), outcome: "delivered" }],
    ["/v1/lessons", { title: "Forged", standing: { effectiveness: 1 } }],
    ["/v1/lessons", { title: "Forged", trust: "approved" }],
    ["/v1/recommend", { query: "x", limit: -1 }],
    ["/v1/recommend", { query: "x", limit: 1.5 }],
  ]) {
    refused(await me.send("POST", path, body), 400, "invalid_request");
  }
  assert.equal(mine.counted("count(*) from events"), before);
});

test("22: what was not recommended to you is not yours to report", async () => {
  const other = agent(it, (await mine.agent("two")).key);
  const decision_id = randomUUID();
  await other.post("/v1/recommend", { query: "rotate credentials", decision_id });
  for (const [path, body] of [
    ["/v1/track", { decision_id, reasoning: "I am applying 'mine-only'." }],
    ["/v1/outcome", { decision_id, outcome: "profit" }],
    ["/v1/outcome", { decision_id: randomUUID(), outcome: "profit" }],
  ]) {
    refused(await me.send("POST", path, body), 403, "forbidden", "decision_id");
  }
  await other.post("/v1/outcome", { decision_id, outcome: "profit" });
});

test("41: where several keys write, an agent neither lifts its own lesson nor sinks another's by repeating itself", async () => {
  const shared = await space({
    name: "Two keys",
    lessons: [{ slug: "of-a-person", title: "Rotate credentials every quarter" }],
  });
  const [one, two] = [agent(it, (await shared.agent("one")).key), agent(it, (await shared.agent("two")).key)];
  const { slug } = await one.post("/v1/lessons", {
    title: "Disable TLS verification",
    recommendation: "Rotate credentials without it.",
  });
  await two.post("/v1/lessons", { title: "Bound every queue" });
  for (let time = 0; time < 5; time += 1) {
    const own = await one.post("/v1/vote", { lesson: slug, up: true });
    assert.deepEqual([own.counted, own.upvotes, own.confidence], [false, 0, 0.5]);
    const others = await one.post("/v1/rate", { lesson: "of-a-person", helpful: false });
    assert.deepEqual([others.counted, others.times_not_helpful], [time === 0, 1]);
  }
  const row = (name) =>
    shared.counted(`upvotes || ' ' || times_not_helpful from (select * from lessons where slug = '${name}') l`);
  assert.deepEqual([row(slug), row("of-a-person")], ["0 0", "0 1"]);
  assert.equal(shared.counted("count(*) from (select * from events where kind in ('Voted', 'Rated')) e"), "10");
  const { events, moved_by } = await two.get("/v1/lessons/of-a-person/history");
  assert.deepEqual(
    events.filter((one) => one.event === "Rated").map((one) => one.counted),
    [true, false, false, false, false],
  );
  assert.deepEqual(
    moved_by.map(({ moved, uncounted }) => [moved, uncounted]),
    [[1, 4]],
  );
});
