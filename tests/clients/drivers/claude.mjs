// Claude Code.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of Anthropic's form, so that the client knows the last characters as agreed to. */
const KEY = "walk-kkey-0123456789abcdef";

/** @type {import("../driver.mjs").Driver} */
export default {
  name: "claude",
  title: "Claude Code",
  bin: "claude",
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_BUG_COMMAND: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  /** Writes what the screens of a first run leave behind, none of which concerns a project. */
  prepare(home) {
    const known = {
      hasCompletedOnboarding: true,
      lastOnboardingVersion: "2.1.332",
      theme: "dark",
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    };
    writeFileSync(join(home, ".claude.json"), `${JSON.stringify(known, null, 2)}\n`);
  },
  headless: (prompt, { resume } = {}) => [
    "-p",
    prompt,
    ...(resume ? ["--continue"] : []),
    "--allowedTools",
    "Bash,Agent,Task,mcp__lessonloop",
  ],
  // Its other mode asks a service of the vendor before each command.
  interactive: ({ resume } = {}) => [
    ...(resume ? ["--continue"] : []),
    "--permission-mode",
    "default",
    "--allowedTools",
    "Bash,Agent,Task,mcp__lessonloop",
  ],
  dialogs: [
    { shows: /Yes, I trust this folder/, chosen: /❯ *(\d\. *)?Yes, I trust this folder/, keys: ["Down"] },
    {
      shows: /New MCP server|MCP server found/i,
      chosen: /❯ *(\d\. *)?Use this (and all future )?MCP server/,
      keys: ["Down"],
    },
  ],
  ready: /❯[\s\S]*(\? for shortcuts|manual mode|for agents)/,
  quit: "/exit",
  compact: { command: "/compact", shows: /Compacted/ },
  list: ["mcp", "list"],
  listed: /lessonloop/,
  record(home, _project, command) {
    const names = [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
      "Stop",
      "SubagentStart",
      "SubagentStop",
      "PreCompact",
      "PostCompact",
      "SessionEnd",
    ];
    const hooks = names.map((name) => [name, [{ hooks: [{ type: "command", command: command(name), timeout: 10 }] }]]);
    mkdirSync(join(home, ".claude"), { recursive: true });
    writeFileSync(
      join(home, ".claude", "settings.json"),
      JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2),
    );
  },
  nested: (bin, prompt) => `${bin} -p '${prompt}' --allowedTools Bash </dev/null`,
  transcripts: [".claude/projects"],
  rewrites: [".claude.json"],
  cannot: {},
};
