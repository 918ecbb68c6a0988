// Copilot CLI.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @type {import("../driver.mjs").Driver} */
export default {
  name: "copilot",
  title: "Copilot CLI",
  bin: "copilot",
  env: (url) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: "walk",
    COPILOT_MODEL: "gpt-5.1",
    WALK_URL: url,
  }),
  prepare() {},
  headless: (prompt, { resume } = {}) => [
    ...(resume ? ["--continue"] : []),
    "--allow-all-tools",
    "--allow-all-paths",
    "-p",
    prompt,
  ],
  interactive: ({ resume } = {}) => [...(resume ? ["--continue"] : []), "--allow-all-tools", "--allow-all-paths"],
  dialogs: [{ shows: /Do you trust the files in this folder\?/, chosen: /❯ *2\. Yes, and remember/, keys: ["Down"] }],
  ready: /❯[\s\S]*\/ commands/,
  quit: "/exit",
  compact: { command: "/compact", shows: /ompact(ed|ion)/ },
  list: ["mcp", "list"],
  listed: /lessonloop/,
  record(home, _project, command) {
    const names = [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "SubagentStart",
      "SubagentStop",
      "PreCompact",
      "Stop",
      "SessionEnd",
    ];
    const hooks = names.map((name) => [name, [{ type: "command", command: command(name), timeout: 10 }]]);
    mkdirSync(join(home, ".copilot", "hooks"), { recursive: true });
    writeFileSync(
      join(home, ".copilot", "hooks", "record.json"),
      JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2),
    );
  },
  // Its shell has nothing of where the model is.
  nested: (bin, prompt) =>
    `COPILOT_OFFLINE=true COPILOT_PROVIDER_BASE_URL=$WALK_URL/v1 COPILOT_PROVIDER_API_KEY=walk ${bin} --allow-all-tools --allow-all-paths -p '${prompt}' </dev/null`,
  transcripts: [".copilot/session-state"],
  rewrites: [],
  cannot: {},
};
