// `init` in a repository whose tools hold rules and skills: it says what it found, and imports it where a person says so.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { machine } from "./installed.mjs";

const FILES = {
  ".cursor/rules/tests.mdc":
    "---\ndescription: Tests of the API\nglobs: *.test.ts\n---\n\nSeed the database in each test; no order between tests.\n",
  ".cursor/rules/api/errors.mdc":
    "---\ndescription: Errors\nalwaysApply: true\n---\n\nAnswer with a problem document, never with a stack trace.\n",
  ".claude/skills/release/SKILL.md":
    "---\nname: release\ndescription: Cuts a release\n---\n\nRun the dry run first, then tag.\n",
  "AGENTS.md": "# Agents\n\n## Commits\n\nOne topic a commit.\n\n## Shell\n\nQuote every path.\n",
  "src/main.ts": "export {};\n",
};

function repository() {
  const on = machine();
  on.git("init", "-q");
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(on.project, dirname(path)), { recursive: true });
    writeFileSync(join(on.project, path), text);
  }
  return on;
}

test("what was found is named with the command that looks at it, where nobody can be asked", () => {
  const on = repository();
  const { code, out, err } = on.run(["init", "--project", "--yes"]);
  assert.equal(code, 0, err);
  assert.match(out, /Found in this project: 2 Cursor rules, 1 skill, 1 rules file\./);
  const [, words = ""] = / import (.*) --dry-run/.exec(out) ?? [];
  const look = on.run(["import", ...words.split(" "), "--dry-run"]);
  assert.match(look.out, /would be added [45],/, look.err);
  assert.equal(on.json(["stats"]).lessons, 0, "nothing was imported by looking");
  assert.doesNotMatch(on.run(["init", "--project", "--yes"]).out, /Found/, "it is offered once");
});

test("it is imported where a person agrees, and not where they say no", () => {
  for (const [answer, imported] of /** @type {const} */ ([
    ["\n", true],
    ["n\n", false],
  ])) {
    const on = repository();
    // A terminal of its own, as only there a person is asked.
    const command = [on.node, on.bin, "init", "--project"].map((word) => `'${word}'`).join(" ");
    const done = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: on.project,
      env: { ...on.env, PATH: process.env.PATH },
      input: answer,
      encoding: "utf8",
    });
    assert.equal(done.status, 0, done.stdout + done.stderr);
    assert.match(done.stdout, /Import them\?/);
    assert.equal(on.json(["stats"]).lessons > 0, imported, done.stdout);
  }
});
