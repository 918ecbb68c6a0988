// One table of a TOML file as text: what lies outside of it stays, to the byte. The file is parsed before and after, and
// an edit that would change anything else is refused.
import { isDeepStrictEqual } from "node:util";
import { ParseError } from "./jsonc.mjs";

/** A file's data. @param {string} text @returns {Promise<Record<string, any>>} */
export async function readToml(text) {
  const { parse } = await import("../vendor/smol-toml/index.js");
  try {
    return parse(text);
  } catch (error) {
    throw new ParseError(/** @type {Error} */ (error).message.split("\n")[0]);
  }
}

/**
 * True if two tables say the same; the parser's own have no prototype, and dates are classes.
 * @param {any} a
 * @param {any} b
 */
const isSame = (a, b) => isDeepStrictEqual(flat(a), flat(b));

/** @param {any} data */
const flat = (data) => (data === undefined ? undefined : JSON.parse(JSON.stringify(data)));

/** @param {string[]} path */
const headOf = (path) => `[${path.join(".")}]`;

/**
 * Sets a table of strings and lists of strings, or takes it out (`null`).
 * @param {string} text
 * @param {string[]} path of bare names
 * @param {Record<string, string | string[] | number> | null} table
 */
export async function setTable(text, path, table) {
  const before = await readToml(text);
  const { kept, had } = without(text, path);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (had && table && isSame(at(before, path), table)) return text;
  let edited = kept;
  if (table) {
    const lines = Object.entries(table).map(([key, value]) => `${key} = ${literal(value)}`);
    const gap = kept === "" ? "" : kept.endsWith("\n") ? eol : eol + eol;
    edited = `${kept}${gap}${[headOf(path), ...lines].join(eol)}${eol}`;
  }
  const after = await readToml(edited);
  if (!isSame(stripped(before, path), stripped(after, path)) || !isSame(at(after, path), table ?? undefined)) {
    throw new ParseError(`${headOf(path)} is written in a way that can't be edited safely; edit it by hand`);
  }
  return edited;
}

/** @param {string | string[] | number} value @returns {string} */
function literal(value) {
  if (typeof value === "number") return String(value);
  return Array.isArray(value)
    ? `[${value.map(literal).join(", ")}]`
    : JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

/**
 * The text without the table and those below it, and without the empty line that an earlier edit put before it.
 * @param {string} text
 * @param {string[]} path
 */
function without(text, path) {
  const head = new RegExp(
    `^[ \\t]*\\[[ \\t]*${path.map((name) => `["']?${name}["']?`).join("[ \\t]*\\.[ \\t]*")}[ \\t]*(\\.[^\\]]*)?\\]`,
  );
  const kept = [];
  let inside = false;
  let had = false;
  let at = 0;
  const quoted = quotedRanges(text);
  for (const line of text.split(/(?<=\n)/)) {
    const isText = quoted.some(([from, to]) => from < at && at < to);
    if (!isText && /^[ \t]*\[/.test(line)) {
      inside = head.test(line);
      if (inside && !had && kept.at(-1)?.trim() === "") kept.pop();
      had ||= inside;
    }
    if (!inside) kept.push(line);
    at += line.length;
  }
  return { kept: kept.join(""), had };
}

/**
 * Where strings of several lines are: what begins a line in there is no table.
 * @param {string} text of a file that parses
 */
function quotedRanges(text) {
  const token = /#[^\n]*|"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
  return [...text.matchAll(token)].map((found) => [found.index, found.index + found[0].length]);
}

/**
 * @param {Record<string, any>} data
 * @param {string[]} path
 */
const at = (data, path) => path.reduce((inner, name) => inner?.[name], /** @type {any} */ (data));

/**
 * A copy without what lies at the path, and without tables that are empty then.
 * @param {Record<string, any>} data
 * @param {string[]} path
 */
function stripped(data, path) {
  const copy = flat(data);
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = at(copy, path.slice(0, depth - 1));
    const inner = parent?.[path[depth - 1]];
    if (depth === path.length || (inner && Object.keys(inner).length === 0)) {
      if (parent) delete parent[path[depth - 1]];
    }
  }
  return copy;
}
