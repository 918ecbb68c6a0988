// Gemini CLI.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

/** @type {import("../driver.mjs").Driver} */
export default {
  name: "gemini",
  title: "Gemini CLI",
  bin: "gemini",
  env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "walk", GEMINI_TELEMETRY_ENABLED: "false" }),
  prepare(home) {
    mkdirSync(join(home, ".gemini"), { recursive: true });
    writeFileSync(join(home, ".gemini", "settings.json"), `${JSON.stringify(SETTINGS, null, 2)}\n`);
  },
  headless: (prompt, { resume } = {}) => [...(resume ? ["--resume", "latest"] : []), "-y", "-p", prompt],
  interactive: ({ resume } = {}) => [...(resume ? ["--resume", "latest"] : []), "-y"],
  // Where the folder is trusted it begins anew, below what it drew before.
  dialogs: [
    {
      shows: /Do you trust the files in this folder\?(?![\s\S]*restarting to apply)/,
      chosen: /● *1\. Trust folder/,
      keys: ["Up"],
    },
  ],
  ready: /Type your message/,
  quit: "/quit",
  compact: { command: "/compress", shows: /ompressed|compression/i },
  list: ["mcp", "list"],
  listed: /lessonloop/,
  record(home, _project, command) {
    const names = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"];
    const hooks = names.map((name) => [
      name,
      [{ hooks: [{ type: "command", command: command(name), timeout: 10_000 }] }],
    ]);
    const settings = { ...SETTINGS, hooks: Object.fromEntries(hooks) };
    writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings, null, 2));
  },
  nested: (bin, prompt) => `${bin} -y -p '${prompt}' </dev/null`,
  transcripts: [".gemini/tmp"],
  rewrites: [".gemini/trusted_hooks.json"],
  cannot: {
    "odd arguments of a tool": "it holds a call's arguments against the tool's schema itself, and makes no call",
    "interactive, compaction":
      "no hook tells of it: the one that is meant for it runs before every request; what was said once is not said again",
    "interactive, window closed":
      "it runs no hook then: what was applied counts, the outcome can be said in Review or by `lessonloop outcome`",
  },
};
