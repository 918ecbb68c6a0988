// OpenCode.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @type {import("../driver.mjs").Driver} */
export default {
  name: "opencode",
  title: "OpenCode",
  bin: "opencode",
  env: (url) => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    WALK_KEY: "walk",
    // It looks for its plugins' package at every start, and waits where nothing answers.
    npm_config_registry: `${url}/npm/`,
  }),
  prepare(home, url) {
    const config = {
      $schema: "https://opencode.ai/config.json",
      autoupdate: false,
      share: "disabled",
      model: "walk/walk-model",
      small_model: "walk/walk-model",
      permission: { "*": "allow" },
      provider: {
        walk: {
          npm: "@ai-sdk/openai-compatible",
          name: "Walk",
          options: { baseURL: `${url}/v1`, apiKey: "{env:WALK_KEY}" },
          models: { "walk-model": { name: "Walk" } },
        },
      },
    };
    mkdirSync(join(home, ".config", "opencode"), { recursive: true });
    writeFileSync(join(home, ".config", "opencode", "opencode.json"), `${JSON.stringify(config, null, 2)}\n`);
  },
  headless: (prompt, { resume } = {}) => ["run", ...(resume ? ["--continue"] : []), prompt],
  interactive: ({ resume } = {}) => (resume ? ["--continue"] : []),
  dialogs: [],
  ready: /Ask anything|ctrl\+p commands/,
  quit: "/exit",
  compact: { command: "/compact", shows: /Compaction/ },
  list: ["mcp", "list"],
  listed: /lessonloop/,
  record(home, _project, _command, file) {
    const plugins = join(home, ".config", "opencode", "plugins");
    mkdirSync(plugins, { recursive: true });
    writeFileSync(
      join(plugins, "record.js"),
      `import { appendFileSync } from "node:fs";
const env = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !["PATH", "HOME"].includes(name)));
const keep = (name, payload) =>
  appendFileSync(${JSON.stringify(file)}, JSON.stringify({ name, at: Date.now(), input: JSON.stringify(payload), env: env() }) + "\\n");
export const Record = async ({ directory, worktree }) => ({
  "chat.message": async (input, output) => keep("chat.message", { directory, worktree, input, output }),
  "experimental.chat.system.transform": async (input, output) =>
    keep("system.transform", { sessionID: input.sessionID, first: String(output.system[0]).slice(0, 60) }),
  "tool.execute.after": async (input, output) => keep("tool.execute.after", { input, output }),
  event: async ({ event }) => {
    if (/^session\\.(created|idle|compacted|deleted)$/.test(event.type)) keep(event.type, event.properties);
  },
  dispose: async () => keep("dispose", {}),
});
`,
    );
  },
  nested: (bin, prompt) => `${bin} run '${prompt}' </dev/null`,
  transcripts: [],
  rewrites: [],
  cannot: {
    "interactive, a failed command asks": "its plugin hands prompts and rests on, and no tool's result",
  },
};
