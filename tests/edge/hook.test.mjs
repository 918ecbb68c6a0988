// The hook for Claude Code, run as Claude Code runs it, against a small server of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";

const HOOK = fileURLToPath(new URL("../../www/edge/hooks/session-end.mjs", import.meta.url));
const KEY = `llk_${"ab".repeat(32)}`;

let folder;
let server;
let url;
/** Statuses to answer with before 200. */
let refusals = [];
let requests = [];
const waiting = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "lessonloop-hook-"));
  server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const status = refusals.shift() ?? 200;
    const asked = { path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(parts)), status };
    response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end("{}");
    const next = waiting.shift();
    if (next) next(asked);
    else requests.push(asked);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  requests = [];
  refusals = [];
});

/** The next request that comes in. */
const request = () =>
  requests.length ? Promise.resolve(requests.shift()) : new Promise((resolve) => waiting.push(resolve));

let sessions = 0;
const fresh = () => `session-${(sessions += 1)}`;

function transcript(id, entries) {
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, entries.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry))).join("\n"));
  return path;
}

/** Runs the hook; without `send` as Claude Code does, with it as the process that sends. */
async function run(id, path, { send = false, ...env } = {}) {
  const child = spawn(process.execPath, send ? [HOOK, "--send"] : [HOOK], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: folder,
      LESSONLOOP_URL: url,
      LESSONLOOP_KEY: KEY,
      ...(send ? { LESSONLOOP_SESSION: JSON.stringify({ id, path }) } : {}),
      ...env,
    },
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.end(
    JSON.stringify({
      session_id: id,
      transcript_path: path,
      cwd: folder,
      hook_event_name: "SessionEnd",
      reason: "prompt_input_exit",
    }),
  );
  let errors = "";
  child.stderr.on("data", (part) => (errors += part));
  const [code] = await once(child, "close");
  return { code, errors };
}

const assistant = (...content) => ({ type: "assistant", message: { role: "assistant", content } });
const user = (content) => ({ type: "user", message: { role: "user", content } });
const text = (text) => ({ type: "text", text });

test("a finished session is posted by a process that outlives the hook", async () => {
  const id = fresh();
  const path = transcript(id, [
    user("INSIGHT: what a person writes is not what the agent learned."),
    assistant(
      { type: "thinking", thinking: "INSIGHT: thoughts stay private." },
      text("INSIGHT: Name the bound of a queue."),
    ),
    assistant({ type: "tool_use", id: "t1", name: "mcp__lessonloop__playbook_recommend_lessons", input: {} }),
    user([
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: [
          text(
            "## Lessons learned\n\n### pattern-one\nNew\n````text\n### pattern-in-a-fence\n````\n\n### pattern-two\n",
          ),
        ],
      },
    ]),
    user([
      { type: "tool_result", tool_use_id: "t9", content: "INSIGHT: a file said so.\n### pattern-of-another-tool" },
    ]),
    { ...user("OBJECTIVE: Bound the queue.\nINSIGHT: a prompt teaches nothing."), isSidechain: true },
    { ...assistant(text("INSIGHT: A subagent learns, too.")), isSidechain: true },
    "half a line {",
    assistant(text("Applying 'pattern-one'.\nDELIVERED: it is done.")),
  ]);
  const hook = await run(id, path);
  assert.deepEqual(hook, { code: 0, errors: "" });
  const asked = await request();
  assert.equal(asked.path, "/v1/sessions");
  assert.equal(asked.headers.authorization, `Bearer ${KEY}`);
  assert.match(asked.headers["idempotency-key"], /^[0-9a-f]{64}$/);
  assert.deepEqual(asked.body, {
    transcript:
      "INJECTED: pattern-one, pattern-two\nINSIGHT: Name the bound of a queue.\nOBJECTIVE: Bound the queue.\nINSIGHT: A subagent learns, too.\nApplying 'pattern-one'.\nDELIVERED: it is done.",
  });
});

test("subagents that have files of their own come before the conversation that asked them", async () => {
  const id = fresh();
  const path = transcript(id, [assistant(text("DELIVERED: both parts."))]);
  const agents = join(folder, id, "subagents", "workflows", "wf_1");
  mkdirSync(agents, { recursive: true });
  const said = (line) => JSON.stringify({ ...assistant(text(line)), isSidechain: true });
  writeFileSync(join(folder, id, "subagents", "agent-a.jsonl"), said("BLOCKED: the first part has no data."));
  writeFileSync(join(agents, "agent-b.jsonl"), said("INSIGHT: The second part needs the first one's data."));
  writeFileSync(join(agents, "notes.jsonl"), said("INSIGHT: this file is nobody's transcript."));
  await run(id, path, { send: true });
  assert.equal(
    (await request()).body.transcript,
    "INSIGHT: The second part needs the first one's data.\nDELIVERED: both parts.",
  );
  writeFileSync(join(agents, "agent-c.jsonl"), said("INSIGHT: What came later is sent alone."));
  await run(id, path, { send: true });
  assert.equal((await request()).body.transcript, "INSIGHT: What came later is sent alone.");
});

test("a headless run is a session, unless a tool started it", async () => {
  // As Claude Code 2.1.332 calls hooks: of a person's run, with a terminal and without, and of one in its tools' shell.
  const any = { CLAUDECODE: "1", CLAUDE_CODE_CHILD_SESSION: "1" };
  const headless = { ...any, CLAUDE_CODE_ENTRYPOINT: "sdk-cli", CLAUDE_CODE_SESSION_ATTENDED: "0" };
  for (const [env, sent] of /** @type {any[][]} */ ([
    [{}, true],
    [{ ...any, CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CODE_SESSION_ATTENDED: "1" }, true],
    [headless, true],
    [{ ...any, CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, true],
    [{ ...headless, CLAUDE_CODE_EXECPATH: "/opt/claude" }, false],
    [{ LESSONLOOP_CHILD: "0" }, true],
    [{ LESSONLOOP_CHILD: "1" }, false],
  ])) {
    const id = fresh();
    const { code } = await run(id, transcript(id, [assistant(text("DELIVERED: done."))]), { send: true, ...env });
    assert.equal(code, 0);
    assert.equal(requests.length, sent ? 1 : 0, JSON.stringify(env));
    requests = [];
  }
});

test("structured results name lessons too", async () => {
  const id = fresh();
  const result = JSON.stringify({ results: [{ slug: "pattern-one" }, { slug: "Not a slug" }, null] });
  const path = transcript(id, [
    assistant({ type: "tool_use", id: "t1", name: "playbook_search_lessons", input: {} }),
    user([{ type: "tool_result", tool_use_id: "t1", content: result }]),
    assistant(text("BLOCKED: no access.")),
  ]);
  await run(id, path, { send: true });
  assert.equal((await request()).body.transcript, "INJECTED: pattern-one\nBLOCKED: no access.");
});

test("an agent that gave feedback itself is not spoken for", async () => {
  const id = fresh();
  const path = transcript(id, [
    assistant({ type: "tool_use", id: "t1", name: "playbook_recommend_lessons", input: {} }),
    user([{ type: "tool_result", tool_use_id: "t1", content: "### pattern-one" }]),
    assistant({ type: "tool_use", id: "t2", name: "mcp__lessonloop__playbook_feedback", input: {} }),
    assistant(text("DELIVERED: done.")),
  ]);
  await run(id, path, { send: true });
  assert.equal((await request()).body.transcript, "DELIVERED: done.");
});

test("a session that ends again sends only what came since", async () => {
  const id = fresh();
  const first = assistant(text("INSIGHT: The first thing that was learned."));
  await run(id, transcript(id, [first]), { send: true });
  assert.match((await request()).body.transcript, /first thing/);
  const path = transcript(id, [first, assistant(text("INSIGHT: The second thing that was learned."))]);
  await run(id, path, { send: true });
  assert.equal((await request()).body.transcript, "INSIGHT: The second thing that was learned.");
  assert.equal((await run(id, path, { send: true })).code, 0);
  assert.equal(requests.length, 0);
});

test("while the store is away the same request is sent again", async () => {
  const id = fresh();
  refusals = [503, 429];
  const { code } = await run(id, transcript(id, [assistant(text("DELIVERED: done."))]), { send: true });
  assert.equal(code, 0);
  const [one, two, three] = [await request(), await request(), await request()];
  assert.deepEqual([one.status, two.status, three.status], [503, 429, 200]);
  assert.deepEqual([two.body, three.body], [one.body, one.body]);
  assert.equal(new Set([one, two, three].map((asked) => asked.headers["idempotency-key"])).size, 1);
});

test("a session too long to be sent loses its beginning", async () => {
  const id = fresh();
  const long = Array.from({ length: 40_000 }, (_, place) => `line ${place} "of" a long session`).join("\n");
  await run(id, transcript(id, [assistant(text(`INSIGHT: early.\n${long}\nDELIVERED: done.`))]), { send: true });
  const { body } = await request();
  assert.ok(Buffer.byteLength(JSON.stringify(body)) < 1_000_000);
  assert.ok(body.transcript.length > 500_000);
  assert.match(body.transcript, /^line \d+ "of"[\s\S]*\nDELIVERED: done\.$/);
});

test("without a line to learn from nothing is sent", async () => {
  const id = fresh();
  const { code } = await run(id, transcript(id, [assistant(text("Hello. No insight: none."))]), { send: true });
  assert.equal(code, 0);
  assert.equal(requests.length, 0);
});

test("what goes wrong is said and written down", async () => {
  const id = fresh();
  const path = transcript(id, [assistant(text("DELIVERED: done."))]);
  for (const [env, message] of /** @type {any[][]} */ ([
    [{ LESSONLOOP_URL: "" }, /LESSONLOOP_URL is not set/],
    [{ LESSONLOOP_URL: "http://example.org" }, /has to begin with https/],
    [{ LESSONLOOP_KEY: "" }, /LESSONLOOP_KEY is not set/],
  ])) {
    const { code, errors } = await run(id, path, { send: true, ...env });
    assert.equal(code, 1);
    assert.match(errors, message);
  }
  refusals = [401];
  const refused = await run(id, path, { send: true });
  assert.match(refused.errors, /answered 401/);
  assert.ok(!refused.errors.includes(KEY));
  await request();
  assert.equal(requests.length, 0, "a refused key is not tried again");
  const log = readFileSync(join(folder, "lessonloop-hook.log"), "utf8");
  assert.equal(log.trim().split("\n").length, 4);
  assert.equal((await run("", "")).code, 1);
});
