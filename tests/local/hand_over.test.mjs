// The hand-over from hooks: ends outlive the client, its server, a full disk and each other's order.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { folder, kept, LESSON, machine, PROMPT, SLUG, until } from "./installed.mjs";
import { another, hooksOf, session, settled, waiting } from "./session.mjs";

const logOf = (on) => {
  const file = join(kept(on), "cache", "lessonloop.log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};
const ended = (child) => new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));

/** A server of the store that answers hooks. */
async function server(on) {
  const child = on.start(["mcp"]);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await until(() => socketOf(on), "the socket is open");
  return child;
}
function socketOf({ home }) {
  const run = join(home, "run", `lessonloop-${process.getuid?.() ?? "user"}`);
  const name = existsSync(run) && readdirSync(run).find((it) => it.endsWith(".sock"));
  return name ? join(run, name) : null;
}

test("a session's end is recorded although the client leaves the pipe open", async () => {
  const one = session();
  one.hook("prompt", { prompt: PROMPT });
  one.say(`Applying '${SLUG}'.\n\nINSIGHT: Close the pipe after the payload.\n\nDELIVERED: done.`);
  const hook = one.on.start(["hook", "session-end", "--client", "claude"]);
  const done = ended(hook);
  // In two pieces, and the end never comes.
  const payload = one.payloadOf({ hook_event_name: "SessionEnd", reason: "clear", note: 'a } brace and a \\" quote' });
  hook.stdin.write(payload.slice(0, 40));
  hook.stdin.write(payload.slice(40));
  assert.deepEqual(await done, { code: 0, signal: null });
  await settled(one);
  assert.equal(one.on.json(["show", SLUG]).standing.success_count, 1);
  assert.equal(one.on.json(["stats"]).lessons, 2);
});

test("input that is empty, null, no object or never whole ends a hook with one line in the log", async () => {
  const one = session();
  const lines = () => logOf(one).split("\n").filter(Boolean).length;
  for (const [input, why] of [
    ["", "empty"],
    ["  \n", "empty"],
    ["null", "null"],
    ["[1]", "not json"],
    ["no json", "not json"],
  ]) {
    const before = lines();
    for (const event of ["prompt", "session-end"]) assert.equal(one.hook(event, {}, { input }), "");
    assert.equal(lines(), before + 2, why);
    assert.match(logOf(one).trim().split("\n").at(-1) ?? "", new RegExp(`no payload \\(${why}\\)`));
  }
  const hook = one.on.start(["hook", "session-end", "--client", "claude"]);
  const done = ended(hook);
  hook.stdin.write('{"session_id":"s-never","hook_event_name":"SessionEnd"');
  assert.deepEqual(await done, { code: 0, signal: null });
  const told = readFileSync(join(hooksOf(one), "empty.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([told.length, told[0].event, told.at(-1).why], [11, "prompt", "unfinished"]);
  assert.deepEqual(waiting(one), []);
  one.hook("prompt", { prompt: PROMPT });
  assert.ok(existsSync(join(hooksOf(one), "came", "claude.prompt")));
});

test("payloads without what a client usually sends fail nothing", async () => {
  const one = session();
  for (const payload of [
    { session_id: "s1", tool_name: "Bash", hook_event_name: "PostToolUse" },
    { session_id: "s2", hook_event_name: "UserPromptSubmit", prompt: PROMPT, cwd: null, transcript_path: null },
    { session_id: "s3", hook_event_name: "SessionEnd", reason: "bypass_permissions_disabled", cwd: "/no/such/folder" },
    { session_id: "s4", hook_event_name: "TeammateIdle", teammate_name: "b", team_name: "t" },
    { session_id: "s5", hook_event_name: "Stop", stop_hook_active: true, last_assistant_message: "" },
  ]) {
    const out = one.hook("", {}, { input: JSON.stringify(payload) });
    if (payload.session_id === "s2") assert.match(out, new RegExp(SLUG));
    else assert.equal(out, "", payload.session_id);
  }
  await settled(one);
});

test("what a hook hands to a server is recorded when the hook is through, though the server is killed then", async () => {
  const one = session();
  const mcp = await server(one);
  one.hook("prompt", { prompt: PROMPT });
  one.say(`Applying '${SLUG}'.\n\nINSIGHT: Say it before the end.\n\nDELIVERED: done.`);
  one.hook("stop", { last_assistant_message: "DELIVERED: done." });
  one.hook("session-end", { reason: "other" });
  mcp.kill("SIGKILL");
  await settled(one);
  const { standing } = one.on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count], [1, 1]);
});

test("a server that is told to end records what waits first", async () => {
  for (const how of ["SIGTERM", "SIGHUP", "SIGINT", "end of input"]) {
    const one = session();
    one.hook("prompt", { prompt: PROMPT });
    const mcp = await server(one);
    const exit = ended(mcp);
    one.say(`Applying '${SLUG}'.\n\nDELIVERED: done.`);
    // The call as a hook keeps it, whose process was ended right then.
    const spool = join(hooksOf(one), "spool");
    mkdirSync(spool, { recursive: true });
    const call = {
      event: "session-end",
      client: "claude",
      payload: one.payloadOf(),
      max_tokens: 1500,
      cwd: one.project,
    };
    writeFileSync(join(spool, "100000000000000-1-1.json"), JSON.stringify({ ...call, environment: {} }));
    const socket = connect(socketOf(one));
    socket.write(`${JSON.stringify({ do: "drain" })}\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    if (how === "end of input") mcp.stdin.end();
    else mcp.kill(/** @type {any} */ (how));
    assert.deepEqual(await exit, { code: 0, signal: null }, how);
    assert.deepEqual(waiting(one), [], how);
    assert.equal(one.on.json(["show", SLUG]).standing.success_count, 1, how);
    socket.destroy();
  }
});

test("within a session the stop comes before the end, in whatever order their processes run", async () => {
  const one = session();
  one.hook("prompt", { prompt: PROMPT });
  one.say(`Applying '${SLUG}'.\n\nDELIVERED: done.`);
  // The end names no transcript, and is recorded before the stop's process came.
  one.hook("session-end", { transcript_path: undefined, reason: "complete" }, { client: "copilot" });
  await settled(one);
  assert.equal(one.on.json(["show", SLUG]).standing.success_count, 0);
  one.hook("stop", { last_assistant_message: "DELIVERED: done." });
  await settled(one);
  const { standing } = one.on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count], [1, 1]);

  // A resumed session's stop is none of the end before.
  one.hook("prompt", { prompt: "And bind the values of the other SQL statement, please." });
  one.sayMore("INSIGHT: Bind the values of lists one by one, by hand.");
  one.hook("stop", { last_assistant_message: "INSIGHT: Bind the values of lists one by one, by hand." });
  await settled(one);
  assert.equal(one.on.json(["stats"]).lessons, 2);
});

/** Numbers between 0 and 1 that a seed gives (mulberry32). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Processes that hooks of a project left behind. */
const leftBehind = (project) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`LESSONLOOP_HOOK_DRAIN=${project}\0`)
      );
    } catch {
      return false;
    }
  });

test("killed at random, nothing handed over is lost, and nothing counts twice", {
  skip: process.platform !== "linux",
}, async () => {
  const seed = Number(process.env.LESSONLOOP_SEED ?? 30);
  const random = numbers(seed);
  const on = session().on;
  const ROUNDS = 8;
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = another(on);
    const mcp = random() < 0.7 ? await server(on) : null;
    assert.match(one.hook("prompt", { prompt: PROMPT }), new RegExp(SLUG));
    one.say(`Applying '${SLUG}': bound.\n\nINSIGHT: Round ${round} taught lesson number ${round}.\n\nDELIVERED: done.`);
    const calls = [
      ["stop", one.payloadOf({ last_assistant_message: "DELIVERED: done." })],
      ["session-end", one.payloadOf({ reason: "other" })],
    ].map(([event, payload]) => {
      const child = on.start(["hook", event, "--client", "claude"]);
      child.stdin.end(payload);
      return ended(child);
    });
    const killing = new Promise((resolve) => {
      setTimeout(() => {
        mcp?.kill("SIGKILL");
        for (const pid of leftBehind(on.project)) {
          try {
            process.kill(Number(pid), "SIGKILL");
          } catch {
            // It was through.
          }
        }
        resolve(undefined);
      }, random() * 900);
    });
    for (const { code } of await Promise.all(calls)) assert.equal(code, 0);
    await killing;
    mcp?.kill("SIGKILL");
  }
  on.json(["last"]);
  await settled(on);
  const { standing } = on.json(["show", SLUG]);
  assert.deepEqual([standing.times_applied, standing.success_count], [ROUNDS, ROUNDS], `seed ${seed}`);
  assert.equal(on.json(["stats"]).lessons, 1 + ROUNDS, `seed ${seed}`);
});

test("a full disk at a session's end: an error in the log, and the next end makes it up", {
  skip: process.getuid?.() !== 0,
}, async (t) => {
  const at = join(folder("disk"), "small");
  mkdirSync(at);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", at], { stdio: "pipe" });
  } catch {
    t.skip("this machine mounts no file system");
    return;
  }
  try {
    const on = machine({ project: at });
    assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
    on.json(["add", "-"], { input: JSON.stringify(LESSON) });
    const one = another(on);
    one.hook("prompt", { prompt: PROMPT });
    one.say(`Applying '${SLUG}'.\n\nINSIGHT: Leave room for the end.\n\nDELIVERED: done.`);
    const full = join(at, "full");
    try {
      for (let bytes = 65_536; bytes > 0; ) {
        try {
          writeFileSync(full, Buffer.alloc(bytes), { flag: "a" });
        } catch (error) {
          if (error.code !== "ENOSPC") throw error;
          bytes = bytes > 1 ? bytes >> 1 : 0;
        }
      }
    } catch (error) {
      assert.equal(error.code, "ENOSPC");
    }
    one.hook("session-end", { reason: "other" });
    await until(() => /session-end.*ENOSPC/.test(logOf(on)), "the full disk is told");
    writeFileSync(full, "");
    assert.equal(on.json(["show", SLUG]).standing.success_count, 0);
    const two = another(on);
    two.hook("prompt", { prompt: PROMPT });
    two.say("Nothing of note.");
    two.hook("session-end", { reason: "other" });
    await until(() => on.json(["show", SLUG]).standing.success_count === 1, "the next end made it up", 60_000);
    await settled(on);
    assert.equal(on.json(["stats"]).lessons, 2);
  } finally {
    execFileSync("umount", ["-l", at], { stdio: "pipe" });
  }
});

test("ten prompts in a second are each answered, and a lesson's text is given once", async () => {
  const one = session();
  const mcp = await server(one);
  const asked = Array.from({ length: 10 }, (_, at) => {
    const child = spawn(one.node, [one.bin, "hook", "prompt", "--client", "claude"], {
      cwd: one.project,
      env: one.env,
    });
    child.stdin.end(one.payloadOf({ prompt: `${PROMPT} This is statement number ${at}.` }));
    let out = "";
    child.stdout.on("data", (piece) => (out += piece));
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, out })));
  });
  const answers = await Promise.all(asked);
  assert.ok(answers.every(({ code, out }) => code === 0 && out.includes(SLUG)));
  assert.equal(answers.filter(({ out }) => out.includes(LESSON.recommendation)).length, 1);
  mcp.stdin.end();
});
