// The input of a command: words of the command line, or standard input for `-`.
import { UsageError } from "./print.mjs";

/** Standard input, whole. */
export async function stdin() {
  if (process.stdin.isTTY) process.stderr.write("Reading from the terminal; Ctrl-D ends.\n");
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError("standard input is not UTF-8 text");
  }
}

/**
 * The words of a command as one text; `-` alone is standard input.
 * @param {string[]} words
 * @param {string} what
 */
export async function text(words, what) {
  const given = words.length === 1 && words[0] === "-" ? (await stdin()).trim() : words.join(" ").trim();
  if (!given) throw new UsageError(`${what} is missing`);
  return given;
}

/**
 * @param {string | undefined} value
 * @param {string} option
 */
export function number(value, option) {
  if (value === undefined) return undefined;
  const given = Number(value);
  if (value.trim() === "" || !Number.isFinite(given)) throw new UsageError(`${option}: ${value} is no number`);
  return given;
}

/** @param {string[] | undefined} values given once or several times, with commas or without */
export const list = (values) => {
  const all = (values ?? []).flatMap((value) => value.split(",")).map((value) => value.trim());
  return all.some(Boolean) ? all.filter(Boolean) : undefined;
};

/** Leaves out what was not given: the engine names fields that it doesn't know, `null` among them. @param {Record<string, any>} fields */
export const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
