// The inspector of the protocol's own makers, by its command line: another client than the SDK's plain one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { LESSON, machine, nodes, SLUG } from "./installed.mjs";

const inspector = fileURLToPath(
  new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);
// It needs Node 22.
const node = nodes.at(-1);
const skip = !existsSync(inspector) || nodes.length < 2;

test("the inspector's command line lists the tools and calls them", { skip, timeout: 180_000 }, () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const ask = (/** @type {string[]} */ ...words) => {
    const args = [inspector, "--cli", on.node, on.bin, "mcp", ...words];
    const options = { cwd: on.project, env: on.env, encoding: /** @type {const} */ ("utf8"), timeout: 60_000 };
    return JSON.parse(
      execFileSync(/** @type {string} */ (node), args, { ...options, stdio: ["ignore", "pipe", "pipe"] }),
    );
  };
  const { tools } = ask("--method", "tools/list");
  const names = tools.map((/** @type {any} */ tool) => tool.name);
  for (const name of ["playbook_recommend_lessons", "playbook_add_lesson", "playbook_health"])
    assert.ok(names.includes(name), `${name} is not in ${names}`);
  const call = (/** @type {string} */ name, /** @type {Record<string, string>} */ args) => {
    const given = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
    const answer = ask("--method", "tools/call", "--tool-name", name, ...given);
    assert.ok(!answer.isError, JSON.stringify(answer));
    return answer;
  };
  const { title, recommendation } = LESSON;
  assert.equal(call("playbook_add_lesson", { title, recommendation }).structuredContent.slug, SLUG);
  const found = call("playbook_search_lessons", { query: "placeholders in SQL" });
  assert.match(found.content[0].text, new RegExp(SLUG));
  assert.equal(on.json(["show", SLUG]).title, title);
});
