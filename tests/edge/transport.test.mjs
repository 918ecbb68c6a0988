// Incoming and outgoing messages: the lines on transport of the list of attacks.
// Alone: it holds times.
import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { url } from "../stack/stack.mjs";
import { agent, each, edge, raw, refused, space } from "./edge.mjs";
import { passOn } from "./host/edge.mjs";

const DASHBOARD = "https://lessons.example.org";
/** Where the worker went. */
const reached = [];
const it = await edge({
  bindings: { DASHBOARD_ORIGIN: DASHBOARD },
  outbound: (request) => {
    reached.push({
      origin: new URL(request.url).origin,
      method: request.method,
      path: new URL(request.url).pathname,
      search: new URL(request.url).search,
    });
    return passOn(request);
  },
});
const home = await space();
const { key } = await home.agent("transport agent");
const me = agent(it, key);
const PING = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const JSON_RPC = { accept: "application/json, text/event-stream", "content-type": "application/json" };

test("13: a page of a foreign origin is refused, the dashboard's and one's own are not", async () => {
  for (const origin of [
    "https://evil.example",
    "null",
    `${DASHBOARD}.evil.com`,
    "http://lessons.example.org",
    "https://sub.lessons.example.org",
    `${it.url}.evil.com`,
  ]) {
    for (const [path, body] of [
      ["/v1/search", { query: "queue" }],
      ["/mcp", PING],
    ]) {
      const answer = await me.send("POST", path, body, { origin, accept: JSON_RPC.accept });
      assert.equal(answer.status, 403, `${origin} ${path}: ${answer.text}`);
      assert.equal(answer.headers.get("access-control-allow-origin"), null);
    }
    const asked = await raw(it.url, {
      method: "OPTIONS",
      path: "/v1/search",
      headers: { origin, "access-control-request-method": "POST" },
    });
    assert.equal(asked.status, 403, origin);
  }
  for (const origin of [DASHBOARD, it.url]) {
    const answer = await me.send("POST", "/v1/search", { query: "queue" }, { origin });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    assert.match(answer.headers.get("vary") ?? "", /origin/i);
  }
  const asked = await raw(it.url, {
    method: "OPTIONS",
    path: "/mcp",
    headers: { origin: DASHBOARD, "access-control-request-method": "POST" },
  });
  assert.equal(asked.status, 204);
  assert.match(asked.headers["access-control-allow-headers"], /authorization/);
});

test("14: a name that was made to point to this machine is refused", async () => {
  const { port } = new URL(it.url);
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1.evil.example",
    "localhost",
    "127.0.0.1:1",
    `localhost.evil.example:${port}`,
  ]) {
    for (const path of ["/v1/stats", "/mcp"]) {
      const answer = await raw(it.url, { path, headers: { host, authorization: `Bearer ${key}` } });
      assert.equal(answer.status, 403, `${host} ${path}: ${answer.text}`);
    }
  }
  const answer = await raw(it.url, {
    path: "/v1/stats",
    headers: { host: `localhost:${port}`, authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200, answer.text);
});

test("15: a batch, and a header that disagrees with the body, are refused", async () => {
  for (const [body, headers] of [
    // Only the revision of a message without this header had batches.
    [[PING, { ...PING, id: 2 }], { "mcp-protocol-version": "2025-11-25" }],
    [[], {}],
    [PING, { "mcp-protocol-version": "1999-01-01" }],
    [PING, { "mcp-protocol-version": "not a version" }],
  ]) {
    const answer = await me.rpc(body, headers);
    assert.equal(answer.status, 400, `${JSON.stringify(headers)} ${answer.text}`);
  }
});

/** Bodies that no agent sends. `path` gets each as bytes. */
const HOSTILE = /** @type {any[][]} */ ([
  ["2 MB", 413, () => `{"query":"${"a".repeat(2_000_000)}"}`],
  ["1 MiB and a byte", 413, () => `{"query":"${"a".repeat(1_048_577 - 12)}"}`],
  ["depth 10,000", 400, () => `{"query":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
  ["depth 400,000", 400, () => "[".repeat(400_000)],
  ["NaN", 400, () => '{"query":"x","limit":NaN}'],
  ["Infinity", 400, () => '{"query":"x","limit":Infinity}'],
  ["duplicate keys", 400, () => '{"query":"x","query":"y"}'],
  ["duplicate keys, escaped", 400, () => '{"query":"x","qu\\u0065ry":"y"}'],
  [
    "invalid UTF-8",
    400,
    () => Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]),
  ],
  [
    "a surrogate in UTF-8",
    400,
    () => Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  ],
  ["a lone surrogate", 400, () => '{"query":"\\ud800"}'],
  ["half a JSON", 400, () => '{"query":"x'],
  ["two JSONs", 400, () => '{"query":"x"} {"query":"y"}'],
  ["a byte order mark", 400, () => '\ufeff{"query":"x"}'],
  ["another encoding", 400, () => Buffer.from('{"query":"x"}', "utf16le")],
]);

for (const path of ["/v1/search", "/mcp"]) {
  test(`16: bodies that are too large, too deep or no JSON get 4xx in bounded time: ${path}`, async () => {
    for (const [name, status, make] of HOSTILE) {
      const text = make();
      const begun = performance.now();
      const answer = await raw(it.url, {
        method: "POST",
        path,
        headers: { ...JSON_RPC, authorization: `Bearer ${key}` },
        body: text,
      });
      const took = performance.now() - begun;
      assert.equal(answer.status, status, `${name}: ${answer.text}`);
      assert.ok(took < 2_000, `${name} took ${took.toFixed(0)} ms`);
      assert.doesNotThrow(() => JSON.parse(answer.text), name);
    }
    await me.post("/v1/search", { query: "still here" });
  });
}

test("16: a body that never ends is not read to its end", async () => {
  const piece = Buffer.alloc(256 * 1024, 97);
  let sent = 0;
  const endless = new ReadableStream({
    pull(stream) {
      if (sent > 64 * 1024 * 1024) return stream.close();
      sent += piece.length;
      stream.enqueue(piece);
    },
  });
  const headers = { ...JSON_RPC, authorization: `Bearer ${key}` };
  const status = await fetch(`${it.url}/v1/search`, { method: "POST", headers, body: endless, duplex: "half" }).then(
    (answer) => answer.status,
    // The connection may be closed while the client still sends.
    () => 413,
  );
  assert.equal(status, 413);
  await me.post("/v1/search", { query: "still here" });
});

test("17: addresses in lessons and references in messages are never fetched; only the server is asked", async () => {
  const trap = "https://fetch-me.example/lesson";
  await me.post("/v1/lessons", {
    title: "Read the page",
    description: `![x](${trap}/a.png) <img src="${trap}/b"> ${trap}`,
    recommendation: `{"$ref": "${trap}/c"}`,
    source: trap,
  });
  await me.post("/v1/recommend", { query: "read the page" });
  refused(await me.send("POST", "/v1/search", { query: "x", $ref: trap }), 400, "invalid_request");
  await me.rpc({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "playbook_search_lessons", arguments: { $ref: trap, query: trap } },
  });
  await me.rpc({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { $ref: trap, name: { $ref: trap } } });
  assert.ok(reached.length > 0);
  assert.deepEqual([...new Set(reached.map(({ origin }) => origin))], [new URL(url).origin]);
});

test("18: what an agent sends reaches the server as arguments of functions, never as filters", async () => {
  for (const evil of [
    "x&select=*",
    "x,or(slug.neq.x)",
    "eq.x)",
    "x?space=neq.x",
    "*",
    "%",
    "../rpc/create_space",
    "x%00",
    "x'; drop table lessons; --",
  ]) {
    const path = `/v1/lessons/${encodeURIComponent(evil)}`;
    for (const [method, to, body] of [
      ["GET", path],
      ["GET", `${path}/history`],
      ["PATCH", path, { description: "x", base_rev: 1 }],
      ["POST", "/v1/rate", { lesson: evil, helpful: true }],
      ["POST", "/v1/search", { query: evil }],
    ]) {
      const answer = await me.send(method, to, body);
      assert.ok(answer.status < 500, `${method} ${to}: ${answer.text}`);
      if (to !== "/v1/search") assert.ok(answer.status >= 400, `${method} ${to}: ${answer.text}`);
    }
  }
  for (const { method, path, search } of reached) {
    assert.match(`${method} ${path}${search}`, /^POST \/rest\/v1\/rpc\/[a-z_]+$/);
  }
});

test("19: a flood on one key is told to wait, and others are not", async () => {
  const slow = await edge({ bindings: { REQUESTS_PER_SECOND: "0.1", BURST: "10" } });
  const [flooding, other] = [agent(slow, key), agent(slow, (await home.agent("calm agent")).key)];
  const answers = [];
  await each(Array(100).fill(), 10, async () => {
    answers.push(await flooding.send("POST", "/v1/search", { query: "queue" }));
  });
  const late = answers.filter(({ status }) => status === 429);
  assert.ok(late.length >= 60, `${late.length} of 100 were told to wait`);
  for (const answer of late) {
    refused(answer, 429, "rate_limited");
    assert.ok(Number(answer.headers.get("retry-after")) >= 1);
  }
  assert.ok(answers.every(({ status }) => status === 200 || status === 429));
  assert.equal((await flooding.rpc(PING)).status, 429, "one rate for JSON and MCP");
  await other.post("/v1/search", { query: "queue" });
});
