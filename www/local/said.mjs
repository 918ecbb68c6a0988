// The lessons given to the agents of a session, in a file of lines that hooks add to: each context gets a lesson's text once.
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ slug: string, text: string }} Given
 * @typedef {{ agent?: string, given?: Given[], forget?: true, moment?: { slug: string, at: number } }} Line
 */

/** @param {string} folder @param {string} key */
const fileOf = (folder, key) => join(folder, `said-${key}.jsonl`);

/**
 * Reads what was given in a session so far; `agent` is the subagent whose context it is about, null for the session's own.
 * @param {string} folder
 * @param {string} key
 * @param {string | null} agent
 */
export function saidBefore(folder, key, agent) {
  /** @type {Given[]} */
  let given = [];
  /** @type {Map<string, number>} */
  const moments = new Map();
  /** @type {Set<string>} */
  const shown = new Set();
  for (const line of linesOf(fileOf(folder, key))) {
    for (const { slug } of line.given ?? []) shown.add(slug);
    if ((line.agent ?? null) !== agent) continue;
    if (line.forget) given = [];
    given.push(...(line.given ?? []));
    if (line.moment) moments.set(line.moment.slug, line.moment.at);
  }
  return { given, moments, shown: [...shown] };
}

/** @param {string} path @returns {Line[]} */
function linesOf(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const read = JSON.parse(line);
      return read && typeof read === "object" ? [read] : [];
    } catch {
      // A process that was killed while it wrote; or the end.
      return [];
    }
  });
}

/**
 * Adds a line.
 * @param {string} folder
 * @param {string} key
 * @param {Line} line
 */
export const note = (folder, key, line) =>
  appendFileSync(fileOf(folder, key), `${JSON.stringify(line)}\n`, { mode: 0o600 });

/** The length of a session's file: it grows with each prompt. @param {string} folder @param {string} key */
export const lengthOf = (folder, key) => statSync(fileOf(folder, key), { throwIfNoEntry: false })?.size ?? 0;
