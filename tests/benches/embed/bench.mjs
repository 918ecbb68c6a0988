// The embedding engine beside what a page would take instead: onnxruntime-web and transformers.js, in
// one headless Chromium, one thread each, taking turns. Run by `cargo xtask bench embed`.
//
// Prints a table; with --json, one line of JSON after it. A missed bar is printed, and is no failure;
// what could not be measured is.
import { readFileSync, realpathSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

import { serve } from "./server.mjs";
import { median, round, spread, table } from "./stats.mjs";
import { textsOf } from "./texts.mjs";

const BUILDS = ["simd128", "relaxed"];
const DEFAULT = "transformers.js default";
const PLAIN = "transformers.js plain wasm";
const ORT = "onnxruntime-web";
/** Below this the two would not do the same work. */
const ALIKE = 0.97;

/** Single sentences: tokens, runs in each round (so that a round is long beside the clock's steps), and bars. */
const SENTENCES = [
  { tokens: 8, runs: 6, bars: { simd128: 1.6, relaxed: 2.5 } },
  { tokens: 32, runs: 3, bars: { simd128: 1.3, relaxed: 2.1 } },
  { tokens: 128, runs: 1, bars: { simd128: 1.2, relaxed: 1.9 } },
];
const SENTENCE_ROUNDS = 60;
const TEXTS = 24;
const BATCH = { texts: 64, tokens: 64, rounds: 8, bars: { simd128: 1.2, relaxed: 2.0 } };
const COLD_ROUNDS = 7;
/** At most these parts of the peer's time. */
const COLD_BARS = { [PLAIN]: 0.35, [DEFAULT]: 0.25 };
const WARM_UP_BAR = 2;
const DOWNLOAD_BAR = 2_000_000;
const MEMORY_BAR = 96;
/** Rounds that are thrown away: the browser compiles what is hot a second time, better. */
const WARMING_MS = 6_000;

const need = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`cargo xtask bench embed\``);
  return value;
};
const say = (text) => process.stderr.write(`${text}\n`);

const here = dirname(fileURLToPath(import.meta.url));
const peers = realpathSync(need("LESSONLOOP_PEERS"));
const model = need("LESSONLOOP_PEER_MODEL");
const dist = need("LESSONLOOP_DIST");

/** One line of the result. `better` is "less" or "more"; a ratio above 1 means that ours is better. */
const rows = [];
function row({ name, build, peer, unit, ours, theirs, ratios, better = "less", bar, met }) {
  const ratio = median(ratios ?? theirs.map((value, at) => (better === "less" ? value / ours[at] : ours[at] / value)));
  rows.push({ name, build, peer, unit, ours, theirs, ratio, bar, met: met ?? null });
  return rows.at(-1);
}
/** The same with a bar on the ratio. */
function raced(fields, least) {
  const made = row({ ...fields, bar: `ratio ≥ ${least.toFixed(2)}` });
  made.met = made.ratio >= least;
}

async function newPage(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  return { context, page, faults };
}

/** All of a list's sides in turn, another one first in each round. */
const turned = (names, at) => names.map((_, index) => names[(index + at) % names.length]);

async function speed(browser, server, tokenizer) {
  const { context, page, faults } = await newPage(browser);
  await page.goto(`${server.url}/bench/speed.html?isolated`);
  await page.waitForFunction(() => window.bench).catch((cause) => {
    throw new Error(`${cause.message}\n${faults.join("\n")}`);
  });
  server.log();
  const versions = await page.evaluate(() => window.bench.open());
  const files = server.log();
  const memory = [["loaded", await page.evaluate(() => window.bench.memory())]];

  const texts = new Map(SENTENCES.map(({ tokens }) => [tokens, textsOf(tokenizer, tokens, TEXTS)]));
  const batch = textsOf(tokenizer, BATCH.tokens, BATCH.texts);
  const tokenizing = await page.evaluate(
    (lists) => {
      // The second time counts: the first one warms up.
      for (const list of lists) window.bench.tokenize(list);
      return lists.map((list) => window.bench.tokenize(list));
    },
    [...texts.values(), batch],
  );

  const play = (names, lists) => page.evaluate(([names, lists]) => window.bench.round(names, lists), [names, lists]);
  const alone = [...BUILDS, "peer"];
  await play(alone, [[texts.get(128)[0]]]);
  memory.push(["after 128 tokens", await page.evaluate(() => window.bench.memory())]);

  say("comparing vectors");
  const alike = [];
  for (const list of [...texts.values(), batch]) {
    const found = await page.evaluate((list) => window.bench.compare(list), list);
    for (const build of BUILDS) {
      const worst = Math.min(...found[build]);
      if (!(worst >= ALIKE)) {
        throw new Error(`${build} and ${ORT} differ: cosine ${worst.toFixed(4)}, at least ${ALIKE} expected`);
      }
      alike.push(...found[build]);
    }
  }

  const sentences = ({ tokens, runs }, at) =>
    Array.from({ length: runs }, (_, run) => [texts.get(tokens)[(at * runs + run) % TEXTS]]);
  say("warming up");
  const begun = performance.now();
  for (let at = 0; performance.now() - begun < WARMING_MS; at += 1) {
    for (const sentence of SENTENCES) await play(turned(alone, at), sentences(sentence, at));
  }

  say(`${SENTENCE_ROUNDS} rounds of single sentences`);
  const spent = new Map(SENTENCES.map(({ tokens }) => [tokens, []]));
  for (let at = 0; at < SENTENCE_ROUNDS; at += 1) {
    for (const sentence of SENTENCES) {
      spent.get(sentence.tokens).push(await play(turned(alone, at), sentences(sentence, at)));
    }
  }
  for (const build of BUILDS) {
    for (const { tokens, bars } of SENTENCES) {
      const rounds = spent.get(tokens);
      const [ours, theirs] = [rounds.map((each) => each[build]), rounds.map((each) => each.peer)];
      raced({ name: String(tokens), build, peer: ORT, unit: "ms", ours, theirs }, bars[build]);
    }
  }

  say(`${BATCH.rounds} rounds of ${BATCH.texts} texts of ${BATCH.tokens} tokens`);
  const ways = ["peer", "peer, one by one"];
  const rounds = [];
  for (let at = 0; at < BATCH.rounds; at += 1) rounds.push(await play(turned([...BUILDS, ...ways], at), [batch]));
  memory.push(["after a batch", await page.evaluate(() => window.bench.memory())]);
  const way = ways.sort((a, b) => median(rounds.map((each) => each[a])) - median(rounds.map((each) => each[b])))[0];
  const perSecond = (name) => rounds.map((each) => (BATCH.texts * 1000) / each[name]);
  for (const build of BUILDS) {
    const name = `batch-${BATCH.texts}x${BATCH.tokens}`;
    const [ours, theirs] = [perSecond(build), perSecond(way)];
    raced({ name, build, peer: ORT, unit: "sentences/s", ours, theirs, better: "more" }, BATCH.bars[build]);
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
  await context.close();
  return { versions, files, memory, alike, tokenizing, way: way === "peer" ? "all in one run" : "one text after the other" };
}

async function coldStarts(browser, server) {
  const names = [...BUILDS, DEFAULT, PLAIN];
  const found = Object.fromEntries(names.map((name) => [name, []]));
  const files = {};
  const vectors = {};
  let version = null;
  // The first round fills the server's memory, and is not counted.
  for (let at = 0; at <= COLD_ROUNDS; at += 1) {
    say(at === 0 ? "cold starts: a first round that does not count" : `cold starts: round ${at} of ${COLD_ROUNDS}`);
    for (const name of turned(names, at)) {
      const { context, page, faults } = await newPage(browser);
      server.log();
      await page.goto(`${server.url}/bench/cold.html?start=${encodeURIComponent(name)}`);
      const made = await page
        .waitForFunction(() => window.cold)
        .then(() => page.evaluate(async () => ({ ...(await window.cold), steady: null })))
        .catch((cause) => {
          throw new Error(`${name}: ${cause.message}\n${faults.join("\n")}`);
        });
      files[name] = server.log();
      vectors[name] = made.vector;
      if (name === DEFAULT || name === PLAIN) version = made.version;
      // The default keeps getting faster for 12 seconds: it has no steady state to be looked at here.
      if (at > 0 && name !== DEFAULT) made.steadyMs = await page.evaluate(async () => (await window.cold).steady());
      if (at > 0) found[name].push(made);
      if (faults.length > 0) throw new Error(`${name}: ${faults.join("\n")}`);
      await context.close();
    }
  }
  const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
  for (const name of names) {
    const cosine = dot(vectors.simd128, vectors[name]);
    if (!(cosine >= ALIKE)) throw new Error(`simd128 and ${name} differ: cosine ${cosine.toFixed(4)}`);
  }
  for (const build of BUILDS) {
    for (const peer of [PLAIN, DEFAULT]) {
      const [ours, theirs] = [build, peer].map((name) => found[name].map((each) => each.coldMs));
      raced({ name: "cold-start", build, peer, unit: "ms", ours, theirs }, 1 / COLD_BARS[peer]);
    }
  }
  for (const build of BUILDS) {
    const [ours, theirs] = [build, PLAIN].map((name) => found[name].map((each) => each.firstMs / each.steadyMs));
    const made = row({ name: "warm-up", build, peer: PLAIN, unit: "× steady", ours, theirs, bar: `ours ≤ ${WARM_UP_BAR}` });
    made.met = median(ours) <= WARM_UP_BAR;
  }
  return { files, version };
}

/** Code only: weights, tokenizer files and the bench's own pages are left out. */
const isCode = ({ path }) => /^\/(engine|peers)\//.test(path) && /\.(wasm|mjs|js)$/.test(path);
const packed = (files) => files.filter(isCode).reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0);

function downloads(side, cold) {
  // The one page loads our builds too, and the tokenizer, which is left out to the peer's advantage.
  const ort = side.files.filter(({ path }) => path.startsWith("/peers/onnxruntime-web/"));
  const peers = { [ORT]: packed(ort), [PLAIN]: packed(cold.files[PLAIN]), [DEFAULT]: packed(cold.files[DEFAULT]) };
  for (const build of BUILDS) {
    const ours = packed(cold.files[build]);
    for (const [peer, theirs] of Object.entries(peers)) {
      const bar = `ours ≤ ${DOWNLOAD_BAR / 1e6} MB`;
      row({ name: "download-gzip", build, peer, unit: "MB", ours: [ours / 1e6], theirs: [theirs / 1e6], bar, met: ours <= DOWNLOAD_BAR });
    }
  }
}

function memories({ memory }) {
  const last = memory.at(-1)[1];
  for (const build of BUILDS) {
    const bar = `ours ≤ ${MEMORY_BAR} MB`;
    row({ name: "memory", build, peer: ORT, unit: "MB", ours: [last[build]], theirs: [last.peer], bar, met: last[build] <= MEMORY_BAR });
  }
}

const browser = await chromium.launch({
  executablePath: need("LESSONLOOP_CHROMIUM"),
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const server = await serve({ bench: here, engine: join(dist, "engine"), peers, model });
try {
  const { Tokenizer } = await import(pathToFileURL(join(peers, "@huggingface/tokenizers/dist/tokenizers.mjs")));
  const json = (name) => JSON.parse(readFileSync(join(model, "minilm", name), "utf8"));
  const tokenizer = new Tokenizer(json("tokenizer.json"), json("tokenizer_config.json"));

  const side = await speed(browser, server, tokenizer);
  const cold = await coldStarts(browser, server);
  downloads(side, cold);
  memories(side);

  const versions = {
    chromium: browser.version(),
    ...side.versions,
    "transformers.js": cold.version,
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
  };
  const lines = rows.map(({ name, build, peer, unit, ours, theirs, ratio, bar, met }) => [
    name,
    build,
    peer,
    unit,
    spread(ours),
    spread(theirs),
    ratio.toFixed(2),
    bar,
    met ? "met" : "missed",
  ]);
  console.log(table([["case", "build", "peer", "unit", "ours", "peer's", "ratio", "bar", ""], ...lines]));
  const size = (file) => (readFileSync(file).length / 1e6).toFixed(2);
  const shown = (stages) => stages.map(([stage, by]) => `${stage} ${[...BUILDS, "peer"].map((name) => by[name].toFixed(1)).join(" / ")}`).join(", ");
  console.log(`
Medians [lower to upper quartile]; the ratio is the median of the rounds' ratios, above 1 where ours is better.
One thread each, alternating in one page. ${ORT}: plain wasm build, its own int8 model of the same weights
(quantize_dynamic, int8 per channel), mean pooling and unit length included; its token ids are made beforehand and cost it
nothing (${side.tokenizing.map((ms) => ms.toFixed(2)).join(" / ")} ms per text of ${SENTENCES.map(({ tokens }) => tokens).join(" / ")} / ${BATCH.tokens} tokens), while ours tokenises within its time.
Batch: the peer's better way, ${side.way}. Vectors agree: cosine ${median(side.alike).toFixed(4)}, at worst ${Math.min(...side.alike).toFixed(4)}.
Cold start: navigation to first vector, each in a fresh browser context, served uncompressed from this machine. Warm-up: the
first embed after loading, as a multiple of the steady state. Download: gzip -9 of the code that was fetched, without
weights and tokenizer files. Weights: ours ${size(join(dist, "engine/minilm.pack"))} MB, the peer's ${size(join(model, "minilm/onnx/model_quantized.onnx"))} MB.
Memory of the module (MB, ${BUILDS.join(" / ")} / ${ORT}): ${shown(side.memory)}.
${Object.entries(versions)
  .map(([name, version]) => `${name} ${version}`)
  .join(", ")}`);
  if (process.argv.includes("--json")) {
    const result = rows.map(({ name, build, peer, unit, ours, theirs, ratio }) => ({
      case: name,
      build,
      peer_name: peer,
      unit,
      ours: round(median(ours)),
      peer: round(median(theirs)),
      ratio: round(ratio),
    }));
    console.log(JSON.stringify({ versions, rows: result }));
  }
} finally {
  await browser.close();
  server.close();
}
