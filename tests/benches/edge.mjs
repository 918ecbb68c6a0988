// The edge function in workerd over the local stack, as an agent on the same machine meets it: one HTTP request after
// another for latencies, sixteen at once for throughput. Then a load while the server fails and comes back.
// Run by `cargo xtask bench edge`; LESSONLOOP_EDGE_SIZES chooses the sizes, such as `100,10000`. Takes some five minutes.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { device } from "../replica/engine.mjs";
import { sql, url } from "../stack/stack.mjs";
import { METERED, agent, dist, each, edge, memory, space, stopAll, until } from "../edge/edge.mjs";
import { between } from "../edge/faults.mjs";
import { quantile, table } from "./embed/stats.mjs";
import { record, words } from "./corpus.mjs";

const SIZES = (process.env.LESSONLOOP_EDGE_SIZES ?? "100,1000,10000").split(",").map(Number);
const REQUESTS = 300;
const AT_ONCE = 16;
const THROUGHPUT_MS = 4_000;
const COLD_STARTS = 5;
/** Time limit, in milliseconds, for the model and the vectors to be in the isolate. */
const VECTORS_MS = 120_000;
/** Texts that are really embedded. Each vector is given to many lessons: ranking is measured here, not embedding. */
const EMBEDDED = 300;
/** Targets that have to be reached with 10,000 lessons. */
const BARS = {
  "keywords p95": 10,
  "req/s": 300,
  "meaning p50": 15,
  "meaning p95": 40,
  cold: 300,
  "cold, with the model": 1_300,
  memory: 110,
};

/** As long as a real question: twelve words, each a token or two. */
const query = () => words(12);
const lessons = (count) => Array.from({ length: count }, (_, at) => record(at));

/** A space whose lessons an engine in Node has given their vectors. */
async function embedded() {
  const it = await device();
  const space = await it.create("bench texts");
  await it.post("/v1/import", { files: [{ path: "bench.json", content: JSON.stringify(lessons(EMBEDDED)) }] });
  await it.sync();
  await it.engine.load_model(new Uint8Array(readFileSync(join(dist, "engine/minilm.pack"))));
  await until(
    async () => {
      await it.engine.sync_round();
      return vectors(space) === EMBEDDED;
    },
    { within: VECTORS_MS, what: "the vectors from Node" },
  );
  it.engine.free();
  return space;
}

const vectors = (space) => Number(sql("select count(*) from lesson_embeddings where space = :'space'", { space }));

/** Gives the lessons of a space the vectors of another, in turn. */
const lend = (from, to) =>
  sql(
    `insert into lesson_embeddings (space, slug, model, content_hash, embedding, packed)
     select l.space, l.slug, e.model, l.embedded_hash, e.embedding, e.packed
     from (select *, row_number() over (order by slug) - 1 as n from lessons where space = :'to') l
     join (select *, row_number() over (order by slug) - 1 as n, count(*) over () as many from lesson_embeddings where space = :'from') e
       on e.n = l.n % e.many`,
    { from, to },
  );

/** A folder of assets without the model. */
const bare = mkdtempSync(join(tmpdir(), "lessonloop-bench-"));
cpSync(join(dist, "index.html"), join(bare, "index.html"));

/** Requests over kept connections, by the plain client: what is measured is the edge, not `fetch`. */
function client(edge, key) {
  const pool = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const { hostname, port } = new URL(edge.url);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return (path, body) =>
    new Promise((done, fail) => {
      const asked = request({ agent: pool, hostname, port, method: "POST", path, headers }, async (answer) => {
        const text = Buffer.concat(await answer.toArray()).toString();
        if (answer.statusCode === 200) done(text);
        else fail(new Error(`${path}: ${answer.statusCode} ${text}`));
      });
      asked.on("error", fail);
      asked.end(JSON.stringify(body));
    });
}

async function latencies(ask, path, body) {
  for (let time = 0; time < 30; time += 1) await ask(path, body());
  const times = [];
  for (let time = 0; time < REQUESTS; time += 1) {
    const begun = performance.now();
    await ask(path, body());
    times.push(performance.now() - begun);
  }
  return times;
}

async function throughput(ask, path, body) {
  const end = performance.now() + THROUGHPUT_MS;
  let count = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() < end) {
        await ask(path, body());
        count += 1;
      }
    }),
  );
  return (count / THROUGHPUT_MS) * 1000;
}

const ms = (value) => value.toFixed(value < 10 ? 2 : 1);
/** Median, p95 and the middle half. */
const shown = (times) => [
  ms(quantile(times, 0.5)),
  ms(quantile(times, 0.95)),
  `${ms(quantile(times, 0.25))}–${ms(quantile(times, 0.75))}`,
];
const recommend = () => ({ query: query() });
const search = () => ({ query: query(), limit: 10 });

const missed = [];
/** A value, with a mark where a bar is missed; bars are for the largest size. */
function held(count, what, value, { least = false } = {}) {
  const bar = BARS[what];
  if (count < 10_000 || (least ? value >= bar : value <= bar)) return "";
  missed.push(`${what} with ${count} lessons: ${ms(value)}, the bar is ${bar}`);
  return " ✗";
}

/** Cold isolates' first answers, in ms. */
async function colds(key, more) {
  const times = [];
  let by_meaning = 0;
  for (let time = 0; time < COLD_STARTS; time += 1) {
    const it = await edge({ assets: bare, ...more });
    const begun = performance.now();
    const { semantic } = await agent(it, key).post("/v1/recommend", recommend());
    times.push(performance.now() - begun);
    by_meaning += semantic ? 1 : 0;
    await it.stop();
  }
  return { times, by_meaning };
}

const firsts = (times) => `${ms(quantile(times, 0.5))} [${ms(Math.min(...times))}–${ms(Math.max(...times))}]`;

console.log(
  `\nworkerd over the local stack, Node ${process.version}, ${availableParallelism()} cores; ms, ${REQUESTS} requests each after a warm-up\n`,
);
const rows = [["lessons", "request", "ranking", "p50", "p95", "middle half", "req/s"]];
const memories = [
  [
    "lessons",
    "cold, kept",
    "cold, nothing kept",
    "cold, kept, with the model",
    "by meaning",
    "isolate, MB",
    "with model and vectors, MB",
    "process, MB",
    "vectors after, s",
  ],
];
const texts = await embedded();
for (const count of SIZES) {
  const home = await space({ name: `bench ${count}`, lessons: lessons(count) });
  lend(texts, home.id);
  const { key } = await home.agent("bench");
  const kept = mkdtempSync(join(tmpdir(), "lessonloop-kept-"));

  const plain = await edge({ assets: bare, kept, ...METERED });
  const ask = client(plain, key);
  for (const [path, body] of [
    ["/v1/recommend", recommend],
    ["/v1/search", search],
  ]) {
    const times = await latencies(ask, path, body);
    const rate = await throughput(ask, path, body);
    const marks =
      path === "/v1/recommend"
        ? [held(count, "keywords p95", quantile(times, 0.95)), held(count, "req/s", rate, { least: true })]
        : ["", ""];
    const [p50, p95, middle] = shown(times);
    rows.push([String(count), path, "keywords", p50, p95 + marks[0], middle, rate.toFixed(0) + marks[1]]);
  }
  const some = await memory(plain);
  await plain.stop();

  const port = Number(new URL(plain.url).port);
  const nothing = await colds(key, {});
  const first = await colds(key, { kept, port });
  const meant = await colds(key, { kept, port, assets: dist });
  rmSync(kept, { recursive: true, force: true });

  const full = await edge(METERED);
  const meaning = client(full, key);
  const begun = performance.now();
  await until(
    async () => {
      await meaning("/v1/recommend", recommend());
      const { model } = await agent(full, key).get("/v1/health");
      return model.loaded && model.pending === 0;
    },
    { within: VECTORS_MS, every: 50, what: "the vectors" },
  );
  const after = (performance.now() - begun) / 1000;
  for (const [path, body] of [
    ["/v1/recommend", recommend],
    ["/v1/search", search],
  ]) {
    const times = await latencies(meaning, path, body);
    const rate = await throughput(meaning, path, body);
    const marks =
      path === "/v1/recommend"
        ? [held(count, "meaning p50", quantile(times, 0.5)), held(count, "meaning p95", quantile(times, 0.95))]
        : ["", ""];
    const [p50, p95, middle] = shown(times);
    rows.push([String(count), path, "meaning", p50 + marks[0], p95 + marks[1], middle, rate.toFixed(0)]);
  }
  const all = await memory(full);
  await full.stop();
  memories.push([
    String(count),
    firsts(first.times) + held(count, "cold", quantile(first.times, 0.5)),
    firsts(nothing.times),
    firsts(meant.times) + held(count, "cold, with the model", quantile(meant.times, 0.5)),
    `${meant.by_meaning} of ${COLD_STARTS}`,
    some.isolate.toFixed(0),
    all.isolate.toFixed(0) + held(count, "memory", all.isolate),
    all.process.toFixed(0),
    after.toFixed(1),
  ]);
}
console.log(table(rows));
console.log(
  `\nFirst recommend of a cold isolate in ms, median [least–most] of ${COLD_STARTS}: when another one kept the space, and when none did; and with a model to wait for, how many of them were answered by meaning.`,
);
console.log(
  `The platform bounds the isolate, at 128 MB. The process has compiled code and garbage besides.\n${table(memories)}\n`,
);
console.log(
  `Bars for recommend with 10,000 lessons: ${Object.entries(BARS)
    .map(([what, bar]) => `${what} ${bar}`)
    .join(", ")}.`,
);
console.log(missed.length > 0 ? `Missed (✗):\n  ${missed.join("\n  ")}\n` : "None is missed.\n");

/** Agents that decide while the server fails and comes back: each write is repeated until it is answered as recorded. */
async function load({ agents = 6, decisions = 40 } = {}) {
  const proxy = await between(url);
  const home = await space({ name: "load", lessons: lessons(50) });
  const it = await edge({ at: proxy.url, assets: bare });
  const wanted = { outcomes: 0, feedback: 0, ratings: 0 };
  let repeats = 0;
  let asked = 0;
  let over = false;

  const failing = (async () => {
    const modes = ["pass", "down", "pass", "error", "pass", "lost", "pass", "html", "pass", "cut", "pass", "slow"];
    for (let at = 0; !over; at += 1) {
      proxy.mode = modes[at % modes.length];
      proxy.delay = 1_500;
      await new Promise((done) => setTimeout(done, proxy.mode === "pass" ? 700 : 500));
    }
    proxy.mode = "pass";
  })();

  /** A request that is repeated as long as the edge says to. */
  async function sure(me, path, body, key) {
    for (;;) {
      asked += 1;
      const answer = await me.send("POST", path, body, { "idempotency-key": key });
      if (answer.status === 200) return answer.body;
      if (answer.status !== 503) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      repeats += 1;
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  const begun = performance.now();
  const keys = [];
  for (let at = 0; at < agents; at += 1) keys.push((await home.agent(`load ${at}`)).key);
  await each(keys, agents, async (key, who) => {
    const me = agent(it, key);
    for (let at = 0; at < decisions; at += 1) {
      const decision_id = `d-${at}`;
      let slug;
      // Of some words no lesson is about: then others are asked for.
      for (let draw = 0; !slug; draw += 1) {
        const { recommended } = await sure(
          me,
          "/v1/recommend",
          { query: query(), decision_id },
          `${who}-${at}-recommend-${draw}`,
        );
        slug = recommended[0]?.slug;
      }
      await sure(me, "/v1/track", { decision_id, reasoning: `I am applying '${slug}'.` }, `${who}-${at}-track`);
      await sure(me, "/v1/outcome", { decision_id, outcome: "profit" }, `${who}-${at}-outcome`);
      wanted.outcomes += 1;
      await sure(me, "/v1/feedback", { lessons: [slug], causal: [], outcome: "delivered" }, `${who}-${at}-feedback`);
      wanted.feedback += 1;
      await sure(me, "/v1/rate", { lesson: slug, helpful: true }, `${who}-${at}-rate`);
      wanted.ratings += 1;
    }
  });
  over = true;
  await failing;
  const took = (performance.now() - begun) / 1000;
  await until(() => Number(home.counted("count(distinct decision_id) from recommendations")) >= agents * decisions, {
    what: "the tracking",
  });
  const kind = (name) =>
    Number(sql("select count(*) from events where space = :'space' and kind = :'name'", { space: home.id, name }));
  const found = /** @type {any[][]} */ ([
    ["what", "acknowledged", "on the server", "lost", "doubled"],
    ...[
      [
        "decisions recommended",
        agents * decisions,
        Number(home.counted("count(distinct decision_id) from recommendations")),
      ],
      ["outcomes", wanted.outcomes, kind("OutcomeRecorded")],
      ["feedback", wanted.feedback, kind("FeedbackGiven")],
      // A key's ratings of one lesson count once a day, so the standing does not tell how many came.
      ["ratings", wanted.ratings, kind("Rated")],
      ["uses in feedback", wanted.feedback, Number(home.counted("coalesce(sum(use_count), 0) from lessons"))],
    ].map((/** @type {any[]} */ [what, sent, there]) => [
      what,
      String(sent),
      String(there),
      String(Math.max(0, sent - there)),
      String(Math.max(0, there - sent)),
    ]),
  ]);
  console.log(
    `A load of ${agents} agents while the server fails half of the time: ${asked} requests in ${took.toFixed(1)} s, ${repeats} of them repeated.`,
  );
  console.log(table(found));
  if (found.slice(1).some(([, , , lost, doubled]) => lost !== "0" || doubled !== "0")) {
    console.log("something was lost or counted twice");
    process.exitCode = 1;
  }
  await it.stop();
  await proxy.end();
}

try {
  await load();
} finally {
  await stopAll();
  rmSync(bare, { recursive: true, force: true });
}
