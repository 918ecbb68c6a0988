// The common parts of several clients' entries: the server's, and hooks in the form of Claude Code.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { line } from "../invocation.mjs";
import { get, remove, set, setItems } from "./jsonc.mjs";

/** The server's name in every client. */
export const NAME = "lessonloop";
/** Seconds that a client waits for a hook; one that finds a loaded model takes a hundredth of it. */
export const SECONDS = 10;
/** The same after a command that failed: the agent waits for its next step. */
export const MOMENT_SECONDS = 5;

/**
 * @typedef {{ project: string | null, program: string[], remove: boolean }} Setting `project`: its root, null for the home
 * @typedef {{ path: string, about: string, edit: (text: string) => string | Promise<string>, empty: string, whole?: boolean }} Edit
 * `empty`: what a new file begins as; `whole`: a file of our own
 * @typedef {{ title: string, program?: string, edits: (setting: Setting) => Edit[], asks: (project: string | null) => string[], isSetUp?: (project: string | null, files: string[]) => boolean }} Client
 * `program`: its command; `asks`: what it asks of a person before anything runs, with the answer; `isSetUp`: whether it is,
 * where entries of ours are in these files, of which some may be another client's
 * @typedef {{ event: string, ours: string, matcher?: string, seconds?: number }} Hook
 */

export const isWindows = process.platform === "win32";

/** The folder of settings that follows the XDG rules. */
export const configHome = () => process.env.XDG_CONFIG_HOME || join(homedir(), ".config");

/** @param {any} hook @returns its words, however they are given */
export const wordsOf = (hook) =>
  [hook?.command, hook?.bash, hook?.powershell, ...(Array.isArray(hook?.args) ? hook.args : [])]
    .filter((word) => typeof word === "string")
    .join(" ");

/** True if a hook's entry is one that we wrote, in whatever version. @param {any} hook */
export const isOurs = (hook) => /lessonloop(\.mjs)?['"]? (?:['"])?hook\b/.test(wordsOf(hook));
/** The same for a group of hooks that holds nothing else. @param {any} group */
const isOurGroup = (group) => Array.isArray(group?.hooks) && group.hooks.length > 0 && group.hooks.every(isOurs);

/**
 * A client's hook as a command line; without a shell on Windows, where clients disagree on which.
 * @param {Setting} setting
 * @param {string} client
 * @param {string} event
 */
export function command({ program }, client, event) {
  const words = [...program, "hook", event, "--client", client];
  return isWindows ? { command: words[0], args: words.slice(1) } : { command: line(words) };
}

/**
 * The hooks of clients that follow Claude Code.
 * @param {Setting} setting
 * @param {string} client
 * @param {Hook[]} hooks
 * @param {number} [unit] the parts of a second that timeouts are in
 * @returns {(text: string) => string}
 */
export function claudeLike(setting, client, hooks, unit = 1) {
  return (text) =>
    setHooks(text, isOurGroup, setting.remove ? [] : hooks, ({ ours, matcher, seconds = SECONDS }) => ({
      ...(matcher ? { matcher } : {}),
      hooks: [{ type: "command", ...command(setting, client, ours), timeout: seconds * unit }],
    }));
}

/**
 * Sets our hooks under `hooks`, and takes those out that an older version wrote for other events.
 * @param {string} text
 * @param {(item: any) => boolean} isMine
 * @param {Hook[]} hooks
 * @param {(hook: Hook) => any} entry
 */
export function setHooks(text, isMine, hooks, entry) {
  let edited = text;
  const there = get(text, ["hooks"]);
  const events = new Set(hooks.map(({ event }) => event));
  for (const [event, items] of Object.entries(there ?? {})) {
    if (!events.has(event) && Array.isArray(items)) edited = setItems(edited, ["hooks", event], isMine, []);
  }
  for (const event of events) {
    const items = hooks.filter((hook) => hook.event === event).map(entry);
    edited = setItems(edited, ["hooks", event], isMine, items);
  }
  return edited;
}

/**
 * The server's entry.
 * @param {Setting} setting
 * @param {string[]} path
 * @param {any} entry
 * @returns {(text: string) => string}
 */
export const server = (setting, path, entry) => (text) =>
  setting.remove ? remove(text, [...path, NAME]) : set(text, [...path, NAME], entry);

/** @param {Setting} setting */
export const stdio = ({ program }) => ({ type: "stdio", command: program[0], args: [...program.slice(1), "mcp"] });

/** Where a program lies, if it is on the path. @param {string} program */
export function onPath(program) {
  const names = isWindows ? [".exe", ".cmd", ""].map((end) => program + end) : [program];
  if (isAbsolute(program)) return existsSync(program) ? program : null;
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}
