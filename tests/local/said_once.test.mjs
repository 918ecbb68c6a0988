// Lessons in a session: each text once, one at the moment of need, and a receipt of what came of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kept, LESSON, PROMPT, SLUG, TITLE } from "./installed.mjs";
import { another, session, settled } from "./session.mjs";

const TEXT = LESSON.recommendation;
let prompts = 0;
/** Another prompt about the same. */
const ask = (one, more = {}, options = undefined) => {
  prompts += 1;
  return one.hook("prompt", { prompt: `${PROMPT} Statement number ${prompts}.`, ...more }, options);
};

test("a lesson's text is given once in a session, and named after that", () => {
  const one = session();
  assert.ok(ask(one).includes(TEXT));
  const again = ask(one);
  assert.ok(again.includes(`'${SLUG}'`) && !again.includes(TEXT), again);
  assert.ok(again.length < 200, again);
  assert.ok(ask(another(one.on)).includes(TEXT), "another session has a context of its own");
});

test("after a compaction, in a subagent and when it changed, it is given again", () => {
  const one = session();
  assert.ok(ask(one).includes(TEXT));
  assert.ok(ask(one, { agent_id: "agent-1" }).includes(TEXT), "a subagent has a context of its own");
  assert.ok(!ask(one, { agent_id: "agent-1" }).includes(TEXT));
  one.hook("compact", { hook_event_name: "PreCompact", trigger: "auto" });
  assert.ok(!ask(one, { agent_id: "agent-1" }).includes(TEXT), "the subagent's context was not shortened");
  assert.ok(ask(one).includes(TEXT), "PreCompact");
  one.hook("session-start", { hook_event_name: "SessionStart", source: "compact" });
  assert.ok(ask(one).includes(TEXT), "SessionStart by compact");
  assert.ok(!ask(one).includes(TEXT));
  const { version } = one.on.json(["show", SLUG]);
  assert.ok(version === undefined || version > 0);
  const changed = {
    ...LESSON,
    slug: "bind-values-in-lists",
    title: "Bind values in lists",
    recommendation: "One placeholder for each value of the list in the SQL statement.",
  };
  one.on.json(["add", "-"], { input: JSON.stringify(changed) });
  const with_new = ask(one);
  assert.ok(with_new.includes(changed.recommendation) && !with_new.includes(TEXT), "a new lesson beside a known one");
  assert.ok(with_new.includes(`'${SLUG}'`), with_new);
});

const ERROR = `Exit code 1\nFAIL src/user.test.ts\nSQL statement: user input was not bound; the values of the statement must be bound with placeholders`;
let tools = 0;
const fail = (one, more = {}, options = undefined) => {
  tools += 1;
  const payload = {
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    tool_use_id: `t${tools}`,
    error: ERROR,
    is_interrupt: false,
  };
  return one.hook("moment", { ...payload, ...more }, options);
};

test("a failed command asks with its error, once an hour a lesson, and can be told not to", () => {
  const one = session();
  const said = JSON.parse(fail(one));
  assert.equal(said.hookSpecificOutput.hookEventName, "PostToolUseFailure");
  assert.ok(said.hookSpecificOutput.additionalContext.includes(TEXT));
  assert.equal(one.on.json(["show", SLUG]).standing.times_surfaced, 1);
  assert.equal(fail(one), "", "within the hour");
  assert.equal(one.on.json(["show", SLUG]).standing.times_surfaced, 1, "what is not given does not count as shown");

  const other = another(one.on);
  assert.equal(fail(other, { error: "Exit code 1" }), "", "an error without words");
  assert.equal(fail(other, { is_interrupt: true }), "");
  assert.equal(fail(other, { error: "Exit code 2\nThe garden fence is painted in a lighter green today" }), "");
  for (const [name, value] of /** @type {[string, unknown][]} */ ([
    ["tool_response", { stdout: "ok", exitCode: 0 }],
    ["tool_response", "Exit code: 0\nall tests passed"],
  ])) {
    const payload = { hook_event_name: "PostToolUse", tool_name: "Bash", error: undefined, [name]: value };
    assert.equal(fail(other, payload), "", JSON.stringify(value));
  }
  one.on.json(["config", "moments", "off"]);
  assert.equal(one.on.json(["config"]).find(({ name }) => name === "moments").value, "off");
  assert.equal(fail(other), "");
  one.on.json(["config", "moments", "on"]);
  const copilot = {
    hook_event_name: "PostToolUse",
    error: undefined,
    tool_result: {
      result_type: "success",
      text_result_for_llm: `${ERROR.slice(12)}\n<shellId: 1 completed with exit code 1>`,
    },
  };
  assert.ok(
    JSON.parse(fail(other, copilot, { client: "copilot", env: { COPILOT_CLI: "1" } })).additionalContext.includes(TEXT),
  );
  assert.equal(one.on.run(["config", "moments", "maybe"]).code, 2);
  assert.match(one.on.run(["config", "nothing", "on"]).err, /no setting is called nothing/);
});

test("the session's end leaves a receipt", async () => {
  const one = session();
  assert.equal(one.on.json(["last"]), null);
  ask(one);
  one.say(`Applying '${SLUG}': bound.\n\nINSIGHT: Name the bound values in the log.\n\nDELIVERED: done.`);
  one.hook("session-end", { reason: "exit" });
  await settled(one);
  const receipt = one.on.json(["last"]);
  assert.deepEqual(
    [receipt.session, receipt.given, receipt.used, receipt.outcome],
    [one.session_id, [SLUG], [SLUG], "success"],
  );
  assert.deepEqual(
    receipt.learned.map(({ text }) => text),
    ["Name the bound values in the log."],
  );
  const { out } = one.on.run(["last"]);
  assert.ok(out.includes(SLUG) && out.includes("success") && !out.includes(TITLE) && !out.includes("undefined"), out);
  const log = readFileSync(join(kept(one), "cache", "lessonloop.log"), "utf8");
  assert.match(log, /Lessonloop: gave 1 \(.+\) · used 1 \(.+\) · learned 1 \(.+\) · outcome: success/);
});
