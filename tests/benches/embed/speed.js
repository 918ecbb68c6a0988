// Our two builds and onnxruntime-web in one page, taking turns on the page's one thread.
import { cosines, pooled } from "./vectors.js";

const DIMS = 384;
const BUILDS = { simd128: "lessonloop", relaxed: "lessonloop_relaxed" };
const megabytes = (bytes) => bytes / 1e6;

/** name → {embed(texts) → vectors, memory()}; ours is synchronous, the peer is not. */
const sides = {};
let tokenizer = null;
/** text → its token ids as the peer takes them. */
const ids = new Map();

async function openOurs(build, name) {
  const glue = await import(`/engine/${name}.js`);
  const exports = await glue.default({ module_or_path: `/engine/${name}_bg.wasm` });
  const engine = await glue.Engine.open({ store: { kind: "memory" } });
  const pack = await (await fetch("/engine/minilm.pack")).arrayBuffer();
  await engine.load_model(new Uint8Array(pack));
  sides[build] = {
    embed: (texts) => engine.embed(texts),
    memory: () => megabytes(exports.memory.buffer.byteLength),
    // Loads a model of its own: the pack is fetched again, from the browser's cache.
    async profile(text, rounds) {
      const pack = await (await fetch("/engine/minilm.pack")).arrayBuffer();
      return glue.profile_model(new Uint8Array(pack), text, rounds, () => performance.now());
    },
  };
  return glue.version();
}

/** The memories that what is loaded from now on makes or exports. */
function watchMemories() {
  const memories = new Set();
  const { Memory, instantiate } = WebAssembly;
  WebAssembly.Memory = new Proxy(Memory, {
    construct(target, given) {
      const memory = Reflect.construct(target, given);
      memories.add(memory);
      return memory;
    },
  });
  const exported = (instance) => {
    for (const value of Object.values(instance.exports)) if (value instanceof Memory) memories.add(value);
  };
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const plain = name === "instantiate" ? instantiate : WebAssembly.instantiateStreaming;
    WebAssembly[name] = async (...given) => {
      const made = await plain.apply(WebAssembly, given);
      exported(made.instance ?? made);
      return made;
    };
  }
  return memories;
}

async function openPeer() {
  const memories = watchMemories();
  const ort = await import("/peers/onnxruntime-web/dist/ort.wasm.bundle.min.mjs");
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm: "/peers/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm" };
  const session = await ort.InferenceSession.create("/model/minilm/onnx/model_quantized.onnx", {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
  });
  if (memories.size === 0) throw new Error("onnxruntime-web made no memory that could be measured");

  async function run(texts) {
    const lines = texts.map((text) => ids.get(text));
    const [count, length] = [lines.length, lines[0].length];
    const flat = new BigInt64Array(count * length);
    lines.forEach((line, at) => flat.set(line, at * length));
    const feeds = {
      input_ids: new ort.Tensor("int64", flat, [count, length]),
      token_type_ids: new ort.Tensor("int64", new BigInt64Array(count * length), [count, length]),
    };
    const { last_hidden_state: states } = await session.run(feeds);
    return pooled(states.data, count, length, DIMS);
  }
  const memory = () => megabytes([...memories].reduce((sum, each) => sum + each.buffer.byteLength, 0));
  sides.peer = { embed: run, memory };
  sides["peer, one by one"] = {
    memory,
    async embed(texts) {
      const vectors = new Float32Array(texts.length * DIMS);
      for (let at = 0; at < texts.length; at += 1) vectors.set(await run([texts[at]]), at * DIMS);
      return vectors;
    },
  };
  return ort.env.versions.web;
}

window.bench = {
  /** Opens all sides; returns their versions. */
  async open() {
    if (!crossOriginIsolated) throw new Error("the page is not isolated: its clock is too coarse");
    const { Tokenizer } = await import("/peers/@huggingface/tokenizers/dist/tokenizers.min.mjs");
    const json = async (name) => (await fetch(`/model/minilm/${name}`)).json();
    tokenizer = new Tokenizer(await json("tokenizer.json"), await json("tokenizer_config.json"));
    const versions = {};
    for (const [build, file] of Object.entries(BUILDS)) versions.lessonloop = await openOurs(build, file);
    versions["onnxruntime-web"] = await openPeer();
    return versions;
  },

  /** Gives the peer its token ids; what that takes is measured, and is no part of its time below. Milliseconds per text. */
  tokenize(texts) {
    const begun = performance.now();
    for (const text of texts) ids.set(text, BigInt64Array.from(tokenizer.encode(text).ids, BigInt));
    return (performance.now() - begun) / texts.length;
  },

  /** The cosines between each of our builds and the peer, for each text alone and for all as one batch. */
  async compare(texts) {
    const found = {};
    const theirs = { alone: await sides["peer, one by one"].embed(texts), batched: await sides.peer.embed(texts) };
    for (const build of Object.keys(BUILDS)) {
      const ours = sides[build].embed(texts);
      found[build] = [...cosines(ours, theirs.alone, DIMS), ...cosines(ours, theirs.batched, DIMS)];
    }
    return found;
  },

  /** Measures the time that each kind of op takes of one embedding by one of our builds. */
  profile: (build, text, rounds) => sides[build].profile(text, rounds),

  /** Megabytes of each side's module. */
  memory: () => Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, side.memory()])),

  /**
   * One round: each of these sides in turn embeds each of these lists of texts. Milliseconds per list, by side.
   * The side named first begins.
   */
  async round(names, lists) {
    const spent = {};
    for (const name of names) {
      const { embed } = sides[name];
      const begun = performance.now();
      for (const texts of lists) await embed(texts);
      spent[name] = (performance.now() - begun) / lists.length;
    }
    return spent;
  },
};
