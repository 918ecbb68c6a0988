// A pack that lies on the server in parts, as the dashboard downloads it: put together, gone on with within a part, kept under one
// name. In Node, with a cache and a server that are maps; the suite `loop` downloads the other pack in a browser.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { installed } from "./installed.mjs";

/** As much as is kept at once. */
const PIECE = 2 * 1024 * 1024;
const PACK = Buffer.from(Uint8Array.from({ length: 3 * PIECE + 700_777 }, (_, at) => at * 31 + (at >> 8)));
/** Files by name; the manifest does not list them in order. */
const FILES = new Map([
  ["minilm.pack", Buffer.alloc(1000, 7)],
  ["multilingual.pack.1", PACK.subarray(2 * PIECE)],
  ["multilingual.pack.0", PACK.subarray(0, 2 * PIECE)],
]);

/** @type {Map<string, Buffer>} */
const kept = new Map();
/** The requests so far: file, and from which byte. @type {[string, number][]} */
let asked = [];
/** After so many bytes of a file its connection breaks. @type {{ name?: string, at: number }} */
let cut = { at: 0 };

/** @param {string} name @param {Buffer} body @param {number} from */
function streamed(name, body, from) {
  let at = from;
  /** @param {ReadableStreamDefaultController} to */
  const pull = (to) => {
    if (cut.name === name && at >= cut.at) return to.error(new Error("broken"));
    if (at >= body.length) return to.close();
    to.enqueue(new Uint8Array(body.subarray(at, at + 500_000)));
    at += 500_000;
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** @type {any} */
let packs;

before(async () => {
  const cache = {
    match: async (/** @type {string} */ url) =>
      kept.has(url) ? new Response(new Uint8Array(kept.get(url) ?? [])) : undefined,
    put: async (/** @type {string} */ url, /** @type {Response} */ answer) =>
      void kept.set(url, Buffer.from(await answer.arrayBuffer())),
    delete: async (/** @type {string} */ url) => kept.delete(url),
    keys: async () => [...kept.keys()].map((url) => ({ url })),
  };
  const answers = async (/** @type {string} */ url, /** @type {any} */ { headers = {} } = {}) => {
    const { pathname } = new URL(url, "http://site.example");
    const name = pathname.split("/").at(-1) ?? "";
    if (name === "manifest.json") {
      const files = [...FILES].map(([name, { length }]) => [name, { bytes: length, sha256: name }]);
      return Response.json({ files: Object.fromEntries(files) });
    }
    const body = FILES.get(name) ?? Buffer.alloc(0);
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    asked.push([name, from]);
    const range = from > 0 ? { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` } : undefined;
    return new Response(streamed(name, body, from), { status: from > 0 ? 206 : 200, headers: range });
  };
  Object.assign(globalThis, {
    self: { location: { origin: "http://site.example" } },
    caches: { open: async () => cache },
    fetch: answers,
  });
  packs = await import(pathToFileURL(join(installed(), "dashboard", "worker", "pack.js")).href);
});

const get = (/** @type {string} */ model) =>
  packs.getPack({ model, signal: new AbortController().signal, tell: () => undefined });

test("a pack in parts is put together, and a cut download goes on within its part", async () => {
  assert.deepEqual(await packs.modelsOffered(), ["english", "multilingual"]);
  await packs.keepPack(await get("english"));
  assert.equal(await packs.modelKept(), "english");

  for (const [name, at, again] of /** @type {[string, number, [string, number][]][]} */ ([
    [
      "multilingual.pack.0",
      PIECE + 1000,
      [
        ["multilingual.pack.0", PIECE],
        ["multilingual.pack.1", 0],
      ],
    ],
    ["multilingual.pack.1", 2_500_000, [["multilingual.pack.1", PIECE]]],
    ["multilingual.pack.1", 1000, [["multilingual.pack.1", 0]]],
  ])) {
    cut = { name, at };
    await assert.rejects(get("multilingual"), /stopped at .* What has come is kept/);
    assert.notEqual(await packs.modelKept(), "multilingual", "a part is no pack");
    [cut, asked] = [{ at: 0 }, []];
    const whole = await get("multilingual");
    assert.ok(PACK.equals(whole.bytes), `cut at ${at} of ${name}`);
    assert.deepEqual(asked, again);
    await packs.dropPack(whole.url);
  }

  const whole = await get("multilingual");
  await packs.keepPack(whole);
  assert.deepEqual([...kept.keys()], [whole.url], "the other pack and all pieces made room");
  assert.equal(await packs.modelKept(), "multilingual");
  asked = [];
  assert.ok(PACK.equals((await get("multilingual")).bytes));
  assert.deepEqual(asked, [], "it comes from the cache");
});
