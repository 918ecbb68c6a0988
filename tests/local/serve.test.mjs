// `lessonloop serve`: who may ask it, and that the dashboard's files come with their headers.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { installed, LESSON, machine, PROMPT, SLUG, until, serving } from "./installed.mjs";

let on;
let child;
/** @type {{ url: string, token: string, address: string }} */
let served;

before(async () => {
  on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  child = on.start(["serve", "--port", "0", "--json"]);
  served = await serving(child);
});
after(() => child?.kill());

/** By node:http, as fetch sets Host and Origin itself. */
function send(path, { method = "GET", headers = {}, body = "" } = {}) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(served.url);
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece) => (text += piece));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
const bearer = () => ({ authorization: `Bearer ${served.token}` });

test("data is for those that know the token", async () => {
  for (const [path, method] of [
    ["/v1/stats", "GET"],
    ["/v1/recommend", "POST"],
    ["/mcp", "POST"],
    ["/local/request", "POST"],
    ["/local/events", "GET"],
  ]) {
    for (const headers of [
      {},
      { authorization: "Bearer x" },
      { authorization: served.token },
      { authorization: `Bearer ${served.token}x` },
    ]) {
      const { status, text } = await send(path, { method, headers, body: method === "POST" ? "{}" : "" });
      assert.equal(status, 401, path);
      assert.ok(!text.includes(served.token));
    }
  }
  assert.equal((await send("/v1/stats", { headers: bearer() })).status, 200);
  assert.equal((await send(`/v1/stats?token=${served.token}`)).status, 401);
});

test("a foreign host or origin is refused, with the token and without", async () => {
  const { host } = new URL(served.url);
  for (const headers of [
    { host: "evil.example" },
    { host: `evil.example:${new URL(served.url).port}` },
    { host: "127.0.0.1:1" },
  ]) {
    for (const path of ["/", "/v1/stats"])
      assert.equal((await send(path, { headers: { ...bearer(), ...headers } })).status, 403);
  }
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1", `https://${host}`]) {
    const { status, headers } = await send("/v1/stats", { headers: { ...bearer(), origin } });
    assert.equal(status, 403, origin);
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
  assert.equal((await send("/v1/stats", { headers: { ...bearer(), origin: served.url } })).status, 200);
  assert.equal(
    (await send("/v1/stats", { method: "OPTIONS", headers: { origin: "https://evil.example" } })).status,
    403,
  );
});

test("the dashboard comes with the headers of a real host, and none of another folder's files", async () => {
  const { pageHeaders } = await import(pathToFileURL(join(installed(), "local/page/headers.js")).href);
  const page = await send("/");
  assert.equal(page.status, 200);
  for (const name of Object.keys(pageHeaders)) assert.ok(page.headers[name.toLowerCase()], name);
  assert.match(String(page.headers["content-security-policy"]), /connect-src 'self';/);
  assert.match(page.text, /<script src="\/local-page.js"><\/script><script/);
  assert.equal((await send("/lessons/some-slug")).text, page.text);
  assert.equal(
    (await send("/engine-worker.js")).text,
    readFileSync(join(installed(), "local/page/engine-worker.js"), "utf8"),
  );
  assert.equal((await send("/engine/lessonloop_bg.wasm")).headers["content-type"], "application/wasm");
  for (const path of [
    "/../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/engine/..%2f..%2fpackage.json",
    "/%00.js",
    "/nothing.js",
  ]) {
    assert.equal((await send(path)).status, 404, path);
  }
  assert.equal((await send("/", { method: "POST" })).status, 405);
});

test("what gets smaller comes packed in the coding that a client takes, and is the same to the byte", async () => {
  const raw = (path, accepted) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(served.url);
      const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
      request({ hostname, port, path, headers }, (answer) => {
        const pieces = [];
        answer.on("data", (piece) => pieces.push(piece));
        answer.on("end", () => resolve({ headers: answer.headers, bytes: Buffer.concat(pieces) }));
      })
        .on("error", reject)
        .end();
    });
  const page = await raw("/", undefined);
  assert.equal(page.headers["content-encoding"], undefined);
  const script = String(page.bytes).match(/[\w/.-]+_bg[\w.-]*\.wasm|[\w/.-]+\.wasm/)?.[0];
  assert.ok(script, "the page names its module");
  const path = new URL(script, served.url).pathname;
  const plain = await raw(path, undefined);
  /** @type {[string, string | undefined, (bytes: Buffer) => Buffer][]} */
  const kinds = [
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
    ["identity", undefined, (bytes) => bytes],
    ["*", "br", brotliDecompressSync],
  ];
  for (const [accepted, coding, unpack] of kinds) {
    const answer = await raw(path, accepted);
    assert.equal(answer.headers["content-encoding"], coding, accepted);
    assert.equal(answer.headers.vary, "accept-encoding");
    assert.equal(answer.headers["content-type"], "application/wasm");
    assert.equal(Number(answer.headers["content-length"]), answer.bytes.length);
    assert.ok(unpack(answer.bytes).equals(plain.bytes), accepted);
    if (coding) assert.ok(answer.bytes.length < plain.bytes.length * 0.5, `${coding}: ${answer.bytes.length}`);
  }
  // Packed already.
  const icon = await raw("/icons/icon-192.png", "br");
  assert.equal(icon.headers["content-encoding"], undefined);
});

test("agents ask over JSON and MCP, and one store answers all", async () => {
  const headers = { ...bearer(), "content-type": "application/json" };
  const body = JSON.stringify({ query: PROMPT, decision_id: "http-1" });
  const { status, text } = await send("/v1/recommend", { method: "POST", headers, body });
  assert.equal(status, 200, text);
  assert.equal(JSON.parse(text).recommended[0].slug, SLUG);
  assert.equal((await send("/v1/recommend", { method: "POST", headers, body: "{" })).status, 400);
  assert.equal(
    (await send("/v1/recommend", { method: "POST", headers, body: `"${"x".repeat(1_100_000)}"` })).status,
    413,
  );
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const listed = await send("/mcp", {
    method: "POST",
    headers: { ...headers, accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
    body: JSON.stringify(message),
  });
  assert.equal(listed.status, 200, listed.text);
  assert.ok(JSON.parse(listed.text).result.tools.length > 5);
});

test("the dashboard's worker asks this engine and hears what another process wrote", async () => {
  const answer = await fetch(`${served.url}/local/events`, { headers: bearer() });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const told = [];
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      told.push(
        ...value
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      );
    }
  })().catch(() => undefined);
  const positions = () => told.map(({ position }) => position).filter((at) => at !== undefined);
  await until(() => positions().length > 0, "the position");
  const first = positions().at(-1);
  on.json(["add", "Said in another process", "-r", "Do it."]);
  await until(() => positions().some((at) => at > first), "the write is told");
  await reader.cancel();
  const asked = { method: "GET", path: "/v1/stats", headers: {}, body: null };
  const { status, text } = await send("/local/request", {
    method: "POST",
    headers: bearer(),
    body: JSON.stringify(asked),
  });
  assert.equal(status, 200);
  assert.equal(JSON.parse(JSON.parse(text).body).lessons, 2);
});

test("with a project's store and one's own the dashboard asks both", async () => {
  const on = machine();
  assert.equal(on.run(["init", "--personal"]).code, 0);
  on.json(["add", "My own lesson", "-r", "Do it."], { cwd: on.home });
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  on.json(["add", "A lesson of the project", "-r", "Do it."]);
  const child = on.start(["serve", "--port", "0", "--json"]);
  try {
    const { url, token } = await serving(child);
    const ask = async (/** @type {string} */ method, /** @type {string} */ path, body = null) => {
      // As the page sends it: bodies are texts of JSON, and so are answers'.
      const asked = JSON.stringify({ method, path, headers: {}, body: JSON.stringify(body) });
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/local/request`, { method: "POST", headers, body: asked });
      return JSON.parse((await answer.json()).body);
    };
    const slugs = ["a-lesson-of-the-project", "my-own-lesson"];
    const { lessons } = await ask("GET", "/v1/lessons?sort=title");
    assert.deepEqual(
      lessons.map((/** @type {any} */ one) => [one.slug, one.store]),
      [
        [slugs[0], "project"],
        [slugs[1], "personal"],
      ],
    );
    assert.equal((await ask("GET", "/v1/stats")).lessons, 2);
    assert.deepEqual((await ask("GET", "/v1/review")).items.map((/** @type {any} */ one) => one.slug).sort(), slugs);
    const act = { act: "approve", lessons: slugs.map((slug) => ({ slug })) };
    assert.equal((await ask("POST", "/v1/lessons/bulk", act)).changed, 2);
    for (const slug of slugs) assert.equal((await ask("GET", `/v1/lessons/${slug}`)).trust, "approved");
    await ask("POST", "/v1/lessons", { title: "And a new one", recommendation: "Do it." });
    assert.equal(on.json(["stats", "--project"]).lessons, 2);
  } finally {
    child.kill();
  }
});

test("the token is in no process's arguments when a browser is opened", {
  skip: process.platform !== "linux",
}, async () => {
  const other = machine();
  assert.equal(other.run(["init", "--project", "--yes"]).code, 0);
  const programs = join(other.home, "bin");
  mkdirSync(programs);
  const told = join(other.home, "told");
  writeFileSync(
    join(programs, "xdg-open"),
    `#!/bin/sh\nprintf %s "$*" > "${told}.new" && mv "${told}.new" "${told}"\n`,
    {
      mode: 0o755,
    },
  );
  const env = { PATH: `${programs}:${process.env.PATH}` };
  const serving = other.start(["serve", "--open", "--port", "0", "--json"], { env });
  let text = "";
  serving.stdout.on("data", (piece) => (text += piece));
  const words = await until(() => existsSync(told) && readFileSync(told, "utf8"), "a browser is opened");
  const { token, address } = JSON.parse(text);
  assert.ok(!words.includes(token), words);
  const page = fileURLToPath(words);
  assert.equal(statSync(page).mode & 0o777, 0o600);
  assert.ok(readFileSync(page, "utf8").includes(JSON.stringify(address)));
  const ended = new Promise((resolve) => serving.once("exit", resolve));
  serving.kill("SIGTERM");
  await ended;
  assert.ok(!existsSync(page), "the page with the token is left");
});
