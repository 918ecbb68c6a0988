// Starts Lessonloop for a client's plugin: the program that `lessonloop init` keeps, which is got from npm when the server
// starts without one. Written into each plugin by `plugins/write.mjs`.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The npm package to install: this version, or one that a person names, such as a file. */
const VERSION = "0.0.0";
const SPEC = process.env.LESSONLOOP_PACKAGE || `lessonloop@${VERSION}`;
/** Clients end a server that does not answer within half a minute; npm's own limit would be longer. */
const PATIENCE_MS = 120_000;

// The person's store; `personalPath` of `places.cjs` is written here.
const personalPath = () => "";

const launcher = join(dirname(personalPath()), "lessonloop-app", "lessonloop.mjs");
const [command, event] = process.argv.slice(2);

/** True if the program that is kept is at least as new as this plugin. */
function isCurrent() {
  if (!existsSync(launcher)) return false;
  const kept = /^const VERSION = "([^"]+)"/m.exec(readFileSync(launcher, "utf8"))?.[1] ?? "";
  return kept.localeCompare(VERSION, "en", { numeric: true }) >= 0;
}

/** `init` without a client makes the person's store and keeps the program beside it. */
const npx = ["--yes", "--package", SPEC, "lessonloop", "init", "--personal", "--yes"];
const isWindows = process.platform === "win32";

if (command === "get") {
  const done = spawnSync("npx", npx, {
    cwd: homedir(),
    encoding: "utf8",
    timeout: PATIENCE_MS,
    shell: isWindows,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (done.status !== 0) {
    process.stderr.write(
      `lessonloop: ${SPEC} could not be got from npm. Check that npm is there and the network reaches its registry.\n${done.stderr ?? ""}`,
    );
    process.exitCode = existsSync(launcher) ? 0 : 1;
  }
} else {
  const own = fileURLToPath(import.meta.url);
  if (!isCurrent()) {
    if (command === "mcp") {
      // Standard output is the protocol's.
      spawnSync(process.execPath, [own, "get"], { stdio: ["ignore", "ignore", "inherit"] });
    } else if (command === "hook" && event === "session-start") {
      // A session does not wait for it; the next prompt finds it.
      spawn(process.execPath, [own, "get"], { detached: true, stdio: "ignore", windowsHide: true }).unref();
    }
  }
  if (existsSync(launcher)) await import(pathToFileURL(launcher).href);
  // A hook never fails its client.
  else if (command !== "hook") process.exitCode = 1;
}
