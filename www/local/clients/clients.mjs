// The clients: which files an entry and the hooks go to, what is written there, and what each asks of a person.
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { copilot, servesCopilot, vscode } from "./copilot.mjs";
import { claudeLike, isOurs, MOMENT_SECONDS, NAME, SECONDS, server, setHooks, stdio } from "./entry.mjs";
import { get, set, setItems } from "./jsonc.mjs";
import { line } from "../invocation.mjs";
import { opencode } from "./opencode.mjs";
import { setTable } from "./toml.mjs";

/**
 * @typedef {import("./entry.mjs").Setting} Setting
 * @typedef {import("./entry.mjs").Edit} Edit
 * @typedef {import("./entry.mjs").Hook} Hook
 * @typedef {import("./entry.mjs").Client} Client
 */

/** Codex's own folder. */
export const codexHome = () => process.env.CODEX_HOME || join(homedir(), ".codex");
/** Claude Code's own folder, and the file beside it that it keeps servers in. */
export const claudeHome = () => process.env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude");
export const claudeFile = () =>
  process.env.CLAUDE_CONFIG_DIR ? join(process.env.CLAUDE_CONFIG_DIR, ".claude.json") : join(homedir(), ".claude.json");

/** @type {Hook[]} */
const OF_CLAUDE = [
  // At a resume nothing is given; the session's shell gets its mark.
  { event: "SessionStart", ours: "session-start", matcher: "startup|resume|clear|compact" },
  { event: "UserPromptSubmit", ours: "prompt" },
  { event: "PostToolUseFailure", ours: "moment", matcher: "Bash", seconds: MOMENT_SECONDS },
  { event: "PreCompact", ours: "compact" },
  { event: "Stop", ours: "stop" },
  { event: "SubagentStop", ours: "subagent-stop" },
  { event: "SessionEnd", ours: "session-end" },
];

/** @type {Hook[]} */
const OF_CODEX = [
  { event: "SessionStart", ours: "session-start" },
  { event: "UserPromptSubmit", ours: "prompt" },
  {
    event: "PostToolUse",
    ours: "moment",
    matcher: "^(Bash|shell|local_shell|exec_command|unified_exec)$",
    seconds: MOMENT_SECONDS,
  },
  { event: "PreCompact", ours: "compact" },
  { event: "Stop", ours: "stop" },
  { event: "SubagentStop", ours: "subagent-stop" },
  // More is cut down to this.
  { event: "SessionEnd", ours: "session-end", seconds: 3 },
];

/** @type {Hook[]} */
const OF_GEMINI = [
  { event: "SessionStart", ours: "session-start" },
  { event: "BeforeAgent", ours: "prompt" },
  { event: "AfterTool", ours: "moment", matcher: "run_shell_command", seconds: MOMENT_SECONDS },
  { event: "AfterAgent", ours: "stop" },
  { event: "SessionEnd", ours: "session-end" },
];

/** @type {Hook[]} */
const OF_CURSOR = [
  { event: "sessionStart", ours: "session-start" },
  { event: "stop", ours: "stop" },
  { event: "subagentStop", ours: "subagent-stop" },
  { event: "sessionEnd", ours: "session-end" },
];

/** @type {Client} */
const claude = {
  title: "Claude Code",
  program: "claude",
  // Its server alone may be Copilot CLI's.
  isSetUp: (project, files) =>
    files.some((file) => /settings/.test(basename(file))) || !(project && servesCopilot(project)),
  edits(setting) {
    const { project } = setting;
    // A path of this machine is no part of what a project shares.
    const settings = setting.program[0] === NAME ? "settings.json" : "settings.local.json";
    const files = project
      ? setting.remove
        ? ["settings.json", "settings.local.json"].map((name) => join(project, ".claude", name))
        : [join(project, ".claude", settings)]
      : [join(claudeHome(), "settings.json")];
    // Copilot CLI has its server in the same file of a project, and keeps it.
    const isCopilots = project && setting.remove && servesCopilot(project);
    const servers = {
      path: project ? join(project, ".mcp.json") : claudeFile(),
      about: "the MCP server",
      empty: "{}\n",
      edit: server(setting, ["mcpServers"], stdio(setting)),
    };
    return [
      ...(isCopilots ? [] : [servers]),
      ...files.map((path) => ({
        path,
        about: "the hooks",
        empty: "{}\n",
        edit: (/** @type {string} */ text) =>
          answered(claudeLike(setting, "claude", OF_CLAUDE)(text), project !== null, setting.remove),
      })),
    ];
  },
  asks: (project) => [
    "“Is this a project you created or one you trust?”: “Yes, I trust this folder”. The choice that is marked first, “No, exit”, ends Claude Code.",
    ...(project
      ? [
          "“New MCP server found in this project: lessonloop”: “Use this MCP server”. The choice that is marked first, “Continue without using this MCP server”, goes on without it and is not asked again; `lessonloop init claude` once more takes that back. Until it is answered `claude mcp list` says “Pending approval”.",
        ]
      : []),
  ],
};

/**
 * A project's settings without a refusal of our server that was given before, so that Claude Code asks again; without
 * its approval, too, when ours goes.
 * @param {string} text
 * @param {boolean} isProject
 * @param {boolean} remove
 */
function answered(text, isProject, remove) {
  if (!isProject) return text;
  let edited = text;
  for (const name of ["disabledMcpjsonServers", ...(remove ? ["enabledMcpjsonServers"] : [])]) {
    const there = get(edited, [name]);
    if (Array.isArray(there) && there.includes(NAME)) edited = setItems(edited, [name], (it) => it === NAME, []);
  }
  return edited;
}

/** @type {Client} */
const codex = {
  title: "Codex",
  program: "codex",
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
        edit: claudeLike(setting, "codex", OF_CODEX),
      },
    ];
  },
  asks: (project) => [
    `“Trust this folder?”: “Trust and continue”.${project ? " Before that Codex reads nothing of the project: no server, no hooks." : ""}`,
    "“Hooks need review”: “Trust all and continue”, or look at each first. `codex exec` asks nothing and skips hooks that are not trusted, so start `codex` once.",
  ],
};

/** @type {Client} */
const cursor = {
  title: "Cursor",
  edits(setting) {
    const folder = join(setting.project ?? homedir(), ".cursor");
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
          const edited = setHooks(text, isOurs, setting.remove ? [] : OF_CURSOR, ({ ours, seconds = SECONDS }) => ({
            command: line([...setting.program, "hook", ours, "--client", "cursor"]),
            timeout: seconds,
          }));
          return setting.remove ? edited : set(edited, ["version"], 1);
        },
      },
    ];
  },
  asks: () => ["The server is off at first: enable lessonloop in Cursor's settings, under MCP."],
};

/** @type {Client} */
const gemini = {
  title: "Gemini CLI",
  program: "gemini",
  edits(setting) {
    const [command, ...args] = setting.program;
    // Its timeouts are in milliseconds.
    const hooks = claudeLike(setting, "gemini", OF_GEMINI, 1_000);
    return [
      {
        path: join(setting.project ?? homedir(), ".gemini", "settings.json"),
        about: "the MCP server and the hooks",
        empty: "{}\n",
        edit: (text) => hooks(server(setting, ["mcpServers"], { command, args: [...args, "mcp"] })(text)),
      },
    ];
  },
  asks: () => [
    "“Do you trust the files in this folder?”: “Trust folder”. Before that nothing runs, not even servers and hooks of your home. `gemini -p` asks nothing: start `gemini` once first, or add --skip-trust.",
  ],
};

/** The hooks of clients that follow Claude Code, which the plugins have, too. @type {Record<"claude" | "codex" | "gemini", Hook[]>} */
export const HOOKS = { claude: OF_CLAUDE, codex: OF_CODEX, gemini: OF_GEMINI };

/** @type {Record<string, Client>} */
export const CLIENT = { claude, codex, cursor, vscode, copilot, gemini, opencode };
