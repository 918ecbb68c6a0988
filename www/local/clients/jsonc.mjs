// Edits of JSON with comments as text, so that comments, order and layout of what is not ours stay as they are.

import { isDeepStrictEqual } from "node:util";

/**
 * @typedef {{ start: number, end: number, comma: number, key?: string, value: Node }} Child
 * @typedef {{ type: "object" | "array" | "value", start: number, end: number, data: any, children: Child[] }} Node
 */

/** A file that does not parse; the message says where. */
export class ParseError extends Error {}

/** Nothing is nested deeper in a client's file. */
const DEPTH = 200;

/** The result of the last parse: an edit looks at one text several times, and a client's file may have megabytes. */
/** @type {{ text: string, node: Node } | undefined} */
let last;

/**
 * Parses JSON with comments and trailing commas. The tree is not to be changed.
 * @param {string} text
 * @returns {Node}
 */
export function parse(text) {
  if (last?.text !== text) last = { text, node: parsed(text) };
  return last.node;
}

/** @param {string} text @returns {Node} */
function parsed(text) {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  /** @param {string} why @returns {never} */
  function fail(why) {
    const before = text.slice(0, at).split("\n");
    throw new ParseError(`line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${why}`);
  }

  function trivia() {
    for (;;) {
      const space = /[ \t\r\n]*/y;
      space.lastIndex = at;
      at += space.exec(text)?.[0].length ?? 0;
      if (text.startsWith("//", at)) {
        const end = text.indexOf("\n", at);
        at = end < 0 ? text.length : end;
      } else if (text.startsWith("/*", at)) {
        const end = text.indexOf("*/", at + 2);
        if (end < 0) fail("a comment that does not end");
        at = end + 2;
      } else return;
    }
  }

  function scalar() {
    const token = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined) fail(at >= text.length ? "the file ends too early" : `${text[at]} is not expected`);
    try {
      const data = JSON.parse(found);
      at += found.length;
      return data;
    } catch {
      fail(`${found} is no JSON`);
    }
  }

  /** @param {number} depth @returns {Node} */
  function value(depth) {
    if (depth > DEPTH) fail("it is nested too deeply");
    const start = at;
    const open = text[at];
    if (open !== "{" && open !== "[") {
      const data = scalar();
      return { type: "value", start, end: at, data, children: [] };
    }
    const close = open === "{" ? "}" : "]";
    /** @type {Child[]} */
    const children = [];
    /** @type {any} */
    const data = open === "{" ? {} : [];
    at += 1;
    trivia();
    while (text[at] !== close) {
      if (children.length > 0 && children.at(-1)?.comma === -1) fail(`a comma or ${close} is expected`);
      const from = at;
      let key;
      if (open === "{") {
        if (text[at] !== '"') fail("a name in quotes is expected");
        key = scalar();
        if (Object.hasOwn(data, key)) fail(`${JSON.stringify(key)} is there twice`);
        trivia();
        if (text[at] !== ":") fail("a colon is expected");
        at += 1;
        trivia();
      }
      const inner = value(depth + 1);
      if (key === undefined) data.push(inner.data);
      else
        Object.defineProperty(data, key, { value: inner.data, enumerable: true, configurable: true, writable: true });
      const child = { start: from, end: at, comma: -1, key, value: inner };
      children.push(child);
      trivia();
      if (text[at] === ",") {
        child.comma = at;
        at += 1;
        trivia();
      }
    }
    at += 1;
    return { type: open === "{" ? "object" : "array", start, end: at, data, children };
  }

  trivia();
  const root = value(0);
  trivia();
  if (at < text.length) fail(`${text[at]} is not expected after the end`);
  return root;
}

/** @param {string} text */
function style(text) {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const step = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return { eol, step: step.startsWith("\t") ? "\t" : step.slice(0, 8) };
}

/**
 * The white space that the line of a place begins with.
 * @param {string} text
 * @param {number} at
 */
const indentAt = (text, at) => /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? "";

/**
 * Adds a child at the end of an object or an array.
 * @param {string} text
 * @param {Node} parent
 * @param {string | null} key
 * @param {any} data
 */
function append(text, parent, key, data) {
  const { eol, step } = style(text);
  const indent = indentAt(text, parent.start) + step;
  const body = JSON.stringify(data, null, step).replaceAll("\n", eol + indent);
  const piece = `${key === null ? "" : `${JSON.stringify(key)}: `}${body}`;
  const last = parent.children.at(-1);
  if (!last) {
    // A comment may be all that is in there.
    const inner = text.slice(parent.start + 1, parent.end - 1).trimEnd();
    const at = parent.start + 1 + inner.length;
    return `${text.slice(0, at)}${eol}${indent}${piece}${eol}${indentAt(text, parent.start)}${text.slice(parent.end - 1)}`;
  }
  const isOneLine = !text.slice(parent.start, parent.end).includes("\n");
  if (isOneLine && last.comma < 0) {
    const flat = `${key === null ? "" : `${JSON.stringify(key)}: `}${JSON.stringify(data)}`;
    return `${text.slice(0, last.end)}, ${flat}${text.slice(last.end)}`;
  }
  const hasComma = last.comma >= 0;
  const after = hasComma ? last.comma + 1 : last.end;
  // A comment on the last child's line stays there.
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/)?/.exec(text.slice(after))?.[0] ?? "";
  const own = indentAt(text, last.start) || indent;
  return `${text.slice(0, last.end)}${hasComma ? text.slice(last.end, after) : ","}${rest.trimEnd()}${eol}${own}${piece}${
    hasComma ? "," : ""
  }${text.slice(after + rest.trimEnd().length)}`;
}

/**
 * Takes a child out, with its comma and its line.
 * @param {string} text
 * @param {Node} parent
 * @param {number} index
 */
function takeOut(text, parent, index) {
  const child = parent.children[index];
  const before = parent.children[index - 1];
  let from = child.start;
  let to = child.comma >= 0 ? child.comma + 1 : child.end;
  const lineStart = text.lastIndexOf("\n", from - 1);
  const isAlone = lineStart >= parent.start && text.slice(lineStart + 1, from).trim() === "";
  if (isAlone) from = text[lineStart - 1] === "\r" ? lineStart - 1 : lineStart;
  else if (child.comma >= 0) to += /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  let head = text.slice(0, from);
  if (child.comma < 0 && before && before.comma >= 0) {
    // The one before is the last one now.
    head = text.slice(0, before.comma) + text.slice(before.comma + 1, Math.max(from, before.comma + 1));
    if (!isAlone) head = head.trimEnd();
  }
  // A comment before the comma is a person's.
  const gap = child.comma >= 0 ? text.slice(child.end, child.comma) : "";
  const tail = (gap.includes("/") ? gap : "") + text.slice(to);
  if (parent.children.length === 1 && /^\s*[}\]]/.test(tail) && head.trimEnd().at(-1)?.match(/[{[]/)) {
    return head.trimEnd() + tail.trimStart();
  }
  return head + tail;
}

/**
 * @param {Node} node
 * @param {string} key
 */
const childOf = (node, key) => node.children.findIndex((child) => child.key === key);

/**
 * Sets what lies at a path of names; objects on the way are made.
 * @param {string} text
 * @param {string[]} path
 * @param {any} data
 */
export function set(text, path, data) {
  let node = parse(text);
  for (const [depth, key] of path.entries()) {
    if (node.type !== "object") throw new ParseError(`${path.slice(0, depth).join(".") || "the file"} is no object`);
    const index = childOf(node, key);
    if (index < 0) {
      const nested = path.slice(depth + 1).reduceRight((inner, name) => ({ [name]: inner }), data);
      return append(text, node, key, nested);
    }
    const child = node.children[index];
    if (depth < path.length - 1) {
      node = child.value;
      continue;
    }
    if (same(child.value.data, data)) return text;
    const { eol, step } = style(text);
    const body = JSON.stringify(data, null, step).replaceAll("\n", eol + indentAt(text, child.start));
    return text.slice(0, child.value.start) + body + text.slice(child.value.end);
  }
  return text;
}

/**
 * Takes out what lies at a path, and objects on the way that are empty then.
 * @param {string} text
 * @param {string[]} path
 */
export function remove(text, path) {
  let edited = text;
  for (let depth = path.length; depth > 0; depth -= 1) {
    let node = parse(edited);
    for (const key of path.slice(0, depth - 1)) {
      const index = childOf(node, key);
      if (index < 0) return edited;
      node = node.children[index].value;
    }
    const index = childOf(node, path[depth - 1]);
    if (index < 0) return edited;
    const { value } = node.children[index];
    const isEmpty = value.type !== "value" && value.children.length === 0 && value.end - value.start <= 2;
    if (depth < path.length && !isEmpty) return edited;
    edited = takeOut(edited, node, index);
  }
  return edited;
}

/**
 * Replaces the items of an array that `isOurs` by `items`. Where they are these already, nothing changes.
 * @param {string} text
 * @param {string[]} path
 * @param {(item: any) => boolean} isOurs
 * @param {any[]} items
 */
export function setItems(text, path, isOurs, items) {
  const found = at(text, path);
  if (found && found.type !== "array") throw new ParseError(`${path.join(".")} is no list`);
  const ours = found?.children.filter((child) => isOurs(child.value.data)) ?? [];
  if (
    same(
      ours.map((child) => child.value.data),
      items,
    )
  )
    return text;
  let edited = text;
  for (let left = ours.length; left > 0; left -= 1) {
    const node = /** @type {Node} */ (at(edited, path));
    edited = takeOut(
      edited,
      node,
      node.children.findLastIndex((child) => isOurs(child.value.data)),
    );
  }
  const empty = at(edited, path)?.children.length === 0;
  if (items.length === 0) return empty ? remove(edited, path) : edited;
  if (!at(edited, path)) return set(edited, path, items);
  for (const item of items) edited = append(edited, /** @type {Node} */ (at(edited, path)), null, item);
  return edited;
}

/**
 * @param {string} text
 * @param {string[]} path
 * @returns {Node | undefined}
 */
function at(text, path) {
  let node = parse(text);
  for (const key of path) {
    if (node.type !== "object") throw new ParseError(`what holds ${key} is no object`);
    const index = childOf(node, key);
    if (index < 0) return undefined;
    node = node.children[index].value;
  }
  return node;
}

/** Returns the value at a path. @param {string} text @param {string[]} path */
export const get = (text, path) => at(text, path)?.data;

/**
 * True if two values say the same; a client that writes its file anew may order names otherwise.
 * @param {any} a
 * @param {any} b
 */
const same = (a, b) => isDeepStrictEqual(a, b);
