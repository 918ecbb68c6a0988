// Every command that is printed works as printed, in whatever way the package was installed and run: each is taken from
// the output as it stands and run by a shell, in a fresh home with a bare path.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { archive, folder, start } from "./installed.mjs";

const VERSION = /lessonloop-(.+)\.tgz$/.exec(archive)?.[1] ?? "";
/** Node's, npm's, the shell's and git's. */
const BARE = [...new Set([dirname(process.execPath), "/usr/bin", "/bin"])].join(delimiter);

/** A home and a project in which nothing was done yet. */
function fresh() {
  const [home, project] = [folder("home"), folder("project")];
  /** @type {Record<string, string>} */
  const env = { HOME: home, USERPROFILE: home, PATH: BARE, GIT_CONFIG_GLOBAL: "/dev/null", TERM: "dumb" };
  env.npm_config_update_notifier = "false";
  env.npm_config_audit = "false";
  /** A line, by a shell. */
  const sh = (line, cwd = project) => {
    const done = spawnSync("sh", ["-c", line], { cwd, env, input: "", encoding: "utf8", timeout: 120_000 });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  const right = (line, cwd) => {
    const { code, out, err } = sh(line, cwd);
    assert.equal(code, 0, `${line}: ${out}${err}`);
    return out;
  };
  right("git init -q");
  mkdirSync(join(project, ".claude/reflections"), { recursive: true });
  writeFileSync(
    join(project, ".claude/reflections/one.md"),
    "# Bind values\n\n**Lesson**: Bind values, never splice them.\n",
  );
  return { home, project, env, sh, right };
}

/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** The commands in what was printed, each up to the end of its line, a backtick, or a gap before an aside. */
function commandsIn(text) {
  const prefix = /^(?:Whether it works: | {2})(.*) doctor$/m.exec(text)?.[1];
  assert.ok(prefix, text);
  const found = text
    .split("\n")
    // Lines for a client's file are no commands for a person.
    .filter((line) => !line.startsWith("  + "))
    .flatMap((line) => line.split(new RegExp(`(?<=^|[\\s\`])${escaped(prefix)} `)).slice(1))
    .map((rest) => rest.split(/`| {3}/)[0].trim());
  return { prefix, rests: [...new Set(found)].filter(Boolean) };
}

/** Runs each command that needs no word of a person's own. */
function runAll(on, text, seen) {
  const { prefix, rests } = commandsIn(text);
  for (const rest of rests) {
    if (/[A-Z]{3,}|^serve/.test(rest)) continue;
    // Nobody can be asked here.
    const line = `${prefix} ${rest}${rest.startsWith("init") ? " --yes" : ""}`;
    const { code, out, err } = on.sh(line);
    assert.equal(code, 0, `${line}: ${out}${err}`);
    seen.add(rest);
  }
  return prefix;
}

/** Runs the commands that `init` prints, and those that the bare command prints; returns their prefix. */
function walked(on, first) {
  const seen = new Set();
  const about = on.sh(first);
  assert.equal(about.code, 0, about.err);
  const [, next] = /^Next: (.*?)(?: {3}|$)/m.exec(about.out) ?? [];
  assert.match(next, /init claude$/, about.out);
  const init = on.right(`${next} --yes`);
  const prefix = runAll(on, init, seen);
  assert.ok(
    seen.has("doctor") && seen.has("init claude --personal") && seen.has("import .claude --dry-run"),
    [...seen].join(", "),
  );
  runAll(on, on.right(prefix), seen);
  assert.ok(seen.has("--help"), [...seen].join(", "));
  return prefix;
}

test("installed globally, on the path", () => {
  const on = fresh();
  const prefix = folder("prefix");
  on.right(`npm install --offline -g --prefix ${prefix} ${archive}`);
  on.env.PATH = `${join(prefix, "bin")}${delimiter}${BARE}`;
  assert.equal(walked(on, "lessonloop"), "lessonloop");
  const { command } = JSON.parse(readFileSync(join(on.project, ".mcp.json"), "utf8")).mcpServers.lessonloop;
  assert.equal(command, "lessonloop");
});

test("installed globally, and not on the path", () => {
  const on = fresh();
  const prefix = folder("prefix");
  on.right(`npm install --offline -g --prefix ${prefix} ${archive}`);
  assert.match(walked(on, join(prefix, "bin", "lessonloop")), /^\/.* \/.*lessonloop\.mjs$/);
});

for (const [name, command] of [
  ["npx and the file's name", `npx --yes ./${basename(archive)}`],
  ["npx --package", `npx --yes --package ${archive} lessonloop`],
  ["npm exec", `npm exec --yes --package ${archive} -- lessonloop`],
]) {
  test(`by ${name}`, () => {
    const on = fresh();
    copyFileSync(archive, join(on.project, basename(archive)));
    // Without a store yet: the file is what there is.
    const prefix = walked(on, command);
    const kept = join(on.home, ".local/share/lessonloop-app/lessonloop.mjs");
    assert.ok(prefix.endsWith(kept), prefix);
    const server = JSON.parse(readFileSync(join(on.project, ".mcp.json"), "utf8")).mcpServers.lessonloop;
    assert.deepEqual(server.args, [kept, "mcp"]);
    // npm's cache may be gone at any time.
    assert.equal(on.sh(`rm -rf ${join(on.home, ".npm")} && ${prefix} --version`).out.trim(), VERSION);
  });
}

/** A line's output, while this process answers others. */
async function told(on, line) {
  const child = start("sh", ["-c", line], { cwd: on.project, env: on.env });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (out += piece));
  const [code] = await once(child, "close");
  assert.equal(code, 0, `${line}: ${out}`);
  return out;
}

test("by npx, from a registry", async () => {
  const on = fresh();
  const bytes = readFileSync(archive);
  const registry = createServer((asked, answer) => {
    if (asked.url?.endsWith(".tgz")) return answer.end(bytes);
    const tarball = `http://${asked.headers.host}/lessonloop/-/${basename(archive)}`;
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const bin = { lessonloop: "local/bin/lessonloop.mjs" };
    const one = { name: "lessonloop", version: VERSION, bin, dist: { tarball, integrity } };
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ name: "lessonloop", "dist-tags": { latest: VERSION }, versions: { [VERSION]: one } }));
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  try {
    on.env.npm_config_registry = `http://127.0.0.1:${/** @type {any} */ (registry.address()).port}/`;
    const about = await told(on, "npx --yes lessonloop");
    assert.match(about, /^Next: npx lessonloop init claude /m);
    const out = await told(on, "npx lessonloop init claude --yes");
    runAll(on, out, new Set());
  } finally {
    registry.close();
    registry.closeAllConnections();
  }
});

test("as a dependency of the project", () => {
  const on = fresh();
  writeFileSync(join(on.project, "package.json"), "{}");
  on.right(`npm install --offline ${archive}`);
  assert.equal(walked(on, "npx lessonloop"), "npx lessonloop");
  // Elsewhere npx would not find it.
  const elsewhere = folder("elsewhere");
  const bin = join(on.project, "node_modules/.bin/lessonloop");
  const [, next] = /^Next: (.*) init claude/m.exec(on.right(bin, elsewhere)) ?? [];
  assert.match(next ?? on.right(bin, elsewhere), /lessonloop\.mjs/);
});

test("a path with spaces and quotes is quoted", () => {
  const on = fresh();
  const odd = join(on.project, "it's a place");
  mkdirSync(odd);
  on.right(`npm install --offline --prefix "${odd}" ${archive}`);
  const elsewhere = folder("elsewhere");
  const bin = `"${join(odd, "node_modules/.bin/lessonloop")}"`;
  const [, next] = /^Next: (.*?)(?: {3}|$)/m.exec(on.right(bin, elsewhere)) ?? [];
  assert.ok(next?.includes("'"), next);
  on.right(`${next} --yes`, elsewhere);
  assert.ok(existsSync(join(elsewhere, ".mcp.json")));
});

test("an update changes no entry, and a program that is gone says so once", () => {
  const on = fresh();
  on.right(`npx --yes --package ${archive} lessonloop init codex --yes`);
  const hooks = readFileSync(join(on.project, ".codex/hooks.json"), "utf8");
  const kept = join(on.home, ".local/share/lessonloop-app");
  // As an update leaves it: another version's folder, and the launcher that names it.
  on.right(`mv ${join(kept, VERSION)} ${join(kept, "0.0.1")}`);
  const launcher = join(kept, "lessonloop.mjs");
  writeFileSync(launcher, readFileSync(launcher, "utf8").replace(VERSION, "0.0.1"));
  assert.match(on.right(`npx --yes --package ${archive} lessonloop init codex --yes`), /Everything is in place|Ready/);
  assert.equal(readFileSync(join(on.project, ".codex/hooks.json"), "utf8"), hooks);
  assert.ok(readFileSync(launcher, "utf8").includes(`"${VERSION}"`));

  on.right(`rm -r ${join(kept, VERSION)}`);
  const line = (event) => JSON.parse(hooks).hooks[event][0].hooks[0].command;
  const quiet = on.sh(line("UserPromptSubmit"));
  assert.deepEqual([quiet.code, quiet.out, quiet.err], [0, "", ""]);
  const told = on.sh(line("SessionStart"));
  assert.deepEqual([told.code, told.out], [1, ""]);
  assert.match(told.err, /the program is gone/);
});
