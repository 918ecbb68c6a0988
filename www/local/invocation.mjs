// The start of this program by the person who runs it: whatever command we print has to work as printed, be it installed
// globally, run by npx from the registry or from a file, or a dependency of the project.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve, sep } from "node:path";
import { ROOT } from "./engine.mjs";
import { personalPath } from "./store.mjs";

/** The command's file within a package. */
export const SCRIPT = join("local", "bin", "lessonloop.mjs");
/** The package's name and the command's. */
const NAME = "lessonloop";

const isWindows = process.platform === "win32";

/** The folder that keeps what npx ran, and the launcher that starts the version of it that is current. */
export const keptFolder = () => join(dirname(personalPath()), "lessonloop-app");
export const launcher = () => join(keptFolder(), `${NAME}.mjs`);

/** Folders of the path that are only there while npm or npx runs something. @param {string} folder */
const isPassing = (folder) => /[\\/](_npx|node_modules)[\\/]/.test(`${folder}${sep}`);

/** @returns the path's folders that stay */
const lasting = () => (process.env.PATH ?? "").split(delimiter).filter((folder) => folder && !isPassing(folder));

/** @param {string} path */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** True if the name alone starts this very program. */
export function isOnPath() {
  const own = real(join(ROOT, SCRIPT));
  for (const folder of lasting()) {
    if (isWindows) {
      if (!existsSync(join(folder, `${NAME}.cmd`))) continue;
      // npm's shim lies beside the folder of global packages.
      return real(join(folder, "node_modules", NAME, SCRIPT)) === own;
    }
    const at = join(folder, NAME);
    if (existsSync(at)) return real(at) === own;
  }
  return false;
}

/**
 * Node, by the path that stays when it is updated: a link of the path in front of the folder of one version, as Homebrew
 * and others have it.
 */
export function nodePath() {
  const own = real(process.execPath);
  for (const folder of lasting()) {
    const at = join(folder, isWindows ? "node.exe" : "node");
    if (existsSync(at)) return real(at) === own ? at : process.execPath;
  }
  return process.execPath;
}

/** True if npx runs this from its cache, which anything may clear. */
export const isFromNpx = () => /[\\/]_npx[\\/]/.test(ROOT);

/** True if the program that runs is the copy that `init` kept. */
export const isKeptCopy = () => `${real(ROOT)}${sep}`.startsWith(`${real(keptFolder())}${sep}`);

/** The words that have npx start this program again, from the registry or from the same file. */
function npxWords() {
  const cache = dirname(dirname(dirname(join(ROOT, "package.json"))));
  try {
    const { _npx, dependencies } = JSON.parse(readFileSync(join(cache, "package.json"), "utf8"));
    const spec = (_npx?.packages ?? []).find((/** @type {string} */ it) => /^lessonloop(@[^/\\:]+)?$/.test(it));
    if (spec) return ["npx", spec];
    const file = /^file:(.+)$/.exec(dependencies?.[NAME] ?? "")?.[1];
    // npm gives the path from its cache.
    if (file) return ["npx", "--package", resolve(cache, file), NAME];
  } catch {
    // A cache of another shape.
  }
  return null;
}

/** The folder whose dependency this is, when npx finds it from the current one. */
function dependent() {
  const modules = dirname(dirname(join(ROOT, "package.json")));
  const folder = dirname(modules);
  const command = join(modules, ".bin", isWindows ? `${NAME}.cmd` : NAME);
  if (!/[\\/]node_modules$/.test(modules) || !existsSync(command)) return null;
  const here = real(process.cwd()) ?? process.cwd();
  return `${here}${sep}`.startsWith(`${real(folder)}${sep}`) ? folder : null;
}

/** @returns {string[]} the words before a command's own */
export function words() {
  if (isOnPath()) return [NAME];
  if (isFromNpx()) {
    // The copy that `init` made stays; npx asks the registry each time, and a file may be moved.
    const npx = existsSync(launcher()) ? null : npxWords();
    if (npx) return npx;
  } else if (dependent()) return ["npx", NAME];
  return [nodePath(), (isFromNpx() || isKeptCopy()) && existsSync(launcher()) ? launcher() : join(ROOT, SCRIPT)];
}

/** A command as a person types it here. @param {string} rest such as `doctor` */
export const typed = (rest) => `${line(words())}${rest ? ` ${rest}` : ""}`;

/**
 * A text with its commands as a person types them here: each stands between backticks and begins with the name.
 * @param {string} text
 */
export const spelled = (text) =>
  text.includes("`lessonloop") ? text.replace(/`lessonloop(?=[ `])/g, () => `\`${typed("")}`) : text;

/** The words as one line for a shell. @param {string[]} all */
export const line = (all) => all.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(" ");

/** @param {string} word */
const quote = (word) => (isWindows ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`);
