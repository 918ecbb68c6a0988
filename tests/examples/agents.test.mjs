// The examples that agents start from, each run as it stands against the installed package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { folder, installed, LESSON, machine, SLUG, until } from "../local/installed.mjs";

const run = promisify(execFile);
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const TASK = "keep user input out of SQL statements";

/** A machine with one lesson in a project's store. */
function withLesson() {
  const on = machine();
  on.git("init", "-q");
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  assert.equal(on.run(["add", "-"], { input: JSON.stringify(LESSON) }).code, 0);
  return on;
}

/** `serve` over it. @param {ReturnType<typeof machine>} on @returns {Promise<{ url: string, token: string }>} */
async function served(on) {
  const serving = on.start(["serve", "--json"]);
  let said = "";
  serving.stdout.on("data", (piece) => (said += piece));
  await until(() => said.includes('"store"') && said.trimEnd().endsWith("}"), "it serves");
  return JSON.parse(said);
}

test("LangGraph: lessons are recalled, one is applied, and the outcome counts", async () => {
  const python = process.env.LESSONLOOP_PYTHON;
  assert.ok(python, "LESSONLOOP_PYTHON is not set: run `cargo xtask test examples`");
  const on = withLesson();
  const { url, token } = await served(on);
  const env = { ...on.env, LESSONLOOP_URL: url, LESSONLOOP_TOKEN: token };
  const { stdout } = await run(python, [here("langgraph/agent.py"), TASK], { env });
  assert.match(stdout, new RegExp(`^recalled: ${SLUG}$`, "m"));
  assert.match(stdout, /^outcome: success$/m);
  const { standing } = on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count], [1, 1]);

  const wrong = await run(python, [here("langgraph/agent.py"), TASK], {
    env: { ...env, LESSONLOOP_TOKEN: "no" },
  }).catch((error) => error);
  assert.match(wrong.stderr, /unauthorized/);
});

test("Node: an agent uses the package's tools", async () => {
  const on = withLesson();
  const place = folder("agent");
  cpSync(here("agent/agent.mjs"), join(place, "agent.mjs"));
  mkdirSync(join(place, "node_modules"));
  symlinkSync(installed(), join(place, "node_modules/lessonloop"), "dir");
  symlinkSync(
    here("../local/node_modules/@modelcontextprotocol"),
    join(place, "node_modules/@modelcontextprotocol"),
    "dir",
  );
  const { stdout } = await run(process.execPath, ["--preserve-symlinks-main", join(place, "agent.mjs"), TASK], {
    cwd: on.project,
    env: on.env,
  });
  assert.match(stdout, new RegExp(`^Applying '${SLUG}'`, "m"));
  assert.doesNotMatch(stdout, /failed/);
  const { standing } = on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count], [1, 1]);
});

test("GitHub Action: the job's status is the outcome of the decision that the commit names", async () => {
  const on = withLesson();
  on.json(["recommend", TASK, "--decision", "of-the-commit"]);
  on.json(["track", `Applying '${SLUG}': values are bound.`, "--decision", "of-the-commit"]);
  writeFileSync(join(on.project, "a.txt"), "a\n");
  on.git("add", "a.txt");
  on.git("commit", "-qm", "Bind values\n\nLessonloop-Decision: of-the-commit");
  const { url, token } = await served(on);
  const script = here("action/outcome.mjs");
  const post = async (/** @type {Record<string, string>} */ more) => {
    const env = { ...on.env, LESSONLOOP_URL: url, LESSONLOOP_KEY: token, ...more };
    return (await run(process.execPath, [script], { cwd: on.project, env })).stdout;
  };
  assert.match(await post({ LESSONLOOP_OUTCOME: "cancelled" }), /neither success nor failure/);
  assert.match(await post({ LESSONLOOP_OUTCOME: "success", LESSONLOOP_KEY: "no" }), /::warning.*401/);
  assert.equal(on.json(["show", SLUG]).standing.success_count, 0, "nothing was said yet");
  assert.match(await post({ LESSONLOOP_OUTCOME: "success" }), /^of-the-commit: success$/m);
  await post({ LESSONLOOP_OUTCOME: "success" });
  assert.equal(on.json(["show", SLUG]).standing.success_count, 1, "once");

  // The action hands over every variable that the script reads.
  const action = readFileSync(join(dirname(script), "action.yml"), "utf8");
  const read = [...readFileSync(script, "utf8").matchAll(/LESSONLOOP_\w+/g)].map(([name]) => name);
  for (const name of new Set(read)) assert.ok(action.includes(`${name}: \${{ inputs.`), name);
});
