// Spaces that no isolate holds: 10,000 to 1,000,000 lessons in the local stack, asked through the edge function in workerd.
// Run by `cargo xtask bench scale`; LESSONLOOP_SCALE_SIZES chooses the sizes, LESSONLOOP_SCALE_MODELLED for how many lessons
// the model makes vectors (10,000; the others' lie around those, with noise; 0 for none), LESSONLOOP_SCALE_REQUESTS how often
// is asked. The seeded writer is tests/benches/scale/corpus.mjs. Exact ranking of everything is that of a replica of
// the whole space in a workerd without the platform's bound of memory, for sizes up to 100,000.
// Alone: it kills the server.
import { availableParallelism } from "node:os";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { performance } from "node:perf_hooks";
import { METERED, agent, dist, edge, memory, stopAll, until } from "../edge/edge.mjs";
import { author, killServer, lesson, sql, user } from "../stack/stack.mjs";
import { quantile, table } from "./embed/stats.mjs";
import { DIMS, embedded, fill, record, situation } from "./scale/corpus.mjs";
import { simulate } from "./scale/isolates.mjs";

const SIZES = (process.env.LESSONLOOP_SCALE_SIZES ?? "10000,100000,1000000").split(",").map(Number);
const MODELLED = Number(process.env.LESSONLOOP_SCALE_MODELLED ?? "10000");
const REQUESTS = Number(process.env.LESSONLOOP_SCALE_REQUESTS ?? "200");
/** The largest space whose exact ranking is asked for. */
const EXACT_UP_TO = 100_000;
const COMPARED = Number(process.env.LESSONLOOP_SCALE_COMPARED ?? "60");
const BARS = { p50: 60, p95: 150, lost: 1, recall: 0.98, isolate: 110 };

const ms = (value) => value.toFixed(1);
const timed = async (work) => {
  const begun = performance.now();
  const given = await work();
  return [performance.now() - begun, given];
};

/** A busy machine loses a connection now and then: asked once more, as the answer says. */
const patient = async (work) => {
  try {
    return await work();
  } catch (error) {
    if (error.actual !== 503) throw error;
    return await work();
  }
};

/** Vectors of the first lessons, by the model that is shipped in an engine in Node, each as signed bytes. */
async function modelled(count) {
  if (count === 0) return { model: "scale", vectors: [] };
  const folder = join(dist, "engine");
  const glue = await import(pathToFileURL(join(folder, "lessonloop.js")).href);
  await glue.default({ module_or_path: readFileSync(join(folder, "lessonloop_bg.wasm")) });
  const engine = await glue.Engine.open({ store: { kind: "memory" } });
  const model = await engine.load_model(new Uint8Array(readFileSync(join(folder, "minilm.pack"))));
  const vectors = [];
  for (let from = 0; from < count; from += 100) {
    const texts = Array.from({ length: Math.min(100, count - from) }, (_, n) => embedded(record(from + n)));
    const numbers = engine.embed(texts);
    for (let n = 0; n < texts.length; n++) {
      const one = numbers.subarray(n * DIMS, (n + 1) * DIMS);
      const most = Math.max(...one.map(Math.abs));
      vectors.push(Buffer.from(Int8Array.from(one, (x) => Math.round((x / most) * 127)).buffer));
    }
  }
  engine.free();
  return { model, vectors };
}

/** Measures the time of a write on the server, median of 20, in ms: a new lesson, and a rating. */
async function writes(who, space) {
  const by = author();
  const times = { added: [], rated: [] };
  for (let n = 0; n < 20; n++) {
    const { slug: _, ...more } = record(5_000_000 + n);
    const slug = `written-${by.actor.slice(0, 8)}-${n}`;
    times.added.push((await timed(() => who.push(space, by.actor, [by.event("LessonAdded", lesson(slug, more))])))[0]);
    times.rated.push(
      (await timed(() => who.push(space, by.actor, [by.event("Rated", { lesson: slug, helpful: true })])))[0],
    );
  }
  return [quantile(times.added, 0.5), quantile(times.rated, 0.5)];
}

const TRIGGERS = ["words_added", "words_changed", "lessons_gone", "vectors_follow"];
const triggers = (state) => sql(TRIGGERS.map((name) => `alter table lessons ${state} trigger ${name};`).join("\n"));

const sizeOf = (name) => Number(sql(`select pg_total_relation_size('${name}') / 1e6`));
const gb = (mb) => `${(mb / 1000).toFixed(2)} GB`;

/** The first five with their scores, by an edge. */
async function fiveOf(me, query) {
  const { recommended, trace, semantic } = await patient(() =>
    me.post("/v1/recommend", { query, limit: 5, dry_run: true, explain: true, trace_part: { limit: 1 } }),
  );
  const scores = new Map(trace.map(({ slug, score }) => [slug, score]));
  return {
    slugs: recommended.map(({ slug }) => slug),
    scores: recommended.map(({ slug }) => scores.get(slug)),
    semantic,
  };
}

/** PostgreSQL's buffers: a quarter of the memory of a server that has such a space; its own default is 128 MB. */
const BUFFERS = "2GB";
sql(`alter system set shared_buffers = '${BUFFERS}'`);
killServer();
await until(
  () => {
    try {
      return sql("show shared_buffers") === BUFFERS;
    } catch {
      return false;
    }
  },
  { within: 60_000, what: "PostgreSQL with its buffers" },
);
console.log(
  `\nworkerd over the local stack, Node ${process.version}, ${availableParallelism()} cores, shared_buffers ${BUFFERS}; ${REQUESTS} requests each after a warm-up\n`,
);
const missed = [];
const mark = (what, value, is_good) => {
  if (!is_good) missed.push(`${what}: ${value}`);
  return is_good ? "" : " ✗";
};
const rows = [
  ["lessons", "ranking", "p50, ms", "p95, ms", "lost at the fifth", "recall@5", "isolate, MB", "stats, ms"],
];
const stores = [
  [
    "lessons",
    "writing, s",
    "index, s",
    "tables",
    "words",
    "vectors",
    "index",
    "new lesson before/after, ms",
    "rating before/after, ms",
    "deleting, s",
  ],
];
const { model, vectors } = await modelled(Math.min(MODELLED, Math.max(...SIZES)));
for (const count of SIZES) {
  const who = user();
  const id = await who.space(`scale ${count}`);
  const [writing] = await timed(() => fill(id, { to: count, model, modelled: vectors }));
  sql(
    ["lessons", "lesson_embeddings", "lessonloop.lesson_words", "lessonloop.vectors", "lessonloop.word_counts"]
      .map((name) => `vacuum (analyze) ${name};`)
      .join("\n"),
  );
  let indexing = null;
  if (count > Number(sql("select lessonloop.exact_up_to()"))) {
    [indexing] = await timed(() =>
      sql("set maintenance_work_mem = '1GB'; set statement_timeout = 0; select lessonloop.index_space(:'id')", { id }),
    );
  }
  triggers("disable");
  const before = await writes(who, id);
  triggers("enable");
  const after = await writes(who, id);
  const relation = sql("select coalesce((select relation from lessonloop.near_indexes where space = :'id'), '')", {
    id,
  });
  stores.push([
    String(count),
    (writing / 1000).toFixed(0),
    indexing === null ? "none" : (indexing / 1000).toFixed(0),
    gb(sizeOf("lessons") + sizeOf("lesson_embeddings")),
    gb(sizeOf("lessonloop.lesson_words") + sizeOf("lessonloop.word_counts")),
    gb(sizeOf("lessonloop.vectors")),
    relation ? gb(sizeOf(`lessonloop.${relation}`)) : "none",
    `${ms(before[0])} / ${ms(after[0])}`,
    `${ms(before[1])} / ${ms(after[1])}`,
  ]);

  const { key } = await who.call("create_agent_key", { p_space: id, p_name: "bench" });
  const it = await edge({ ...METERED, bindings: { REPLICA_BYTES: "0" } });
  const me = agent(it, key);
  // The model is waited for by the first requests.
  await until(
    async () =>
      vectors.length === 0 || (await me.post("/v1/recommend", { query: situation(0, count), dry_run: true })).semantic,
    {
      within: 60_000,
      what: "ranking by meaning",
    },
  );
  const times = [];
  for (let n = 0; n < REQUESTS + 20; n++) {
    const [time] = await patient(() => timed(() => me.post("/v1/recommend", { query: situation(n, count), limit: 5 })));
    if (n >= 20) times.push(time);
  }
  const counting = [];
  for (let n = 0; n < 5; n++) counting.push((await timed(() => me.get("/v1/stats")))[0]);
  const { isolate } = await memory(it);
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  let [lost, recall] = ["", ""];
  if (count <= EXACT_UP_TO) {
    const whole = agent(await edge({ bindings: { REPLICA_BYTES: "1000000000" } }), key);
    await until(
      async () => {
        const { semantic, candidates_of } = await whole.post("/v1/recommend", {
          query: situation(1, count),
          dry_run: true,
        });
        return candidates_of === undefined && (semantic || vectors.length === 0);
      },
      { within: 600_000, every: 1_000, what: "a replica of everything" },
    );
    const [losses, recalls] = [[], []];
    for (let n = 0; n < COMPARED; n++) {
      const query = situation(1_000 + n, count);
      const [some, all] = [await fiveOf(me, query), await fiveOf(whole, query)];
      const of = Math.min(5, all.slugs.length);
      recalls.push(all.slugs.filter((slug) => some.slugs.includes(slug)).length / of);
      losses.push(1 - (some.scores[of - 1] ?? 0) / all.scores[of - 1]);
    }
    const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
    lost = `${(mean(losses) * 100).toFixed(2)} %${mark(`lost with ${count}`, mean(losses), mean(losses) * 100 <= BARS.lost)}`;
    recall = `${mean(recalls).toFixed(3)}${mark(`recall@5 with ${count}`, mean(recalls), mean(recalls) >= BARS.recall)}`;
  }
  rows.push([
    String(count),
    vectors.length > 0 ? "meaning and words" : "words",
    ms(p50) + mark(`p50 with ${count}`, p50, p50 <= BARS.p50),
    ms(p95) + mark(`p95 with ${count}`, p95, p95 <= BARS.p95),
    lost,
    recall,
    isolate.toFixed(0) + mark(`isolate with ${count}`, isolate, isolate <= BARS.isolate),
    ms(quantile(counting, 0.5)),
  ]);
  // Printed at once: the steps below may fail after an hour's work.
  console.log(rows.at(-1).join("  "));
  await stopAll();
  // In pieces, as the app does it.
  const [deleting] = await timed(async () => {
    const asked = { p_space: id, p_name: `scale ${count}` };
    const { code } = await who.call("delete_space", asked);
    while ((await who.call("delete_space", { ...asked, p_code: code })).more);
  });
  stores.at(-1).push((deleting / 1000).toFixed(0));
}
console.log(table(rows));
console.log();
console.log(table(stores));
console.log("\nIsolates, spaces and refreshes, simulated: requests to the database a second\n");
console.log(table(simulate()));
if (missed.length > 0) console.log(`\nMissed:\n${missed.join("\n")}`);
