// The table client × step in docs/agents.md, which the walk makes: a column for each client.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../../docs/agents.md", import.meta.url));
const BEGIN = "<!-- what each client does: written by `LESSONLOOP_WRITE=1 cargo xtask test clients` -->";
const END = "<!-- the end of it -->";
const WORKS = "✓";
const CANNOT = "–";
/** The columns' order. */
const CLIENTS = ["Claude Code", "Codex", "Gemini CLI", "Copilot CLI", "OpenCode"];

/** @typedef {{ steps: Map<string, Map<string, string>>, reasons: Map<string, string> }} Table */

/** A client's column, as the walk found it. */
export class Column {
  /** @param {string} client */
  constructor(client) {
    this.client = client;
    /** @type {Map<string, string>} */
    this.cells = new Map();
    /** @type {Map<string, string>} */
    this.reasons = new Map();
  }

  /** @param {string} step */
  works(step) {
    this.cells.set(step, WORKS);
  }

  /** @param {string} step @param {string} reason */
  cannot(step, reason) {
    this.cells.set(step, CANNOT);
    this.reasons.set(step, reason);
  }

  /** Holds the column against the document, or writes it there. A step that failed leaves its cell alone. */
  check() {
    const text = readFileSync(FILE, "utf8");
    const [head, rest] = split(text, BEGIN);
    const [body, tail] = split(rest, END);
    const table = parsed(body);
    for (const [step, cell] of this.cells) {
      if (!table.steps.has(step)) table.steps.set(step, new Map());
      table.steps.get(step)?.set(this.client, cell);
      const name = `${this.client}, ${step}`;
      const reason = this.reasons.get(step);
      if (reason) table.reasons.set(name, reason);
      else table.reasons.delete(name);
    }
    const written = `${head}${BEGIN}\n\n${shown(table)}\n${END}${tail}`;
    if (process.env.LESSONLOOP_WRITE) writeFileSync(FILE, written);
    else assert.equal(text, written, "docs/agents.md says otherwise: run with LESSONLOOP_WRITE=1");
  }
}

/** @param {string} text @param {string} mark */
function split(text, mark) {
  const at = text.indexOf(mark);
  assert.ok(at >= 0, `docs/agents.md has no line ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

/** @param {string} body @returns {Table} */
function parsed(body) {
  const lines = body.split("\n");
  const rows = lines
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [titles = [], , ...steps] = rows;
  const reasons = lines.flatMap((line) => {
    const found = /^- (.+?): (.+)$/.exec(line);
    return found ? [/** @type {[string, string]} */ ([found[1], found[2]])] : [];
  });
  return {
    steps: new Map(steps.map(([step, ...cells]) => [step, named(cells, titles.slice(1))])),
    // A step's name may hold a colon.
    reasons: new Map(reasons),
  };
}

/** The cells that hold something, by their columns. @param {string[]} cells @param {string[]} titles */
function named(cells, titles) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [at, cell] of cells.entries()) if (cell) found.set(titles[at], cell);
  return found;
}

/** @param {Table} table */
function shown({ steps, reasons }) {
  const row = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const lines = [row(["", ...CLIENTS]), row(["---", ...CLIENTS.map(() => "---")])];
  for (const [step, cells] of steps) lines.push(row([step, ...CLIENTS.map((client) => cells.get(client) ?? "")]));
  const notes = [...reasons].sort().map(([name, reason]) => `- ${name}: ${reason}`);
  return `${lines.join("\n")}\n${notes.length > 0 ? `\n${notes.join("\n")}\n` : ""}`;
}
