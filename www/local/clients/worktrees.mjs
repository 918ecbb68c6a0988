// Worktrees of a repository, and what git has of a client's files: what is not committed is in one worktree alone.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** git answers at once, or it hangs on a file system that does not. */
const GIT_MS = 3_000;

/**
 * The worktrees of a repository beside the main one. Null where there is none.
 * @param {string} root of the worktree that is looked from
 * @returns {{ main: string | null, isLinked: boolean, others: number } | null} `main`: the folder of the main one, which a
 * bare repository lacks
 */
export function worktreesOf(root) {
  const git = join(root, ".git");
  try {
    if (statSync(git).isDirectory()) {
      const others = readdirSync(join(git, "worktrees")).length;
      return others > 0 ? { main: root, isLinked: false, others } : null;
    }
    const [, gitdir = ""] = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8")) ?? [];
    const own = resolve(root, gitdir.trim());
    const common = resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
    const isBare = !/[\\/]\.git$/.test(common);
    return {
      main: isBare ? null : dirname(common),
      isLinked: true,
      others: readdirSync(join(common, "worktrees")).length,
    };
  } catch {
    // No repository, none of its worktrees, or a submodule.
    return null;
  }
}

/**
 * Those of some files that git does not have. All of them where git can't be asked.
 * @param {string} root
 * @param {string[]} paths
 */
export function untracked(root, paths) {
  const asked = spawnSync("git", ["-C", root, "ls-files", "-z", "--", ...paths.map((path) => relative(root, path))], {
    encoding: "utf8",
    timeout: GIT_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (asked.status !== 0) return paths;
  const tracked = new Set(asked.stdout.split("\0").map((path) => resolve(root, path)));
  return paths.filter((path) => !tracked.has(resolve(path)));
}
