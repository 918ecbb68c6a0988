// Each example runs as it stands, with the built module.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "../browser/chromium.mjs";
import { freePort } from "../edge/host/edge.mjs";

const need = (name) => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run \`cargo xtask test examples\``);
  return value;
};
const dist = need("LESSONLOOP_DIST");
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const TITLE = "Bind values, never splice them";

test("Node: a lesson is recommended, applied and counted", () => {
  const said = execFileSync(process.execPath, [here("node.mjs"), dist], { encoding: "utf8" });
  assert.match(said, /^recommended: bind-values-never-splice-them$/m);
  assert.match(said, /Use placeholders/);
  assert.match(said, /^applied: 1\nsuccesses: 1$/m);
});

test("browser: a page asks the engine and shows the lesson", async () => {
  const url = need("LESSONLOOP_URL");
  const browser = await launch(need("LESSONLOOP_CHROMIUM"));
  try {
    const page = await browser.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    // The folder lies beside the built files, under the headers that these are served with.
    const headers = (await fetch(url)).headers;
    const policy = headers.get("content-security-policy");
    await page.route(`${url}/example/**`, (route) => {
      const name = new URL(route.request().url()).pathname.split("/").pop() || "index.html";
      const contentType = name.endsWith(".js") ? "text/javascript" : "text/html";
      const body = readFileSync(here(`browser/${name}`), "utf8");
      return route.fulfill({ body, contentType, headers: { "content-security-policy": policy } });
    });
    await page.goto(`${url}/example/`);
    await page.locator("body[data-ready]").waitFor();
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("listitem").first().waitFor();
    assert.deepEqual(await page.getByRole("listitem").allTextContents(), [TITLE]);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
});

test("Worker: a request gets the lessons that the worker was deployed with", async () => {
  const miniflare = join(here("../edge/host/"), "node_modules/miniflare/dist/src/index.js");
  const { Miniflare } = await import(pathToFileURL(miniflare).href);
  const file = (type, path, at) => ({ type, path: join(dist, path), contents: readFileSync(at ?? join(dist, path)) });
  const worker = new Miniflare({
    host: "127.0.0.1",
    port: await freePort(),
    cf: false,
    compatibilityDate: "2026-04-01",
    modulesRoot: dist,
    modules: [
      { ...file("ESModule", "example/worker.js", here("worker/worker.js")) },
      { ...file("ESModule", "engine/lessonloop_relaxed.js") },
      { ...file("CompiledWasm", "engine/lessonloop_relaxed_bg.wasm") },
    ],
  });
  try {
    const { href } = await worker.ready;
    const ask = async (body) => {
      const answer = await fetch(href, { method: "POST", body: JSON.stringify(body) });
      return { status: answer.status, body: await answer.json() };
    };
    const { status, body } = await ask({ query: "values spliced into a statement" });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.recommended.map(({ title }) => title),
      [TITLE],
    );
    const refused = await ask({ qeury: "a slip" });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.field, "qeury");
  } finally {
    await worker.dispose();
  }
});
