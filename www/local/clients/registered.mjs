// What clients are told to start: the installed program, by a path that stays.
import { cpSync, existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { ROOT } from "../engine.mjs";
import { personalPath } from "../store.mjs";

const SCRIPT = join("local", "bin", "lessonloop.mjs");

/** Folders of the path that are only there while npm or npx runs something. */
const isPassing = (/** @type {string} */ folder) => /[\\/](_npx|node_modules)[\\/]/.test(`${folder}${sep}`);

/** Whether the name alone starts this very program. */
function isOnPath() {
  // A shim on Windows is no program that every client can start.
  if (process.platform === "win32") return false;
  const own = realpathSync(join(ROOT, SCRIPT));
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (!folder || isPassing(folder)) continue;
    const at = join(folder, "lessonloop");
    if (existsSync(at)) return realpathSync(at) === own;
  }
  return false;
}

/**
 * Where the program stays: npx keeps it in a cache that anything may clear, so it is copied beside the person's store.
 * @param {string} version
 * @param {boolean} dryRun
 */
export function settle(version, dryRun) {
  if (!/[\\/]_npx[\\/]/.test(ROOT)) return { root: ROOT, copied: false };
  const root = join(dirname(personalPath()), "lessonloop-app", version);
  const isThere = existsSync(join(root, "package.json"));
  if (dryRun || isThere) return { root, copied: false };
  const beside = `${root}.${process.pid}.tmp`;
  cpSync(ROOT, beside, { recursive: true });
  try {
    renameSync(beside, root);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    if (!existsSync(join(root, "package.json"))) throw error;
  }
  return { root, copied: true };
}

/**
 * The program and the words before its own.
 * @param {string} root
 * @returns {string[]}
 */
export function program(root) {
  return root === ROOT && isOnPath() ? ["lessonloop"] : [process.execPath, join(root, SCRIPT)];
}

/**
 * The words as one line for a shell.
 * @param {string[]} words
 */
export function line(words) {
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word)));
  return quoted.join(" ");
}

/** @param {string} word */
const quote = (word) => (process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`);
