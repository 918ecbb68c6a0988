// A SessionEnd hook for Claude Code: hands a finished session to `POST /v1/sessions`, so that its
// INSIGHT: lines become lessons and the lessons it was given get feedback. Node 18 or newer.
//
// LESSONLOOP_URL is the address of the edge function, LESSONLOOP_KEY an agent key. What goes wrong
// is written to lessonloop-hook.log in the system's folder for temporary files.
//
// Only what the agent itself said is sent, subagents and the tasks that they were given included:
// text of files, web pages and tools could hold marker lines that nobody meant. A person's headless run is
// a session; one that an agent's tool started is part of the session that asked for it, and what sets
// LESSONLOOP_CHILD=1 for a run keeps it out, so that no hook answers what a hook began.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The edge takes 1 MB; JSON makes text longer. */
const BYTES = 900_000;
const TRIES = 6;
const OUTCOME_OR_INSIGHT = /^[\s>*_`#+•-]*(insight|blocked|delivered|plan[_ ]complete)[*_` ]*:/im;
const OUTCOME = /^[\s>*_`#+•-]*(blocked|delivered|plan[_ ]complete)[*_` ]*:/i;
const SHOWN = /^[\s>*_`#+•-]*injected[*_` ]*:/im;
const GIVES_LESSONS = /playbook_(recommend_lessons|search_lessons|patterns_for_feature)$/;
const TASK = /^[\s>*_`#+•-]*(task|objective)[*_` ]*:/i;
const SUBAGENT = /^agent-.+\.jsonl$/;
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const [mode] = process.argv.slice(2);
try {
  if (mode === "--send") await send(JSON.parse(process.env.LESSONLOOP_SESSION));
  else handOver();
} catch (error) {
  complain(error.message);
}

/** Claude Code does not wait for long when it ends, so another process does the sending. */
function handOver() {
  const { session_id, transcript_path } = JSON.parse(readFileSync(0, "utf8"));
  if (!session_id || !transcript_path) throw new Error("the hook got no session_id or transcript_path");
  const session = JSON.stringify({ id: session_id, path: transcript_path });
  spawn(process.execPath, [fileURLToPath(import.meta.url), "--send"], {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, LESSONLOOP_SESSION: session },
  }).unref();
}

async function send({ id, path }) {
  const url = address(process.env.LESSONLOOP_URL);
  const key = process.env.LESSONLOOP_KEY;
  if (!key) throw new Error("LESSONLOOP_KEY is not set; make an agent key at the dashboard");
  if (isChild()) return;
  const files = transcripts(path);
  // A session that was resumed ends again; what was sent before would count twice.
  const place = join(tmpdir(), `lessonloop-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`);
  const sent = sentBefore(place);
  const fresh = files.flatMap(({ name, lines }) => lines.slice(sent[name] <= lines.length ? sent[name] : 0));
  const transcript = said(fresh);
  if (!OUTCOME_OR_INSIGHT.test(transcript)) return;
  const body = JSON.stringify({ transcript });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "idempotency-key": createHash("sha256").update(`${id}\n${body}`).digest("hex"),
  };
  for (let tried = 1; ; tried += 1) {
    const { done, wait, why } = await post(url, headers, body);
    if (done) {
      const read = Object.fromEntries(files.map(({ name, lines }) => [name, lines.length]));
      return writeFileSync(place, JSON.stringify(read), { mode: 0o600 });
    }
    if (wait === undefined || tried === TRIES) throw new Error(why);
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}

/** Posts once. `wait` says after how many seconds another try makes sense. */
async function post(url, headers, body) {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "error",
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (answer.ok) return { done: true };
    const why = `${url} answered ${answer.status}: ${text.slice(0, 500)}`;
    if (answer.status !== 429 && answer.status < 500) return { why };
    const after = Number(answer.headers.get("retry-after") ?? 2);
    return { why, wait: Number.isFinite(after) ? Math.min(Math.max(after, 0), 60) : 2 };
  } catch (error) {
    return { why: `${url} can't be reached: ${error.message}`, wait: 2 };
  }
}

/** Where to post to. The key goes over https, or to this machine. */
function address(base) {
  if (!base) throw new Error("LESSONLOOP_URL is not set; give the address of the edge function");
  const url = new URL("/v1/sessions", base);
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:"))
    throw new Error("LESSONLOOP_URL has to begin with https://");
  return url.href;
}

/** Reads the number of lines that were sent before, by file; the main conversation's name is empty. */
function sentBefore(place) {
  try {
    const sent = JSON.parse(readFileSync(place, "utf8"));
    return typeof sent === "number" ? { "": sent } : (sent ?? {});
  } catch {
    return {};
  }
}

/** The lines of the subagents' files, which lie beside the main conversation's, and of that last:
 *  what it says of the outcome is said of the whole. */
function transcripts(path) {
  const lines = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean);
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  let found = [];
  try {
    found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && SUBAGENT.test(file.name))
      .map((file) => join(file.parentPath ?? file.path, file.name))
      .sort();
  } catch {
    // Most sessions have no subagents.
  }
  const agents = found.map((file) => ({ name: relative(folder, file), lines: lines(file) }));
  return [...agents, { name: "", lines: lines(path) }];
}

/** True if an agent's tool started this run, or a program such as this one, and not a person.
 *  CLAUDE_CODE_CHILD_SESSION and an attendance of 0 tell nothing: hooks of a person's headless run have
 *  both. The shell of Claude Code's tools, and what is started from it, has CLAUDE_CODE_EXECPATH. */
function isChild(env = process.env) {
  if (env.LESSONLOOP_CHILD && env.LESSONLOOP_CHILD !== "0") return true;
  if (env.CLAUDE_CODE_SESSION_ATTENDED !== "0") return false;
  return /^sdk-/.test(env.CLAUDE_CODE_ENTRYPOINT ?? "") && Boolean(env.CLAUDE_CODE_EXECPATH);
}

/** Collects the agent's words, and the lessons that it was given. */
function said(lines) {
  const texts = [];
  const asked = new Set();
  const given = new Set();
  let feedback = false;
  for (const line of lines) {
    const entry = parsed(line);
    if (!entry) continue;
    const content = entry.message?.content;
    const parts =
      typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
    for (const part of parts) {
      if (entry.type === "assistant" && part.type === "text")
        // The outcome of a subagent's part is not that of the session.
        texts.push(entry.isSidechain ? withoutOutcomes(String(part.text)) : String(part.text));
      // A subagent's prompt is what the agent wrote.
      if (entry.type === "user" && entry.isSidechain && part.type === "text") texts.push(...tasks(String(part.text)));
      if (entry.type === "assistant" && part.type === "tool_use") {
        if (GIVES_LESSONS.test(part.name)) asked.add(part.id);
        if (/playbook_feedback$/.test(part.name)) feedback = true;
      }
      if (part.type === "tool_result" && asked.has(part.tool_use_id))
        slugs(part.content).forEach((slug) => given.add(slug));
    }
  }
  let text = shortened(texts.filter(Boolean).join("\n"));
  // An agent that gave feedback itself, or named its lessons, has said it all.
  if (!feedback && given.size > 0 && !SHOWN.test(text)) text = `INJECTED: ${[...given].join(", ")}\n${text}`;
  return text;
}

/** The lines that tell no outcome. */
function withoutOutcomes(text) {
  const lines = text.split("\n").filter((line) => !OUTCOME.test(line));
  return lines.join("\n");
}

/** The lines that name a task. */
function tasks(text) {
  return text.split("\n").filter((line) => TASK.test(line));
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The slugs in a tool's result: of its structured part, or the headings outside its fences. */
function slugs(content) {
  const texts =
    typeof content === "string"
      ? [content]
      : (Array.isArray(content) ? content : []).map((part) => String(part.text ?? ""));
  return texts.flatMap((text) => {
    const data = parsed(text);
    if (data && typeof data === "object") {
      const list = data.recommended ?? data.results;
      return (Array.isArray(list) ? list : [])
        .map((one) => one?.slug)
        .filter((slug) => typeof slug === "string" && SLUG.test(slug));
    }
    return headings(text);
  });
}

function headings(text) {
  const found = [];
  let fence = "";
  for (const line of text.split("\n")) {
    if (fence) {
      if (line === fence) fence = "";
    } else if (/^`{4,}text$/.test(line)) fence = line.slice(0, -"text".length);
    else if (line.startsWith("### ") && SLUG.test(line.slice(4))) found.push(line.slice(4));
  }
  return found;
}

/** The end of a text that is too long to be sent, from the beginning of a line. */
function shortened(text) {
  const size = (part) => Buffer.byteLength(JSON.stringify(part));
  let rest = text;
  while (size(rest) > BYTES) {
    const cut = rest.indexOf("\n", Math.ceil(rest.length / 10));
    rest = cut < 0 ? rest.slice(Math.ceil(rest.length / 10)) : rest.slice(cut + 1);
  }
  return rest;
}

function complain(message) {
  const line = `${new Date().toISOString()} ${message}\n`;
  process.stderr.write(line);
  try {
    appendFileSync(join(tmpdir(), "lessonloop-hook.log"), line, { mode: 0o600 });
  } catch {
    // There is nowhere left to say it.
  }
  process.exitCode = 1;
}
