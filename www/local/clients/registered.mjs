// The program that clients are told to start: the installed one, by a path that stays.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../engine.mjs";
import { replaceFile } from "../files.mjs";
import { isFromNpx, isKeptCopy, isOnPath, keptFolder, launcher, nodePath, SCRIPT } from "../invocation.mjs";
import { Failure } from "../print.mjs";

/**
 * Where the program is kept when npx runs it from a cache that anything may clear: beside the person's store, a folder for
 * each version. Clients' entries name a launcher beside these, so that an update changes no entry: Codex trusts a hook by
 * a hash of its line, and skips one that has changed.
 * @param {string} version
 * @returns {{ folder: string, isThere: boolean } | null} null where what runs stays where it is
 */
export function kept(version) {
  if (!isFromNpx()) return null;
  const folder = join(keptFolder(), version);
  return { folder, isThere: existsSync(join(folder, "package.json")) && starts() === version };
}

/** The version that the launcher starts; undefined where there is none. */
export function starts() {
  try {
    return /^const VERSION = "([^"\n]+)";$/m.exec(readFileSync(launcher(), "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * A hook whose program is gone must not fail every prompt: it is told once, at the session's start.
 * @param {string} version
 */
const launcherText = (
  version,
) => `// Starts the Lessonloop that \`lessonloop init\` keeps beside this file; clients name this one, so that an update changes nothing for them.
const VERSION = ${JSON.stringify(version)};
try {
  await import(new URL(\`./\${VERSION}/local/bin/lessonloop.mjs\`, import.meta.url).href);
} catch (error) {
  if (!/MODULE_NOT_FOUND$/.test(error?.code)) throw error;
  const [command, event] = process.argv.slice(2);
  const isQuiet = command === "hook" && event !== "session-start";
  if (!isQuiet) process.stderr.write("lessonloop: the program is gone; run its init again, or take it out with --remove\\n");
  process.exitCode = isQuiet ? 0 : 1;
}
`;

/** Copies the program there. @param {string} version */
export function keep(version) {
  const folder = join(keptFolder(), version);
  const beside = `${folder}.${process.pid}.tmp`;
  try {
    if (!existsSync(join(folder, "package.json"))) {
      mkdirSync(keptFolder(), { recursive: true });
      cpSync(ROOT, beside, { recursive: true });
      renameSync(beside, folder);
    }
    replaceFile(launcher(), launcherText(version), 0o644);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    // Another `init` was quicker.
    if (existsSync(join(folder, "package.json")) && existsSync(launcher())) return;
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Failure(
      `${keptFolder()}: the program can't be kept there (${code}), and npx keeps it for a while only. Make room and check the folder's owner and permissions, or install the package globally`,
    );
  }
}

/**
 * The program and the words before its own, as clients' entries name it.
 * @param {boolean} isKept whether the launcher is what stays
 * @returns {string[]}
 */
export function program(isKept) {
  if (isKept || (isKeptCopy() && existsSync(launcher()))) return [nodePath(), launcher()];
  // A shim on Windows is no program that every client can start.
  if (process.platform !== "win32" && isOnPath()) return ["lessonloop"];
  return [nodePath(), join(ROOT, SCRIPT)];
}
