// Stores of released versions: this build reads all of each, writes to it, and reads it again. `LESSONLOOP_WRITE=1` writes
// that of this version, which is done when it is released.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed, LESSON, machine } from "./installed.mjs";

const RELEASES = fileURLToPath(new URL("../corpus/releases", import.meta.url));
const current = () => JSON.parse(readFileSync(join(installed(), "package.json"), "utf8")).version;

const TEXTS = ["slug", "title", "description", "context", "recommendation", "category", "kind", "domain", "source"];
const LISTS = ["tags", "tech_stacks", "project_types"];
const COUNTS = ["times_surfaced", "times_applied", "success_count", "times_helpful", "times_not_helpful", "upvotes"];

/** Reads the answers that no later version may lose: not scores, which fall with time and may be weighed otherwise. */
function answers(on) {
  const exported = on.run(["export", "--format", "jsonl", "--project"]);
  assert.equal(exported.code, 0, exported.err);
  const [, ...events] = exported.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const slugs = events.flatMap(({ event }) => (event.LessonAdded ? [event.LessonAdded.lesson.slug] : []));
  const lessons = slugs.sort().map((slug) => {
    const lesson = on.json(["show", slug]);
    const of = (names, from) => Object.fromEntries(names.map((name) => [name, from[name]]));
    return { ...of([...TEXTS, ...LISTS, "trust", "archived"], lesson), ...of(COUNTS, lesson.standing) };
  });
  const kinds = events.map(({ event }) => (typeof event === "string" ? event : Object.keys(event)[0]));
  return { kinds, lessons };
}

/** A project's store with something of most kinds. */
function fill(on) {
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const lessons = [
    LESSON,
    {
      title: "Ünïcode & emoji 🚀 survive",
      recommendation: "Store text as it is.",
      tags: ["i18n"],
      category: "testing",
    },
    { title: "Name each column that is read", recommendation: "All columns break when one is added.", domain: "data" },
  ];
  for (const lesson of lessons) assert.equal(on.run(["add", "-"], { input: JSON.stringify(lesson) }).code, 0);
  writeFileSync(
    join(on.project, "rule.md"),
    "---\ntags: [git]\nowner: Ada\n---\n# Commit small\n\nOne reason a commit.\n",
  );
  on.json(["import", "rule.md"]);
  const [first, second] = ["bind-values-never-splice-them", "name-each-column-that-is-read"];
  for (const [decision, slug, outcome] of [
    ["one", first, "success"],
    ["two", second, "failure"],
    ["three", first, "success"],
  ]) {
    on.json(["recommend", "bind the values of a SQL statement and name its columns", "--decision", decision]);
    on.json(["track", `Applying '${slug}': it fits here.`, "--decision", decision]);
    on.json(["outcome", decision, outcome]);
  }
  on.json(["feedback", "delivered", first, "--decision", "one", "--causal", first]);
  on.json(["rate", second, "not-helpful", "--decision", "two"]);
  on.json(["review", first, "approve"]);
}

test("this version's store is written", { skip: !process.env.LESSONLOOP_WRITE }, () => {
  const on = machine();
  fill(on);
  const to = join(RELEASES, current());
  rmSync(join(to, "store"), { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const name of ["ledger", "config.json"]) {
    cpSync(join(on.project, ".lessonloop", name), join(to, "store", name), { recursive: true });
  }
  writeFileSync(join(to, "store.json"), `${JSON.stringify(answers(on), null, 2)}\n`);
});

test("stores of every release are read whole, and go on", () => {
  const releases = readdirSync(RELEASES).filter((name) => existsSync(join(RELEASES, name, "store.json")));
  assert.ok(releases.length > 0, "LESSONLOOP_WRITE=1 cargo xtask test local --only frozen");
  for (const release of releases) {
    const on = machine();
    cpSync(join(RELEASES, release, "store"), join(on.project, ".lessonloop"), { recursive: true });
    assert.equal(on.run(["trust"]).code, 0, release);
    const before = JSON.parse(readFileSync(join(RELEASES, release, "store.json"), "utf8"));
    assert.deepEqual(answers(on), before, release);

    on.json(["recommend", "bind the values of a SQL statement", "--decision", "later"]);
    on.json(["track", "Applying 'bind-values-never-splice-them': it fits here.", "--decision", "later"]);
    on.json(["outcome", "later", "success"]);
    const now = answers(on);
    const applied = ({ lessons }) => lessons.find(({ slug }) => slug === "bind-values-never-splice-them").success_count;
    assert.equal(applied(now), applied(before) + 1, release);
    assert.equal(on.run(["doctor"]).code, 0, release);
  }
});
