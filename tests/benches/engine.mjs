// The built module in Node: recommend by store size without a model, and one query's embedding.
// Run by `cargo xtask bench engine`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { record, words } from "./corpus.mjs";

const engineDir = join(process.env.LESSONLOOP_DIST, "engine");
const glue = await import(pathToFileURL(join(engineDir, "lessonloop.js")).href);
await glue.default({ module_or_path: readFileSync(join(engineDir, "lessonloop_bg.wasm")) });

const ROUNDS = 15;

async function post(engine, path, body) {
  const answer = await engine.handle({ method: "POST", path, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

function shown(spent) {
  spent.sort((a, b) => a - b);
  return `${spent[spent.length >> 1].toFixed(2)} (${spent[0].toFixed(2)}–${spent.at(-1).toFixed(2)})`;
}

console.log(`\nThe module in Node ${process.version}, milliseconds: median (fastest to slowest of ${ROUNDS} rounds)\n`);
console.log("lessons".padStart(8), "recommend, keywords".padStart(26));
for (const size of [100, 1_000, 10_000, 100_000]) {
  const engine = await glue.Engine.open({ store: { kind: "memory" } });
  for (let from = 0; from < size; from += 5_000) {
    const records = Array.from({ length: Math.min(5_000, size - from) }, (_, at) => record(from + at));
    await post(engine, "/v1/import", { files: [{ path: "bench.json", content: JSON.stringify(records) }] });
  }
  const spent = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const begun = performance.now();
    await post(engine, "/v1/recommend", { query: `tenant policy and migration ${words(3)}` });
    if (round > 0) spent.push(performance.now() - begun);
    await engine.flush();
  }
  console.log(String(size).padStart(8), shown(spent).padStart(26));
  engine.free();
}

const engine = await glue.Engine.open({ store: { kind: "memory" } });
const begun = performance.now();
await engine.load_model(new Uint8Array(readFileSync(join(engineDir, "minilm.pack"))));
console.log(`\nmodel loaded in ${(performance.now() - begun).toFixed(0)} ms`);
const spent = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const at = performance.now();
  engine.embed(["isolate the data of several customers in one database"]);
  if (round > 0) spent.push(performance.now() - at);
}
console.log(`one query of 11 tokens embedded, simd128: ${shown(spent)} ms`);
