// Codex.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @type {import("../driver.mjs").Driver} */
export default {
  name: "codex",
  title: "Codex",
  bin: "codex",
  env: () => ({ WALK_KEY: "walk" }),
  prepare(home, url) {
    mkdirSync(join(home, ".codex"), { recursive: true });
    writeFileSync(
      join(home, ".codex", "config.toml"),
      `model = "walk-model"
model_provider = "walk"
check_for_update_on_startup = false

[model_providers.walk]
name = "walk"
base_url = "${url}/v1"
env_key = "WALK_KEY"
wire_api = "responses"

[analytics]
enabled = false
`,
    );
  },
  headless: (prompt, { resume } = {}) => [
    "exec",
    "--dangerously-bypass-approvals-and-sandbox",
    ...(resume ? ["resume", "--last"] : []),
    prompt,
  ],
  // Without its daemon, which holds a session open for a minute after its window is closed.
  interactive: ({ resume } = {}) => [
    ...(resume ? ["resume", "--last"] : []),
    "--dangerously-bypass-approvals-and-sandbox",
    "--no-daemon",
  ],
  dialogs: [
    { shows: /Trust this folder\?/, chosen: /› *1\. Trust and continue/, keys: ["Up"] },
    { shows: /Hooks need review/, chosen: /› *2\. Trust all and continue/, keys: ["Down"] },
  ],
  // Its status line comes when the folder and the hooks were asked about.
  ready: /›[\s\S]*← for agents/,
  quit: "/quit",
  compact: { command: "/compact", shows: /Context compacted/ },
  list: ["mcp", "list"],
  listed: /lessonloop/,
  record(home, _project, command) {
    const names = [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "SubagentStart",
      "SubagentStop",
      "PreCompact",
      "PostCompact",
      "SessionEnd",
    ];
    const hooks = names.map((name) => [name, [{ hooks: [{ type: "command", command: command(name), timeout: 3 }] }]]);
    writeFileSync(join(home, ".codex", "hooks.json"), JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2));
  },
  nested: (bin, prompt) => `${bin} exec --dangerously-bypass-approvals-and-sandbox '${prompt}' </dev/null`,
  transcripts: [".codex/sessions"],
  rewrites: [".codex/config.toml"],
  cannot: {
    "interactive, window closed":
      "it runs no hook then, and with its daemon a minute later: what was applied counts, the outcome can be said in Review or by `lessonloop outcome`",
  },
};
