// The engine module in Node: loaded on demand, with the build that this Node runs.
import { readFileSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { StoreFiles } from "./files.mjs";
import { chosen } from "./models.mjs";
import { ownFolder } from "./places.cjs";
import { promptsOf } from "./prompts.mjs";
import { cloneName } from "./store.mjs";

/** The package's root; these files lie in `local/` of it. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const ENGINE = join(ROOT, "engine");
/** The pack of the model in force. */
export const packPath = () => chosen().pack ?? join(ENGINE, "minilm.pack");

/** A module with one relaxed-SIMD instruction: valid only where there are such. */
const RELAXED_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15,
  253, 128, 2, 11,
]);

export const BUILD = WebAssembly.validate(RELAXED_PROBE) ? "relaxed-simd" : "simd128";

/**
 * Flags for V8's compilation of the module: each function once it is called, and again, optimised, only where it runs for
 * long, which the model's kernels do. V8's own budget (1.8 million in Node 20, 13 million in Node 26) has it optimise
 * thousands of functions in the background of a process that lives for a moment, and a process waits for that when it
 * ends: a hook took half as long again, ten sessions that start at once three times as long. V8 passes over flags that it
 * does not know.
 */
const FLAGS = ["--wasm-tiering-budget=500000000", "--wasm-lazy-validation"];

/** @type {Promise<EngineModule> | undefined} */
let loading;

/** The glue with its module, once for a process. */
export function load() {
  loading ??= (async () => {
    for (const flag of FLAGS) setFlagsFromString(flag);
    const name = BUILD === "relaxed-simd" ? "lessonloop_relaxed" : "lessonloop";
    const glue = await import(pathToFileURL(join(ENGINE, `${name}.js`)).href);
    // Without threads, which would first have to be started.
    glue.initSync({ module: new WebAssembly.Module(readFileSync(join(ENGINE, `${name}_bg.wasm`))) });
    return glue;
  })();
  return loading;
}

/**
 * Opens the engine over the stores. `indexing`: whether lessons get their vectors in this process.
 * @param {import("./store.mjs").Places} places
 * @param {{ indexing?: boolean }} [given]
 * @returns {Promise<Local>}
 */
export async function open(places, { indexing = true } = {}) {
  const { Local } = await load();
  /** @param {import("./store.mjs").Place | undefined} place */
  const options = (place) =>
    place && {
      files: new StoreFiles(place.path, ownFolder(place.path)),
      label: place.label,
      // A copy of a store is told by it.
      place: cloneName(place.path),
      queries: promptsOf(place.path).kept,
    };
  return Local.open({
    ...(places.project ? { project: options(places.project) } : {}),
    ...(places.personal ? { personal: options(places.personal) } : {}),
    indexing,
  });
}

/**
 * The model's pack with its hash, both made on other threads while this one compiles the module and opens the store.
 * @returns {Promise<{ pack: Uint8Array, hash: Uint8Array }>}
 */
export async function readPack() {
  const reading = whole(packPath());
  reading.catch(() => undefined);
  const { Local } = await load();
  const pack = await reading;
  const hash = await crypto.subtle.digest("SHA-256", pack.subarray(Local.pack_hashed_from()));
  return { pack, hash: new Uint8Array(hash) };
}

/** A file in one read: `readFile` comes back to this thread, which is busy, for every half megabyte. @param {string} path */
async function whole(path) {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(size), 0, size, 0);
    // The rest of a file that came in pieces.
    return bytesRead === size ? buffer : readFileSync(path);
  } finally {
    await file.close();
  }
}

/**
 * Loads the model; without it lessons are ranked by their words.
 * @param {Local} local
 * @param {ReturnType<typeof readPack>} [reading]
 */
export async function loadModel(local, reading = readPack()) {
  const { pack, hash } = await reading;
  return local.load_model(pack, hash);
}

/** True if the module can't be used any more after this error. @param {unknown} error */
export const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
