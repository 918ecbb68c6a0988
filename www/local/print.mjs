// The output for people in a terminal: tables and colour; and how a command ends with an error.

/** An error of how the command was called: exit code 2. */
export class UsageError extends Error {}

/** An error that the engine or the machine gave: exit code 1. */
export class Failure extends Error {}

const CODES = { bold: [1, 22], dim: [2, 22], green: [32, 39], yellow: [33, 39], red: [31, 39], cyan: [36, 39] };

/** @param {NodeJS.WriteStream} stream */
export function isColoured(stream = process.stdout) {
  if (process.env.NO_COLOR || process.env.TERM === "dumb") return false;
  return Boolean(stream.isTTY);
}

/**
 * @param {keyof typeof CODES} name
 * @param {string} text
 */
export function colour(name, text) {
  if (!isColoured()) return text;
  const [on, off] = CODES[name];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}

/** Text of a lesson may hold what a terminal obeys: such characters are shown, not sent. @param {string} text */
export const plain = (text) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (c) =>
    c === "\t" ? "  " : `\\u{${c.charCodeAt(0).toString(16)}}`,
  );

/** @param {string} [text] */
export function out(text = "") {
  process.stdout.write(`${text}\n`);
}

/** For people, beside the result. @param {string} text */
export function note(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {unknown} value */
export const json = (value) => out(JSON.stringify(value, null, 2));

/** The columns that a character takes: two for wide ones. @param {string} char */
function widthOf(char) {
  const code = char.codePointAt(0) ?? 0;
  if (/\p{Mn}|\p{Me}|\u200d|\ufe0f/u.test(char)) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

/** @param {string} text */
const columns = (text) => [...text].reduce((sum, char) => sum + widthOf(char), 0);

/**
 * @param {string} text
 * @param {number} width
 */
function cut(text, width) {
  if (columns(text) <= width) return text;
  let used = 0;
  let kept = "";
  for (const char of text) {
    used += widthOf(char);
    if (used > width - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

/**
 * A table: the last column takes what is left of the terminal's width, and is never cut where there is no terminal.
 * @param {string[]} head
 * @param {(string | number | null | undefined)[][]} rows
 */
export function table(head, rows) {
  const cells = rows.map((row) => row.map((cell) => plain(String(cell ?? "–")).replaceAll("\n", " ")));
  const widths = head.map((name, at) => Math.max(columns(name), ...cells.map((row) => columns(row[at] ?? ""))));
  const room = process.stdout.isTTY ? process.stdout.columns || 100 : Infinity;
  const last = head.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  widths[last] = Math.max(16, Math.min(widths[last], room - before));
  /** @param {string[]} row */
  const line = (row) =>
    row
      .map((cell, at) => {
        const text = cut(cell, widths[at]);
        return at === last ? text : text + " ".repeat(widths[at] - columns(text));
      })
      .join("  ")
      .trimEnd();
  out(colour("dim", line(head)));
  for (const row of cells) out(line(row));
}

/** @param {number | null | undefined} share 0 to 1 */
export const percent = (share) => (share == null ? "–" : `${Math.round(share * 100)} %`);

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
