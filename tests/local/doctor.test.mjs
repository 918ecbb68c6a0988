// `doctor` and clients: each state that a client can be in on this machine is a finding with its remedy.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, installed, kept, machine } from "./installed.mjs";

/** A machine with clients that are set up, and no program of theirs on its path. */
function setUp(...clients) {
  const on = machine();
  on.env.PATH = `${dirname(process.execPath)}${delimiter}/usr/bin${delimiter}/bin`;
  on.git("init", "-q");
  for (const client of clients) {
    const done = on.run(["init", ...client.split(" "), "--yes"]);
    assert.equal(done.code, 0, done.err);
  }
  return on;
}

/** Lists the findings of `doctor` that contain a text. */
function findings(on, part, options) {
  const { out } = on.run(["doctor", "--json"], options);
  return JSON.parse(out).filter(({ what }) => what.includes(part));
}

/** The one finding with a text; its level and remedy have to be these. */
function finding(on, part, level, remedy, options) {
  const found = findings(on, part, options);
  assert.equal(found.length, 1, `${part}: ${JSON.stringify(found)} of ${on.run(["doctor"], options).out}`);
  assert.equal(found[0].level, level, JSON.stringify(found[0]));
  if (remedy) assert.match(found[0].remedy, remedy);
  return found[0];
}

function put(at, data) {
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, typeof data === "string" ? data : JSON.stringify(data));
}

test("every finding that is no good news has a remedy", () => {
  const on = setUp("claude", "codex", "cursor", "vscode", "copilot", "gemini", "opencode");
  const all = JSON.parse(on.run(["doctor", "--json"]).out);
  for (const it of all) assert.ok(it.level === "ok" || it.remedy, JSON.stringify(it));
  for (const title of ["Claude Code", "Codex", "Cursor", "VS Code", "Copilot CLI", "Gemini CLI", "OpenCode"]) {
    assert.ok(
      all.some(({ what }) => what.startsWith(`${title} is set up in`)),
      title,
    );
    assert.ok(
      all.some(({ what }) => what === `${title}: no hook of it has come yet`),
      title,
    );
  }
  assert.ok(!all.some(({ what }) => /older version|is gone|missing beside/.test(what)), JSON.stringify(all));
});

test("nothing is set up", () => {
  finding(setUp(), "no client is set up here", "note", /lessonloop\.mjs init claude/);
});

test("Claude Code: trust, approval, refusal, hooks switched off", () => {
  const on = setUp("claude");
  const [trust, server] = ["this folder is not trusted yet", "the server waits for your approval"];
  finding(on, trust, "note", /Yes, I trust this folder/);
  finding(on, server, "note", /Use this MCP server/);
  const file = join(on.home, ".claude.json");
  put(file, { projects: { [dirname(on.project)]: { hasTrustDialogAccepted: true } } });
  assert.deepEqual(findings(on, trust), [], "the trust of a folder above counts");
  const settings = join(on.project, ".claude/settings.local.json");
  const ours = JSON.parse(readFileSync(settings, "utf8"));
  for (const more of [{ enabledMcpjsonServers: ["lessonloop"] }, { enableAllProjectMcpServers: true }]) {
    put(settings, { ...more, ...ours });
    assert.deepEqual(findings(on, server), []);
  }
  put(settings, { ...ours, disabledMcpjsonServers: ["other", "lessonloop"] });
  finding(on, "the server was refused here", "fault", /init claude --project/);
  // The remedy's command lifts the refusal.
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.deepEqual(JSON.parse(readFileSync(settings, "utf8")).disabledMcpjsonServers, ["other"]);
  assert.deepEqual(findings(on, "refused"), []);
  put(join(on.home, ".claude/settings.json"), { disableAllHooks: true });
  finding(on, "disableAllHooks", "fault");
});

test("Codex: two trusts, the second by a hash of each hook", async () => {
  const on = setUp("codex");
  finding(on, "Codex: this folder is not trusted yet", "note", /Trust and continue/);
  finding(on, "skips some of our 7 hooks: 7 not trusted yet", "note", /Trust all and continue/);
  const { codexHash } = await import(pathToFileURL(join(installed(), "local/clients/trust.mjs")).href);
  // As Codex 0.169.0 wrote them for these hooks.
  const command = (event) =>
    `/usr/bin/node /srv/ada/.local/share/lessonloop-app/lessonloop.mjs hook ${event} --client codex`;
  const matcher = "^(Bash|shell|local_shell|exec_command|unified_exec)$";
  assert.equal(
    codexHash("session_start", {}, { type: "command", command: command("session-start"), timeout: 10 }),
    "sha256:8310c3cc60e6ecb505e2f23fa2ed9ff85176392b317b9cbe81b82af29959e8bf",
  );
  assert.equal(
    codexHash("post_tool_use", { matcher }, { type: "command", command: command("moment"), timeout: 5 }),
    "sha256:f6a75a29a08f5916fc1e7d6132a06e26a4e0dafe92631f0c64b0680089ce06d2",
  );
  const path = join(on.project, ".codex/hooks.json");
  const { hooks } = JSON.parse(readFileSync(path, "utf8"));
  const snake = (name) => name.replace(/\B[A-Z]/g, (char) => `_${char}`).toLowerCase();
  const lines = [`[projects."${on.project}"]`, 'trust_level = "trusted"'];
  for (const [event, [group]] of Object.entries(hooks)) {
    lines.push(`[hooks.state."${path}:${snake(event)}:0:0"]`);
    lines.push(`trusted_hash = "${codexHash(snake(event), group, group.hooks[0])}"`);
  }
  const config = join(on.home, ".codex/config.toml");
  put(config, lines.join("\n"));
  assert.deepEqual(
    findings(on, "Codex")
      .filter(({ level }) => level !== "ok")
      .map(({ what }) => what),
    ["Codex: no hook of it has come yet"],
  );
  hooks.Stop[0].hooks[0].timeout = 11;
  put(path, { hooks });
  finding(on, "skips some of our 7 hooks: 1 changed since they were", "note", /Hooks need review/);
  put(config, `${lines.join("\n")}\n[features]\nhooks = false\n`);
  finding(on, "features.hooks", "fault");
  put(config, `[projects."${on.project}"]\ntrust_level = "untrusted"\n`);
  finding(on, "Codex: this folder is not trusted", "fault");
});

test("Gemini CLI and Copilot CLI: folders that they trust", () => {
  const on = setUp("gemini", "copilot");
  finding(on, "Gemini CLI: this folder is not trusted yet", "note", /Trust folder/);
  const rules = join(on.home, ".gemini/trustedFolders.json");
  for (const trusted of [
    { [on.project]: "TRUST_FOLDER" },
    { [dirname(on.project)]: "TRUST_FOLDER" },
    { [join(dirname(on.project), "sibling")]: "TRUST_PARENT" },
  ]) {
    put(rules, trusted);
    assert.deepEqual(findings(on, "Gemini CLI: this folder"), [], JSON.stringify(trusted));
  }
  put(rules, { [dirname(on.project)]: "TRUST_FOLDER", [on.project]: "DO_NOT_TRUST" });
  finding(on, "marked as not trusted", "fault");
  put(join(on.home, ".gemini/settings.json"), { security: { folderTrust: { enabled: false } } });
  assert.deepEqual(findings(on, "Gemini CLI: this folder"), []);

  finding(on, "does not remember this folder", "note", /remember this folder for future sessions/);
  put(join(on.home, ".copilot/config.json"), `// managed\n{ "trustedFolders": ["${on.project}"] }`);
  assert.deepEqual(findings(on, "does not remember"), []);
});

test("a program, a Node or a project that was moved", () => {
  const on = setUp("claude", "opencode --personal");
  const settings = join(on.project, ".claude/settings.local.json");
  put(settings, readFileSync(settings, "utf8").replaceAll(on.bin, "/no/such/lessonloop.mjs"));
  finding(on, "Claude Code is told to start /no/such/lessonloop.mjs, which is gone", "fault", /init claude --project/);
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.deepEqual(findings(on, "is gone"), []);
  const plugin = join(on.home, ".config/opencode/plugins/lessonloop.js");
  put(plugin, readFileSync(plugin, "utf8").replace(`"${process.execPath}"`, '"/no/such/node"'));
  finding(on, "OpenCode is told to start /no/such/node", "fault", /init opencode --personal/);
  put(join(on.project, ".mcp.json"), { mcpServers: { lessonloop: { command: "no-such-program", args: ["mcp"] } } });
  finding(on, "Claude Code is told to start no-such-program", "fault");
});

test("a project that was moved with its dependency", () => {
  const place = folder("moved");
  const [before, after] = [join(place, "before"), join(place, "after")];
  mkdirSync(before);
  const on = machine({ project: before });
  on.git("init", "-q");
  assert.equal(on.run(["init", "codex", "--yes"]).code, 0);
  // As with a program that lies in the project.
  const hooks = join(before, ".codex/hooks.json");
  put(hooks, readFileSync(hooks, "utf8").replaceAll(on.bin, join(before, "node_modules/lessonloop/lessonloop.mjs")));
  renameSync(before, after);
  finding(on, "Codex is told to start", "fault", /init codex --project/, { cwd: after });
});

test("entries of an older version, and half a set-up", () => {
  const on = setUp("claude", "codex", "vscode");
  const at = join(on.project, ".claude/settings.local.json");
  const ours = JSON.parse(readFileSync(at, "utf8"));
  ours.hooks.SessionStart[0].matcher = "startup|clear|compact";
  delete ours.hooks.PreCompact;
  put(at, ours);
  finding(on, "settings.local.json: the hooks of an older version", "note", /init claude/);
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.deepEqual(findings(on, "older version"), []);
  rmSync(join(on.project, ".codex/config.toml"));
  finding(on, "Codex: the MCP server of ours is missing", "fault", /init codex/);
  put(join(on.project, ".codex/hooks.json"), "{ lessonloop");
  finding(on, "hooks.json does not parse: line 1", "fault", /mend it/);
});

test("a worktree that has nothing of the main one's set-up", () => {
  const on = setUp("claude", "codex --personal");
  on.git("commit", "-q", "--allow-empty", "-m", "one");
  const tree = join(folder("trees"), "two");
  on.git("worktree", "add", "-q", tree);
  const options = { cwd: tree };
  finding(on, "is set up in the main worktree alone", "fault", /init claude --personal/, options);
  assert.equal(on.run(["init", "claude", "--personal", "--yes"], options).code, 0);
  assert.deepEqual(findings(on, "main worktree alone", options), []);
});

test("a client that is set up in the project and in the home", () => {
  const on = setUp("claude", "codex");
  const said = on.run(["init", "claude", "--personal", "--yes"]).out;
  assert.match(said, /This project has entries of its own.*init claude --project --remove$/m);
  const { remedy } = finding(on, "in this project and in your home", "note", /init claude --project --remove/);
  assert.ok(remedy.includes(on.bin));
  assert.equal(on.run(["init", "claude", "--project", "--remove", "--yes"]).code, 0);
  assert.deepEqual(findings(on, "and in your home"), []);
  assert.equal(findings(on, "Claude Code is set up in").length, 1);
});

test("hooks that came, and those that came without a payload", () => {
  const on = setUp("claude", "codex");
  const hooks = join(kept(on), "cache/hooks");
  const empty = (client, at) => `${JSON.stringify({ at, client, event: "prompt", why: "empty" })}\n`;
  put(join(hooks, "came/claude.prompt"), "");
  const time = new Date("2026-11-20T10:00:00.000Z");
  utimesSync(join(hooks, "came/claude.prompt"), time, time);
  finding(on, "Claude Code: its last hook came at 2026-11-20T10:00:00.000Z", "ok");
  finding(on, "Codex: no hook of it has come yet", "note");
  put(join(hooks, "empty.jsonl"), `${empty("claude", "2026-11-19T10:00:00.000Z")}torn`);
  finding(on, "1 hook before it came without a payload", "note");
  put(
    join(hooks, "empty.jsonl"),
    `${empty("claude", "2026-11-21T10:00:00.000Z")}${empty("claude", "2026-11-21T11:00:00.000Z")}`,
  );
  finding(
    on,
    "Claude Code: 2 hooks came without a payload, the last at 2026-11-21T11:00:00.000Z (prompt: empty)",
    "fault",
    /update the client/,
  );
  put(join(hooks, "spool/one.json"), "{}");
  finding(on, "1 event of sessions wait", "note");
});

/** Output of each client: `claude mcp get`, `codex mcp get`, `copilot mcp get`, `gemini mcp list`, `opencode mcp list`. */
const SAID = /** @type {const} */ ([
  ["claude", "lessonloop:\n  Scope: Project config\n  Status: ✔ Connected\n  Type: stdio", 0, "ok", "✔ Connected"],
  ["claude", "lessonloop:\n  Status: ⏸ Pending approval (run `claude` to approve)\n", 0, "note", "Pending approval"],
  ["claude", "lessonloop:\n  Status: ✘ Failed to connect\n  Issue: no such file\n", 0, "fault", "(no such file)"],
  ["claude", "lessonloop:\n  Status: ✘ Rejected (see disabledMcpjsonServers in settings)\n", 0, "fault", "Rejected"],
  ["claude", "No MCP server found with name: lessonloop\n", 1, "note", "does not list the server"],
  ["codex", "lessonloop\n  enabled: true\n  transport: stdio\n", 0, "ok", "true"],
  ["codex", "Error: No MCP server named 'lessonloop' found.\n", 1, "note", "does not list the server"],
  ["copilot", "lessonloop\n  Status: Enabled\n  Type: local\n", 0, "ok", "Enabled"],
  [
    "gemini",
    "Configured MCP servers:\n\n○ lessonloop: /usr/bin/node x mcp (stdio) - Disabled\n",
    0,
    "note",
    "Disabled",
  ],
  ["gemini", "✓ lessonloop: /usr/bin/node x mcp (stdio) - Connected\n", 0, "ok", "Connected"],
  ["gemini", "✗ lessonloop: /usr/bin/node x mcp (stdio) - Disconnected\n", 0, "fault", "Disconnected"],
  ["opencode", "●  ✓ lessonloop \u001b[90mconnected\n│      \u001b[90mnode\n", 0, "ok", "connected"],
  ["opencode", "●  ✗ lessonloop \u001b[90mfailed\n│      MCP error -32601: no\n", 0, "fault", "MCP error -32601"],
]);

test("what the client itself says of the server", { skip: process.platform === "win32" }, () => {
  const on = setUp("claude", "codex", "copilot", "gemini", "opencode");
  const bin = folder("bin");
  on.env.PATH = `${bin}${delimiter}${on.env.PATH}`;
  for (const [client, said, code, level, part] of SAID) {
    put(join(bin, "said"), said);
    put(join(bin, client), `#!/bin/sh\ncat '${join(bin, "said")}'\nexit ${code}\n`);
    chmodSync(join(bin, client), 0o755);
    const [found, ...more] = findings(on, " itself ");
    assert.deepEqual(more, []);
    assert.equal(found.level, level, JSON.stringify(found));
    assert.ok(found.what.includes(part), found.what);
    rmSync(join(bin, client));
  }
  // One that never answers is given up; its remedy is to look for oneself.
  put(join(bin, "claude"), "#!/bin/sh\nexec sleep 600\n");
  chmodSync(join(bin, "claude"), 0o755);
  finding(on, "`claude mcp get lessonloop` did not answer in 15 seconds", "note");
});
