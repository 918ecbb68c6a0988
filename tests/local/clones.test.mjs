// Stores in git: two clones that learn apart are merged without conflict and equal to the bit; what git or a person broke
// is refused with its place.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, LESSON, machine, SLUG } from "./installed.mjs";

/** A repository whose store is committed with a lesson in it. */
function shared() {
  const one = machine();
  one.git("init", "-q");
  assert.equal(one.run(["init", "--project", "--yes"]).code, 0);
  one.json(["add", "-"], { input: JSON.stringify(LESSON) });
  one.git("add", "-A");
  one.git("commit", "-qm", "a store");
  return one;
}

const all = (on) => ({
  lessons: on.run(["export", "--format", "jsonl", "--project"]).out,
  stats: on.json(["stats", "--project"]),
});

test("two clones learn apart and merge equal to the bit", () => {
  const one = shared();
  const other = folder("clone");
  execFileSync("git", ["clone", "-q", one.project, other], { env: one.env });
  const two = machine({ project: other });
  assert.equal(two.run(["trust"]).code, 0);
  for (const [on, name] of /** @type {const} */ ([
    [one, "one"],
    [two, "two"],
  ])) {
    on.json(["add", `What clone ${name} learned`, "-r", "Do it."]);
    const decision = `decision-${name}`;
    on.json(["recommend", "user input in a SQL statement", "--decision", decision, "--no-model"]);
    on.json(["track", "--decision", decision, `Applying '${SLUG}': values are bound.`]);
    on.json(["outcome", decision, name === "one" ? "success" : "failure"]);
    on.git("add", "-A");
    on.git("commit", "-qm", `what ${name} learned`);
  }
  one.git("pull", "-q", "--no-rebase", "--no-edit", other);
  two.git("pull", "-q", "--no-rebase", "--no-edit", one.project);
  const [a, b] = [all(one), all(two)];
  assert.equal(a.lessons, b.lessons);
  assert.deepEqual(a.stats, b.stats);
  assert.equal(a.stats.lessons, 3);
  const { standing } = one.json(["show", SLUG]);
  assert.equal(standing.times_applied, 2);
  assert.equal(standing.success_count, 1);
  assert.deepEqual(two.json(["show", SLUG]).standing, standing);
  // A store that git merged goes on.
  one.json(["add", "And then another one", "-r", "Do it."]);
  assert.equal(one.json(["stats"]).lessons, 4);
});

test("what a clone rebuilds is no part of the repository", () => {
  const on = shared();
  const tracked = on.git("ls-files", ".lessonloop").trim().split("\n");
  assert.ok(tracked.some((name) => name.startsWith(".lessonloop/ledger/")));
  assert.ok(!tracked.some((name) => /cache|lock/.test(name)), tracked.join("\n"));
  on.json(["recommend", "user input in a SQL statement", "--dry-run"]);
  assert.equal(on.git("status", "--porcelain").trim(), "");
});

test("working trees share the main one's store unless it is committed", () => {
  const on = machine();
  on.git("init", "-q");
  writeFileSync(join(on.project, "file"), "");
  on.git("add", "file");
  on.git("commit", "-qm", "a file");
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  on.json(["add", "A lesson of the main tree", "-r", "Do it."]);
  const tree = join(folder("trees"), "tree");
  on.git("worktree", "add", "-q", tree);
  assert.equal(on.json(["stats"], { cwd: tree }).lessons, 1);
  on.json(["add", "A lesson of the other tree", "-r", "Do it."], { cwd: tree });
  assert.equal(on.json(["stats"]).lessons, 2);
});

test("conflict markers are refused with file and line, and nothing is written", () => {
  const on = shared();
  const ledger = join(on.project, ".lessonloop", "ledger");
  const name = readdirSync(ledger)[0];
  const at = join(ledger, name);
  const before = readFileSync(at, "utf8");
  const broken = `${before}<<<<<<< HEAD\n=======\n>>>>>>> other\n`;
  writeFileSync(at, broken);
  const lines = before.split("\n").length;
  for (const words of [["stats"], ["add", "One more", "-r", "Do it."]]) {
    const { code, err } = on.run(words);
    assert.equal(code, 1, err);
    assert.ok(err.includes(name), err);
    assert.match(err, new RegExp(`\\b${lines}\\b`));
  }
  assert.equal(readFileSync(at, "utf8"), broken);
  writeFileSync(at, before);
  assert.equal(on.json(["stats"]).lessons, 1);
});

test("a copy of a store is another actor, and a torn last line is cut off", () => {
  const on = shared();
  const copy = folder("copy");
  cpSync(on.project, copy, { recursive: true });
  const other = machine({ project: copy });
  assert.equal(other.run(["trust"]).code, 0);
  on.json(["add", "After the copy, here", "-r", "Do it."]);
  other.json(["add", "After the copy, there", "-r", "Do it."]);
  assert.equal(on.json(["stats"]).lessons, 2);
  const ledger = join(on.project, ".lessonloop", "ledger");
  const at = join(ledger, readdirSync(ledger)[0]);
  appendFileSync(at, '{"op_id":"torn');
  assert.equal(on.json(["stats"]).lessons, 2);
  on.json(["add", "After the tear", "-r", "Do it."]);
  assert.equal(on.json(["stats"]).lessons, 3);
});
