// Hooks as clients call them: they never fail the client, fire once, and leave alone what is none of theirs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kept, machine, PROMPT, SLUG, until } from "./installed.mjs";
import { hooksOf, session, settled } from "./session.mjs";

test("a prompt comes with the lessons that fit, in the form that the client reads", () => {
  const one = session();
  assert.match(one.hook("prompt", { prompt: PROMPT }), new RegExp(SLUG));
  const gemini = session();
  const said = JSON.parse(gemini.hook("prompt", { prompt: PROMPT }, { client: "gemini" }));
  assert.match(said.hookSpecificOutput.additionalContext, new RegExp(SLUG));
  assert.equal(one.on.json(["show", SLUG]).standing.times_surfaced, 1);
  const none = session();
  assert.equal(none.hook("prompt", { prompt: "Repaint the garden fence in a lighter green, please." }), "");
});

test("by itself a hook finds lessons by their meaning, once a session's end gave them their vectors", async () => {
  const { hook, say, on, project } = session();
  const MEANING = "How do I prevent injection attacks against the database?";
  const words = (more) =>
    on.run(["hook", "prompt", "--client", "claude", "--no-model"], {
      input: JSON.stringify({ session_id: `by-words-${more}`, cwd: project, prompt: MEANING }),
    }).out;
  assert.equal(words(1), "", "no word of it is the lesson's");
  say("DELIVERED: done.");
  hook("session-end", { reason: "exit" });
  const cache = join(kept(on), "cache");
  await until(() => readdirSync(cache).some((name) => name.startsWith("vectors-")), "vectors", 30_000);
  assert.match(hook("prompt", { prompt: MEANING }), new RegExp(SLUG));
  assert.equal(words(2), "");
});

test("two clients' settings that fire the same event print the lessons once", () => {
  const { hook, on } = session();
  assert.notEqual(hook("prompt", { prompt: PROMPT }), "");
  assert.equal(hook("prompt", { prompt: PROMPT }, { client: "other" }), "");
  assert.notEqual(hook("prompt", { prompt: `${PROMPT} And then the next one.` }), "");
  assert.equal(on.json(["show", SLUG]).standing.times_surfaced, 2);
});

test("nothing fails a client: odd payloads, no store, a broken store, an unknown event", () => {
  const { hook, on, project } = session();
  for (const input of ["", "{", "[]", "null", '{"session_id":1}', "\0", '{"cwd":"/nowhere/at/all"}']) {
    assert.equal(hook("prompt", {}, { input }), "");
  }
  assert.equal(hook("no-such-event", { prompt: PROMPT }), "");
  const ledger = join(project, ".lessonloop", "ledger");
  writeFileSync(join(ledger, readdirSync(ledger)[0]), "<<<<<<< HEAD\n");
  rmSync(join(kept(on), "cache", "snapshot.bin"), { force: true });
  assert.equal(hook("prompt", { prompt: PROMPT }), "");
  assert.match(readFileSync(join(kept(on), "cache", "lessonloop.log"), "utf8"), /hook prompt/);
  const empty = machine();
  const { code, out, err } = empty.run(["hook", "prompt", "--client", "claude", "--unknown-option"], { input: "{}" });
  assert.deepEqual([code, out, err], [0, "", ""]);
});

test("a project that is switched off and a nested run are left alone; a person's headless run is not", async () => {
  const off = session();
  writeFileSync(join(off.project, ".lessonloop", "off"), "");
  assert.equal(off.hook("prompt", { prompt: PROMPT }), "");
  const nested = session();
  const headless = { CLAUDE_CODE_ENTRYPOINT: "sdk-cli", CLAUDE_CODE_SESSION_ATTENDED: "0" };
  for (const env of [
    { LESSONLOOP_CHILD: "1" },
    { ...headless, LESSONLOOP_SESSION: "the-session-that-started-it" },
    { ...headless, CLAUDE_CODE_EXECPATH: "/opt/claude" },
  ]) {
    assert.equal(nested.hook("prompt", { prompt: PROMPT }, { env }), "", JSON.stringify(env));
    nested.say("INSIGHT: A nested run teaches nothing.\n\nDELIVERED: done.", "sdk-cli");
    nested.hook("session-end", { reason: "other" }, { env });
    await settled(nested);
  }
  for (const { on } of [off, nested]) assert.equal(on.json(["show", SLUG]).standing.times_surfaced, 0);
  assert.equal(nested.on.json(["stats"]).lessons, 1);

  const person = session();
  // Claude Code sets the first one for every hook.
  const env = { CLAUDE_CODE_CHILD_SESSION: "1", ...headless };
  assert.match(person.hook("prompt", { prompt: PROMPT }, { env }), new RegExp(SLUG));
  person.say(`Applying '${SLUG}'.\n\nDELIVERED: done.`, "sdk-cli");
  person.hook("session-end", { reason: "other" }, { env });
  await settled(person);
  const { standing } = person.on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count], [1, 1]);
});

test("a session leaves its mark to the commands of its shell", () => {
  const { hook, home } = session();
  const file = join(home, "env.sh");
  const env = { CLAUDE_ENV_FILE: file };
  hook("session-start", { source: "startup", hook_event_name: "SessionStart", session_id: "marked-1" }, { env });
  assert.equal(readFileSync(file, "utf8"), "export LESSONLOOP_SESSION=marked-1\n");
  hook("session-start", { source: "resume", session_id: "$(touch x); `id`" }, { env });
  assert.equal(readFileSync(file, "utf8"), "export LESSONLOOP_SESSION=marked-1\n", "an id that is no id is left out");
});

test("a session's end is recorded once, however often it is told, and blocked is a failure", async () => {
  const one = session();
  const { hook, say, on } = one;
  hook("prompt", { prompt: PROMPT });
  say(
    `Applying '${SLUG}': bound.\n\nINSIGHT: Name the bound values in the log.\n\nBLOCKED: the driver can't bind lists.`,
  );
  for (let time = 0; time < 3; time += 1) hook("session-end", { reason: "exit" });
  await settled(one);
  assert.equal(on.json(["stats"]).lessons, 2);
  const { standing } = on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count, standing.consecutive_failures], [1, 0, 1]);
});

test("a process that has the store open answers, and nothing is left behind by it", async () => {
  const { hook, on } = session();
  const client = await on.client();
  await client.listTools();
  const hooks = hooksOf(on);
  await until(() => on.run(["doctor", "--json"]).out.includes("answers hooks"), "the socket is open");
  assert.match(hook("prompt", { prompt: PROMPT }), new RegExp(SLUG));
  assert.ok(!readdirSync(hooks).some((name) => name.startsWith("left-")), "a process was started");
  await client.close();
});

test("a storm of session ends is recorded whole, and bounded", async () => {
  const one = session();
  const hooks = hooksOf(one);
  for (let at = 0; at < 20; at += 1) {
    const payload = {
      session_id: `storm-${at}`,
      last_assistant_message: `INSIGHT: Storm number ${at} is over, and its lesson is kept.`,
    };
    one.hook("session-end", payload);
  }
  await settled(one);
  assert.equal(one.on.json(["stats"]).lessons, 21);
  const left = readdirSync(hooks).filter((name) => name.startsWith("left-"));
  assert.ok(left.length > 0 && left.length <= 20, `${left.length}`);
});

test("a test run without a word on the outcome suggests one, which counts once a person confirms it", async () => {
  for (const [code, suggested] of /** @type {const} */ ([
    [0, "success"],
    [101, "failure"],
  ])) {
    const { hook, on } = session();
    assert.match(hook("prompt", { prompt: PROMPT }), new RegExp(SLUG));
    const line = (/** @type {string} */ type, /** @type {object} */ content) =>
      `${JSON.stringify({ type, uuid: type, cwd: on.project, entrypoint: "cli", message: { role: type, content: [content] } })}\n`;
    const transcript_path = join(on.home, "ran.jsonl");
    const content = code === 0 ? "ok" : `Exit code ${code}\nboom`;
    writeFileSync(
      transcript_path,
      line("assistant", { type: "text", text: `Applying '${SLUG}': the values are bound.` }) +
        line("assistant", { type: "tool_use", name: "Bash", id: "t1", input: { command: "cargo test" } }) +
        line("user", { type: "tool_result", tool_use_id: "t1", is_error: code !== 0, content }),
    );
    hook("session-end", { reason: "exit", transcript_path });
    const waiting = await until(() => on.json(["review"]).outcomes?.[0], "the outcome waits in the review", 30_000);
    assert.equal(waiting.outcome, suggested);
    assert.match(waiting.because, /`cargo test`/);
    assert.match(on.run(["review"]).out, /cargo test/);
    const standing = () => on.json(["show", SLUG]).standing;
    assert.deepEqual([standing().times_applied, standing().success_count], [0, 0], "nothing counts unasked");
    const id = waiting.decision_id;
    if (code === 0) {
      // Said again, it counts no more.
      for (const _ of [1, 2]) assert.equal(on.json(["outcome", id, "confirm"]).outcome, "success");
      assert.deepEqual([standing().times_applied, standing().success_count], [1, 1]);
    } else {
      assert.equal(on.json(["outcome", id, "dismiss"]).outcome, null);
      assert.equal(on.run(["outcome", id, "confirm"]).code, 1, "it waits no more");
      assert.deepEqual([standing().times_applied, standing().success_count], [0, 0]);
    }
    assert.equal(on.json(["review"]).outcomes, undefined);
  }
});
