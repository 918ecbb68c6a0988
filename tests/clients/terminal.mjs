// A person's terminal: a client's own screen in tmux, read and typed into, and closed as a window is.
import { execFileSync, spawnSync } from "node:child_process";
import { until } from "./until.mjs";

/** A server of our own, so that nobody's sessions are touched. */
const SOCKET = `lessonloop-${process.pid}`;

/** @param {string[]} words */
const tmux = (...words) => spawnSync("tmux", ["-L", SOCKET, "-f", "/dev/null", ...words], { encoding: "utf8" });

process.on("exit", () => tmux("kill-server"));

/** The server stays without a session, as one that begins while it ends fails; a screen stays without its program. */
const BEGIN = "start-server ; set-option -g exit-empty off ; set-option -g remain-on-exit on";

let count = 0;

export class Terminal {
  /** @param {string[]} command @param {{ cwd: string, env: Record<string, string> }} given */
  constructor(command, { cwd, env }) {
    if (count === 0) tmux(...BEGIN.split(" "));
    count += 1;
    this.name = `t${count}`;
    const words = ["env", "-i", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command];
    execFileSync(
      "tmux",
      [
        "-L",
        SOCKET,
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-s",
        this.name,
        "-x",
        "150",
        "-y",
        "60",
        "-c",
        cwd,
        ...words,
      ],
      { stdio: "pipe" },
    );
  }

  /** The screen's lines that hold something. */
  screen() {
    const { stdout } = tmux("capture-pane", "-p", "-t", this.name);
    return stdout
      .split("\n")
      .map((line) => line.trimEnd())
      .filter(Boolean)
      .join("\n");
  }

  /** @param {string[]} names tmux's names of keys */
  keys(...names) {
    tmux("send-keys", "-t", this.name, ...names);
  }

  /** @param {string} text */
  type(text) {
    tmux("send-keys", "-t", this.name, "-l", "--", text);
  }

  /**
   * Waits for what the screen shows.
   * @param {RegExp} what
   * @param {number} [patience] milliseconds
   */
  async shows(what, patience = 60_000) {
    return until(
      () => what.exec(this.screen()),
      () => `the screen shows ${what}:\n${this.screen()}`,
      patience,
    );
  }

  /**
   * Types a line, and sends it until it was taken: a client takes a return that comes right behind a text for a part of it.
   * @param {string} text
   * @param {() => any} isTaken
   */
  async say(text, isTaken) {
    await this.idle();
    this.type(text);
    // A line that is broken at a margin is one all the same.
    const bare = (/** @type {string} */ text) => text.replace(/[\s┃│|]/g, "");
    await until(
      () => bare(this.screen()).includes(bare(text.slice(-10))),
      () => `${text} is shown:\n${this.screen()}`,
      60_000,
    );
    let pressed = 0;
    await until(
      () => {
        if (isTaken()) return true;
        if (Date.now() - pressed > 1_000) {
          this.keys("Enter");
          pressed = Date.now();
        }
        return false;
      },
      () => `${text} is taken:\n${this.screen()}`,
    );
  }

  /** Waits until the client works on nothing: while it does, it says how to interrupt that. */
  async idle() {
    let since = 0;
    await until(
      () => {
        if (/\besc (to )?(interrupt|cancel)\b/i.test(this.screen())) since = 0;
        else since ||= Date.now();
        return since > 0 && Date.now() - since > 500;
      },
      () => `nothing is worked on:\n${this.screen()}`,
    );
  }

  isOver() {
    const { stdout, status } = tmux("list-panes", "-t", this.name, "-F", "#{pane_dead}");
    return status !== 0 || stdout.trim() !== "0";
  }

  /** Waits for the program's own end. @param {number} [patience] milliseconds */
  async over(patience = 30_000) {
    await until(
      () => this.isOver(),
      () => `the program ends:\n${this.screen()}`,
      patience,
    );
    this.close();
  }

  /** The process that the terminal was opened for. */
  pid() {
    return Number(tmux("list-panes", "-t", this.name, "-F", "#{pane_pid}").stdout.trim());
  }

  /** Closes the window: its programs get SIGHUP. */
  close() {
    tmux("kill-session", "-t", this.name);
  }
}
