// The engine's host in the browser: a module worker around one `Engine` over IndexedDB.
//
// It carries messages (lesson-types: ToWorker, FromWorker), loads the model, has other workers embed
// while many lessons wait, tells other tabs of changes, has the engine sync with a server, and starts
// a fresh instance when the module traps. No rule about lessons lives here.

import "./trusted.js";
import { EmbeddingWorkers } from "./worker/embedding-workers.js";
import { fill, giveVectors } from "./worker/demo.js";
import { asFile, handle } from "./worker/files.js";
import { build, compile, instantiate, isTrap } from "./worker/module.js";
import { dropPack, getPack, keepPack, modelKept, modelsOffered, readAhead } from "./worker/pack.js";
import { channel, database, isDemo } from "./worker/space.js";
import { Sync } from "./worker/sync.js";

const RELOAD = "Reload the page; if it happens again, export your lessons and report it.";
/** Traps within this time of the start before count as one that does not stop. */
const RESTART_WINDOW_MS = 5_000;
const MAX_RESTARTS = 3;

// Both come in at the same time: the module, and the model if it is there already.
const module = compile();
let ahead = readAhead();
const tabs = new BroadcastChannel(channel);

/** Requests that have no answer yet, by id. */
const open = new Map();
let engine = null;
let instances = 0;
let restarts = 0;
let startedAt = 0;
let restarting = null;
/** The last position that syncing was told of. */
let position = 0;
/** The state that the page and the other tabs were last told of: the position, and the revision of the link. */
let told = "";
/** Number of times the store was found cleared, as far as the page knows. */
let cleared = 0;
let download = null;
let model = { phase: "absent" };
/** The model that a person asked for last. */
let chosenModel = null;
/** The loaded model's name and id, and the workers that embed with it. */
let modelName = null;
let modelId = null;
let embeddingWorkers = null;
/** True if a person stopped the indexing. */
let paused = false;

const post = (message) => self.postMessage(message);

/** The demo has nothing to do with any server. */
const sync = isDemo
  ? null
  : new Sync({
      onStep: (status) => {
        tellChanged("synced");
        if (status) post({ type: "synced" });
      },
      askLeader: () => tabs.postMessage("sync"),
      tellWatched: () => tabs.postMessage("watched"),
      onError: (error) => {
        if (isTrap(error)) void restart(error);
      },
    });

const tellModel = (state) => {
  if (JSON.stringify(state) === JSON.stringify(model)) return;
  model = state;
  post({ type: "model", state });
};

/** Says how far the lessons have their vectors. */
function tellIndexing() {
  // While another model comes in, that is what is told of.
  if (!engine || !modelId || download) return;
  const { done, total } = engine.indexing();
  if (done >= total) {
    if (paused) setPaused(false);
    tellModel({ phase: "ready", id: modelId });
  } else {
    tellModel({ phase: paused ? "paused" : "indexing", done, total, id: modelId });
  }
}

/** Says which models there are to choose from, and which is chosen. */
async function tellModels() {
  const [offered, kept] = await Promise.all([modelsOffered(), modelKept()]);
  post({ type: "models", offered, chosen: modelName ?? kept ?? "english" });
}

function setPaused(on) {
  paused = on;
  engine?.set_indexing(!on);
}

function stopIndexing() {
  if (model.phase !== "indexing") return;
  setPaused(true);
  embeddingWorkers?.end();
  tellIndexing();
}

function resumeIndexing() {
  if (!paused) return;
  setPaused(false);
  tellIndexing();
  embeddingWorkers?.consider();
}

async function start() {
  // A trapped instance can't be used again; the next one is compiled already.
  const glue = await instantiate(module, instances);
  instances += 1;
  const opened = await glue.Engine.open({
    store: { kind: "indexed_db", name: database },
    on_index: () => {
      tellIndexing();
      if (!paused) embeddingWorkers?.consider();
    },
  });
  if (isDemo) await fill(opened);
  position = opened.position();
  told = stateOf(opened);
  cleared = 0;
  startedAt = Date.now();
  engine = opened;
  engine.set_indexing(!paused);
  sync?.adopt(engine, instances > 1);
}

/** Fails what is under way, opens a fresh instance over the same store, and says so. */
function restart(cause) {
  restarting ??= (async () => {
    engine = null;
    sync?.abandon();
    embeddingWorkers?.abandon();
    embeddingWorkers = null;
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
    post({
      type: "restarted",
      message: `The engine failed (${message}) and was started again. Everything stored is kept.`,
    });
    post({ type: "changed" });
    const hadModel = Boolean(modelId);
    modelId = null;
    modelName = null;
    tellModel({ phase: "absent" });
    restarting = null;
    // Reading twice does no harm.
    for (const asked of repeat) void answer(asked);
    if (hadModel) void loadModel();
  })();
  return restarting;
}

function interrupted(message) {
  return {
    status: 503,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      error: {
        code: "unavailable",
        message: `The engine failed (${message}) and was started again. What was stored is kept; look before you repeat this.`,
      },
    }),
  };
}

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

async function answer({ id, request, as_file: wantsFile }) {
  open.set(id, { id, request, as_file: wantsFile });
  try {
    await ready;
    await restarting;
    if (!engine) throw new Error("the engine is not open");
    const answered = isDemo && talksToServer(request) ? refused() : await handle(() => engine, request);
    const response = wantsFile ? await asFile(answered) : answered;
    if (open.delete(id)) post({ type: "response", id, response });
    await tellOthers();
    if (request.method === "POST" && request.path.startsWith("/v1/sync/")) sync?.asked();
  } catch (error) {
    if (isTrap(error)) {
      await restart(error);
    } else if (open.delete(id)) {
      post({ type: "response", id, response: interrupted(error.message ?? String(error)) });
    }
  }
}

const talksToServer = ({ method, path }) => method === "POST" && path.startsWith("/v1/sync/");

const refused = () => ({
  status: 409,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    error: { code: "conflict", message: "The demo is never synced. Go to your own space to connect a server." },
  }),
});

/** After something was stored: this page and the other tabs look again. */
async function tellOthers() {
  try {
    await engine?.flush();
  } catch {
    return; // Shown by GET /v1/health.
  }
  if (!engine) return;
  tellCleared();
  tellChanged("changed");
  tellSync();
}

/** Has what was written since then sent to the server. */
function tellSync() {
  const now = engine.position();
  if (now === position) return;
  position = now;
  sync?.written();
}

/** Says so when the store was found cleared. */
function tellCleared() {
  const now = engine?.cleared() ?? cleared;
  if (now === cleared) return;
  cleared = now;
  post({ type: "cleared" });
}

const stateOf = (opened) => `${opened.position()} ${opened.revision()}`;

/** Tells this page and the other tabs where the store holds what nobody was told of yet; true if it does. */
function tellChanged(message) {
  const now = engine ? stateOf(engine) : told;
  if (now === told) return false;
  told = now;
  post({ type: "changed" });
  tabs.postMessage(message);
  return true;
}

// "changed": something was written there. "synced": a round brought something. "sync": a round is
// wanted of the tab that syncs. "watched": the page there is looked at.
tabs.onmessage = async ({ data }) => {
  if (data === "sync") {
    sync?.askedByTab();
    return;
  }
  if (data === "watched") {
    sync?.watchedByTab();
    return;
  }
  try {
    if (engine && (await engine.catch_up())) {
      told = stateOf(engine);
      tellCleared();
      post({ type: "changed" });
    }
    // Events that a round brought are not to be sent: two tabs that both sync would go on for ever.
    if (engine && data === "synced") position = engine.position();
    else if (engine) tellSync();
  } catch (error) {
    if (isTrap(error)) await restart(error);
  }
};

/** Loads the model that is wanted, or the one that was chosen or is kept; in place of another, which serves until then. */
async function loadModel(wanted) {
  const isOther = wanted !== undefined && wanted !== modelName;
  if (download || !(isOther || ["absent", "failed"].includes(model.phase))) return;
  download = new AbortController();
  const { signal } = download;
  try {
    chosenModel = wanted ?? chosenModel ?? (await modelKept()) ?? "english";
    await ready;
    const pack = await getPack({
      model: chosenModel,
      ahead,
      signal,
      tell: (loaded, total) => tellModel({ phase: "downloading", loaded, total }),
    });
    await restarting;
    await takePack(pack, chosenModel);
  } catch (error) {
    if (error.name === "AbortError") {
      chosenModel = modelName;
      download = null;
      if (modelId) tellIndexing();
      else tellModel({ phase: "absent" });
    } else if (isTrap(error)) {
      tellModel({ phase: "failed", message: `The model could not be loaded: ${error.message}` });
      await restart(error);
    } else {
      tellModel({ phase: "failed", message: error.message ?? String(error) });
    }
  } finally {
    ahead = null;
    if (download?.signal === signal) download = null;
  }
}

/** Loads the pack into the engine, and keeps it when the engine took it. */
async function takePack(pack, name) {
  tellModel({ phase: "loading" });
  const taker = engine;
  // They embed with the model before.
  embeddingWorkers?.end();
  embeddingWorkers = null;
  try {
    // Nothing is embedded before what is there already was handed over.
    if (isDemo) taker.set_indexing(false);
    modelId = await taker.load_model(pack.bytes);
    modelName = name;
    if (isDemo) {
      taker.set_indexing(!paused);
      await giveVectors(taker, modelId);
    }
  } catch (error) {
    // The engine checks the pack's own hash.
    if (error.code !== "invalid_request") throw error;
    await dropPack(pack.url);
    throw new Error(
      `The model pack was refused and thrown away (${error.message}). Lessons are found by their words; try again to fetch it anew.`,
    );
  }
  download = null;
  tellIndexing();
  const kept = await keepPack(pack);
  void tellModels();
  // Others read the model from the cache; and the engine may have failed meanwhile.
  if (!kept || engine !== taker) return;
  embeddingWorkers = new EmbeddingWorkers({
    engine,
    model: modelId,
    module: await module,
    pack: pack.url,
    onTaken: tellIndexing,
    // A store that fails is shown by GET /v1/health; the vectors are in memory.
    onError: (error) => {
      if (isTrap(error)) void restart(error);
    },
  });
  if (!paused) embeddingWorkers.consider();
}

self.addEventListener("message", ({ data }) => {
  switch (data?.type) {
    case "request":
      void answer(data);
      break;
    case "load_model":
      void loadModel(data.model);
      break;
    case "cancel_model":
      download?.abort();
      break;
    case "tell_models":
      void tellModels();
      break;
    case "stop_indexing":
      stopIndexing();
      break;
    case "resume_indexing":
      resumeIndexing();
      break;
    case "watch":
      sync?.watch(data.watched);
      break;
  }
});

const ready = start();
ready.then(
  async () => post({ type: "ready", build, model_cached: (await modelKept()) !== null }),
  (error) => post({ type: "failed", message: `${error.message ?? error} ${RELOAD}` }),
);
