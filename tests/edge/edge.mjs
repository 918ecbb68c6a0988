// The edge function as the suite uses it: workerd over dist/ and the local stack, spaces with lessons, agents with keys.
import assert from "node:assert/strict";
import { request } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEdge } from "./host/edge.mjs";
import { author, env, key, lesson, sql, url, user } from "../stack/stack.mjs";

export const dist = env("LESSONLOOP_DIST");
/** The stack, as an edge function is told of it. */
export const supabase = { url, key };
/** No rate that a suite would notice. */
const FREE = {
  REQUESTS_PER_SECOND: "1000000",
  BURST: "1000000",
  BYTES_PER_SECOND: "1000000000",
  WORK_PER_SECOND: "1000000000",
};

const running = [];

/** Ends what was started here. */
export async function stopAll() {
  for (const edge of running.splice(0)) await edge.stop();
}

// A bench uses this too, and is no test.
if (process.env.NODE_TEST_CONTEXT) (await import("node:test")).after(stopAll);

/**
 * Starts an edge function; it ends with the file's tests. `at`: another address of the stack, such as a proxy's.
 *
 * @param {Record<string, any>} options
 */
export async function edge({ at = url, bindings = {}, ...more } = {}) {
  const started = await startEdge({
    dist,
    supabase: { ...supabase, url: at },
    bindings: { ...FREE, ...bindings },
    ...more,
  });
  running.push(started);
  return started;
}

/** Lessons that a test can tell apart. */
export const LESSONS = [
  { slug: "row-level-security", title: "Put row level security on every table", tags: ["security", "postgres"] },
  { slug: "tenant-isolation", title: "Keep tenants apart in the schema", tags: ["security", "tenants"] },
  { slug: "bounded-queues", title: "Bound every queue", tags: ["reliability"] },
  { slug: "retry-budgets", title: "Give retries a budget", tags: ["reliability", "retry"] },
];

/**
 * A space of a new user's, or of `who`, with lessons.
 *
 * @param {Record<string, any>} options
 */
export async function space({ name = "A space", lessons = LESSONS, who = user() } = {}) {
  const id = await who.space(name);
  const by = author();
  for (let from = 0; from < lessons.length; from += 500) {
    const events = lessons
      .slice(from, from + 500)
      .map(({ slug, ...more }) => by.event("LessonAdded", lesson(slug, more)));
    const answer = await who.push(id, by.actor, events);
    assert.equal(answer.rejected?.length ?? 0, 0, JSON.stringify(answer));
  }
  return {
    id,
    who,
    /** A new key of the space. */
    agent: (named = "an agent") => who.call("create_agent_key", { p_space: id, p_name: named }),
    /** Selects from the space's rows on the server; `what` names the columns and the table. */
    counted: (what) => sql(`select ${what} where space = :'space'`, { space: id }),
  };
}

/** An agent's requests to an edge function. */
export function agent(edge, bearer) {
  const send = async (method, path, body, headers = {}) => {
    const sent = body !== undefined;
    const answer = await fetch(`${edge.url}${path}`, {
      method,
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(sent ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      body: !sent ? undefined : typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    /** @type {any} */
    let value = text;
    try {
      value = JSON.parse(text);
    } catch {
      // Not JSON: the text is the answer.
    }
    return { status: answer.status, headers: answer.headers, body: value, text };
  };
  const ok = async (method, path, body, headers) => {
    const answer = await send(method, path, body, headers);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  return {
    send,
    get: (path, headers) => ok("GET", path, undefined, headers),
    post: (path, body, headers) => ok("POST", path, body, headers),
    patch: (path, body, headers) => ok("PATCH", path, body, headers),
    /** A JSON-RPC message to `/mcp`. */
    rpc: (message, headers = {}) =>
      send("POST", "/mcp", message, { accept: "application/json, text/event-stream", ...headers }),
  };
}

/** A refusal that an agent can act on. */
export function refused(answer, status, code, field) {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.error?.code, code, answer.text);
  if (field !== undefined) assert.equal(answer.body.error.field, field, answer.text);
  assert.ok(answer.body.error.message.length > 10, answer.text);
}

/**
 * A request with headers that `fetch` does not let through, such as `Host`.
 *
 * @param {string} url
 * @param {Record<string, any>} options
 * @returns {Promise<{ status: number, headers: Record<string, any>, text: string }>}
 */
export function raw(url, { method = "GET", path = "/", headers = {}, body } = {}) {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    const asked = request({ hostname, port, method, path, headers }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      done({ status: answer.statusCode, headers: answer.headers, text });
    });
    asked.on("error", fail);
    asked.end(body);
  });
}

/** Waits until `look` gives something; what it gives. */
export async function until(look, { within = 120_000, every = 200, what = "it" } = {}) {
  const last = Date.now() + within;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > last) assert.fail(`${what} did not come within ${within} ms`);
    await new Promise((done) => setTimeout(done, every));
  }
}

/** A text with a part of it put in the place of another, which has to be there. */
export function replaced(text, part, by) {
  assert.ok(text.includes(part), `the worker has no ${part} any more`);
  return text.replace(part, () => by);
}

/** The worker with a clock that goes `rate` times as fast as the machine's. */
export function clocked(worker, rate) {
  const made = "new Edge({";
  const since = Date.now();
  return replaced(worker, made, `${made} now: () => Math.floor(${since} + (Date.now() - ${since}) * ${rate}),`);
}

/** Does `work` for each item, some at a time. */
export async function each(items, at_once, work) {
  const left = [...items].entries();
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      for (const [index, item] of left) await work(item, index);
    }),
  );
}

/** Options of `edge` for an isolate that `memory` can measure. */
export const METERED = {
  inspect: true,
  rewrite: (file, text) =>
    file !== "engine/lessonloop_relaxed.js"
      ? text
      : `${text}
        const handle = Edge.prototype.handle;
        Edge.prototype.handle = async function (request) {
          if (request.path !== "/v1/metered") return handle.call(this, request);
          return { status: 200, headers: {}, body: String(wasm.memory.buffer.byteLength) };
        };`,
};

/** Measures the memory that the isolate holds, in MB, which is what the platform bounds: the module's, which never shrinks,
 * and what lives in the script's heap. And what the process of workerd has of its own, with compiled code and garbage. */
export async function memory(edge) {
  const module = Number((await raw(edge.url, { path: "/v1/metered" })).text);
  const { script, buffers } = await edge.heap();
  const status = readFileSync(join("/proc", String(edge.pid()), "status"), "utf8");
  const process = Number(status.match(/^RssAnon:\s+(\d+)/m)[1]) / 1000;
  return { isolate: (module + script + buffers) / 1e6, process };
}
