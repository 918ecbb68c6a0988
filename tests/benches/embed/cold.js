// One cold start: from navigation to the first vector, by what the address names. Then the steady state.

const TEXT = "Turn on row policies for every table that a client can reach, and test them as another tenant.";
/** Time for which the steady state is measured, in milliseconds, and the number of last runs that count. */
const STEADY_MS = 2_000;
const STEADY_RUNS = 20;

const ORT = "/peers/@huggingface/transformers/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded";

/** Each loads and gives `embed(text)`, synchronous or not. */
const STARTS = {
  simd128: () => ours("lessonloop"),
  relaxed: () => ours("lessonloop_relaxed"),
  // The build that transformers.js takes from its CDN where there is no Safari, here from this server.
  "transformers.js default": () => transformers(".asyncify"),
  // The one it takes for an older Safari.
  "transformers.js plain wasm": () => transformers(""),
};

async function ours(name) {
  const module = fetch(`/engine/${name}_bg.wasm`);
  const pack = fetch("/engine/minilm.pack").then((response) => response.arrayBuffer());
  const glue = await import(`/engine/${name}.js`);
  await glue.default({ module_or_path: module });
  const engine = await glue.Engine.open({ store: { kind: "memory" } });
  await engine.load_model(new Uint8Array(await pack));
  return { embed: (text) => engine.embed([text]), version: glue.version() };
}

async function transformers(build) {
  const { env, pipeline } = await import("/peers/@huggingface/transformers/dist/transformers.min.js");
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = "/model/";
  env.backends.onnx.wasm.wasmPaths = { mjs: `${ORT}${build}.mjs`, wasm: `${ORT}${build}.wasm` };
  const run = await pipeline("feature-extraction", "minilm", { dtype: "q8" });
  return {
    embed: async (text) => (await run(text, { pooling: "mean", normalize: true })).data,
    version: env.version,
  };
}

window.cold = (async () => {
  const name = new URLSearchParams(location.search).get("start");
  const { embed, version } = await STARTS[name]();
  const loaded = performance.now();
  const vector = await embed(TEXT);
  // Both count from the navigation's start.
  const first = performance.now();
  return {
    version,
    coldMs: first,
    firstMs: first - loaded,
    vector: Array.from(vector),
    steady: async () => {
      const spent = [];
      for (const begun = performance.now(); performance.now() - begun < STEADY_MS || spent.length < STEADY_RUNS; ) {
        const at = performance.now();
        await embed(TEXT);
        spent.push(performance.now() - at);
      }
      const last = spent.slice(-STEADY_RUNS).sort((a, b) => a - b);
      return last[STEADY_RUNS >> 1];
    },
  };
})();
