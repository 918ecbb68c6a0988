// The model packs: each fetched once, kept by its hash, and in pieces while it is on its way, so that a
// download that was cut goes on where it stopped. The engine checks the bytes; nothing here trusts
// them.

const MANIFEST = "/engine/manifest.json";
/** The files of each model's pack. The larger one lies in parts, as hosts take no file of more than 25 MiB. */
const FILES = { english: /^minilm\.pack$/, multilingual: /^multilingual\.pack\.(\d+)$/ };
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

/** The files that the server has; none when it can't be asked. */
async function served() {
  if (globalThis.navigator?.onLine === false) return {};
  const answer = await fetch(MANIFEST, { cache: "no-cache" }).catch(() => null);
  return (answer?.ok ? (await answer.json().catch(() => null))?.files : null) ?? {};
}

/**
 * Finds a model among the server's files: the pack's address with the hash of its first file, which holds that of all; its
 * size; and its files, each with where it begins and ends in the pack. Null when there is none.
 */
function offered(files, model) {
  const numbered = Object.entries(files).flatMap(([name, { bytes, sha256 }]) => {
    const found = FILES[model].exec(name);
    return found ? [{ at: Number(found[1] ?? 0), name, bytes, sha256 }] : [];
  });
  numbered.sort((one, other) => one.at - other.at);
  if (numbered.length === 0) return null;
  const address = (name, sha256) => new URL(`/engine/${name}?sha256=${sha256}`, self.location.origin).href;
  let total = 0;
  const parts = numbered.map(({ name, bytes, sha256 }) => {
    const from = total;
    total += bytes;
    return { url: address(name, sha256), from, end: total };
  });
  return { url: parts[0].url, total, parts };
}

/** The model whose pack has an address. */
const modelAt = (url) => (new URL(url).pathname.includes("/multilingual.pack") ? "multilingual" : "english");

/** The models that this site has packs of. */
export async function modelsOffered() {
  const files = await served();
  return Object.keys(FILES).filter((name) => offered(files, name));
}

/** The model whose pack is kept; null where none is. */
export async function modelKept() {
  const url = (await wholeUrls(await openCache()).catch(() => [])).at(-1);
  return url ? modelAt(url) : null;
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
 * Gets the bytes of a model's pack, from the cache or the server. `ahead` is what `readAhead` promised, if it
 * was asked; `tell` hears of bytes so far and in all; `signal` stops it, and what has come is kept.
 */
export async function getPack({ model, ahead, signal, tell }) {
  const [files, any] = await Promise.all([served(), ahead ?? readAhead()]);
  const offer = offered(files, model);
  const held = any && modelAt(any.url) === model ? any : null;
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

/** Reads the pack with this address from the cache; null when it is not there. */
export async function readPack(url) {
  return read(await openCache(), url).catch(() => null);
}

async function download(cache, { url, total, parts }, signal, tell) {
  await dropOtherPieces(cache, url).catch(() => undefined);
  const bytes = new Uint8Array(total);
  const resumed = await readPieces(cache, url, bytes).catch(() => 0);
  tell(resumed, total);
  let loaded = resumed;
  for (const part of parts) {
    if (loaded < part.end) loaded = await downloadPart({ cache, url, bytes, part, loaded, signal, tell });
  }
  tell(loaded, total);
  return bytes;
}

/** Downloads the rest of a file of the pack, of which `loaded` bytes are there; how many are then. */
async function downloadPart({ cache, url, bytes, part, loaded, signal, tell }) {
  const total = bytes.length;
  const answer = await ask(part.url, loaded - part.from, part.end - part.from, signal);
  const from = part.from + answer.from;
  if (from < loaded) {
    await dropPack(url);
    tell(from, total);
  }

  loaded = from;
  let told = from;
  const keeper = new Keeper(cache, url, bytes, from);
  try {
    for (const reader = answer.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      if (loaded + value.length > part.end) {
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
  if (loaded < part.end) throw new Error(cut(loaded, total));
  return loaded;
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
