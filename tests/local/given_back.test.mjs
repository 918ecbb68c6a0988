// What `init` wrote is taken back to the byte, whatever the file looked like: none, empty, without a last line's end, with
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
  // What we wrote before is no part of what a file was.
  writeFileSync(at, ours);
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  assert.ok(!existsSync(at) || !readFileSync(at, "utf8").includes("lessonloop"));
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
