// Taking Lessonloop off a machine: entries of all clients at once, stores, and what is kept beside them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, LESSON, machine, until } from "./installed.mjs";

/** All files below a folder, without git's, by their text. @param {string} at */
function files(at, below = "") {
  const found = {};
  for (const name of readdirSync(join(at, below))) {
    const path = join(below, name);
    if (name === ".git" || name === "run") continue;
    if (statSync(join(at, path)).isDirectory()) Object.assign(found, files(at, path));
    else found[path] = readFileSync(join(at, path), "utf8");
  }
  return found;
}

const add = (on, options) => on.run(["add", "-"], { input: JSON.stringify(LESSON), ...options });

test("init --remove without a client takes the entries of all out, in the project and in the home", () => {
  const on = machine();
  on.git("init", "-q");
  mkdirSync(join(on.home, ".gemini"));
  writeFileSync(join(on.home, ".gemini/settings.json"), '{\n  // mine\n  "theme": "dark"\n}\n');
  const before = { home: files(on.home), project: files(on.project) };
  for (const client of ["claude", "codex", "cursor", "vscode", "copilot", "opencode"]) {
    assert.equal(on.run(["init", client, "--project", "--yes"]).code, 0, client);
  }
  for (const client of ["claude", "gemini"]) assert.equal(on.run(["init", client, "--personal", "--yes"]).code, 0);

  const dry = on.run(["init", "--remove", "--dry-run"]);
  assert.equal(dry.code, 0, dry.err);
  assert.ok(existsSync(join(on.project, ".mcp.json")), "--dry-run changes nothing");

  const removed = on.run(["init", "--remove", "--yes"]);
  assert.equal(removed.code, 0, removed.err);
  const store = (/** @type {string} */ path) => /^\.lessonloop|lessonloop(-machine|-app)?[\\/]/.test(path);
  const left = (/** @type {string} */ at) =>
    Object.fromEntries(Object.entries(files(at)).filter(([path]) => !store(path)));
  assert.deepEqual({ home: left(on.home), project: left(on.project) }, before);
  assert.ok(existsSync(join(on.project, ".lessonloop")), "the store stays");
  assert.match(on.run(["init", "--remove", "--yes"]).out, /Nothing of ours/);
});

test("erase leaves nothing of ours, and asks first", () => {
  const on = machine();
  on.git("init", "-q");
  const before = { home: files(on.home), project: files(on.project) };
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.equal(on.run(["init", "codex", "--personal", "--yes"]).code, 0);
  assert.equal(add(on).code, 0);

  const unasked = on.run(["erase"]);
  assert.equal(unasked.code, 2, "nobody can be asked here");
  assert.match(on.run(["erase", "--dry-run"]).out, /a store with 1 writer/);
  assert.equal(on.json(["stats"]).lessons, 1, "nothing was deleted");

  const erased = on.run(["erase", "--yes"]);
  assert.equal(erased.code, 0, erased.err);
  assert.deepEqual({ home: files(on.home), project: files(on.project) }, before);
  assert.match(on.run(["erase", "--yes"]).out, /Nothing of ours/);
});

test("erase --project deletes that store alone, and says that git and other projects keep theirs", () => {
  const on = machine();
  on.git("init", "-q");
  assert.equal(on.run(["init", "--yes"]).code, 0);
  assert.equal(on.run(["init", "--personal", "--yes"]).code, 0);
  assert.equal(add(on).code, 0);
  on.git("add", "-A");
  on.git("commit", "-qm", "lessons");
  const other = machine({ home: on.home, project: folder("other") });
  assert.equal(other.run(["init", "--project", "--yes"]).code, 0);

  assert.match(on.run(["erase", "--dry-run"]).out, new RegExp(`stays: ${other.project}`));
  const erased = on.run(["erase", "--project", "--yes"]);
  assert.equal(erased.code, 0, erased.err);
  assert.match(erased.out, /is in git/);
  assert.ok(!existsSync(join(on.project, ".lessonloop")));
  assert.ok(existsSync(join(on.home, ".local/share/lessonloop/config.json")), "the personal store stays");
  assert.equal(other.json(["stats"]).lessons, 0, "the other project's store is still trusted");
});

test("a store that a process has open is not deleted", async () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const serving = on.start(["serve", "--json"]);
  let said = "";
  serving.stdout.on("data", (piece) => (said += piece));
  await until(() => said.includes("token"), "it serves");
  await until(() => on.run(["erase", "--yes"]).code === 1, "it is refused");
  assert.match(on.run(["erase", "--yes"]).err, /a process has the store open/);
  assert.ok(existsSync(join(on.project, ".lessonloop/config.json")));
});
