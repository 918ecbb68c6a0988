// Which files of a folder may hold lessons: what people and their tools write down, and nothing of what lies beside it.
// The dashboard says the same of a folder that is dropped on it (web/src/features/settings/intake.rs).
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** What is taken out of a folder; a file that is named is read whatever it is called. */
const READ = /\.(md|markdown|mdc|mdx|json|jsonl|ndjson|txt|yaml|yml|csv)$/i;
/** Made by tools; never written by anybody. */
const SKIPPED = new Set(["node_modules", "target"]);
/** The folders of tools that hold rules, skills, memories and playbooks, and what of each does. */
const TOOLS = [
  [".cursor", /^rules\/.*\.(mdc|md)$/i],
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
 * The files below a folder that may hold lessons, in the order of their names. A folder with a `SKILL.md` is one skill: what
 * lies beside that file belongs to it. Links to folders are not followed.
 * @param {string} folder
 * @returns {string[]}
 */
export function lessonFiles(folder) {
  const named = folder.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "");
  return walk(folder, rulesOf(named), "");
}

/** What is taken in a tool's folder; undefined for any other. @param {string} name */
function rulesOf(name) {
  const rules = TOOLS.filter(([tool]) => tool === name).map(([, rule]) => /** @type {RegExp} */ (rule));
  return rules.length > 0 ? rules : undefined;
}

/**
 * @param {string} folder
 * @param {RegExp[] | undefined} rules of the tool whose folder it lies in
 * @param {string} below its path in there
 * @returns {string[]}
 */
function walk(folder, rules, below) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const skill = entries.find(({ name }) => name === "SKILL.md");
  return entries.flatMap((entry) => {
    const { name } = entry;
    const [at, inside] = [join(folder, name), below ? `${below}/${name}` : name];
    if (entry.isDirectory()) {
      if (SKIPPED.has(name) || skill) return [];
      if (!name.startsWith(".")) return walk(at, rules, inside);
      const own = rulesOf(name);
      return own ? walk(at, own, "") : [];
    }
    if (!entry.isFile() || (skill && entry !== skill)) return [];
    return (rules ? rules.some((rule) => rule.test(inside)) : READ.test(name)) ? [at] : [];
  });
}
