// A client's own status of our server, where its program is on the path: it is asked, and given a bounded time.
import { execFile } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { isWindows, NAME, onPath } from "./entry.mjs";

/**
 * @typedef {import("./entries.mjs").Level} Level
 * @typedef {{ level: Level, what: string, remedy?: string }} Answer
 */

/** A client starts the servers that it lists, which takes seconds on a slow machine. */
const PATIENCE_MS = 15_000;

/** The question to a client, and its answer's reader. @type {Record<string, { ask: string[], read: (text: string, code: number) => Answer }>} */
const ASKED = {
  claude: { ask: ["mcp", "get", NAME], read: byStatus },
  codex: { ask: ["mcp", "get", NAME], read: byStatus },
  copilot: { ask: ["mcp", "get", NAME], read: byStatus },
  gemini: { ask: ["mcp", "list"], read: byLine },
  opencode: { ask: ["mcp", "list"], read: byLine },
};

/** @param {string} text @param {number} code @returns {Answer} */
function byStatus(text, code) {
  if (code !== 0) return { level: "note", what: "does not list the server", remedy: "see what is said of its trust" };
  const status = /^\s*(?:Status|enabled):\s*(.+)$/im.exec(text)?.[1].trim() ?? "listed";
  return verdict(status, /^\s*Issue:\s*(.+)$/im.exec(text)?.[1]);
}

/** @param {string} text @returns {Answer} */
function byLine(text) {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => new RegExp(`\\b${NAME}\\b`).test(line));
  if (at < 0) return { level: "note", what: "does not list the server", remedy: "see what is said of its trust" };
  const status = /(?:-\s+|lessonloop\s+)([A-Za-z][\w ]*)\s*$/.exec(lines[at])?.[1] ?? "listed";
  return verdict(status, /error/i.test(lines[at + 1] ?? "") ? lines[at + 1].replace(/^[^\w]+/, "") : undefined);
}

/** @param {string} status @param {string} [issue] @returns {Answer} */
function verdict(status, issue) {
  const what = `says of the server: ${status}${issue ? ` (${issue.trim()})` : ""}`;
  if (/^\W*(pending|disabled|untrusted)/i.test(status))
    return { level: "note", what, remedy: "see what is said of its trust" };
  if (/fail|reject|disconnect|error|✘|✗|false/i.test(status)) {
    return { level: "fault", what, remedy: "mend what it names; `lessonloop mcp` alone shows an error of ours" };
  }
  return { level: "ok", what };
}

/**
 * Asks a client. Null where it has no such command, or is not on the path.
 * @param {string} name
 * @param {string | undefined} program
 * @param {string} cwd
 * @returns {Promise<Answer | null>}
 */
export function listed(name, program, cwd) {
  const asked = ASKED[name];
  const at = asked && program ? onPath(program) : null;
  if (!at) return Promise.resolve(null);
  return new Promise((resolve) => {
    const child = execFile(
      at,
      asked.ask,
      {
        cwd,
        encoding: "utf8",
        timeout: PATIENCE_MS,
        killSignal: "SIGKILL",
        env: { ...process.env, NO_COLOR: "1" },
        // The program that npm puts there on Windows is a script.
        shell: isWindows,
      },
      (error, stdout, stderr) => {
        if (error?.killed) {
          const what = `\`${program} ${asked.ask.join(" ")}\` did not answer in ${PATIENCE_MS / 1_000} seconds`;
          resolve({ level: "note", what, remedy: "run it yourself to see why" });
          return;
        }
        const code = typeof error?.code === "number" ? error.code : error ? 1 : 0;
        resolve(asked.read(stripVTControlCharacters(`${stdout}\n${stderr}`), code));
      },
    );
    child.stdin?.end();
  });
}
