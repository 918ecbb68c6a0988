// The command line: tables for people, JSON for scripts, exit codes, help, completions.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { folder, LESSON, machine, SLUG } from "./installed.mjs";

const COMMANDS =
  "init mcp hook serve recommend search add show rate track outcome feedback suggest-tools stats digest review last config import export backfill connect sync doctor completions".split(
    " ",
  );

test("every command has a help, and the bare one says what to do next", () => {
  const on = machine();
  const about = on.run([]);
  assert.equal(about.code, 0);
  assert.match(about.out, /lessonloop\.mjs init claude/);
  const help = on.run(["--help"]);
  for (const name of COMMANDS) {
    assert.ok(help.out.includes(`  ${name} `), name);
    const { code, out } = on.run([name, "--help"]);
    assert.equal(code, 0, name);
    assert.match(out, new RegExp(`^lessonloop ${name}`));
  }
  assert.match(on.run(["--version"]).out, /^\d+\.\d+\.\d+\n$/);
});

test("exit codes tell a wrong call from a failure", () => {
  const on = machine();
  for (const words of [
    ["nope"],
    ["stats", "--nope"],
    ["add"],
    ["rate", "x"],
    ["outcome", "x", "perhaps"],
    ["init", "emacs"],
    ["stats", "--project", "--personal"],
  ]) {
    const { code, err, out } = on.run(words);
    assert.equal(code, 2, `${words.join(" ")}: ${err}`);
    assert.match(err, /^error: /);
    assert.equal(out, "");
  }
  const none = on.run(["stats"]);
  assert.equal(none.code, 1);
  assert.match(none.err, /lessonloop\.mjs init`/);
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const missing = on.run(["show", "no-such-lesson", "--json"]);
  assert.equal(missing.code, 1);
  assert.match(JSON.parse(missing.out).error.message, /no-such-lesson/);
});

test("a lesson's way by the command line, as tables and as JSON", () => {
  const on = machine();
  const env = { LESSONLOOP_HOME: join(folder("home"), "store") };
  const added = on.json(["add", "-"], { env, input: JSON.stringify(LESSON) });
  assert.equal(added.slug, SLUG);
  const table = on.run(["recommend", "user input in SQL", "--decision", "d1", "--no-model"], { env });
  assert.equal(table.code, 0, table.err);
  assert.match(table.out, new RegExp(`^relevance +standing +slug +title\n.*${SLUG}`));
  assert.ok(!table.out.includes("\x1b"), "colour where there is no terminal");
  assert.match(
    on.run(["recommend", "-", "--prompt", "--dry-run"], { env, input: "user input in SQL\n" }).out,
    /placeholders/,
  );
  assert.equal(on.json(["search", "placeholders"], { env }).results[0].slug, SLUG);
  const [detection] = on.json(["track", "--decision", "d1", "-"], {
    env,
    input: `Applying '${SLUG}': bound.`,
  }).detections;
  assert.equal(detection.applied, true);
  assert.equal(on.json(["outcome", "d1", "success"], { env }).lessons_updated, 1);
  assert.equal(on.json(["outcome", "d1", "success"], { env }).repeated, true);
  assert.equal(on.json(["rate", SLUG, "helpful"], { env }).times_helpful, 1);
  assert.equal(on.json(["feedback", "delivered", SLUG], { env }).updated[0].slug, SLUG);
  const counts = on.run(["stats"], { env }).out;
  assert.match(counts, /1 lesson/);
  assert.match(counts, /1 run · 1 of 1 with an outcome went well: too few to tell · 0 without an outcome yet/);
  assert.equal(on.json(["stats"], { env }).runs.with_outcome, 1);
  assert.match(on.run(["review"], { env }).out, new RegExp(SLUG));
  assert.match(on.run(["review", SLUG, "approve"], { env }).out, /approved/);
  assert.match(on.run(["show", SLUG], { env }).out, /successes 1/);
  assert.deepEqual(on.json(["suggest-tools", "list pull requests"], { env }).servers, []);
});

test("lessons go out and come in again", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const file = join(on.project, "lessons.jsonl");
  assert.equal(on.run(["export", "--out", file]).code, 0);
  const other = machine();
  assert.equal(other.run(["init", "--personal"]).code, 0);
  assert.equal(other.json(["import", file, "--dry-run"]).added, 1);
  assert.equal(other.json(["import", file]).added, 1);
  assert.equal(other.json(["import", "-"], { input: readFileSync(file, "utf8") }).unchanged, 1);
  assert.equal(other.json(["show", SLUG]).title, LESSON.title);
  const bad = other.run(["import", "nowhere.md"]);
  assert.equal(bad.code, 2);
  const agents = join(on.project, "AGENTS.md");
  writeFileSync(agents, "# Mine\n");
  assert.equal(on.run(["review", SLUG, "approve"]).code, 0);
  const said = on.run(["export", "--agents-md", agents]);
  assert.equal(said.code, 0, said.err);
  const once = readFileSync(agents, "utf8");
  assert.ok(once.startsWith("# Mine\n") && once.includes("lessonloop:begin"), once);
  assert.equal(on.run(["export", "--agents-md", agents]).code, 0);
  assert.equal(readFileSync(agents, "utf8"), once);
  // A mark in fenced code is text; line ends and a byte order mark stay.
  const shown = "\ufeff# Mine\r\n\r\n```md\r\n<!-- lessonloop:begin -->\r\n```\r\n";
  writeFileSync(agents, shown);
  assert.equal(on.run(["export", "--agents-md", agents]).code, 0);
  const after = readFileSync(agents, "utf8");
  assert.ok(after.startsWith(shown) && !/[^\r]\n/.test(after), JSON.stringify(after));
  const damaged = "# Mine\n\n<!-- lessonloop:begin -->\n";
  writeFileSync(agents, damaged);
  const refused = on.run(["export", "--agents-md", agents]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /line 3: a begin marker without an end marker/);
  assert.equal(readFileSync(agents, "utf8"), damaged);
});

test("an export writes through no symbolic link of the folder", { skip: process.platform === "win32" }, () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  assert.equal(on.run(["review", SLUG, "approve"]).code, 0);
  const elsewhere = folder("elsewhere");
  writeFileSync(join(elsewhere, "profile"), "mine\n");
  symlinkSync(join(elsewhere, "profile"), join(on.project, "AGENTS.md"));
  symlinkSync(elsewhere, join(on.project, "skills"));
  mkdirSync(join(on.project, "own"));
  symlinkSync(elsewhere, join(on.project, "own", SLUG));
  for (const words of [
    ["--agents-md", "AGENTS.md"],
    ["--skills", "skills"],
    ["--skills", "skills/deeper"],
  ]) {
    const { code, err } = on.run(["export", ...words]);
    assert.equal(code, 1, words.join(" "));
    assert.match(err, /symbolic link/);
  }
  assert.equal(readFileSync(join(elsewhere, "profile"), "utf8"), "mine\n");
  assert.deepEqual(readdirSync(elsewhere), ["profile"]);
});

test("a closed pipe ends a command quietly", { skip: process.platform === "win32" }, () => {
  const on = machine();
  // More than a pipe holds.
  const many = Array.from({ length: 100 }, (_, at) => ({
    title: `Lesson ${at} of the pipe`,
    recommendation: `Do number ${at}. `.repeat(200),
  }));
  assert.equal(on.run(["init", "--personal"]).code, 0);
  assert.equal(on.json(["import", "-"], { input: JSON.stringify(many) }).added, 100);
  const words = ["-c", '"$0" "$1" export | head -c 1 >/dev/null', on.node, on.bin];
  const { stderr, status } = spawnSync("sh", words, { cwd: on.project, env: on.env, encoding: "utf8" });
  assert.deepEqual([stderr, status], ["", 0]);
});

test("a repository's folder gives what tools keep in it, and says what was left out", () => {
  const on = machine();
  /** @param {string} path @param {string} text */
  const write = (path, text) => {
    mkdirSync(dirname(join(on.project, path)), { recursive: true });
    writeFileSync(join(on.project, path), text);
  };
  const lesson = (/** @type {string} */ title) => `---\ntitle: ${title}\n---\n\nDo it as ${title} says.\n`;
  const taken = [
    ".cursor/rules/api/errors.mdc",
    ".github/instructions/tests.instructions.md",
    ".claude/reflections/pattern-retry.md",
    ".claude/skills/release/SKILL.md",
    "notes/one.markdown",
  ];
  for (const path of taken) write(path, lesson(path.replaceAll("/", " ")));
  // Files beside them are no lessons: settings, workflows, the files of a skill, packages.
  for (const path of [
    ".github/ISSUE_TEMPLATE/bug.md",
    ".github/workflows/ci.yml",
    ".claude/agents/reviewer.md",
    ".claude/skills/release/references/checklist.md",
    ".cursor/mcp.json",
    ".git/description.md",
    "node_modules/left/README.md",
  ])
    write(path, lesson(path));
  for (const folder of ["", "a/", "b/", "c/", "d/", "e/"])
    write(`docs/${folder}README.md`, "# About\n\nWhat is here.\n");

  const look = on.run(["import", ".", "--dry-run"]);
  assert.equal(look.code, 1, "some files were left out");
  assert.match(
    look.out,
    /^would be added 5, would be updated 0, unchanged 0\nby format: cursor 1, markdown 1, reflections 1, rules 1, skill 1\nleft out: not_a_lesson 6\n$/,
  );
  assert.match(look.err, /release\/SKILL\.md: files beside the skill .* were not read: references\/checklist\.md/);
  const told = look.err.split("\n").filter((line) => /README/.test(line));
  assert.equal(told.length, 2, look.err);
  assert.match(told[1] ?? "", /and 5 more of this kind: .*README\.md, .*; --json lists all/);
  assert.ok(!existsSync(join(on.home, ".local/share/lessonloop")), "a look made a store");
  assert.equal(JSON.parse(on.run(["import", ".", "--dry-run", "--json"]).out).rejected.length, 6);

  assert.match(on.run(["import", "."]).out, /^added 5, /);
  assert.match(on.run(["import", "."]).out, /^added 0, updated 0, unchanged 5\n/, "a second time changes nothing");
  assert.match(on.run(["import", ".cursor"]).out, /unchanged 1\n/, "a tool's folder that is named");
});

test("a digest is Markdown for people and the same numbers for scripts", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify({ title: "Name *every* bound", recommendation: "Write it down." }) });
  const told = on.json(["digest", "--days", "30"]);
  assert.equal(told.days, 30);
  assert.equal(told.runs.added_total, 1);
  assert.equal(told.waiting.unreviewed, 1);
  const { code, out } = on.run(["digest", "--days", "30"]);
  assert.equal(code, 0);
  assert.equal(out.trimEnd(), told.markdown.trimEnd());
  assert.match(out, /^# \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\n/);
  assert.match(out, /## New lessons\n\n- Name \\\*every\\\* bound/);
  const wrong = on.run(["digest", "--until", "soon"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /until is `soon`.*\(until\)/);
});

test("what a terminal obeys is shown, not sent", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify({ title: "Red \u001b[31mtext", recommendation: "Do \u0007it." }) });
  const { out } = on.run(["stats"]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  assert.ok(!/[\x00-\x08\x1b]/.test(out), JSON.stringify(out));
});

test("doctor finds nothing wrong with what was set up, and names what is", () => {
  const on = machine();
  on.git("init", "-q");
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  const well = on.run(["doctor", "--json"]);
  assert.equal(well.code, 0, well.out);
  const found = JSON.parse(well.out);
  assert.ok(
    found.some(({ what }) => /the english model loads/.test(what)),
    well.out,
  );
  const at = join(on.project, ".mcp.json");
  writeFileSync(at, readFileSync(at, "utf8").replace("/local/bin/", "/gone/local/bin/"));
  const ill = on.run(["doctor", "--json"]);
  assert.equal(ill.code, 1);
  for (const { level, what, remedy } of [...found, ...JSON.parse(ill.out)]) assert.ok(level === "ok" || remedy, what);
  assert.ok(
    JSON.parse(ill.out).some(({ level, remedy }) => level === "fault" && /init/.test(remedy)),
    ill.out,
  );
});
