// VS Code and Copilot CLI: servers in files of their own, hooks in one that both read.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { command, configHome, isWindows, MOMENT_SECONDS, NAME, SECONDS, server, stdio } from "./entry.mjs";
import { get, ParseError } from "./jsonc.mjs";

/**
 * @typedef {import("./entry.mjs").Setting} Setting
 * @typedef {import("./entry.mjs").Hook} Hook
 * @typedef {import("./entry.mjs").Edit} Edit
 */

/** VS Code takes no context at a prompt: its agent asks by MCP. @type {Hook[]} */
const OF_VSCODE = [
  { event: "SessionStart", ours: "session-start" },
  { event: "Stop", ours: "stop" },
  { event: "SubagentStop", ours: "subagent-stop" },
];

/**
 * Copilot CLI takes context at `UserPromptSubmit`, and not at its own `userPromptSubmitted`. A command that failed comes
 * as `PostToolUse`.
 * @type {Hook[]}
 */
const OF_COPILOT = [
  { event: "SessionStart", ours: "session-start" },
  { event: "UserPromptSubmit", ours: "prompt" },
  { event: "PostToolUse", ours: "moment", matcher: "Bash", seconds: MOMENT_SECONDS },
  { event: "PreCompact", ours: "compact" },
  { event: "Stop", ours: "stop" },
  { event: "SubagentStop", ours: "subagent-stop" },
  { event: "SessionEnd", ours: "session-end" },
];

/** Copilot CLI's own folder. */
export const copilotHome = () => process.env.COPILOT_HOME || join(homedir(), ".copilot");

function vscodeUser() {
  if (isWindows) return join(process.env.APPDATA ?? homedir(), "Code", "User");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "Code", "User");
  return join(configHome(), "Code", "User");
}

/** @param {string | null} project */
const vscodeServers = (project) => (project ? join(project, ".vscode", "mcp.json") : join(vscodeUser(), "mcp.json"));
/** @param {string | null} project */
const copilotServers = (project) => (project ? join(project, ".mcp.json") : join(copilotHome(), "mcp-config.json"));
/** @param {string | null} project */
const hooksOf = (project) =>
  join(project ? join(project, ".github", "hooks") : join(copilotHome(), "hooks"), `${NAME}.json`);

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** True if a file has our server. @param {string} path @param {string[]} at */
function has(path, at) {
  try {
    return existsSync(path) && get(read(path), [...at, NAME]) !== undefined;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** True if the file of hooks is one that serves Copilot CLI. @param {string | null} project */
export const servesCopilot = (project) => read(hooksOf(project)).includes('"UserPromptSubmit"');

/**
 * The file of hooks for those of both that are set up. In that of Copilot CLI each entry says so; VS Code, which reads it
 * as well, is told apart by its environment.
 * @param {Setting} setting
 * @param {{ vscode: boolean, copilot: boolean }} serves
 */
function hooks(setting, { vscode, copilot }) {
  if (!vscode && !copilot) return "";
  const client = copilot ? "copilot" : "vscode";
  const written = {
    hooks: Object.fromEntries(
      (copilot ? OF_COPILOT : OF_VSCODE).map(({ event, ours, matcher, seconds = SECONDS }) => [
        event,
        [{ type: "command", ...(matcher ? { matcher } : {}), ...command(setting, client, ours), timeout: seconds }],
      ]),
    ),
  };
  return `${JSON.stringify(written, null, 2)}\n`;
}

/**
 * The file as it is with one of both set up, or without it.
 * @param {Setting} setting
 * @param {"vscode" | "copilot"} client
 * @returns {Edit}
 */
function hooksFile(setting, client) {
  const { project, remove } = setting;
  const serves = { vscode: has(vscodeServers(project), ["servers"]), copilot: servesCopilot(project) };
  return {
    path: hooksOf(project),
    about: "the hooks, in a file of their own",
    empty: "",
    whole: true,
    edit: () => hooks(setting, { ...serves, [client]: !remove }),
  };
}

/** @type {import("./entry.mjs").Client} */
export const vscode = {
  title: "VS Code",
  isSetUp: (project) => has(vscodeServers(project), ["servers"]),
  edits: (setting) => [
    {
      path: vscodeServers(setting.project),
      about: "the MCP server",
      empty: "{}\n",
      edit: server(setting, ["servers"], stdio(setting)),
    },
    hooksFile(setting, "vscode"),
  ],
  asks: (project) => [
    ...(project
      ? ["“Do you trust the authors of the files in this folder?”: Yes; hooks and servers wait for it."]
      : []),
    "The server: “MCP: List Servers” in the command palette, lessonloop, Start Server; then Trust.",
  ],
};

/** @type {import("./entry.mjs").Client} */
export const copilot = {
  title: "Copilot CLI",
  program: "copilot",
  isSetUp: servesCopilot,
  edits: (setting) => {
    const { project, remove } = setting;
    const servers = {
      path: copilotServers(project),
      about: "the MCP server",
      empty: "{}\n",
      edit: server(setting, ["mcpServers"], stdio(setting)),
    };
    // Claude Code has its server in the same file of a project, and keeps it.
    const isClaudes = project && remove && claudeIsSetUp(project);
    return [...(isClaudes ? [] : [servers]), hooksFile(setting, "copilot")];
  },
  asks: () => [
    "“Do you trust the files in this folder?”: “Yes, and remember this folder for future sessions”. With the first choice, “Yes”, it asks each time.",
    "`copilot -p` asks nothing: in a folder that is not remembered it runs no hooks and no servers, unless it is called with --trust-folder.",
  ],
};

/** True if Claude Code's hooks of a project are ours. @param {string} project */
const claudeIsSetUp = (project) =>
  ["settings.json", "settings.local.json"].some((name) =>
    /lessonloop(\.mjs)?['"\\]* hook\b/.test(read(join(project, ".claude", name))),
  );
