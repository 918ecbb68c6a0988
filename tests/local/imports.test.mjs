// `lessonloop imports`: each import is taken back and brought back, found later too, and the dashboard has the same list.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { machine, serving } from "./installed.mjs";

/** @param {string} name @param {string} text */
const note = (name, text) => `---\ntitle: ${name}\nstage: first\n---\n${text}\n`;

/** A store with two imports: two lessons, then another text for one of them. */
function imported() {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const write = (/** @type {string} */ name, /** @type {string} */ text) =>
    writeFileSync(join(on.project, `${name}.md`), note(name, text));
  write("alpha", "Do the first thing.");
  write("beta", "Do the second thing.");
  const first = on.run(["import", "alpha.md", "beta.md"]);
  assert.match(first.out, /added 2, .*\n(.*\n)*undo: .*imports 1 undo/, first.err);
  write("alpha", "Do another thing.");
  assert.match(on.run(["import", "alpha.md"]).out, /updated 1/);
  return on;
}

/** @param {ReturnType<typeof imported>} on @param {string} slug */
const lesson = (on, slug) => on.json(["show", slug]);

test("imports are listed, undone and redone, the latest first", () => {
  const on = imported();
  const all = on.json(["imports"]);
  assert.deepEqual(
    all.map((/** @type {any} */ { name, lessons }) => [name, lessons.length]),
    [
      ["alpha.md", 1],
      ["alpha.md, beta.md", 2],
    ],
  );
  assert.match(on.run(["imports"]).out, /1 .*stands +alpha\.md\n2 .*stands +alpha\.md, beta\.md/);

  assert.match(on.run(["imports", "1", "undo"]).out, /1 as before/);
  assert.equal(lesson(on, "alpha").recommendation, "Do the first thing.");
  assert.match(on.run(["imports"]).out, /1 .*undone/);
  const again = on.run(["imports", "1", "undo"]);
  assert.equal(again.code, 1);
  assert.match(again.err, /is undone already.*imports 1 redo/);
  assert.match(on.run(["imports", all[0].id, "redo"]).out, /Redone: 1 lesson of alpha\.md/);
  assert.equal(lesson(on, "alpha").recommendation, "Do another thing.");

  assert.match(on.run(["imports", "2", "undo"]).out, /2 archived/);
  assert.equal(lesson(on, "beta").archived, true);
  assert.match(on.run(["imports", "2", "redo"]).out, /Redone: 2 lessons/);
  assert.equal(lesson(on, "beta").archived, false);
  assert.equal(lesson(on, "alpha").recommendation, "Do another thing.");
});

test("a text that changed since stays, and what is asked wrongly is said", () => {
  const on = imported();
  writeFileSync(join(on.project, "alpha.md"), note("alpha", "Do a third thing."));
  assert.equal(on.run(["import", "alpha.md"]).code, 0);
  assert.match(on.run(["imports", "2", "undo"]).out, /1 changed since and stayed/);
  assert.equal(lesson(on, "alpha").recommendation, "Do a third thing.");
  for (const [asked, said] of /** @type {const} */ ([
    [["9", "undo"], /no import is called 9: there are 1 to 3/],
    [["1"], /undo` or `redo/],
    [["1", "drop"], /undo` or `redo/],
  ])) {
    const { code, err } = on.run(["imports", ...asked]);
    assert.equal(code, 2, err);
    assert.match(err, said);
  }
});

test("a dry run, and an import of nothing new, are not listed", () => {
  const on = imported();
  on.run(["import", "beta.md"]);
  writeFileSync(join(on.project, "gamma.md"), note("gamma", "Do it."));
  on.run(["import", "gamma.md", "--dry-run"]);
  assert.equal(on.json(["imports"]).length, 2);
});

test("the page of `serve` reads and writes the same list", async () => {
  const on = imported();
  const child = on.start(["serve", "--port", "0", "--json"]);
  after(() => child.kill());
  const served = await serving(child);
  const ask = (/** @type {string} */ method, /** @type {unknown} */ body = undefined) =>
    fetch(`${served.url}/local/imports`, {
      method,
      headers: { authorization: `Bearer ${served.token}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const list = await (await ask("GET")).json();
  assert.equal(list.length, 2);
  const own = { id: "of-the-page", at: Date.now() + 1_000, name: "c.md", lessons: list[0].lessons, undone: null };
  // The page had read the list before the second import came in by the command line.
  const kept = await (await ask("PUT", [own, list[1]])).json();
  assert.deepEqual(
    kept.map((/** @type {any} */ { id }) => id),
    ["of-the-page", list[0].id, list[1].id],
  );
  assert.equal((await ask("PUT", { id: 1 })).status, 400);
  assert.equal((await fetch(`${served.url}/local/imports`)).status, 401);
  assert.equal(on.json(["imports"]).length, 3);
});
