// The files that the tools of a repository have written already, by kind: `init` offers to import them.
import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { lessonFiles, TOOL_FOLDERS } from "./lesson_files.mjs";
import { counted } from "./print.mjs";

/** Rules that lie at the top of a repository. */
const FILES = [".cursorrules", ".windsurfrules", ".clinerules", "AGENTS.md", "CLAUDE.md"];

/** The kinds, in the order in which they are told; the last one takes the rest. @type {[RegExp, string][]} */
const KINDS = [
  [/^\.cursor\/rules\/|^\.cursorrules$/, "Cursor rule"],
  [/(^|\/)SKILL\.md$/, "skill"],
  [/^\.claude\/reflections\//, "reflection"],
  [/^\.cass\//, "playbook"],
  [/\/memory\//, "memory note"],
  [/\/instincts\//, "instinct file"],
  [/(?:)/, "rules file"],
];

/**
 * @param {string} root the repository's top folder
 * @returns {{ paths: string[], kinds: string[] }} what to import, and what it is, such as `12 Cursor rules`; both empty
 * where there is nothing
 */
export function foundIn(root) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const paths = [...TOOL_FOLDERS, ...FILES].filter((name) => {
    const files = filesAt(join(root, name));
    for (const file of files) {
      const at = relative(root, file).replaceAll("\\", "/");
      const kind = KINDS.find(([which]) => which.test(at))?.[1] ?? "";
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return files.length > 0;
  });
  const kinds = KINDS.flatMap(([, kind]) => {
    const count = counts.get(kind);
    return count ? [counted(count, kind)] : [];
  });
  return { paths, kinds };
}

/** @param {string} path @returns {string[]} */
function filesAt(path) {
  if (!existsSync(path)) return [];
  try {
    return statSync(path).isDirectory() ? lessonFiles(path).files : [path];
  } catch {
    // A path that can't be read is not offered.
    return [];
  }
}
