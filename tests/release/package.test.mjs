// The package of a release as a person gets it, on whatever platform this is: installed from the file into a fresh home, a
// client set up, a lesson added, given, and taken off again. Needs Node and npm alone.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { folder, piece } from "./pieces.mjs";

const isWindows = process.platform === "win32";
const place = folder("package");
const [home, project] = ["home", "shop"].map((name) => join(place, name));
for (const at of [home, project, join(home, "run")]) mkdirSync(at, { recursive: true, mode: 0o700 });
writeFileSync(join(place, "package.json"), "{}");
execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", piece(/^lessonloop-\d.*\.tgz$/)], {
  cwd: place,
  stdio: "pipe",
  shell: isWindows,
  env: { ...process.env, npm_config_cache: join(place, ".npm"), npm_config_update_notifier: "false" },
});
const bin = join(place, "node_modules/lessonloop/local/bin/lessonloop.mjs");
const env = {
  ...process.env,
  HOME: home,
  USERPROFILE: home,
  APPDATA: join(home, "AppData", "Roaming"),
  XDG_DATA_HOME: "",
  LESSONLOOP_HOME: "",
  XDG_RUNTIME_DIR: join(home, "run"),
};
const TEXT = "the driver sends values apart from the SQL statement";

/** @param {string[]} words @param {string} [input] */
function run(words, input = "") {
  const done = spawnSync(process.execPath, [bin, ...words], { cwd: project, env, input, encoding: "utf8" });
  assert.equal(done.status, 0, `${words.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

test("the version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(join(place, "node_modules/lessonloop/package.json"), "utf8"));
  assert.equal(run(["--version"]).trim(), version);
});

test("a client is set up, a lesson is added and given to a prompt, and all of it goes again", () => {
  run(["init", "claude", "--project", "--yes"]);
  assert.ok(existsSync(join(project, ".mcp.json")));
  const lesson = { title: "Bind values, never splice them", recommendation: `Use placeholders; ${TEXT}.` };
  run(["add", "-"], JSON.stringify(lesson));
  const { recommended } = JSON.parse(run(["recommend", "keep user input out of SQL statements", "--json"]));
  assert.equal(recommended[0].slug, "bind-values-never-splice-them");
  const asked = { session_id: "one", hook_event_name: "UserPromptSubmit", prompt: "Bind values of SQL", cwd: project };
  assert.ok(run(["hook", "prompt", "--client", "claude"], JSON.stringify(asked)).includes(TEXT));
});

test("the server answers on standard input and output", { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [bin, "mcp"], { cwd: project, env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** @param {object} message */
  const ask = async (message) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const clientInfo = { name: "test", version: "1" };
  const began = await ask({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  assert.equal(began.result.serverInfo.name, "lessonloop");
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { result } = await ask({ id: 2, method: "tools/list" });
  assert.ok(result.tools.some(({ name }) => name === "playbook_recommend_lessons"));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.end();
  assert.equal(await ended, 0);
});

test("it is taken off without a trace", () => {
  run(["erase", "--yes"]);
  for (const at of [join(project, ".lessonloop"), join(project, ".mcp.json"), join(home, ".local/share/lessonloop")]) {
    assert.ok(!existsSync(at), at);
  }
});
