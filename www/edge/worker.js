// The edge function on Cloudflare Workers: what agents ask goes to the engine, all else is the dashboard's files.
//
// One engine for all requests of an isolate. workerd ties timers, fetches and promises to the request that made them,
// so a request waits for nothing but its own work, and what is left to do after an answer runs in `waitUntil`. No rule
// about lessons lives here, and nothing is written down about a request: its headers hold keys.

import { Edge, __wbg_reset_state, initSync } from "../engine/lessonloop_relaxed.js";
// workerd has relaxed SIMD, and a module can't be chosen at run time there: it is compiled when the worker is deployed.
import module from "../engine/lessonloop_relaxed_bg.wasm";
import { HOSTED, pageHeaders } from "./headers.js";

/** A body is read up to this many bytes; the engine refuses one that is larger than 1 MiB. */
const BODY_BYTES = 1024 * 1024 + 1;
/** Of a larger one the rest is thrown away up to this many, so that its sender gets to read the answer. */
const DISCARDED_BYTES = 8 * 1024 * 1024;
/** The packs by the variable LESSONLOOP_MODEL. The platform takes files of 25 MiB at most, so the larger one lies there in parts. */
const PACKS = {
  english: { path: "/engine/minilm.pack", isInParts: false },
  multilingual: { path: "/engine/multilingual.pack", isInParts: true },
};
/** The address that wrangler.toml has in the place of the project's. */
const UNSET = "https://project.supabase.co";

/** Where spaces are kept between isolates, on the Worker's own host as the platform wants it. A request for such an address
 * is the engine's, which knows none; nothing is ever served from that cache; and nobody else can make up the names. */
const CACHE = "lessonloop";
const KEPT = "/v1/kept/";
const KEPT_SECONDS = 86_400;

/** Path of the document that describes the requests. */
const DOCUMENT = "/openapi.json";
const ofEngine = (path) => path === "/mcp" || path === "/v1" || path.startsWith("/v1/");
/** True if the instance can't be used any more after this error. */
const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

export default {
  fetch(request, env, ctx) {
    const { pathname, search } = new URL(request.url);
    if (pathname === `/v1${DOCUMENT}`) return page(request, DOCUMENT, env);
    return ofEngine(pathname) ? ask(request, pathname + search, env, ctx) : page(request, pathname, env);
  },
};

let instances = 0;
let usable = false;
let edge = null;
/** Callbacks that tell of a trap to those that wait for the instance. */
const waiting = new Set();
/** False after a trap: an engine may have fallen over the kept bytes, so this isolate reads from the server alone. */
let recalls = true;
/** The Worker's own host, as the last request had it. */
let origin = "";

/** The isolate's engine. After a trap the next request gets a fresh instance behind the same glue. */
function engine(env) {
  if (!usable) {
    if (instances === 0) initSync({ module });
    else __wbg_reset_state();
    instances += 1;
    usable = true;
  }
  edge ??= new Edge({
    url: env.SUPABASE_URL ?? "",
    key: env.SUPABASE_KEY ?? "",
    ...(env.DASHBOARD_ORIGIN ? { dashboard_origin: env.DASHBOARD_ORIGIN } : {}),
    ...(env.ALLOWED_HOSTS ? { hosts: env.ALLOWED_HOSTS.split(",").map((host) => host.trim()) } : {}),
    ...(env.REQUESTS_PER_SECOND ? { requests_per_second: Number(env.REQUESTS_PER_SECOND) } : {}),
    ...(env.BURST ? { burst: Number(env.BURST) } : {}),
    ...(env.BYTES_PER_SECOND ? { bytes_per_second: Number(env.BYTES_PER_SECOND) } : {}),
    ...(env.WORK_PER_SECOND ? { work_per_second: Number(env.WORK_PER_SECOND) } : {}),
    ...(env.REPLICA_BYTES ? { replica_bytes: Number(env.REPLICA_BYTES) } : {}),
    keep,
    recall,
  });
  return edge;
}

/** Gives up a trapped instance, and what waits for it. What the server has is kept. */
function abandon(trap) {
  usable = false;
  edge = null;
  recalls = false;
  for (const fail of waiting) fail(trap);
  waiting.clear();
}

/** Keeps pieces as one for other isolates of this place; an account without a cache keeps nothing. */
async function keep(name, pieces) {
  const body = new ReadableStream({
    // Each is let go of once it is on its way.
    pull: (stream) => (pieces.length > 0 ? stream.enqueue(pieces.shift()) : stream.close()),
  });
  const cache = await caches.open(CACHE);
  await cache.put(
    `${origin}${KEPT}${name}`,
    new Response(body, { headers: { "cache-control": `max-age=${KEPT_SECONDS}` } }),
  );
}

/** Reads the bytes kept under a name; null where there are none. */
async function recall(name) {
  if (!recalls) return null;
  const cache = await caches.open(CACHE);
  const found = await cache.match(`${origin}${KEPT}${name}`);
  return found ? new Uint8Array(await found.arrayBuffer()) : null;
}

/** Returns the result of `work`, or throws the trap because of which it never comes. */
function orTrap(work) {
  let fail;
  const trap = new Promise((_, reject) => waiting.add((fail = reject)));
  return Promise.race([work, trap]).finally(() => waiting.delete(fail));
}

// A trap inside a future reaches no caller: it surfaces here.
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, (event) => {
    const error = event.error ?? event.reason;
    if (!isTrap(error)) return;
    event.preventDefault();
    abandon(error);
  });
}

async function ask(request, path, env, ctx) {
  try {
    const headers = Object.fromEntries(request.headers);
    ({ origin } = new URL(request.url));
    // Read whatever the answer will be: a connection with a body that nobody read is reset, and takes the next request with it.
    const body = await read(request);
    const asked = engine(env);
    // It goes on when the answer did not wait for all of it.
    const fetch_model = () => ctx.waitUntil(loadModel(asked, env));
    // Cloudflare sets it, whatever the caller sent; the local host takes the socket's.
    const client = headers["cf-connecting-ip"] ?? "";
    // Where there is no such counter, the engine's counts alone, in each isolate for itself.
    const count = env.RATE_LIMITER ? (key) => isWithinRate(key, env) : undefined;
    const given = { method: request.method, path, headers, body, client, fetch_model, count };
    const answer = await orTrap(asked.handle(given));
    ctx.waitUntil(finish(asked));
    return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
  } catch (error) {
    if (isTrap(error)) abandon(error);
    return unavailable(error);
  }
}

/** True if the platform's counter lets a key go on: it holds over isolates, as the engine's own can't. The engine names the key
 * by its id, once it knows that it is in force. */
async function isWithinRate(key, env) {
  try {
    return (await env.RATE_LIMITER.limit({ key })).success;
  } catch (error) {
    console.warn(`the rate limiter: ${error.message ?? error}; requests are counted in this isolate alone`);
    return true;
  }
}

/** Does what is left to do after an answer. */
async function finish(asked) {
  try {
    await orTrap(asked.settle());
  } catch (error) {
    if (isTrap(error)) abandon(error);
    else console.warn(`after an answer: ${error.message ?? error}`);
  }
}

/** Gets the model for an engine that wants it. Without it, lessons are ranked by their words. */
async function loadModel(asked, env) {
  const name = env.LESSONLOOP_MODEL || "english";
  const pack = Object.hasOwn(PACKS, name) ? PACKS[name] : null;
  const warn = (what) => console.warn(`${what}; lessons are ranked by their words`);
  if (!pack) {
    asked.no_model(true);
    return warn(`LESSONLOOP_MODEL is ${name}: set it to english or multilingual`);
  }
  try {
    const file = await asset(pack.isInParts ? `${pack.path}.0` : pack.path, env);
    // The instance that wanted it may have been given up meanwhile.
    if (asked !== edge) return await file.body?.cancel();
    if (!file.ok) {
      await file.body?.cancel();
      asked.no_model(file.status === 404);
      return warn(`${pack.path}: ${file.status}`);
    }
    const pieces = piecesOf(file, pack, env);
    try {
      await orTrap(asked.load_model(async () => (await pieces.next()).value ?? null));
    } finally {
      await pieces.return();
    }
  } catch (error) {
    if (isTrap(error)) abandon(error);
    else if (asked === edge) asked.no_model(false);
    warn(`${pack.path}: ${error.message ?? error}`);
  }
}

const asset = (path, env) => env.ASSETS.fetch(new URL(path, "https://assets.local"));

/** A pack's bytes as they come: never all of them beside the engine's own. One in parts lies there as `PATH.0`, `PATH.1` and
 * so on, up to the first that is missing. */
async function* piecesOf(first, { path, isInParts }, env) {
  let file = first;
  for (let part = 1; file.ok; part += 1) {
    yield* file.body ?? [];
    if (!isInParts) return;
    file = await asset(`${path}.${part}`, env);
  }
  await file.body?.cancel();
  if (file.status !== 404) throw new Error(`${file.status}`);
}

/** The body's first bytes: at most what tells the engine that it is too large. */
async function read(request) {
  const pieces = [];
  let length = 0;
  const reader = request.body?.getReader();
  while (reader && length < BODY_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
  }
  let more = length >= BODY_BYTES;
  for (let passed = length; more && passed < DISCARDED_BYTES; ) {
    const { done, value } = await reader.read();
    more = !done;
    passed += value?.length ?? 0;
  }
  if (more) await reader.cancel();
  const body = new Uint8Array(Math.min(length, BODY_BYTES));
  let at = 0;
  for (const piece of pieces) {
    body.set(piece.subarray(0, BODY_BYTES - at), at);
    at += piece.length;
  }
  return body;
}

function unavailable(error) {
  const message = isTrap(error)
    ? "The engine failed and is started again. Repeat the request, with the same Idempotency-Key if it writes."
    : `This edge function can't answer: ${error.message ?? error}`;
  return Response.json(
    { error: { code: "unavailable", message, ...(error.field ? { field: error.field } : {}) } },
    { status: 503, headers: { "retry-after": "1", "cache-control": "no-store" } },
  );
}

/** A file of the dashboard. A path without an extension that names no file is one of its pages. */
async function page(request, path, env) {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response("Only GET and HEAD.\n", { status: 405, headers: { allow: "GET, HEAD" } });
  }
  const isPage = !/\.[^/]*$/.test(path);
  const file = new Request(new URL(isPage ? "/index.html" : path, request.url), request);
  const found = await env.ASSETS.fetch(file);
  const answer = new Response(found.body, found);
  // The dashboard takes its own origin for the agents' address then.
  answer.headers.set("lessonloop-edge", "1");
  for (const [name, value] of Object.entries(pageHeaders)) answer.headers.set(name, servers(value, env));
  return answer;
}

/** The dashboard may connect to the Supabase that agents use, wherever that is hosted, and to no other. */
function servers(value, env) {
  const origin = URL.canParse(env.SUPABASE_URL ?? "") ? new URL(env.SUPABASE_URL).origin : "";
  // As long as nobody has set it, any hosted project may be the one.
  const isKnown = origin.startsWith("http") && origin !== UNSET;
  return isKnown ? value.replace(HOSTED, origin) : value;
}
