// The packages from npm that search lessons in JavaScript, over the same lessons and queries: reads JSON from standard
// input, writes each package's ranked lessons to standard output. Run by the bench `relevance`.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const need = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`cargo xtask bench relevance\``);
  return value;
};
const packages = need("LESSONLOOP_PEERS");
const load = (path) => import(pathToFileURL(join(packages, path)).href);
const { lessons, queries } = JSON.parse(readFileSync(0, "utf8"));

const TEXTS = ["title", "description", "context", "recommendation"];
/** As many lessons as the engine gives of one query. */
const MOST = 100;

const documents = lessons.map((lesson, at) => ({
  id: String(at),
  ...Object.fromEntries(TEXTS.map((name) => [name, lesson[name]])),
  tags: lesson.tags.join(" "),
  vector: lesson.vector,
}));

/** MiniSearch with whole words, the title counting double: with prefixes and typos it is no better. */
async function miniSearch() {
  const { default: MiniSearch } = await load("minisearch/dist/es/index.js");
  const index = new MiniSearch({ fields: [...TEXTS, "tags"] });
  index.addAll(documents);
  const options = { boost: { title: 2 } };
  return queries.map(({ text }) => index.search(text, options).map(({ id }) => Number(id)));
}

/** Orama's hybrid of words and our vectors, half and half, without its cutoff of a similarity of 0.8, which little passes. */
async function orama() {
  const { create, insertMultiple, search } = await load("@orama/orama/dist/esm/index.js");
  const schema = Object.fromEntries([...TEXTS, "tags"].map((name) => [name, "string"]));
  const index = create({ schema: { ...schema, vector: `vector[${documents[0].vector.length}]` } });
  await insertMultiple(index, documents);
  const ask = async ({ text, vector }) => {
    const found = await search(index, {
      mode: "hybrid",
      term: text,
      vector: { value: vector, property: "vector" },
      similarity: 0,
      limit: MOST,
    });
    return found.hits.map(({ id }) => Number(id));
  };
  return Promise.all(queries.map(ask));
}

/** transformers.js with the same weights, quantised by onnxruntime, and the cosine alone. */
async function transformers() {
  // transformers.js takes this runtime in place of onnxruntime-node, whose download is far larger.
  const ort = await load("onnxruntime-web/dist/ort.node.min.mjs");
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = pathToFileURL(join(packages, "onnxruntime-web/dist/")).href;
  globalThis[Symbol.for("onnxruntime")] = ort;
  const require = createRequire(join(packages, "node_modules.cjs"));
  const { env, pipeline } = require(join(packages, "@huggingface/transformers/dist/transformers.node.cjs"));
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = need("LESSONLOOP_PEER_MODEL");
  // It knows no device of a runtime that was given; the runtime takes its own, wasm.
  const run = await pipeline("feature-extraction", "minilm", { dtype: "q8", device: "auto" });
  const embed = async (text) => (await run(text, { pooling: "mean", normalize: true })).data;
  const vectors = [];
  for (const { embedded } of lessons) vectors.push(await embed(embedded));
  const ranked = [];
  for (const { text } of queries) {
    const asked = await embed(text);
    const cosines = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * asked[at], 0));
    ranked.push([...cosines.keys()].sort((a, b) => cosines[b] - cosines[a] || a - b).slice(0, MOST));
  }
  return ranked;
}

const runs = [
  ["MiniSearch", miniSearch],
  ["Orama, hybrid", orama],
  ["transformers.js, cosine", transformers],
];
const answers = [];
for (const [name, run] of /** @type {any[][]} */ (runs)) answers.push({ name, ranked: await run() });
process.stdout.write(JSON.stringify(answers));
