// The entries in clients' files today: which clients are set up here, what their entries start, and what is wrong with them.
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { nodePath } from "../invocation.mjs";
import { CLIENT } from "./clients.mjs";
import { isOurs, NAME, onPath } from "./entry.mjs";
import { parse, ParseError } from "./jsonc.mjs";
import { starts } from "./registered.mjs";
import { readToml } from "./toml.mjs";

/**
 * @typedef {"ok" | "note" | "fault"} Level
 * @typedef {(level: Level, what: string, remedy?: string) => void} Say
 * @typedef {{ name: string, client: import("./entry.mjs").Client, project: string | null, files: string[], program: string[] | null }} SetUp
 * `files`: those with entries of ours; `program`: the words that they start us by
 */

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/**
 * Everything in a file that starts us, as words.
 * @param {string} path
 * @param {string} text
 * @returns {Promise<string[][]>}
 */
async function programs(path, text) {
  if (path.endsWith(".js")) {
    const words = /^const \[program, \.\.\.words\] = (\[.*\]);$/m.exec(text)?.[1];
    return words ? [JSON.parse(words).slice(0, -1)] : [];
  }
  /** @type {string[][]} */
  const found = [];
  /** @param {any} value @param {string} key */
  const walk = (value, key) => {
    if (typeof value !== "object" || value === null) return;
    const { command, args } = value;
    if (key === NAME && command) {
      const words = [...(Array.isArray(command) ? command : [command]), ...(Array.isArray(args) ? args : [])];
      found.push(words.slice(0, words.lastIndexOf("mcp")).map(String));
    } else if (isOurs(value)) {
      const words = [...shellWords(String(command ?? value.bash ?? "")), ...(Array.isArray(args) ? args : [])];
      found.push(words.slice(0, words.lastIndexOf("hook")).map(String));
    }
    for (const [name, inner] of Object.entries(value)) walk(inner, name);
  };
  walk(path.endsWith(".toml") ? await readToml(text) : parse(text).data, "");
  return found.filter((words) => words.length > 0);
}

/** True if a file starts us. @param {string} path */
export async function startsUs(path) {
  try {
    return (await programs(path, read(path) ?? "{}")).length > 0;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** @param {string} line as `line` of `invocation.mjs` writes it */
const shellWords = (line) =>
  [...line.matchAll(/(?:'[^']*'|\\'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/\\'|'([^']*)'|"([^"]*)"/g, (all, single, double) => single ?? double ?? all.slice(1)),
  );

/**
 * The clients that are set up in a project or in the home; what is half done is said.
 * @param {string | null} project
 * @param {Say} say
 */
export async function setUps(project, say) {
  /** @type {SetUp[]} */
  const found = [];
  for (const [name, client] of Object.entries(CLIENT)) {
    // By a path or by its name, the program may stand in different files.
    const edits = [[NAME], [nodePath()]].flatMap((program) => client.edits({ project, program, remove: false }));
    /** @type {Map<string, boolean>} */
    const parts = new Map();
    const files = [];
    let program = null;
    for (const [path, about] of new Map(edits.map(({ path, about }) => [path, about]))) {
      const text = read(path);
      let there = false;
      if (text?.includes(NAME)) {
        try {
          const [first] = await programs(path, text);
          there = first !== undefined;
          program ??= first ?? null;
        } catch (error) {
          if (!(error instanceof ParseError)) throw error;
          say(
            "fault",
            `${path} does not parse: ${error.message}`,
            `mend it; ${client.title} reads nothing of it until then`,
          );
        }
      }
      if (there) files.push(path);
      parts.set(about, (parts.get(about) ?? false) || there);
    }
    if (files.length === 0 || client.isSetUp?.(project, files) === false) continue;
    found.push({ name, client, project, files, program });
    const missed = [...parts].filter(([, there]) => !there).map(([about]) => about.replace(/,.*/, ""));
    if (missed.length > 0) {
      say(
        "fault",
        `${client.title}: ${missed.join(" and ")} of ours ${missed.length > 1 || missed[0].endsWith("s") ? "are" : "is"} missing beside ${files.join(", ")}`,
        again(name, project),
      );
    }
  }
  return found;
}

/** @param {string} name @param {string | null} project */
export const again = (name, project) => `run \`lessonloop init ${name} ${project ? "--project" : "--personal"}\``;

/**
 * Entries that start what is gone, or what an older version wrote.
 * @param {SetUp} setUp
 * @param {string} version ours
 * @param {Say} say
 */
export async function looked({ name, client, project, files, program }, version, say) {
  /** @type {Set<string>} */
  const gone = new Set();
  for (const path of files) {
    for (const words of await programs(path, read(path) ?? "")) {
      const [first] = words;
      if (!isAbsolute(first) && !onPath(first)) gone.add(first);
      for (const word of words) if (isAbsolute(word) && !existsSync(word)) gone.add(word);
    }
  }
  if (gone.size > 0) {
    say(
      "fault",
      `${client.title} is told to start ${[...gone].join(" and ")}, which is gone (${files.join(", ")})`,
      `${again(name, project)}: the program, Node or the project was moved or removed`,
    );
    return;
  }
  const script = program?.find((word) => /\.mjs$/.test(word));
  const started = script && versionOf(script);
  if (started && started !== version) {
    say("note", `${client.title} starts lessonloop ${started}; this is ${version}`, again(name, project));
  }
  // Node's path alone may differ, where this is run by another one.
  const same = program ?? [nodePath()];
  for (const edit of client.edits({ project, program: same, remove: false })) {
    const text = read(edit.path);
    if (text === null || !files.includes(edit.path)) continue;
    if ((await edit.edit(edit.whole ? "" : text)) !== text) {
      say("note", `${edit.path}: ${edit.about.replace(/,.*/, "")} of an older version`, again(name, project));
    }
  }
}

/** The version of a program by its path. @param {string} script */
function versionOf(script) {
  if (dirname(script).endsWith("lessonloop-app")) return starts();
  const manifest = read(join(dirname(dirname(dirname(script))), "package.json"));
  try {
    return manifest === null ? undefined : JSON.parse(manifest).version;
  } catch {
    return undefined;
  }
}
