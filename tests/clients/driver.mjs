// The walk's interface to a client, and starting it as a person does: in a home of its own, with nothing of this environment.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Terminal } from "./terminal.mjs";
import { until } from "./until.mjs";

/**
 * A screen that asks before a session begins: `keys` are pressed until the line is `chosen`, then return.
 * @typedef {{ shows: RegExp, chosen: RegExp, keys: string[] }} Dialog
 */

/**
 * @typedef {object} Driver
 * @property {string} name as `lessonloop init` and `--client` call it
 * @property {string} title
 * @property {string} bin the program's name in `node_modules/.bin`
 * @property {(url: string) => Record<string, string>} env the model's place, and no telemetry and no updates
 * @property {(home: string, url: string) => void} prepare
 * @property {(prompt: string, given?: { resume?: boolean }) => string[]} headless
 * @property {(given?: { resume?: boolean }) => string[]} interactive
 * @property {Dialog[]} dialogs
 * @property {RegExp} ready
 * @property {string} quit
 * @property {{ command: string, shows: RegExp } | null} compact
 * @property {string[]} list
 * @property {RegExp} listed
 * @property {(home: string, project: string, command: (name: string) => string, file: string) => void} record
 *   has every event of the client kept in a file
 * @property {(bin: string, prompt: string) => string} nested a headless run, as a command of the agent's shell
 * @property {string[]} transcripts folders of the home
 * @property {string[]} rewrites files of the home that the client writes itself
 * @property {Record<string, string>} cannot steps that the client has not, each with the reason
 */

const archives = process.env.LESSONLOOP_DIST ?? "";
export const archive = archives
  ? join(archives, readdirSync(archives).find((name) => /^lessonloop-.+\.tgz$/.test(name)) ?? "none.tgz")
  : "";

/** Where each client is installed. @type {Record<string, string>} */
const INSTALLED = JSON.parse(process.env.LESSONLOOP_CLIENTS ?? "{}");

/** The client's program. @param {Driver} driver */
export const programOf = (driver) => join(INSTALLED[driver.name] ?? "", "node_modules", ".bin", driver.bin);

/** The client's version, where its package tells it. @param {Driver} driver @returns {string | undefined} */
export function versionOf({ name, bin }) {
  const at = join(INSTALLED[name] ?? "", "node_modules", `${bin}-ai`, "package.json");
  return statSync(at, { throwIfNoEntry: false }) ? JSON.parse(readFileSync(at, "utf8")).version : undefined;
}

/** @type {string[]} */
const made = [];
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  if (process.env.LESSONLOOP_KEEP) return;
  for (const at of made) removed(at);
});

/** Removes a folder into which a process that was told to end may still write. @param {string} at */
function removed(at) {
  for (let left = 40; left > 0; left -= 1) {
    try {
      return rmSync(at, { recursive: true, force: true });
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

/** A person's machine with one client. */
export class Place {
  /**
   * @param {Driver} driver
   * @param {{ url: string, name: string }} given
   */
  constructor(driver, { url, name }) {
    this.driver = driver;
    this.root = realpathSync(mkdtempSync(join(tmpdir(), `lessonloop-${driver.name}-${name}-`)));
    made.push(this.root);
    this.home = join(this.root, "home");
    this.project = join(this.root, "shop");
    for (const folder of [this.home, this.project, join(this.root, "run")]) mkdirSync(folder, { mode: 0o700 });
    this.bin = programOf(driver);
    this.env = {
      HOME: this.home,
      PATH: process.env.PATH ?? "",
      LANG: "C.UTF-8",
      TERM: "dumb",
      SHELL: "/bin/bash",
      XDG_RUNTIME_DIR: join(this.root, "run"),
      npm_config_update_notifier: "false",
      ...driver.env(url),
    };
    driver.prepare(this.home, url);
    writeFileSync(join(this.project, "readme.txt"), "A shop.\n");
    writeFileSync(join(this.project, "shop.test.mjs"), tested(1));
    writeFileSync(join(this.project, "bad.test.mjs"), tested(2));
    for (const words of [
      ["init", "-q", "-b", "main"],
      ["add", "-A"],
      ["commit", "-qm", "A shop"],
    ])
      this.git(...words);
  }

  /** @param {string[]} words */
  git(...words) {
    const who = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    return execFileSync("git", [...who, ...words], {
      cwd: this.project,
      env: this.env,
      encoding: "utf8",
      stdio: "pipe",
    });
  }

  /** `npx` from the archive, as the README says. @param {string[]} words */
  npx(...words) {
    // The client's registry is the model's server, which answers nothing while this waits.
    const { npm_config_registry: _, ...env } = /** @type {Record<string, string>} */ (this.env);
    const done = spawnSync("npx", ["--yes", "--package", archive, "lessonloop", ...words], {
      cwd: this.project,
      env,
      encoding: "utf8",
      timeout: 60_000,
    });
    return { code: done.status, out: `${done.stdout}${done.stderr}` };
  }

  /** Where `npx` put the program. */
  get app() {
    const apps = join(this.home, ".local", "share", "lessonloop-app");
    const version = readdirSync(apps).find((name) => /^\d/.test(name));
    return join(apps, version ?? "none");
  }

  /** The command itself; its JSON. @param {string[]} words */
  json(...words) {
    const bin = join(this.app, "local", "bin", "lessonloop.mjs");
    const done = spawnSync(process.execPath, [bin, ...words, "--json"], {
      cwd: this.project,
      env: this.env,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (done.status !== 0) throw new Error(`lessonloop ${words.join(" ")}: ${done.stdout}${done.stderr}`);
    return JSON.parse(done.stdout);
  }

  /** The store that is asked: the project's where there is one. @returns {string} */
  get store() {
    const own = join(this.project, ".lessonloop");
    return statSync(own, { throwIfNoEntry: false }) ? own : join(this.home, ".local", "share", "lessonloop");
  }

  /** Reads the events of the ledger, each as its kind and its fields. */
  events() {
    const folder = join(this.store, "ledger");
    /** @type {{ kind: string, id: string, [field: string]: any }[]} */
    const found = [];
    for (const name of statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : []) {
      for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
        // The last line may be half written; what came from elsewhere has its place around it.
        const whole = read(line);
        const event = whole?.placed ? whole.event.event : whole?.event;
        if (!event) continue;
        const [[kind, fields]] = Object.entries(typeof event === "string" ? { [event]: {} } : event);
        found.push({ ...fields, kind, id: line });
      }
    }
    return found;
  }

  /** Returns a function that reads the events that came into the ledger since this call. */
  watch() {
    const before = new Set(this.events().map(({ id }) => id));
    return () => this.events().filter(({ id }) => !before.has(id));
  }

  /** Reads the store's log, wherever it is kept. */
  log() {
    const data = join(this.home, ".local", "share");
    const kept = join(data, "lessonloop-machine", "stores");
    const folders = statSync(kept, { throwIfNoEntry: false }) ? readdirSync(kept).map((name) => join(kept, name)) : [];
    return [join(data, "lessonloop"), ...folders]
      .map((folder) => join(folder, "cache", "lessonloop.log"))
      .filter((at) => statSync(at, { throwIfNoEntry: false }))
      .map((at) => readFileSync(at, "utf8"))
      .join("");
  }

  /**
   * Runs the client to its end, without a terminal.
   * @param {string[]} words
   * @param {{ patience?: number }} [given]
   * @returns {Promise<{ code: number | null, out: string }>}
   */
  run(words, { patience = 90_000 } = {}) {
    return new Promise((resolve) => {
      const child = spawn(this.bin, words, { cwd: this.project, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
      running.add(child);
      let out = "";
      const timer = setTimeout(() => child.kill("SIGKILL"), patience);
      child.stdout.on("data", (piece) => (out += piece));
      child.stderr.on("data", (piece) => (out += piece));
      child.on("error", (error) => (out += error.message));
      child.on("close", (code) => {
        clearTimeout(timer);
        running.delete(child);
        resolve({ code, out });
      });
    });
  }

  /** @param {string} prompt @param {{ resume?: boolean }} [given] */
  headless = (prompt, given) => this.run(this.driver.headless(prompt, given));

  /**
   * Opens a window with the client, and answers what it asks.
   * @param {{ resume?: boolean }} [given]
   * @returns {Promise<Terminal>}
   */
  async open(given) {
    const terminal = new Terminal([this.bin, ...this.driver.interactive(given)], {
      cwd: this.project,
      env: { ...this.env, TERM: "xterm-256color", COLORTERM: "truecolor" },
    });
    await this.#answer(terminal);
    return terminal;
  }

  /** Answers the client's dialogs until it is ready. @param {Terminal} terminal */
  async #answer(terminal) {
    const { dialogs, ready } = this.driver;
    let before = "";
    let since = Date.now();
    let readySince = 0;
    /** When a key may be pressed next: one that shows nothing was not heard. */
    let next = 0;
    await until(
      () => {
        const screen = terminal.screen();
        if (screen !== before) {
          before = screen;
          since = Date.now();
        }
        const dialog = dialogs.find(({ shows }) => shows.test(screen));
        if (dialog || !ready.test(screen)) readySince = 0;
        // A client may draw its prompt first and ask then.
        if (!dialog) {
          if (ready.test(screen)) readySince ||= Date.now();
          return readySince > 0 && Date.now() - readySince > 1_000;
        }
        // A screen that is still being drawn hears no keys.
        if (Date.now() - since < 300 || Date.now() < next) return false;
        const isChosen = dialog.chosen.test(screen);
        if (isChosen) terminal.keys("Enter");
        else terminal.keys(...dialog.keys);
        next = Date.now() + (isChosen ? 4_000 : 1_500);
        return false;
      },
      () => `${this.driver.title} is ready:\n${terminal.screen()}`,
      45_000,
    );
  }
}

/** @param {number} other */
const tested = (other) =>
  `import assert from "node:assert";\nimport { test } from "node:test";\n\ntest("sum", () => assert.equal(1, ${other}));\n`;

/** @param {string} line */
function read(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
