// The engine's host in the browser: a module worker around one `Engine` over IndexedDB.
//
// It carries messages (lesson-api: ToWorker, FromWorker), fetches and keeps the model pack, tells
// other tabs of changes, and starts a fresh instance when the module traps. No rule about lessons
// lives here.

const MANIFEST = "/engine/manifest.json";
const PACK = "minilm.pack";
const MODEL_CACHE = "lessonloop-model";
const RELOAD = "Reload the page; if it happens again, export your lessons and report it.";
/** Traps within this time of the start before count as one that does not stop. */
const RESTART_WINDOW_MS = 5_000;
const MAX_RESTARTS = 3;

/** A module with one relaxed-SIMD instruction: valid only where the browser has them. */
const RELAXED_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15,
  65, 2, 253, 15, 253, 128, 2, 11,
]);
/** The same for plain SIMD. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
]);

const relaxed = WebAssembly.validate(RELAXED_PROBE);
const build = relaxed ? "relaxed-simd" : "simd128";
const tabs = new BroadcastChannel("lessonloop");

/** Requests that have no answer yet, by id. */
const open = new Map();
let engine = null;
let instances = 0;
let restarts = 0;
let startedAt = 0;
let restarting = null;
let position = 0;
let download = null;
let model = { phase: "absent" };

const post = (message) => self.postMessage(message);

const tellModel = (state) => {
  model = state;
  post({ type: "model", state });
};

async function start() {
  if (!WebAssembly.validate(SIMD_PROBE)) {
    throw new Error("This browser is too old: it has no WebAssembly SIMD. Update it to use Lessonloop.");
  }
  // A trapped instance can't be used again; another query gives the glue a fresh module scope.
  const glue = await import(`/engine/lessonloop.js?instance=${instances}`);
  instances += 1;
  const file = relaxed ? "lessonloop_relaxed_bg.wasm" : "lessonloop_bg.wasm";
  await glue.default({ module_or_path: new URL(`/engine/${file}`, self.location.origin) });
  const opened = await glue.Engine.open({
    store: { kind: "indexed_db" },
    on_index: (done, total) => {
      if (model.phase === "absent" || model.phase === "failed" || !model.id) return;
      tellModel(done < total ? { phase: "indexing", done, total, id: model.id } : { phase: "ready", id: model.id });
    },
  });
  position = opened.position();
  startedAt = Date.now();
  engine = opened;
}

/** Fails what is under way, opens a fresh instance over the same store, and says so. */
function restart(cause) {
  restarting ??= (async () => {
    engine = null;
    const message = cause?.message ?? String(cause);
    const failed = [...open.values()];
    open.clear();
    restarts = Date.now() - startedAt < RESTART_WINDOW_MS ? restarts + 1 : 1;
    const repeat = failed.filter(({ request }) => request.method === "GET");
    for (const { id } of failed.filter(({ request }) => request.method !== "GET")) {
      post({ type: "response", id, response: interrupted(message) });
    }
    if (restarts > MAX_RESTARTS) {
      for (const { id } of repeat) post({ type: "response", id, response: interrupted(message) });
      post({ type: "failed", message: `The engine keeps failing (${message}). ${RELOAD}` });
      return;
    }
    try {
      await start();
    } catch (error) {
      for (const { id } of repeat) post({ type: "response", id, response: interrupted(message) });
      post({ type: "failed", message: `${error.message ?? error} ${RELOAD}` });
      return;
    }
    post({ type: "restarted", message: `The engine failed (${message}) and was started again. Everything stored is kept.` });
    post({ type: "changed" });
    const hadModel = Boolean(model.id);
    tellModel({ phase: "absent" });
    restarting = null;
    // Reading twice does no harm.
    for (const { id, request } of repeat) void answer(id, request);
    if (hadModel) void loadModel();
  })();
  return restarting;
}

function interrupted(message) {
  return {
    status: 503,
    headers: { "content-type": "application/json" },
    body: {
      error: {
        code: "unavailable",
        message: `The engine failed (${message}) and was started again. What was stored is kept; look before you repeat this.`,
      },
    },
  };
}

const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

// A trap inside a future reaches no caller: it surfaces here.
self.addEventListener("error", (event) => {
  if (isTrap(event.error)) {
    event.preventDefault();
    void restart(event.error);
  }
});
self.addEventListener("unhandledrejection", (event) => {
  if (isTrap(event.reason)) {
    event.preventDefault();
    void restart(event.reason);
  }
});

async function answer(id, request) {
  open.set(id, { id, request });
  try {
    await ready;
    await restarting;
    if (!engine) throw new Error("the engine is not open");
    const response = await engine.handle(request);
    if (open.delete(id)) post({ type: "response", id, response });
    await tellOthers();
  } catch (error) {
    if (isTrap(error)) {
      await restart(error);
    } else if (open.delete(id)) {
      post({ type: "response", id, response: interrupted(error.message ?? String(error)) });
    }
  }
}

/** After something was stored: this page and the other tabs look again. */
async function tellOthers() {
  try {
    await engine?.flush();
  } catch {
    return; // Shown by GET /v1/health.
  }
  const now = engine?.position() ?? position;
  if (now !== position) {
    position = now;
    post({ type: "changed" });
    tabs.postMessage("changed");
  }
}

tabs.onmessage = async () => {
  try {
    if (engine && (await engine.catch_up())) {
      position = engine.position();
      post({ type: "changed" });
    }
  } catch (error) {
    if (isTrap(error)) await restart(error);
  }
};

async function packEntry() {
  const answer = await fetch(MANIFEST, { cache: "no-cache" }).catch(() => null);
  if (answer?.ok) {
    const manifest = await answer.json();
    const entry = manifest.files?.[PACK];
    if (entry) return { key: `/engine/${PACK}?sha256=${entry.sha256}`, bytes: entry.bytes };
  }
  // Offline: what is in the cache was verified when it came.
  const held = await caches.open(MODEL_CACHE).then((cache) => cache.keys());
  return held.length > 0 ? { key: held[held.length - 1].url, bytes: 0 } : null;
}

async function modelCached() {
  try {
    const cache = await caches.open(MODEL_CACHE);
    return (await cache.keys()).length > 0;
  } catch {
    return false; // No Cache API in private windows of some browsers.
  }
}

async function fetchPack(signal) {
  const entry = await packEntry();
  if (!entry) throw new Error("The model could not be reached. Connect to the network and try again.");
  const cache = await caches.open(MODEL_CACHE).catch(() => null);
  const held = await cache?.match(entry.key);
  if (held) return { bytes: new Uint8Array(await held.arrayBuffer()), keep: null };
  tellModel({ phase: "downloading", loaded: 0, total: entry.bytes });
  const answer = await fetch(entry.key, { signal });
  if (!answer.ok) throw new Error(`The server answered ${answer.status} for the model. Try again later.`);
  const total = Number(answer.headers.get("content-length")) || entry.bytes;
  const parts = [];
  let loaded = 0;
  let told = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    if (loaded - told > 262_144) {
      told = loaded;
      tellModel({ phase: "downloading", loaded, total });
    }
  }
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  const keep = async () => {
    for (const old of (await cache?.keys()) ?? []) await cache.delete(old);
    await cache?.put(entry.key, new Response(bytes));
  };
  return { bytes, keep };
}

async function loadModel() {
  if (download || ["loading", "indexing", "ready"].includes(model.phase)) return;
  download = new AbortController();
  try {
    await ready;
    const { bytes, keep } = await fetchPack(download.signal);
    tellModel({ phase: "loading" });
    // The engine checks the pack's own hash; only a pack it took is kept.
    const id = await engine.load_model(bytes);
    await keep?.().catch(() => undefined);
    const { done, total } = engine.indexing();
    tellModel(done < total ? { phase: "indexing", done, total, id } : { phase: "ready", id });
  } catch (error) {
    if (error.name === "AbortError") {
      tellModel({ phase: "absent" });
    } else if (isTrap(error)) {
      tellModel({ phase: "failed", message: `The model could not be loaded: ${error.message}` });
      await restart(error);
    } else {
      await caches.delete(MODEL_CACHE).catch(() => undefined);
      tellModel({ phase: "failed", message: error.message ?? String(error) });
    }
  } finally {
    download = null;
  }
}

self.addEventListener("message", ({ data }) => {
  switch (data?.type) {
    case "request":
      void answer(data.id, data.request);
      break;
    case "load_model":
      void loadModel();
      break;
    case "cancel_model":
      download?.abort();
      break;
  }
});

const ready = start();
ready.then(
  async () => post({ type: "ready", build, model_cached: await modelCached() }),
  (error) => post({ type: "failed", message: `${error.message ?? error} ${RELOAD}` }),
);
