// The engine module in a worker: which build runs here, compiled while it still comes in.

/** A module with one relaxed-SIMD instruction: valid only where the browser has them. */
const RELAXED_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15,
  253, 128, 2, 11,
]);
/** The same for plain SIMD. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

const relaxed = WebAssembly.validate(RELAXED_PROBE);
/** Each build has a glue of its own: wasm-bindgen numbers its imports by the build. */
const name = relaxed ? "lessonloop_relaxed" : "lessonloop";

export const build = relaxed ? "relaxed-simd" : "simd128";

/** Fetches and compiles the module, once for all instances and workers. */
export async function compile() {
  if (!WebAssembly.validate(SIMD_PROBE)) {
    throw new Error("This browser is too old: it has no WebAssembly SIMD. Update it to use Lessonloop.");
  }
  const answer = await fetch(new URL(`/engine/${name}_bg.wasm`, self.location.origin));
  if (!answer.ok) throw new Error(`The server answered ${answer.status} for the engine module.`);
  // Compiling while it comes in needs the media type; a host that sends another one is only slower.
  if (WebAssembly.compileStreaming && /^application\/wasm\b/.test(answer.headers.get("content-type") ?? "")) {
    return WebAssembly.compileStreaming(answer);
  }
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** A fresh instance behind its glue. A trapped one can't be used again: another number gives another. */
export async function instantiate(module, number) {
  const [glue, compiled] = await Promise.all([import(`/engine/${name}.js?instance=${number}`), module]);
  await glue.default({ module_or_path: compiled });
  return glue;
}

/** True if the module is no longer usable after this error. */
export const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
