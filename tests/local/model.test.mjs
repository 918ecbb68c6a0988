// Choosing the model of a machine: the pack comes from a file or an address, once, goes on where a try stopped, and is held
// against its hash; a choice that fails changes nothing.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { folder, installed, machine } from "./installed.mjs";

/** In place of the multilingual pack, which no test fetches: the English one. */
const PACK = readFileSync(join(installed(), "engine", "minilm.pack"));
const SHA256 = createHash("sha256").update(PACK).digest("hex");

/**
 * Serves the pack. `cut`: after so many bytes the connection breaks, the first time; `ranges`: whether parts are given.
 * @param {{ cut?: number, ranges?: boolean, body?: Buffer }} [given]
 */
async function served({ cut = 0, ranges = true, body = PACK } = {}) {
  /** @type {(string | undefined)[]} */
  const asked = [];
  const server = createServer((request, answer) => {
    const { range } = request.headers;
    asked.push(range);
    const from = ranges ? Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0) : 0;
    if (from >= body.length) return answer.writeHead(416).end();
    answer.writeHead(from > 0 ? 206 : 200, {
      "content-length": body.length - from,
      ...(from > 0 ? { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` } : {}),
    });
    if (cut > 0 && asked.length === 1) answer.write(body.subarray(0, cut), () => answer.destroy());
    else answer.end(body.subarray(from));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/multilingual.pack`, asked, server };
}

/** Runs the command without holding this process, which serves the pack. @param {any} on @param {string[]} words */
async function ran(on, words) {
  const child = on.start(words);
  let [out, err] = ["", ""];
  child.stdout.on("data", (/** @type {Buffer} */ piece) => (out += piece));
  child.stderr.on("data", (/** @type {Buffer} */ piece) => (err += piece));
  const [code] = await once(child, "close");
  return { code, out, err };
}

test("nobody has chosen: the English model, and nothing is fetched", () => {
  const on = machine();
  const { model, pack, is_there } = on.json(["model"]);
  assert.deepEqual([model, is_there], ["english", true]);
  assert.match(pack, /minilm\.pack$/);
});

test("a pack from a file is in force once its hash is right, and English again at a word", () => {
  const on = machine();
  const file = join(folder("pack"), "given.pack");
  writeFileSync(file, PACK);
  const refused = on.run(["model", "multilingual", "--file", file]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, new RegExp(`its SHA-256 is ${SHA256}, expected [0-9a-f]{64}; nothing was changed`));
  assert.equal(on.json(["model"]).model, "english");
  const taken = on.json(["model", "multilingual", "--file", file, "--sha256", SHA256]);
  assert.deepEqual([taken.model, taken.is_there], ["multilingual", true]);
  assert.deepEqual(readFileSync(taken.pack), PACK);
  on.json(["add", "Zebras graze at dawn"]);
  const { results } = on.json(["search", "zebras"]);
  assert.equal(results.length, 1, "the pack that was chosen loads");
  assert.match(on.run(["doctor"]).out, /the multilingual model loads in/);
  // It is kept: to choose it again needs no file.
  assert.equal(on.json(["model", "english"]).model, "english");
  assert.equal(on.json(["model", "multilingual", "--sha256", SHA256]).model, "multilingual");
});

test("a download that broke off goes on where it stopped, also from a server without ranges", async () => {
  for (const ranges of [true, false]) {
    const on = machine();
    const { url, asked, server } = await served({ cut: 5_000_000, ranges });
    const words = ["model", "multilingual", "--from", url, "--sha256", SHA256];
    const cut = await ran(on, words);
    assert.equal(cut.code, 1);
    assert.match(cut.err, /could not be got whole: .*; \d+ bytes of it are kept, run the command again to go on/);
    assert.equal(on.json(["model"]).model, "english", "nothing is in force before it is whole");
    const whole = await ran(on, words);
    assert.equal(whole.code, 0, whole.err);
    assert.equal(asked[0], undefined);
    assert.match(asked[1] ?? "", /^bytes=[1-9]\d*-$/);
    const { model, pack } = on.json(["model"]);
    assert.equal(model, "multilingual");
    assert.deepEqual(readFileSync(pack), PACK);
    assert.deepEqual(
      readdirSync(dirname(pack)).filter((name) => name.endsWith(".part")),
      [],
    );
    server.close();
  }
});

test("what is not the pack is thrown away, and a wrong word or address is named", async () => {
  const on = machine();
  const { url, server } = await served({ body: Buffer.from("<html>Not found</html>") });
  const other = await ran(on, ["model", "multilingual", "--from", url]);
  assert.equal(other.code, 1);
  assert.match(other.err, /is not the multilingual pack, or was altered or cut/);
  server.close();
  /** @type {[string[], number, RegExp][]} */
  const wrong = [
    [["model", "klingon"], 2, /english or multilingual/],
    [["model", "english", "--file", "x"], 2, /belong to `.*model multilingual`/],
    [["model", "multilingual", "--file", "x", "--from", url], 2, /--file or --from/],
    [["model", "multilingual", "--sha256", "12"], 2, /64 hex digits/],
    [["model", "multilingual", "--file", join(on.project, "none.pack")], 1, /none\.pack can't be read/],
    [["model", "multilingual", "--from", "ftp://example.com/x"], 1, /no address of a pack/],
    [["model", "multilingual"], 1, /--from URL or LESSONLOOP_MODEL_URL/],
  ];
  for (const [words, code, said] of wrong) {
    const answer = on.run(words);
    assert.equal(answer.code, code, `${words}: ${answer.err}`);
    assert.match(answer.err, said);
  }
  assert.equal(on.json(["model"]).model, "english");
  assert.ok(existsSync(on.project));
});
