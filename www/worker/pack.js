// The model pack: fetched once, kept by its hash, and in pieces while it is on its way, so that a
// download that was cut goes on where it stopped. The engine checks the bytes; nothing here trusts
// them.

const MANIFEST = "/engine/manifest.json";
const PACK = "minilm.pack";
const CACHE = "lessonloop-model";
/** Whole pieces of this size are kept while the pack comes in. */
const PIECE = 2 * 1024 * 1024;
/** Progress is told after so many bytes. */
const TELL = 262_144;

const pieceUrl = (url, part) => `${url}&part=${part}`;
const isPiece = (url) => url.includes("&part=");

/** The cache, or null where the browser has none (private windows of some). */
const openCache = () => caches.open(CACHE).catch(() => null);
const urls = async (cache) => ((await cache?.keys()) ?? []).map((request) => request.url);
const wholeUrls = async (cache) => (await urls(cache)).filter((url) => !isPiece(url));

/** What the server has: the pack's address with its hash, and its size; null when it can't be asked. */
async function offered() {
  const answer = await fetch(MANIFEST, { cache: "no-cache" }).catch(() => null);
  const entry = answer?.ok ? (await answer.json().catch(() => null))?.files?.[PACK] : null;
  if (!entry) return null;
  return { url: new URL(`/engine/${PACK}?sha256=${entry.sha256}`, self.location.origin).href, total: entry.bytes };
}

const read = async (cache, url) => {
  const held = await cache?.match(url);
  return held ? new Uint8Array(await held.arrayBuffer()) : null;
};

/** The newest whole pack in the cache, read ahead of being asked for. */
export async function readAhead() {
  try {
    const cache = await openCache();
    const url = (await wholeUrls(cache)).at(-1);
    const bytes = url ? await read(cache, url) : null;
    return bytes ? { url, bytes } : null;
  } catch {
    return null; // It is fetched instead.
  }
}

/**
 * Gets the pack's bytes, from the cache or the server. `ahead` is what `readAhead` promised, if it
 * was asked; `tell` hears of bytes so far and in all; `signal` stops it, and what has come is kept.
 */
export async function getPack({ ahead, signal, tell }) {
  const [offer, held] = await Promise.all([offered(), ahead ?? readAhead()]);
  signal.throwIfAborted();
  // Offline, what was verified when it came will do.
  if (held && (!offer || held.url === offer.url)) return held;
  if (!offer) throw new Error("The model could not be reached. Connect to the network and try again.");
  const cache = await openCache();
  const whole = await read(cache, offer.url).catch(() => null);
  if (whole) return { url: offer.url, bytes: whole };
  return { url: offer.url, bytes: await download(cache, offer, signal, tell) };
}

/** Keeps the pack that the engine took, and nothing else; whether there was room. */
export async function keepPack({ url, bytes }) {
  const cache = await openCache();
  if (!cache) return false;
  const known = await urls(cache).catch(() => []);
  const drop = (which) => Promise.all(known.filter(which).map((old) => cache.delete(old)));
  try {
    // The pack before it makes room only now that this one works.
    await drop((old) => old !== url && !old.startsWith(`${url}&`));
    if (!known.includes(url)) await cache.put(url, new Response(bytes));
    await drop((old) => old !== url && isPiece(old));
    return true;
  } catch {
    // No room for it: it works from memory, and its pieces would only fill what lessons need.
    await drop(isPiece).catch(() => undefined);
    return false;
  }
}

/** Throws away all that is kept of a pack that the engine refused. */
export async function dropPack(url) {
  const cache = await openCache();
  const known = await urls(cache).catch(() => []);
  for (const old of known) {
    if (old === url || old.startsWith(`${url}&`)) await cache.delete(old).catch(() => false);
  }
}

/** Whether a whole pack is kept. */
export async function packCached() {
  return (await wholeUrls(await openCache()).catch(() => [])).length > 0;
}

/** Reads the pack with this address from the cache; null when it is not there. */
export async function readPack(url) {
  return read(await openCache(), url).catch(() => null);
}

async function download(cache, { url, total }, signal, tell) {
  await dropOtherPieces(cache, url).catch(() => undefined);
  const bytes = new Uint8Array(total);
  const resumed = await readPieces(cache, url, bytes).catch(() => 0);
  tell(resumed, total);
  if (resumed === total) return bytes;
  const { body, from } = await ask(url, resumed, total, signal);
  if (from === 0 && resumed > 0) {
    await dropPack(url);
    tell(0, total);
  }

  let loaded = from;
  let told = from;
  const keeper = new Keeper(cache, url, bytes, from);
  try {
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      if (loaded + value.length > total) {
        await reader.cancel().catch(() => undefined);
        throw new Refused();
      }
      bytes.set(value, loaded);
      loaded += value.length;
      keeper.upTo(loaded);
      if (loaded - told >= TELL) {
        told = loaded;
        tell(loaded, total);
      }
    }
  } catch (error) {
    await keeper.settled();
    if (error.name === "AbortError") throw error;
    if (error instanceof Refused) {
      await dropPack(url);
      throw new Error("The model changed on the server while it was fetched. Try again.");
    }
    throw new Error(cut(loaded, total));
  }
  await keeper.settled();
  if (loaded < total) throw new Error(cut(loaded, total));
  tell(loaded, total);
  return bytes;
}

/** The server sent what can't be the pack. */
class Refused extends Error {}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const cut = (loaded, total) =>
  `The download stopped at ${megabytes(loaded)} of ${megabytes(total)} MB. What has come is kept: try again to go on from there.`;

/** Asks for what is missing; the server may begin anew. */
async function ask(url, resumed, total, signal) {
  const headers = resumed > 0 ? { range: `bytes=${resumed}-` } : {};
  // Kept here by its hash; the browser's own cache would hold it a second time.
  const answer = await fetch(url, { signal, headers, cache: "no-store" }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error("The model could not be reached. Check the connection and try again.");
  });
  if (answer.status === 200) return { body: answer.body, from: 0 };
  const fits =
    answer.status === 206 && answer.headers.get("content-range") === `bytes ${resumed}-${total - 1}/${total}`;
  if (fits) return { body: answer.body, from: resumed };
  await answer.body?.cancel().catch(() => undefined);
  // Another file than the one that the pieces are of, or a range that it does not have.
  if (resumed > 0 && (answer.status === 206 || answer.status === 416)) return ask(url, 0, total, signal);
  throw new Error(`The server answered ${answer.status} for the model. Try again later.`);
}

/** Fills `bytes` with the pieces that are kept, up to the first gap; how many bytes that were. */
async function readPieces(cache, url, bytes) {
  let loaded = 0;
  for (let part = 0; loaded < bytes.length; part += 1) {
    const piece = await read(cache, pieceUrl(url, part));
    if (piece?.length !== Math.min(PIECE, bytes.length - loaded)) break;
    bytes.set(piece, loaded);
    loaded += piece.length;
  }
  return loaded;
}

async function dropOtherPieces(cache, url) {
  for (const old of await urls(cache)) {
    if (isPiece(old) && !old.startsWith(`${url}&`)) await cache.delete(old);
  }
}

/** Keeps whole pieces one after the other, beside the download. */
class Keeper {
  constructor(cache, url, bytes, from) {
    this.cache = cache;
    this.url = url;
    this.bytes = bytes;
    this.kept = from;
    this.work = Promise.resolve();
  }

  upTo(loaded) {
    while (this.cache && this.kept < this.bytes.length) {
      const [from, to] = [this.kept, Math.min(this.kept + PIECE, this.bytes.length)];
      if (loaded < to) break;
      this.kept = to;
      this.work = this.work
        .then(() => this.cache?.put(pieceUrl(this.url, from / PIECE), new Response(this.bytes.slice(from, to))))
        .catch(() => {
          // No room: the download goes on in memory.
          this.cache = null;
        });
    }
  }

  settled() {
    return this.work;
  }
}
