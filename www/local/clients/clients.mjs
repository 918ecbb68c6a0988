// The clients: which files an entry and the hooks go to, and what is written there.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { remove, set, setItems } from "./jsonc.mjs";
import { line } from "./registered.mjs";
import { setTable } from "./toml.mjs";

const NAME = "lessonloop";
/** Seconds that a client waits for a hook; one that finds a loaded model takes a hundredth of it. */
const SECONDS = 10;

/**
 * @typedef {{ project: string | null, program: string[], remove: boolean }} Setting `project`: its root, null for the home
 * @typedef {{ path: string, about: string, edit: (text: string) => string | Promise<string>, empty: string, whole?: boolean }} Edit
 */

const windows = process.platform === "win32";
const codexHome = () => process.env.CODEX_HOME || join(homedir(), ".codex");
/** Claude Code's own folder, and the file beside it that it keeps servers in. */
const claudeHome = () => process.env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude");
const claudeFile = () =>
  process.env.CLAUDE_CONFIG_DIR ? join(process.env.CLAUDE_CONFIG_DIR, ".claude.json") : join(homedir(), ".claude.json");

/** Whether a hook's entry is one that we wrote, in whatever version. @param {any} hook */
const isOurs = (hook) => {
  const words = [hook?.command, hook?.bash, hook?.powershell, ...(Array.isArray(hook?.args) ? hook.args : [])];
  return /lessonloop(\.mjs)?['"]? (?:['"])?hook\b/.test(words.filter(Boolean).join(" "));
};
/** The same for a group of hooks that holds nothing else. @param {any} group */
const isOurGroup = (group) => Array.isArray(group?.hooks) && group.hooks.length > 0 && group.hooks.every(isOurs);

/**
 * A client's hook as a command line; without a shell on Windows, where clients disagree on which.
 * @param {Setting} setting
 * @param {string} client
 * @param {string} event
 */
function command({ program }, client, event) {
  const words = [...program, "hook", event, "--client", client];
  return windows ? { command: words[0], args: words.slice(1) } : { command: line(words) };
}

/**
 * The hooks of clients that follow Claude Code.
 * @param {Setting} setting
 * @param {string} client
 * @param {[event: string, ours: string, matcher?: string][]} events
 * @param {number} timeout
 */
function claudeLike(setting, client, events, timeout) {
  return (/** @type {string} */ text) => {
    let edited = text;
    for (const [event, ours, matcher] of events) {
      const group = {
        ...(matcher ? { matcher } : {}),
        hooks: [{ type: "command", ...command(setting, client, ours), timeout }],
      };
      edited = setItems(edited, ["hooks", event], isOurGroup, setting.remove ? [] : [group]);
    }
    return edited;
  };
}

/**
 * @param {Setting} setting
 * @param {string[]} path
 * @param {any} entry
 */
const server = (setting, path, entry) => (/** @type {string} */ text) =>
  setting.remove ? remove(text, [...path, NAME]) : set(text, [...path, NAME], entry);

/** @param {Setting} setting */
const stdio = ({ program }) => ({ type: "stdio", command: program[0], args: [...program.slice(1), "mcp"] });

/** @type {Record<string, { title: string, after?: string, edits: (setting: Setting) => Edit[] }>} */
export const CLIENT = {
  claude: {
    title: "Claude Code",
    after: "Start a new session; it asks once whether the project's server may run.",
    edits(setting) {
      const { project } = setting;
      // A path of this machine is no part of what a project shares.
      const settings = setting.program[0] === NAME ? "settings.json" : "settings.local.json";
      const events = /** @type {[string, string, string?][]} */ ([
        ["SessionStart", "session-start", "startup|clear|compact"],
        ["UserPromptSubmit", "prompt"],
        ["Stop", "stop"],
        ["SubagentStop", "subagent-stop"],
        ["SessionEnd", "session-end"],
      ]);
      const files = project
        ? setting.remove
          ? ["settings.json", "settings.local.json"].map((name) => join(project, ".claude", name))
          : [join(project, ".claude", settings)]
        : [join(claudeHome(), "settings.json")];
      return [
        {
          path: project ? join(project, ".mcp.json") : claudeFile(),
          about: "the MCP server",
          empty: "{}\n",
          edit: server(setting, ["mcpServers"], stdio(setting)),
        },
        ...files.map((path) => ({
          path,
          about: "the hooks",
          empty: "{}\n",
          edit: claudeLike(setting, "claude", events, SECONDS),
        })),
      ];
    },
  },
  codex: {
    title: "Codex",
    after: "Codex asks for each hook: approve them once with /hooks.",
    edits(setting) {
      const folder = setting.project ? join(setting.project, ".codex") : codexHome();
      const [command, ...args] = setting.program;
      return [
        {
          path: join(folder, "config.toml"),
          about: "the MCP server",
          empty: "",
          edit: (text) =>
            setTable(text, ["mcp_servers", NAME], setting.remove ? null : { command, args: [...args, "mcp"] }),
        },
        {
          path: join(folder, "hooks.json"),
          about: "the hooks",
          empty: "{}\n",
          edit: claudeLike(
            setting,
            "codex",
            [
              ["SessionStart", "session-start"],
              ["UserPromptSubmit", "prompt"],
              ["Stop", "stop"],
              ["SubagentStop", "subagent-stop"],
              ["SessionEnd", "session-end"],
            ],
            SECONDS,
          ),
        },
      ];
    },
  },
  cursor: {
    title: "Cursor",
    after: "Enable the server once in Cursor's settings, under MCP.",
    edits(setting) {
      const folder = join(setting.project ?? homedir(), ".cursor");
      const events = [
        ["sessionStart", "session-start"],
        ["stop", "stop"],
        ["subagentStop", "subagent-stop"],
        ["sessionEnd", "session-end"],
      ];
      return [
        {
          path: join(folder, "mcp.json"),
          about: "the MCP server",
          empty: "{}\n",
          edit: server(setting, ["mcpServers"], stdio(setting)),
        },
        {
          path: join(folder, "hooks.json"),
          about: "the hooks",
          empty: '{\n  "version": 1\n}\n',
          edit(text) {
            let edited = text;
            for (const [event, ours] of events) {
              const words = [...setting.program, "hook", ours, "--client", "cursor"];
              const hook = { command: line(words), timeout: SECONDS };
              edited = setItems(edited, ["hooks", event], isOurs, setting.remove ? [] : [hook]);
            }
            return setting.remove ? edited : set(edited, ["version"], 1);
          },
        },
      ];
    },
  },
  vscode: {
    title: "VS Code",
    after: "Start the server once from the MCP list of the chat view.",
    edits(setting) {
      const user = windows
        ? join(process.env.APPDATA ?? homedir(), "Code", "User")
        : process.platform === "darwin"
          ? join(homedir(), "Library", "Application Support", "Code", "User")
          : join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "Code", "User");
      const hooks = setting.project ? join(setting.project, ".github", "hooks") : join(homedir(), ".copilot", "hooks");
      // It takes no context at a prompt: its agent asks by MCP.
      const events = [
        ["SessionStart", "session-start"],
        ["Stop", "stop"],
        ["SubagentStop", "subagent-stop"],
      ];
      const written = {
        hooks: Object.fromEntries(
          events.map(([event, ours]) => [
            event,
            [
              {
                type: "command",
                command: line([...setting.program, "hook", ours, "--client", "vscode"]),
                timeout: SECONDS,
              },
            ],
          ]),
        ),
      };
      return [
        {
          path: setting.project ? join(setting.project, ".vscode", "mcp.json") : join(user, "mcp.json"),
          about: "the MCP server",
          empty: "{}\n",
          edit: server(setting, ["servers"], stdio(setting)),
        },
        {
          path: join(hooks, `${NAME}.json`),
          about: "the hooks, in a file of their own",
          empty: "",
          whole: true,
          edit: () => (setting.remove ? "" : `${JSON.stringify(written, null, 2)}\n`),
        },
      ];
    },
  },
  gemini: {
    title: "Gemini CLI",
    edits(setting) {
      const path = join(setting.project ?? homedir(), ".gemini", "settings.json");
      const [command, ...args] = setting.program;
      const hooks = claudeLike(
        setting,
        "gemini",
        [
          ["SessionStart", "session-start"],
          ["BeforeAgent", "prompt"],
          ["AfterAgent", "stop"],
          ["SessionEnd", "session-end"],
        ],
        // Milliseconds there.
        SECONDS * 1000,
      );
      return [
        {
          path,
          about: "the MCP server and the hooks",
          empty: "{}\n",
          edit: (text) => hooks(server(setting, ["mcpServers"], { command, args: [...args, "mcp"] })(text)),
        },
      ];
    },
  },
  opencode: {
    title: "OpenCode",
    edits(setting) {
      const folder = setting.project ?? join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "opencode");
      const commented = join(folder, "opencode.jsonc");
      const plugins = setting.project ? join(folder, ".opencode", "plugins") : join(folder, "plugins");
      const entry = { type: "local", command: [...setting.program, "mcp"] };
      return [
        {
          path: existsSync(commented) ? commented : join(folder, "opencode.json"),
          about: "the MCP server",
          empty: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
          edit(text) {
            if (setting.remove) return remove(remove(text, ["mcp", "servers", NAME]), ["mcp", NAME]);
            // Version 1 has the servers right under `mcp`; such a file stays one.
            const isFirst = /"mcp"\s*:\s*\{\s*"(?!servers")/.test(text);
            return set(text, isFirst ? ["mcp", NAME] : ["mcp", "servers", NAME], entry);
          },
        },
        {
          path: join(plugins, `${NAME}.js`),
          about: "the plugin, in a file of its own",
          empty: "",
          whole: true,
          edit: () => (setting.remove ? "" : plugin(setting.program)),
        },
      ];
    },
  },
};

/** OpenCode has no hooks in a shell: its plugin calls ours. @param {string[]} program */
const plugin = (
  program,
) => `// Lessons for this session, by lessonloop; written by \`lessonloop init opencode\`, removed with \`--remove\`.
import { spawn } from "node:child_process";

const [program, ...words] = ${JSON.stringify([...program, "hook"])};
/** A plugin that is slow stalls the session: lessons that come later are left out. */
const PATIENCE_MS = 2_000;

function hook(event, payload) {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, event, "--client", "opencode"], { stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    const end = () => resolve(text);
    const timer = setTimeout(() => (child.kill(), resolve("")), PATIENCE_MS);
    child.stdout.on("data", (piece) => (text += piece));
    child.on("error", () => resolve(""));
    child.on("close", () => (clearTimeout(timer), end()));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}

export const Lessonloop = async ({ directory }) => {
  const lessons = new Map();
  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.map((part) => part.text ?? "").join("\\n");
      const session_id = input.sessionID;
      lessons.set(session_id, await hook("prompt", { session_id, cwd: directory, prompt }));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = lessons.get(input.sessionID);
      if (text) output.system.push(text);
    },
    event: async ({ event }) => {
      const session_id = event.properties?.sessionID ?? event.properties?.info?.id;
      if (!session_id) return;
      if (event.type === "session.idle") void hook("stop", { session_id, cwd: directory });
      if (event.type === "session.deleted") void hook("session-end", { session_id, cwd: directory });
    },
  };
};
`;
