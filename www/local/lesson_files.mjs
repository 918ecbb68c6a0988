// The files of a folder that may hold lessons: what people and their tools write down, and nothing of what lies beside it.
// The dashboard says the same of a folder that is dropped on it (web/src/features/settings/intake.rs).
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Extensions that are read in a folder; a file that is named is read whatever it is called. */
const READ = /\.(md|markdown|mdc|mdx|json|jsonl|ndjson|txt|yaml|yml|csv)$/i;
/** Files of rules whose names have no extension. */
const RULES = /^\.(cursorrules|windsurfrules|clinerules|roorules|goosehints)$/i;
/** Made by tools; never written by anybody. */
const SKIPPED = new Set(["node_modules", "target"]);
/** The folders of tools that hold rules, skills, memories and playbooks, and what of each does. */
const TOOLS = [
  [".cursor", /^rules\/.*\.(mdc|md)$/i],
  [".beads", /^[^/]*\.jsonl$/i],
  [".kiro", /^steering\/.*\.md$/i],
  [".github", /^(copilot-instructions\.md|instructions\/.*\.instructions\.md|skills\/.*\/SKILL\.md)$/i],
  [".roo", /^rules[^/]*\/.*\.(md|txt)$/i],
  [".windsurf", /^rules\/.*\.md$/i],
  [".clinerules", /\.(md|txt)$/i],
  [".cass", /^[^/]*\.(ya?ml|jsonl?)$/i],
  [".claude", /^(reflections|rules|memory|projects\/[^/]+\/memory|homunculus\/instincts)\/.*\.(md|ya?ml)$/i],
  [".claude", /^skills\/.*\/SKILL\.md$/i],
  [".agents", /^(skills\/.*\/SKILL\.md|rules\/.*\.md)$/i],
  [".codex", /^skills\/.*\/SKILL\.md$/i],
  [".copilot", /^skills\/.*\/SKILL\.md$/i],
  [".gemini", /^skills\/.*\/SKILL\.md$/i],
  [".opencode", /^skills?\/.*\/SKILL\.md$/i],
];

/** The names of those folders, each once. */
export const TOOL_FOLDERS = [...new Set(TOOLS.map(([name]) => /** @type {string} */ (name)))];

/**
 * The files below a folder that may hold lessons, in the order of their names, and those that were not read. A folder with a
 * `SKILL.md` is one skill: what lies beside that file belongs to it, but for skills within. Links to folders are not followed.
 * @param {string} folder
 * @returns {{ files: string[], beside: Map<string, string[]> }} `beside`: files of a skill that are not read, by its `SKILL.md`
 */
export function lessonFiles(folder) {
  const named = folder.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "");
  /** @type {Map<string, string[]>} */
  const beside = new Map();
  return { files: walk(folder, { rules: rulesOf(named), below: "", skill: undefined, beside }), beside };
}

/** Finds the rules for the files of a tool's folder; undefined for any other. @param {string} name */
function rulesOf(name) {
  const rules = TOOLS.filter(([tool]) => tool === name).map(([, rule]) => /** @type {RegExp} */ (rule));
  return rules.length > 0 ? rules : undefined;
}

/**
 * @typedef {object} Where
 * @property {RegExp[] | undefined} rules of the tool whose folder it lies in
 * @property {string} below its path in there
 * @property {{ at: string, below: string } | undefined} skill the skill that it belongs to, and its path in there
 * @property {Map<string, string[]>} beside
 */

/**
 * @param {string} folder
 * @param {Where} where
 * @returns {string[]}
 */
function walk(folder, where) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = entries.find((entry) => entry.name === "SKILL.md" && entry.isFile());
  const skill = own ? { at: join(folder, own.name), below: "" } : where.skill;
  return entries.flatMap((entry) => {
    const { name } = entry;
    const [at, inside] = [join(folder, name), where.below ? `${where.below}/${name}` : name];
    const within = skill && { at: skill.at, below: skill.below ? `${skill.below}/${name}` : name };
    if (entry.isDirectory()) {
      if (SKIPPED.has(name)) return [];
      if (!name.startsWith(".")) return walk(at, { ...where, below: inside, skill: within });
      const rules = rulesOf(name);
      return rules ? walk(at, { ...where, rules, below: "", skill: undefined }) : [];
    }
    if (!entry.isFile()) return [];
    if (skill && within && name !== "SKILL.md") {
      where.beside.set(skill.at, [...(where.beside.get(skill.at) ?? []), within.below]);
      return [];
    }
    const { rules } = where;
    const isRead = rules ? rules.some((rule) => rule.test(inside)) : READ.test(name) || RULES.test(name);
    return isRead ? [at] : [];
  });
}
