// The embedding engine beside what a page would take instead: onnxruntime-web and transformers.js, in
// one headless Chromium, one thread each, taking turns. Run by `cargo xtask bench embed`.
//
// Prints a table; with --json, one line of JSON after it. A missed bar is printed, and is no failure;
// what could not be measured is.
import { readFileSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { coldStarts } from "./cold_starts.mjs";
import { launch } from "./pages.mjs";
import { BUILDS, DEFAULT, ORT, PLAIN, row, rows } from "./rows.mjs";
import { serve } from "./server.mjs";
import { BATCH, SENTENCES, sideBySide } from "./side_by_side.mjs";
import { median, round, spread, table } from "./stats.mjs";

const DOWNLOAD_BAR = 2;
const MEMORY_BAR = 96;

const need = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`cargo xtask bench embed\``);
  return value;
};
const engine = join(need("LESSONLOOP_DIST"), "engine");
const peers = need("LESSONLOOP_PEERS");
const model = need("LESSONLOOP_PEER_MODEL");
/** Progress, beside the result. */
const say = (text) => process.stderr.write(`${text}\n`);

/** Megabytes of the code among some files, compressed: no weights, no tokenizer files, none of the bench's own pages. */
function packed(files) {
  const code = files.filter(({ path }) => /^\/(engine|peers)\/.*\.(wasm|mjs|js)$/.test(path));
  return code.reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0) / 1e6;
}

function downloads(side, cold) {
  // The shared page takes our builds and the peer's tokenizer too: left out, the latter to the peer's advantage.
  const ort = side.files.filter(({ path }) => path.startsWith("/peers/onnxruntime-web/"));
  const sizes = { [ORT]: packed(ort), [PLAIN]: packed(cold.files[PLAIN]), [DEFAULT]: packed(cold.files[DEFAULT]) };
  for (const build of BUILDS) {
    const ours = packed(cold.files[build]);
    for (const [peer, theirs] of Object.entries(sizes)) {
      const bar = `ours ≤ ${DOWNLOAD_BAR}`;
      row({
        name: "download-gzip",
        build,
        peer,
        unit: "MB",
        ours: [ours],
        theirs: [theirs],
        bar,
        met: ours <= DOWNLOAD_BAR,
      });
    }
  }
}

function memories(side) {
  const last = Object.values(side.memory).at(-1);
  for (const build of BUILDS) {
    const bar = `ours ≤ ${MEMORY_BAR}`;
    row({
      name: "memory",
      build,
      peer: ORT,
      unit: "MB",
      ours: [last[build]],
      theirs: [last[ORT]],
      bar,
      met: last[build] <= MEMORY_BAR,
    });
  }
}

function print(side, cold, versions) {
  const cells = rows.map(({ name, build, peer, unit, ours, theirs, ratio, bar, met }) => [
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
  console.log(table([["case", "build", "peer", "unit", "ours", "peer's", "ratio", "bar", ""], ...cells]));

  console.log(`\n${side.profiles}`);

  const megabytes = (file) => (statSync(file).size / 1e6).toFixed(2);
  const sides = [...BUILDS, ORT];
  const memory = Object.entries(side.memory).map(
    ([stage, by]) => `${stage} ${sides.map((name) => by[name].toFixed(1)).join(" / ")}`,
  );
  const tokenizing = side.tokenizing.map((ms) => ms.toFixed(2)).join(" / ");
  const stages = cold.stages.map(
    ({ name, loaded, first, steady }) =>
      `${name} ${loaded.toFixed(0)} / ${first.toFixed(1)} / ${steady?.toFixed(1) ?? "-"}`,
  );
  console.log(`
Medians [lower–upper quartile]. The ratio is the median of the rounds' ratios, above 1 where ours is better.
Single sentences and the batch of ${BATCH.texts} texts: one page, one thread each, taking turns. ${ORT} runs its plain wasm build
  with its own int8 model of the same weights (quantize_dynamic, int8 per channel), pooled and normalised. Its token ids
  are made beforehand and cost it nothing (they take ${tokenizing} ms a text of ${[...SENTENCES, BATCH].map(({ tokens }) => tokens).join(" / ")} tokens); ours are made
  within its time. Batch: the peer's better way, ${side.way}.
Vectors agree: median cosine ${median(side.alike).toFixed(4)}, at worst ${Math.min(...side.alike).toFixed(4)}.
Cold start: from navigation to the first vector, in a fresh browser context, served uncompressed from this machine.
  Milliseconds until loaded / for the first embed / for each later one: ${stages.join(", ")}.
Warm-up: the first embed after loading, as a multiple of the steady state.
Download: gzip -9 of the code that the page fetched; without weights (ours ${megabytes(join(engine, "minilm.pack"))} MB, the peers' ${megabytes(join(model, "minilm/onnx/model_quantized.onnx"))} MB).
Memory: the module's own, which never shrinks. MB of ${sides.join(" / ")}: ${memory.join(", ")}.
${Object.entries(versions)
  .map(([name, version]) => `${name} ${version}`)
  .join(", ")}`);
}

const browser = await launch(need("LESSONLOOP_CHROMIUM"));
let server = null;
try {
  server = await serve({ bench: dirname(fileURLToPath(import.meta.url)), engine, peers, model });
  const { Tokenizer } = await import(pathToFileURL(join(peers, "@huggingface/tokenizers/dist/tokenizers.mjs")).href);
  const json = (name) => JSON.parse(readFileSync(join(model, "minilm", name), "utf8"));
  const tokenizer = new Tokenizer(json("tokenizer.json"), json("tokenizer_config.json"));

  const side = await sideBySide(browser, server, tokenizer, say);
  const cold = await coldStarts(browser, server, say);
  downloads(side, cold);
  memories(side);
  const versions = {
    chromium: browser.version(),
    ...side.versions,
    "transformers.js": cold.version,
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
  };
  print(side, cold, versions);
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
  server?.close();
}
