// The parts of prompts that a ledger keeps: of a store that is committed, words that its lessons have.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { machine } from "./installed.mjs";

const PROMPT = "Retry the upload for customer Miller";

/** @param {{ project: string }} on */
function ledger({ project }) {
  const folder = join(project, ".lessonloop", "ledger");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}

/** A project's store with a lesson, in a repository or not. @param {{ isInGit: boolean, ignored?: string }} given */
function store({ isInGit, ignored = "" }) {
  const on = machine();
  if (isInGit) on.git("init", "-q");
  if (ignored) writeFileSync(join(on.project, ".gitignore"), ignored);
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  writeFileSync(join(on.project, "retry.md"), "# Retry an upload\n\nWith one deadline.\n");
  assert.equal(on.run(["import", "retry.md"]).code, 0);
  return on;
}

/** @param {ReturnType<typeof store>} on @param {string} decision */
const ask = (on, decision) => on.json(["recommend", PROMPT, "--decision", decision, "--no-model"]);

/** @param {ReturnType<typeof store>} on */
const setting = (on) => on.json(["config"]).find((/** @type {any} */ { name }) => name === "prompts");

test("a store that a commit would take along keeps words that its lessons have", () => {
  const on = store({ isInGit: true });
  ask(on, "d1");
  assert.match(ledger(on), /retry upload #[0-9a-f]{12}/);
  assert.doesNotMatch(ledger(on), /Miller/i);
  assert.deepEqual([setting(on).value, setting(on).from], ["words", "default"]);

  on.json(["config", "prompts", "whole"]);
  ask(on, "d2");
  assert.ok(ledger(on).includes(PROMPT));
  assert.deepEqual([setting(on).value, setting(on).from], ["whole", "this machine"]);
  // The choice is this person's: nothing of it lies in the repository.
  assert.doesNotMatch(readFileSync(join(on.project, ".lessonloop", "config.json"), "utf8"), /whole/);
});

test("a store that git ignores, or without git, keeps them whole until a person says so", () => {
  for (const given of [{ isInGit: true, ignored: ".lessonloop/\n" }, { isInGit: false }]) {
    const on = store(given);
    assert.equal(setting(on).value, "whole");
    on.json(["config", "prompts", "words"]);
    ask(on, "d1");
    assert.doesNotMatch(ledger(on), /Miller/i);
    on.json(["config", "prompts", "whole"]);
    ask(on, "d2");
    assert.ok(ledger(on).includes(PROMPT));
  }
  assert.equal(store({ isInGit: false }).run(["config", "prompts", "on"]).code, 2);
});
