// Text that only JavaScript can hand over, and text that is too long: a defined vector or an error
// that names it, and the engine goes on.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

const env = (name) => {
  assert.ok(process.env[name], `${name} is not set: run \`cargo xtask test parity\``);
  return process.env[name];
};

let engine;
before(async () => {
  const at = join(env("LESSONLOOP_DIST"), "engine");
  const glue = await import(pathToFileURL(join(at, "lessonloop.js")).href);
  await glue.default({ module_or_path: readFileSync(join(at, "lessonloop_bg.wasm")) });
  engine = await glue.Engine.open({ store: { kind: "memory" } });
  await engine.load_model(new Uint8Array(readFileSync(env("LESSONLOOP_MODEL_PACK"))));
});

const vector = (text) => Array.from(engine.embed([text]));

test("a lone surrogate counts as the replacement character, wherever it stands", () => {
  for (const lone of ["\ud83d", "\ude42", "\ude42\ud83d"]) {
    const replaced = [...lone].fill("\ufffd").join("");
    for (const around of [(s) => s, (s) => `${s}cut off`, (s) => `cut ${s} off`, (s) => `cut off${s}`]) {
      const found = vector(around(lone));
      assert.equal(found.length, 384);
      assert.deepEqual(found, vector(around(replaced)));
    }
  }
  assert.notDeepEqual(vector("cut \ud83d\ude42 off"), vector("cut \ud83d off"), "a whole pair is a character");
});

test("a text that is too long is refused by name, and the next one has its vector", () => {
  const expected = vector("word");
  assert.throws(
    () => engine.embed(["word", "endless ".repeat(1 << 17)]),
    (/** @type {any} */ error) => error.code === "invalid_request" && error.field === "texts[1]",
  );
  assert.deepEqual(vector("word"), expected);
});
