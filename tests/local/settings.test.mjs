// Clients' settings: what `init` writes, what it leaves alone, and that `--remove` gives back what was there.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { installed, machine } from "./installed.mjs";

/** @param {any} on @param {string} path @param {string} text */
function put(on, path, text) {
  const at = join(on.project, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
  return at;
}

/** Per client: the files of a project, one of them with something in it already. */
const FILES = /** @type {const} */ ([
  [
    "claude",
    ".mcp.json",
    '{\r\n\t"mcpServers": {\r\n\t\t"other": { "command": "x" }\r\n\t}\r\n}\r\n',
    ".claude/settings.local.json",
  ],
  [
    "claude",
    ".claude/settings.local.json",
    '{\n  // mine\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "echo" }] } // keep\n    ],\n  },\n}\n',
    ".mcp.json",
  ],
  [
    "codex",
    ".codex/config.toml",
    '# mine\nmodel = "x" # keep\n\n[mcp_servers.other]\ncommand = "y"\n',
    ".codex/hooks.json",
  ],
  [
    "codex",
    ".codex/config.toml",
    'notes = """\n[mcp_servers.lessonloop]\n"""\n[tui]\ntheme = "d"\n',
    ".codex/hooks.json",
  ],
  ["cursor", ".cursor/mcp.json", '{"mcpServers":{"other":{"command":"x"}}}', ".cursor/hooks.json"],
  [
    "vscode",
    ".vscode/mcp.json",
    '{\n    "inputs": [], // none\n    "servers": {}\n}\n',
    ".github/hooks/lessonloop.json",
  ],
  ["copilot", ".mcp.json", '{ "mcpServers": { "other": { "command": "x" } } }', ".github/hooks/lessonloop.json"],
  ["gemini", ".gemini/settings.json", '{\n  "theme": "x"\n}\n', null],
  ["opencode", "opencode.jsonc", '{\n  /* mine */\n  "model": "x"\n}', ".opencode/plugins/lessonloop.js"],
]);

for (const [client, path, text, beside] of FILES) {
  test(`${client}: ${path} keeps its own, may be set up twice, and is given back`, () => {
    const on = machine();
    on.git("init", "-q");
    const at = put(on, path, text);
    const dry = on.run(["init", client, "--dry-run"]);
    assert.equal(dry.code, 0, dry.err);
    assert.ok(dry.out.includes(path), dry.out);
    assert.equal(readFileSync(at, "utf8"), text);
    assert.ok(!existsSync(join(on.project, ".lessonloop")));

    const asked = on.run(["init", client]);
    assert.equal(asked.code, 2, "nobody can be asked");
    assert.equal(readFileSync(at, "utf8"), text);

    assert.equal(on.run(["init", client, "--yes"]).code, 0);
    const written = readFileSync(at, "utf8");
    assert.ok(written.includes("lessonloop.mjs") && written.includes("local"), written);
    for (const word of ["mine", "keep", "none"]) assert.equal(written.includes(word), text.includes(word), written);
    if (beside) assert.ok(existsSync(join(on.project, beside)), beside);
    const again = on.run(["init", client, "--yes"]);
    assert.match(again.out, /Everything is in place/);
    assert.equal(readFileSync(at, "utf8"), written);

    assert.equal(on.run(["init", client, "--remove", "--yes"]).code, 0);
    const back = readFileSync(at, "utf8");
    // An empty object that was there may be gone with ours.
    if (client !== "vscode") assert.equal(back, text);
    if (beside) assert.ok(!existsSync(join(on.project, beside)), `${beside} is left`);
    assert.ok(existsSync(join(on.project, ".lessonloop", "config.json")), "the store stays");
  });
}

for (const [client, path, text, place] of /** @type {const} */ ([
  ["claude", ".mcp.json", '{\n  "mcpServers": {,}\n}\n', /line 2, column 18/],
  ["claude", ".claude/settings.local.json", '{ "hooks": [] }', /no object/],
  ["cursor", ".cursor/hooks.json", '{ "hooks": { "stop": {} } }', /no list/],
  ["codex", ".codex/config.toml", "model = \n", /config\.toml/],
  ["codex", ".codex/config.toml", 'mcp_servers = { other = { command = "x" } }\n', /config\.toml/],
  ["gemini", ".gemini/settings.json", '{"a":1,"a":2}', /twice/],
  ["opencode", "opencode.json", "", /ends too early/],
])) {
  test(`${client}: ${path} that can't be edited is left as it is (${JSON.stringify(text).slice(0, 30)})`, () => {
    const on = machine();
    on.git("init", "-q");
    const at = put(on, path, text);
    const { code, err } = on.run(["init", client, "--yes"]);
    assert.equal(code, 1, err);
    assert.match(err, place);
    assert.ok(err.includes(path), err);
    assert.equal(readFileSync(at, "utf8"), text);
    assert.ok(!existsSync(join(on.project, ".lessonloop")), "nothing else was written");
  });
}

test("edits of random files keep them parsed alike, and are taken back to the byte", async () => {
  const { parse, set, setItems, remove } = await import(
    pathToFileURL(join(installed(), "local/clients/jsonc.mjs")).href
  );
  let seed = 1;
  const roll = (/** @type {number} */ sides) => (seed = (seed * 48271) % 2147483647) % sides;
  const pick = (/** @type {any[]} */ ...of) => of[roll(of.length)];
  const gap = () => pick("", " ", "\n  ", " // note\n", " /* {,} */ ", "\n\n\t");
  const value = (/** @type {number} */ depth) => {
    const kind = depth > 3 ? 0 : roll(3);
    if (kind === 0) return pick("1", "-2.5e3", "true", "null", '"a // b"', '"\\"{"');
    const items = Array.from(
      { length: roll(3) },
      (_, at) => `${gap()}${kind === 1 ? `"k${at}"${gap()}:${gap()}` : ""}${value(depth + 1)}${gap()}`,
    );
    const comma = items.length > 0 && roll(4) === 0 ? "," : "";
    return `${kind === 1 ? "{" : "["}${items.join(",")}${comma}${gap()}${kind === 1 ? "}" : "]"}`;
  };
  for (let round = 0; round < 500; round += 1) {
    const inner = Array.from({ length: roll(3) }, (_, at) => `\n  "k${at}": ${value(0)}`).join(",");
    const text = `${pick("", "// head\n")}{${inner}${inner && roll(2) ? "," : ""}${inner ? "\n" : ""}}${pick("", "\n")}`;
    const before = parse(text).data;
    const entry = { command: "c", args: ["mcp"] };
    const made = setItems(
      set(text, ["mcpServers", "ours"], entry),
      ["hooks", "Stop"],
      (/** @type {any} */ it) => it?.ours,
      [{ ours: 1 }],
    );
    assert.deepEqual(
      parse(made).data,
      { ...before, mcpServers: { ours: entry }, hooks: { Stop: [{ ours: 1 }] } },
      text,
    );
    const back = remove(
      setItems(made, ["hooks", "Stop"], (/** @type {any} */ it) => it?.ours, []),
      ["mcpServers", "ours"],
    );
    assert.deepEqual(parse(back).data, before, text);
    assert.equal(back, text);
  }
});
