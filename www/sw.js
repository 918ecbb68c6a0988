// The app without a network: keeps the files of one build and answers with them.
//
// precache.js, written by the build, names every file with its hash. A worker is installed only when it has all of them
// with these very hashes, so no page ever runs files of two builds. A new build waits until a person asks for it
// ("activate") or the last page is closed; other pages that are open then go on with the build that they were loaded
// with. Only what is listed is answered: what agents call, samples, the model pack and other hosts go their way. The
// model pack has its own cache (worker/pack.js).
//
// The page says by `?build=` which of the engine's modules this browser runs.
// A policy of its own, as it can't load one first: www/trusted.js has the pages'.
self.trustedTypes?.createPolicy("default", {
  createScriptURL: (address) => (address === "/precache.js" ? address : null),
});
importScripts("/precache.js");

const { version, files } = self.PRECACHE;
const PREFIX = "lessonloop-app-";
const CACHE = PREFIX + version;
/** Where it is noted which build answers, and which clients run another one: `{active, held: {client id: cache}}`. */
const NOTES = "lessonloop-builds";
const NOTE = "/builds.json";
/** Time that a page waits for the server's own headers before it is shown with those that are kept. */
const PAGE_WAIT_MS = 300;

const build = new URL(self.location.href).searchParams.get("build");
const kept = files.filter((file) => !file.build || file.build === build);
const listed = new Map(kept.map(({ url, integrity }) => [url, integrity]));

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  if (event.data === "activate") event.waitUntil(self.skipWaiting());
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (isPage(pathname)) event.respondWith(page(event));
  } else if (listed.has(pathname)) {
    event.respondWith(file(event, pathname));
  }
});

/** True for a path that a host answers with the app: one without an extension, but not those that agents call. */
const isPage = (path) => !/\.[^/]*$/.test(path) && path !== "/mcp" && !/^\/v1(\/|$)/.test(path);

/** Fetches every file, or takes the browser's copy where the server says that it is the same. */
async function install() {
  try {
    const cache = await caches.open(CACHE);
    await cache.addAll(kept.map(({ url, integrity }) => new Request(url, { integrity, cache: "no-cache" })));
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}

/** From now on this build answers; pages that are open keep the one that they run. */
async function activate() {
  const { active, held } = await readNote();
  if (active && active !== CACHE) {
    for (const { id } of await clientsNow()) held[id] ??= active;
  }
  await keepNote(held);
}

const clientsNow = () => self.clients.matchAll({ type: "all", includeUncontrolled: true });

async function readNote() {
  const answer = await (await caches.open(NOTES)).match(NOTE);
  return answer ? answer.json() : { active: null, held: {} };
}

/** Keeps the note of clients that are still there, and drops the builds that nobody runs. */
async function keepNote(held) {
  const alive = new Set((await clientsNow()).map(({ id }) => id));
  const left = Object.fromEntries(Object.entries(held).filter(([id]) => alive.has(id)));
  holding = Promise.resolve(left);
  await (await caches.open(NOTES)).put(NOTE, Response.json({ active: CACHE, held: left }));
  // The files of a build that is on its way, or waits, look like nobody's.
  if (self.registration.installing || self.registration.waiting) return;
  const used = new Set([CACHE, ...Object.values(left)]);
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && !used.has(name)) await caches.delete(name);
  }
}

let holding = null;
/** Returns the clients that run another build; read once in this worker's life. */
const heldNow = () => (holding ??= readNote().then(({ held }) => held));

async function page(event) {
  const cache = await caches.open(CACHE);
  const held = await cache.match("/");
  const fresh = freshPage(cache);
  event.waitUntil(fresh.then(tidy));
  if (!held) return (await fresh) ?? fetch(event.request);
  const late = new Promise((done) => setTimeout(done, PAGE_WAIT_MS, null));
  return (await Promise.race([fresh, late])) ?? held;
}

/** The page as the server sends it now, with its headers of now; null when it can't be had or is of another build. */
async function freshPage(cache) {
  try {
    const answer = await fetch("/", { cache: "no-cache" });
    const hash = await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer());
    if (!answer.ok || `sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}` !== listed.get("/")) return null;
    await cache.put("/", answer.clone());
    return answer;
  } catch {
    return null;
  }
}

/** Clients that are gone give their build up. */
async function tidy() {
  const held = await heldNow();
  if (Object.keys(held).length > 0) await keepNote(held);
}

/** A file of the build that the asking page was loaded with. */
async function file(event, path) {
  const held = await heldNow();
  const older = held[event.clientId];
  // A worker that such a page starts belongs to it.
  if (older && event.resultingClientId) held[event.resultingClientId] = older;
  const cache = await caches.open(older ?? CACHE);
  // By its path: the engine's glue is asked for with the number of its instance.
  return (await cache.match(path)) ?? fetch(event.request);
}
