// MCP as agents speak it: by the official clients of the current and the previous revision, and by the conformance suite.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from "@modelcontextprotocol/client";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as PreviousTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as OlderClient } from "mcp-sdk-1.11/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "mcp-sdk-1.11/client/streamableHttp.js";
import { serving } from "../stack/proxy.mjs";
import { agent, edge, space, until } from "./edge.mjs";

const CURRENT = "2026-07-28";
const PREVIOUS = "2025-11-25";
const OLDER = "2025-03-26";

const it = await edge();
const home = await space();
const { key } = await home.agent("mcp agent");
const me = agent(it, key);
const url = new URL(`${it.url}/mcp`);
const requestInit = { headers: { authorization: `Bearer ${key}` } };
const INFO = { name: "edge suite", version: "1.0.0" };

const CLIENTS = {
  [CURRENT]: async () => {
    const client = new CurrentClient(INFO, { versionNegotiation: { mode: { pin: CURRENT } } });
    await client.connect(new CurrentTransport(url, { requestInit }));
    assert.equal(client.getNegotiatedProtocolVersion(), CURRENT);
    return client;
  },
  [PREVIOUS]: async () => {
    const client = new PreviousClient(INFO);
    const transport = new PreviousTransport(url, { requestInit });
    await client.connect(transport);
    assert.equal(transport.protocolVersion, PREVIOUS);
    return client;
  },
  // The protocol that TypeScript's SDK spoke up to 1.11, without a header for the revision.
  [OLDER]: async () => {
    const client = new OlderClient(INFO);
    await client.connect(new OlderTransport(url, { requestInit }));
    assert.equal(client.getServerVersion().name, "lessonloop");
    return client;
  },
};

/** The tools, and whether each only reads. */
const TOOLS = {
  playbook_search_lessons: true,
  playbook_recommend_lessons: false,
  playbook_patterns_for_feature: true,
  playbook_get_decision: true,
  playbook_lesson_stats: true,
  playbook_suggest_tools: true,
  playbook_health: true,
  playbook_rate_lesson: false,
  playbook_vote_lesson: false,
  playbook_add_lesson: false,
  playbook_track_usage: false,
  playbook_record_outcome: false,
  playbook_feedback: false,
  playbook_record_session: false,
  playbook_record_tool_success: false,
};

for (const [revision, connect] of Object.entries(CLIENTS)) {
  test(`${revision}: the official client lists the tools, each with its schemas and what it does to the space`, async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(TOOLS).sort());
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      assert.ok(description.length > 20, name);
      assert.equal(inputSchema.type, "object", name);
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.equal(outputSchema.type, "object", name);
      // A recommendation is tracked, which is no change that an agent has to ask a person about.
      if (name !== "playbook_recommend_lessons") assert.equal(annotations.readOnlyHint, TOOLS[name], name);
      assert.notEqual(annotations.destructiveHint, true, name);
    }
    // Lessons are data, never a part of what describes the tools.
    assert.ok(!JSON.stringify(tools).includes("row-level-security"));
    await client.close();
  });

  test(`${revision}: a decision from recommendation to feedback through the official client, which holds answers against their schemas`, async () => {
    const client = await connect();
    await client.listTools();
    const call = async (name, args) => {
      const answer = await client.callTool({ name, arguments: args });
      assert.notEqual(answer.isError, true, `${name}: ${JSON.stringify(answer)}`);
      assert.ok(answer.structuredContent, name);
      assert.ok(
        answer.content.some(({ type }) => type === "text"),
        name,
      );
      return answer.structuredContent;
    };
    const decision_id = randomUUID();
    const { recommended } = await call("playbook_recommend_lessons", { query: "bounded queues", decision_id });
    assert.equal(recommended[0].slug, "bounded-queues");
    const tracked = await call("playbook_track_usage", { decision_id, reasoning: "I am applying 'bounded-queues'." });
    assert.equal(tracked.detections.find(({ slug }) => slug === "bounded-queues").applied, true);
    assert.equal(
      (await call("playbook_record_outcome", { decision_id, outcome: "success", pnl_percent: 1 }))
        .effectiveness_recalculated.length,
      1,
    );
    const seen = await call("playbook_get_decision", { decision_id });
    assert.deepEqual([seen.id, seen.outcome, seen.untrusted.query], [decision_id, "success", "bounded queues"]);
    await call("playbook_feedback", {
      lessons: ["bounded-queues"],
      causal: ["bounded-queues"],
      outcome: "delivered",
      decision_id,
    });
    await call("playbook_rate_lesson", { lesson: "bounded-queues", helpful: true });
    await call("playbook_vote_lesson", { lesson: "bounded-queues", up: true });
    const added = await call("playbook_add_lesson", {
      title: `Written over MCP, ${revision}`,
      recommendation: "Keep it.",
    });
    assert.equal(added.trust, "unreviewed");
    const found = await call("playbook_search_lessons", { query: `written over MCP ${revision}` });
    assert.ok(found.results.some(({ slug }) => slug === added.slug));
    await call("playbook_patterns_for_feature", { feature: "queues" });
    await call("playbook_record_session", { transcript: `INSIGHT: Say the revision ${revision} in the header.` });
    await call("playbook_record_tool_success", { query: `find a customer ${revision}`, server: "stripe" });
    await call("playbook_suggest_tools", { query: "find a customer" });
    await call("playbook_lesson_stats", {});
    await call("playbook_health", {});
    await client.close();
  });

  test(`${revision}: what goes wrong in a tool is an answer that the agent can act on`, async () => {
    const client = await connect();
    for (const [name, args, words] of /** @type {any[][]} */ ([
      ["playbook_search_lessons", {}, /query/],
      ["playbook_search_lessons", { query: 5 }, /query/],
      ["playbook_search_lessons", { query: "x", color: "red" }, /color/],
      ["playbook_rate_lesson", { lesson: "no-such-lesson", helpful: true }, /no-such-lesson/],
      ["playbook_record_outcome", { decision_id: randomUUID(), outcome: "profit" }, /decision_id/],
    ])) {
      const answer = await client.callTool({ name, arguments: args });
      assert.equal(answer.isError, true, `${name}: ${JSON.stringify(answer)}`);
      assert.match(answer.content[0].text, words);
    }
    await assert.rejects(
      client.callTool({ name: "playbook_no_such_tool", arguments: {} }),
      /playbook_no_such_tool|unknown tool/i,
    );
    await client.close();
  });
}

test("other methods than POST are refused, and a notification is taken without an answer", async () => {
  for (const method of ["GET", "DELETE"]) {
    const answer = await me.send(method, "/mcp", undefined, { accept: "text/event-stream" });
    assert.equal(answer.status, 405, `${method}: ${answer.text}`);
    assert.equal(answer.headers.get("allow"), "POST");
  }
  const taken = await me.rpc(
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { "mcp-protocol-version": PREVIOUS },
  );
  assert.deepEqual([taken.status, taken.text], [202, ""]);
});

test("messages come in batches in the revision that has them", async () => {
  const batch = [
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "playbook_health", arguments: {} } },
    { jsonrpc: "2.0", id: 3, method: "no/such" },
  ];
  for (const headers of [{}, { "mcp-protocol-version": OLDER }]) {
    const answer = await me.rpc(batch, headers);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      answer.body.map(({ id }) => id),
      [1, 2, 3],
    );
    assert.equal(answer.body[1].result.isError, false);
    assert.equal(answer.body[2].error.code, -32601);
  }
  const refused = await me.rpc(batch, { "mcp-protocol-version": PREVIOUS });
  assert.deepEqual([refused.status, refused.body.error.code], [400, -32600]);
  assert.match(refused.body.error.message, /one message at a time/);
});

test("a lesson's text comes as data that is marked as not to be trusted", async () => {
  const { slug } = await me.post("/v1/lessons", {
    title: "Close <b> the fence",
    recommendation: "```\nof a block of text",
  });
  const answer = await me.rpc(
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "playbook_search_lessons", arguments: { query: "close the fence" } },
    },
    { "mcp-protocol-version": PREVIOUS },
  );
  assert.equal(answer.status, 200, answer.text);
  const { structuredContent, content } = answer.body.result;
  assert.ok(structuredContent.results.some((found) => found.slug === slug));
  assert.match(JSON.stringify([structuredContent, content, answer.body.result._meta ?? null]), /untrusted/i);
});

/** A way for the conformance suite, which sends no keys: passes everything on, with the key added. */
async function keyed() {
  const { hostname, port, host } = new URL(it.url);
  const proxy = await serving((asked, answer) => {
    const own =
      asked.headers.host === new URL(proxy.url).host || asked.headers.host === `localhost:${new URL(proxy.url).port}`;
    const headers = { ...asked.headers, ...requestInit.headers, ...(own ? { host } : {}) };
    if (headers.origin === proxy.url || headers.origin === proxy.url.replace("127.0.0.1", "localhost"))
      headers.origin = it.url;
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  after(proxy.end);
  return proxy.url;
}

/** The conformance suite's scenarios that a server with tools alone has to pass, by the revision that they are run at. */
const SCENARIOS = {
  [PREVIOUS]: ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  [CURRENT]: [
    "server-stateless",
    "tools-list",
    "caching",
    "http-header-validation",
    "dns-rebinding-protection",
    "input-required-result-unsupported-methods",
  ],
};
/** Checks within them that need tools made for the suite: they fail as such, because this server has none that needs a
 * capability of the client, streams or logs. */
const UNTESTABLE = [
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
];

/** Checks of what this server does not claim to have: it says that there is no such method. */
const UNCLAIMED = [
  "sep-2549-prompts-list-caching-hints",
  "sep-2549-resources-list-caching-hints",
  "sep-2549-resources-templates-list-caching-hints",
];

const folder = dirname(fileURLToPath(import.meta.url));

/** Runs one scenario; what it checked. */
async function conform(at, scenario, revision) {
  const out = mkdtempSync(join(tmpdir(), "lessonloop-conformance-"));
  after(() => rmSync(out, { recursive: true, force: true }));
  const program = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const words = [
    "--import",
    join(folder, "node20.mjs"),
    program,
    "server",
    "--url",
    `${at}/mcp`,
    "--scenario",
    scenario,
    "--spec-version",
    revision,
    "-o",
    out,
  ];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  await new Promise((done) => child.once("close", done));
  const found = readdirSync(out, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("checks.json"));
  assert.ok(found, `${scenario} wrote no checks:\n${said}`);
  return JSON.parse(readFileSync(join(out, found), "utf8"));
}

for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
  test(`${revision}: the conformance suite passes for a server with tools`, async () => {
    const at = await keyed();
    for (const scenario of scenarios) {
      const checks = await conform(at, scenario, revision);
      assert.ok(
        checks.some(({ status }) => status === "SUCCESS"),
        `${scenario} checked nothing`,
      );
      const excused = ({ id, details, errorMessage }) =>
        (UNTESTABLE.includes(id) && details?.untestable === true) ||
        (UNCLAIMED.includes(id) && /error -32601: there is no method/.test(errorMessage));
      const failed = checks.filter((check) => check.status === "FAILURE" && !excused(check));
      assert.deepEqual(
        failed.map(({ id, errorMessage }) => `${scenario}: ${id}: ${errorMessage}`),
        [],
      );
    }
  });
}

test("what was recommended over MCP is tracked on the server", async () => {
  await until(() => Number(home.counted("count(*) from recommendations")) > 0, { what: "the tracking" });
});
