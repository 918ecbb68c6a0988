// Trust by a client's own files: whether the person has let it run our server and hooks in this folder.
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { claudeFile, claudeHome, codexHome } from "./clients.mjs";
import { copilotHome } from "./copilot.mjs";
import { isOurs, NAME } from "./entry.mjs";
import { again } from "./entries.mjs";
import { parse } from "./jsonc.mjs";
import { readToml } from "./toml.mjs";

/**
 * @typedef {import("./entries.mjs").Say} Say
 * @typedef {import("./entries.mjs").SetUp} SetUp
 */

/** @param {string} path @returns {any} what a file says; nothing of one that is not there or does not parse */
function json(path) {
  try {
    return parse(readFileSync(path, "utf8")).data ?? {};
  } catch {
    return {};
  }
}

/** A folder and those above it, by each of its names. @param {string[]} folders */
function upwards(folders) {
  const found = new Set();
  for (const folder of folders) {
    let real = folder;
    try {
      real = realpathSync(folder);
    } catch {
      // A main worktree that was moved.
    }
    for (const start of [folder, real]) {
      for (let at = start; ; at = dirname(at)) {
        found.add(at);
        if (dirname(at) === at) break;
      }
    }
  }
  return [...found];
}

/** @param {any} list */
const has = (list) => Array.isArray(list) && list.includes(NAME);

/**
 * Claude Code: the folder's trust, and what was said of the project's server.
 * @param {SetUp} setUp
 * @param {string[]} folders
 * @param {Say} say
 */
function claude({ project }, folders, say) {
  const projects = json(claudeFile()).projects ?? {};
  const settings = [
    ...folders.flatMap((folder) =>
      ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name)),
    ),
    join(claudeHome(), "settings.json"),
  ].map(json);
  if (settings.some((it) => it.disableAllHooks === true)) {
    say(
      "fault",
      "Claude Code: its settings switch all hooks off (disableAllHooks)",
      "take disableAllHooks out of them",
    );
  }
  if (!upwards(folders).some((folder) => projects[folder]?.hasTrustDialogAccepted === true)) {
    say(
      "note",
      "Claude Code: this folder is not trusted yet, so nothing of ours runs but under `claude -p`",
      "start `claude` here and choose “Yes, I trust this folder”",
    );
  }
  if (!project) return;
  const said = [...settings, ...folders.map((folder) => projects[folder] ?? {})];
  const use = "start `claude` here and choose “Use this MCP server”";
  if (said.some((it) => has(it.disabledMcpjsonServers))) {
    say(
      "fault",
      "Claude Code: the server was refused here",
      `${again("claude", project)}, which takes that back, then ${use}`,
    );
  } else if (!said.some((it) => has(it.enabledMcpjsonServers) || it.enableAllProjectMcpServers === true)) {
    say(
      "note",
      "Claude Code: the server waits for your approval",
      `${use}; the choice that is marked first goes on without it`,
    );
  }
}

/** @param {string} name such as `PostToolUse` @returns such as `post_tool_use` */
const snake = (name) => name.replace(/(?<!^)[A-Z]/g, (char) => `_${char}`).toLowerCase();

/** The same data with names in order, as Codex hashes it. @param {any} data @returns {any} */
const ordered = (data) =>
  Array.isArray(data)
    ? data.map(ordered)
    : typeof data === "object" && data !== null
      ? Object.fromEntries(
          Object.keys(data)
            .sort()
            .map((key) => [key, ordered(data[key])]),
        )
      : data;

/**
 * The hash that Codex 0.169 trusts a hook by.
 * @param {string} event
 * @param {{ matcher?: string }} group
 * @param {any} hook
 */
export function codexHash(event, { matcher }, hook) {
  const trusted = { event_name: event, ...(matcher ? { matcher } : {}), hooks: [{ async: false, ...hook }] };
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(ordered(trusted)))
    .digest("hex")}`;
}

/**
 * Codex: the folder's trust, then each hook's.
 * @param {SetUp} setUp
 * @param {string[]} folders
 * @param {Say} say
 */
async function codex({ project, files }, folders, say) {
  /** @type {any} */
  let config = {};
  try {
    config = await readToml(readFileSync(join(codexHome(), "config.toml"), "utf8"));
  } catch {
    // None yet, or one that is told elsewhere.
  }
  const levels = upwards(folders).map((folder) => config.projects?.[folder]?.trust_level);
  if (levels.includes("untrusted") && !levels.includes("trusted")) {
    say(
      "fault",
      "Codex: this folder is not trusted",
      `set its trust_level in ${join(codexHome(), "config.toml")} to "trusted"`,
    );
  } else if (project && !levels.includes("trusted")) {
    say(
      "note",
      "Codex: this folder is not trusted yet, so nothing of ours runs",
      "start `codex` here and choose “Trust and continue”",
    );
  }
  if (config.features?.hooks === false) {
    say("fault", "Codex: its settings switch hooks off (features.hooks)", "take that out of its config.toml");
  }
  const path = files.find((file) => file.endsWith("hooks.json"));
  if (!path) return;
  const counts = { all: 0, missed: 0, changed: 0, off: 0 };
  for (const [event, groups] of Object.entries(json(path).hooks ?? {})) {
    if (!Array.isArray(groups)) continue;
    for (const [at, group] of groups.entries()) {
      for (const [index, hook] of (Array.isArray(group?.hooks) ? group.hooks : []).entries()) {
        if (!isOurs(hook)) continue;
        counts.all += 1;
        const state = [path, real(path)]
          .map((file) => config.hooks?.state?.[`${file}:${snake(event)}:${at}:${index}`])
          .find((it) => it !== undefined);
        if (!state?.trusted_hash) counts.missed += 1;
        else if (state.enabled === false) counts.off += 1;
        else if (state.trusted_hash !== codexHash(snake(event), group, hook)) counts.changed += 1;
      }
    }
  }
  const { all, missed, changed, off } = counts;
  const remedy = "start `codex` here and choose “Trust all and continue” where it says “Hooks need review”";
  if (off > 0) say("fault", `Codex: ${off} of our ${all} hooks are switched off`, "switch them on with /hooks");
  if (missed + changed > 0) {
    const what = [
      missed > 0 ? `${missed} not trusted yet` : "",
      changed > 0 ? `${changed} changed since they were` : "",
    ];
    say("note", `Codex skips some of our ${all} hooks: ${what.filter(Boolean).join(", ")}`, remedy);
  }
}

/** @param {string} path */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Gemini CLI: nothing runs in a folder that is not trusted.
 * @param {SetUp} _setUp
 * @param {string[]} folders
 * @param {Say} say
 */
function gemini(_setUp, folders, say) {
  const home = join(homedir(), ".gemini");
  const settings = [
    join(home, "settings.json"),
    ...folders.map((folder) => join(folder, ".gemini", "settings.json")),
  ].map(json);
  if (settings.some((it) => it.hooksConfig?.enabled === false)) {
    say("fault", "Gemini CLI: its settings switch hooks off (hooksConfig.enabled)", "take that out of them");
  }
  if (settings[0].security?.folderTrust?.enabled === false) return;
  const rules = json(process.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, "trustedFolders.json"));
  const above = upwards(folders);
  const of = (/** @type {string} */ rule) =>
    Object.keys(rules).filter(
      (folder) => rules[folder] === rule && above.includes(rule === "TRUST_PARENT" ? dirname(folder) : folder),
    );
  // The nearest rule counts.
  const near = (/** @type {string[]} */ all) => Math.max(0, ...all.map((folder) => folder.length));
  const [yes, no] = [near([...of("TRUST_FOLDER"), ...of("TRUST_PARENT")]), near(of("DO_NOT_TRUST"))];
  if (no > yes) {
    say(
      "fault",
      "Gemini CLI: this folder is marked as not trusted, so nothing of ours runs",
      "change that with /permissions in `gemini`",
    );
  } else if (yes === 0) {
    say(
      "note",
      "Gemini CLI: this folder is not trusted yet, so nothing of ours runs",
      "start `gemini` here and choose “Trust folder”; `gemini -p` takes --skip-trust",
    );
  }
}

/**
 * Copilot CLI: the folders that it remembers.
 * @param {SetUp} _setUp
 * @param {string[]} folders
 * @param {Say} say
 */
function copilot(_setUp, folders, say) {
  const { trustedFolders, trusted_folders } = json(join(copilotHome(), "config.json"));
  const trusted = trustedFolders ?? trusted_folders ?? [];
  if (!upwards(folders).some((folder) => Array.isArray(trusted) && trusted.includes(folder))) {
    say(
      "note",
      "Copilot CLI: it does not remember this folder, so it asks each time, and `copilot -p` runs nothing of ours",
      "start `copilot` here and choose “Yes, and remember this folder for future sessions”",
    );
  }
}

/** @type {Record<string, (setUp: SetUp, folders: string[], say: Say) => void | Promise<void>>} */
const ASKED = { claude, codex, gemini, copilot };

/**
 * @param {SetUp} setUp
 * @param {string[]} folders the project's, and that of its main worktree
 * @param {Say} say
 */
export async function trust(setUp, folders, say) {
  await ASKED[setUp.name]?.(setUp, folders, say);
}
