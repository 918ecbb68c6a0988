// The first minute, by each Node: an empty folder, `init claude`, a lesson by MCP, recommended at a prompt, an outcome at
// the session's end, and its numbers have moved.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, LESSON, machine, nodes, PROMPT, SLUG, until } from "./installed.mjs";

/** A hook as Claude Code calls it: by the line in its settings, in a shell. */
function hooks(on) {
  const settings = JSON.parse(readFileSync(join(on.project, ".claude/settings.local.json"), "utf8"));
  return (event) => settings.hooks[event][0].hooks[0].command;
}

for (const node of nodes) {
  test(`from nothing to a lesson whose numbers moved, with ${node}`, async (t) => {
    const started = performance.now();
    const on = machine({ node });
    on.git("init", "-q");
    const init = on.run(["init", "claude", "--yes"]);
    assert.equal(init.code, 0, init.err);

    const server = JSON.parse(readFileSync(join(on.project, ".mcp.json"), "utf8")).mcpServers.lessonloop;
    assert.deepEqual([server.command, server.args.at(-1)], [node, "mcp"]);
    const client = await on.client();
    t.after(() => client.close());
    await call(client, "playbook_add_lesson", LESSON);

    const command = hooks(on);
    const session_id = "5f0c3c1e-0000-4000-8000-000000000001";
    const transcript_path = join(on.home, `${session_id}.jsonl`);
    const payload = (event, more) =>
      JSON.stringify({ session_id, transcript_path, cwd: on.project, hook_event_name: event, ...more });
    const hook = (event, more) => {
      const line = command(event);
      assert.ok(line.startsWith(node), line);
      const words = line.slice(line.indexOf(" hook ") + 1).split(" ");
      const done = on.run(words, { input: payload(event, more) });
      assert.equal(done.code, 0, done.err);
      return done.out;
    };
    const shown = hook("UserPromptSubmit", { prompt: PROMPT });
    assert.match(shown, new RegExp(SLUG));
    assert.ok(!shown.startsWith("{"));

    const said = `Applying '${SLUG}': the query takes its values as parameters.\n\nDELIVERED: the statement binds its values.`;
    const line = (type, content) =>
      `${JSON.stringify({ type, uuid: type, sessionId: session_id, cwd: on.project, entrypoint: "cli", message: { role: type, content } })}\n`;
    writeFileSync(
      transcript_path,
      line("user", [{ type: "text", text: PROMPT }]) + line("assistant", [{ type: "text", text: said }]),
    );
    // The receipt, where the process of the server records the end while the client waits.
    assert.match(hook("SessionEnd", { reason: "exit" }), /^$|"Lessonloop: gave 1 .* used 1 .* outcome: success"/);

    const standing = await until(() => {
      const lesson = on.json(["show", SLUG]);
      return lesson.standing.success_count > 0 && lesson.standing;
    }, "the outcome is counted");
    assert.equal(standing.times_surfaced, 1);
    assert.equal(standing.times_applied, 1);
    assert.equal(standing.success_count, 1);
    assert.ok(performance.now() - started < 60_000);
  });
}

test("what each client asks is printed as docs/first-minute.md says", () => {
  const spaced = (/** @type {string} */ text) =>
    text.replace(/\S*node \S*lessonloop\.mjs/g, "lessonloop").replace(/\s+/g, " ");
  const page = spaced(readFileSync(new URL("../../docs/first-minute.md", import.meta.url), "utf8"));
  for (const client of ["claude", "codex", "gemini", "copilot", "vscode", "cursor", "opencode"]) {
    const on = machine();
    on.git("init", "-q");
    const { out } = on.run(["init", client, "--yes"]);
    const [, asked] = /\nStart a new session of .*:\n((?: {2}- .+\n)+)/.exec(out) ?? [];
    assert.ok(asked, out);
    for (const ask of asked.trim().split("\n")) assert.ok(page.includes(spaced(ask.trim())), `${client}: ${ask}`);
  }
});

test("the module alone is imported by its name, with its types beside it", () => {
  const on = machine();
  const file = join(on.bin, "../../../../..", "use.mjs");
  writeFileSync(
    file,
    `import init, { Engine } from "lessonloop";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
const at = fileURLToPath(import.meta.resolve("lessonloop/engine/lessonloop_bg.wasm"));
await init({ module_or_path: readFileSync(at) });
const engine = await Engine.open({ store: { kind: "memory" } });
console.log((await engine.handle({ method: "GET", path: "/v1/stats" })).status);`,
  );
  const types = JSON.parse(readFileSync(join(on.bin, "../../../package.json"), "utf8")).exports["."].types;
  assert.match(readFileSync(join(on.bin, "../../..", types), "utf8"), /export class Engine/);
  assert.equal(execFileSync(process.execPath, [file], { encoding: "utf8" }), "200\n");
});
