// Changes by `init` are taken back to the byte, whatever the file looked like: none, empty, without a last line's end, with
// Windows' line ends, a mark at its head, comments, tabs; also when others have edited it since, and when it is large.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { machine } from "./installed.mjs";

const JSON_SHAPES = {
  "an empty object": "{}",
  "an empty object and a line's end": "{}\n",
  "without a last line's end": '{\n  "mine": 1\n}',
  "one line": '{"mine":{"a":[1,2]},"list":[]}',
  "Windows' line ends": '{\r\n  "mine": [\r\n    1\r\n  ]\r\n}\r\n',
  "a mark at its head": '\ufeff{\n  "mine": 1\n}\n',
  "tabs and comments": '// mine\n{\n\t/* one */ "mine": 1, // two\n\t"more": {},\n}\n// end',
  "empty places of ours": '{\n  "mcpServers": {},\n  "servers": {},\n  "mcp": {},\n  "hooks": {}\n}\n',
  "empty lists of ours": '{ "hooks": { "Stop": [], "SessionStart": [ ] , "stop": [] } }',
  "blank lines at its end": '{\n  "mine": 1\n}\n\n\n',
};
const TOML_SHAPES = {
  "an empty file": "",
  "without a last line's end": 'model = "x"',
  "Windows' line ends": 'model = "x"\r\n\r\n[tui]\r\ntheme = "d"\r\n',
  "comments and blank lines": "# mine\n\n[mcp_servers.other]\ncommand = 'x' # keep\n\n\n# end\n\n",
  "no blank line": "a = 1\n[b]\nc = 2\n",
};

/** The files that each client's set-up edits in a project. */
const FILES = {
  claude: [".mcp.json", ".claude/settings.local.json"],
  codex: [".codex/config.toml", ".codex/hooks.json"],
  cursor: [".cursor/mcp.json", ".cursor/hooks.json"],
  vscode: [".vscode/mcp.json"],
  copilot: [".mcp.json"],
  gemini: [".gemini/settings.json"],
  opencode: ["opencode.json"],
};

/** Everything in a project but the store and git. */
function contents(root) {
  const found = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const at = join(entry.parentPath ?? entry.path, entry.name);
    if (/[\\/]\.(git|lessonloop)([\\/]|$)/.test(at)) continue;
    found[at.slice(root.length + 1)] = entry.isDirectory() ? "folder" : readFileSync(at).toString("latin1");
  }
  return found;
}

function twice(on, client) {
  const before = contents(on.project);
  const made = on.run(["init", client, "--yes"]);
  assert.equal(made.code, 0, made.err);
  assert.notDeepEqual(contents(on.project), before);
  // Said again, it changes nothing, and forgets nothing.
  assert.match(on.run(["init", client, "--yes"]).out, /Everything is in place/);
  const removed = on.run(["init", client, "--remove", "--yes"]);
  assert.equal(removed.code, 0, removed.err);
  assert.deepEqual(contents(on.project), before);
  assert.match(on.run(["init", client, "--remove", "--yes"]).out, /Nothing of ours/);
}

for (const [client, paths] of Object.entries(FILES)) {
  test(`${client}: files of every shape are given back to the byte`, () => {
    const on = machine();
    on.git("init", "-q");
    // Files and folders that we made are gone again.
    twice(on, client);
    for (const path of paths) {
      const shapes = path.endsWith(".toml") ? TOML_SHAPES : JSON_SHAPES;
      for (const [name, text] of Object.entries(shapes)) {
        // A list of a client that has an object there is refused, as another test says.
        mkdirSync(dirname(join(on.project, path)), { recursive: true });
        writeFileSync(join(on.project, path), text);
        try {
          twice(on, client);
        } catch (error) {
          error.message = `${path}, ${name}: ${error.message}`;
          throw error;
        }
      }
    }
  });
}

test("what others wrote since stays when ours goes", () => {
  const on = machine();
  on.git("init", "-q");
  const at = join(on.project, ".mcp.json");
  writeFileSync(at, '{\r\n  "mcpServers": {} // mine\r\n}');
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  const ours = readFileSync(at, "utf8");
  writeFileSync(at, ours.replace("// mine", '// mine\r\n  , "theirs": { "x": 1 }'));
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  const left = readFileSync(at, "utf8");
  assert.ok(!left.includes("lessonloop") && left.includes("// mine") && left.includes('"theirs": { "x": 1 }'), left);
  assert.ok(!existsSync(join(on.project, ".claude")), "the folder that we made");
  // Our own earlier text is no part of what a file was.
  writeFileSync(at, ours);
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  assert.ok(!existsSync(at) || !readFileSync(at, "utf8").includes("lessonloop"));
});

test("files that two clients share serve both, and go with the last of them", () => {
  const on = machine();
  on.git("init", "-q");
  const before = contents(on.project);
  const run = (...words) => {
    const { code, out, err } = on.run(["init", ...words, "--yes"]);
    assert.equal(code, 0, err);
    return out;
  };
  const at = (path) => join(on.project, path);
  const hooks = () => JSON.parse(readFileSync(at(".github/hooks/lessonloop.json"), "utf8")).hooks;
  const clientOf = (event) => /--client (\w+)/.exec(hooks()[event][0].command)[1];
  for (const order of [
    ["claude", "vscode", "copilot"],
    ["copilot", "vscode", "claude"],
  ]) {
    for (const client of order) run(client);
    assert.equal(clientOf("UserPromptSubmit"), "copilot");
    for (const client of order) assert.match(run(client), /Everything is in place/, client);
    assert.match(run("copilot", "--remove"), /lessonloop\.json keeps our entry, which another client needs/);
    // VS Code takes nothing at a prompt.
    assert.deepEqual(Object.keys(hooks()), ["SessionStart", "Stop", "SubagentStop"]);
    assert.equal(clientOf("Stop"), "vscode");
    assert.ok(existsSync(at(".mcp.json")), "Claude Code's server");
    run("copilot");
    run("claude", "--remove");
    assert.ok(existsSync(at(".mcp.json")) && !existsSync(at(".claude")), "Copilot CLI's server");
    run("vscode", "--remove");
    assert.equal(clientOf("UserPromptSubmit"), "copilot");
    assert.ok(!run("copilot", "--remove").includes("keeps our entry"));
    assert.deepEqual(contents(on.project), before, order.join());
  }
});

test("a file that the client wrote anew, in another order and with its own answers, loses ours alone", () => {
  const on = machine();
  on.git("init", "-q");
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  const at = join(on.project, ".claude/settings.local.json");
  /** Names in reverse order, as a client may have them. */
  const turned = (data) =>
    Array.isArray(data)
      ? data.map(turned)
      : typeof data === "object" && data !== null
        ? Object.fromEntries(
            Object.entries(data)
              .reverse()
              .map(([key, value]) => [key, turned(value)]),
          )
        : data;
  const ours = JSON.parse(readFileSync(at, "utf8"));
  const theirs = { permissions: { allow: ["Bash(ls)"] }, enabledMcpjsonServers: ["other", "lessonloop"] };
  const written = JSON.stringify(turned({ ...ours, ...theirs }), null, 4);
  writeFileSync(at, written);
  assert.match(on.run(["init", "claude", "--yes"]).out, /Everything is in place/);
  assert.equal(readFileSync(at, "utf8"), written);
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  assert.deepEqual(JSON.parse(readFileSync(at, "utf8")), turned({ ...theirs, enabledMcpjsonServers: ["other"] }));
  // One that holds nothing but the answer about our server is gone, with the folder that was made for it.
  const other = machine();
  other.git("init", "-q");
  assert.equal(other.run(["init", "claude", "--yes"]).code, 0);
  const there = join(other.project, ".claude/settings.local.json");
  writeFileSync(there, JSON.stringify({ ...ours, enabledMcpjsonServers: ["lessonloop"] }));
  assert.equal(other.run(["init", "claude", "--remove", "--yes"]).code, 0);
  assert.ok(!existsSync(join(other.project, ".claude")));
});

test("entries of an older version are replaced, and those of events that it had alone go", () => {
  const on = machine();
  on.git("init", "-q");
  const hook = (event) => ({ type: "command", command: `/old/node /old/lessonloop.mjs hook ${event} --client claude` });
  const theirs = { hooks: [{ type: "command", command: "echo lessonloop hooks" }] };
  const hooks = { Stop: [theirs, { hooks: [hook("stop")] }], Notification: [{ hooks: [hook("note")] }] };
  const at = join(on.project, ".claude/settings.local.json");
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, JSON.stringify({ hooks }));
  writeFileSync(
    join(on.project, "opencode.json"),
    '{ "mcp": { "lessonloop": { "type": "local", "command": ["/old"] } } }',
  );
  for (const client of ["claude", "opencode"]) assert.equal(on.run(["init", client, "--yes"]).code, 0);
  const text = readFileSync(at, "utf8");
  assert.ok(!text.includes("/old"), text);
  const now = JSON.parse(text).hooks;
  assert.deepEqual(now.Stop[0], theirs);
  assert.equal(now.Stop.length, 2);
  assert.equal(now.Notification, undefined);
  // The second version's shape; servers of others keep a file in the first one's.
  const mcp = () => JSON.parse(readFileSync(join(on.project, "opencode.json"), "utf8")).mcp;
  assert.deepEqual(Object.keys(mcp()), ["servers"]);
  writeFileSync(join(on.project, "opencode.json"), '{ "mcp": { "other": { "type": "local", "command": ["x"] } } }');
  assert.equal(on.run(["init", "opencode", "--yes"]).code, 0);
  assert.deepEqual(Object.keys(mcp()), ["other", "lessonloop"]);
});

test("a client's file of many megabytes is edited and given back", { timeout: 120_000 }, () => {
  const on = machine();
  const at = join(on.home, ".claude.json");
  const projects = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`/srv/p${n}`, { history: [{ display: "ä".repeat(200) }], n }]),
  );
  const text = JSON.stringify({ startups: 3, projects }, null, 2);
  writeFileSync(at, text);
  const begun = performance.now();
  const made = on.run(["init", "claude", "--personal", "--yes"]);
  assert.equal(made.code, 0, made.err);
  assert.ok(made.out.length < 10_000, "only what changes is shown");
  const server = JSON.parse(readFileSync(at, "utf8")).mcpServers.lessonloop;
  assert.equal(server.args.at(-1), "mcp");
  assert.equal(on.run(["init", "claude", "--personal", "--remove", "--yes"]).code, 0);
  assert.ok(readFileSync(at, "utf8") === text, "to the byte");
  assert.ok(performance.now() - begun < 30_000);
  // And by its structure, where it was edited since.
  assert.equal(on.run(["init", "claude", "--personal", "--yes"]).code, 0);
  writeFileSync(at, readFileSync(at, "utf8").replace('"startups": 3', '"startups": 4'));
  assert.equal(on.run(["init", "claude", "--personal", "--remove", "--yes"]).code, 0);
  assert.ok(readFileSync(at, "utf8") === text.replace('"startups": 3', '"startups": 4'));
});
