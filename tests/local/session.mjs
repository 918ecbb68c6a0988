// A machine with a lesson and a session on it, whose hooks are called as a client calls them.
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kept, LESSON, machine, PROMPT, until } from "./installed.mjs";

let sessions = 0;
/** A machine with a lesson, and a session on it. */
export function session(given) {
  const on = machine(given);
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  return another(on);
}

/** Another session on a machine. */
export function another(on) {
  sessions += 1;
  const session_id = `5f0c3c1e-0000-4000-8000-00000000${String(sessions).padStart(4, "0")}`;
  const transcript_path = join(on.home, `${session_id}.jsonl`);
  const payloadOf = (more = {}) => JSON.stringify({ session_id, transcript_path, cwd: on.project, ...more });
  const hook = (event, more = {}, { client = "claude", env = {}, input } = /** @type {any} */ ({})) => {
    const done = on.run(["hook", event, "--client", client], { input: input ?? payloadOf(more), env });
    assert.deepEqual([done.code, done.err], [0, ""]);
    return done.out;
  };
  const row = (type, uuid, text, entrypoint) =>
    `${JSON.stringify({ type, uuid, sessionId: session_id, cwd: on.project, entrypoint, message: { role: type, content: [{ type: "text", text }] } })}\n`;
  const say = (text, entrypoint = "cli") =>
    writeFileSync(
      transcript_path,
      row("user", `u-${session_id}`, PROMPT, entrypoint) + row("assistant", `a-${session_id}`, text, entrypoint),
    );
  let rows = 0;
  const sayMore = (text) => {
    rows += 1;
    appendFileSync(transcript_path, row("assistant", `m${rows}-${session_id}`, text, "cli"));
  };
  return { ...on, on, hook, say, sayMore, session_id, transcript_path, payloadOf };
}

/** The folder of the store's hooks. */
export const hooksOf = (on) => join(kept(on), "cache", "hooks");

/** Lists the hooks' calls that wait to be recorded. */
export function waiting(on) {
  const spool = join(hooksOf(on), "spool");
  return existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith(".json")) : [];
}

/** Resolves when all that hooks handed over is recorded: a call is taken away after its work is stored. */
export const settled = (on) => until(() => waiting(on).length === 0, "all is recorded", 60_000);
