// The code that each crate adds to the engine module: `size_by_crate.mjs MODULE` reads a linked module that still has its
// function names and sums the code by crate. A generic function counts for the crate that wrote it, wherever it is used.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const SECTIONS = [
  "custom",
  "type",
  "import",
  "function",
  "table",
  "memory",
  "global",
  "export",
  "start",
  "element",
  "code",
  "data",
  "data count",
  "tag",
];

class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }
  take(length) {
    const from = this.at;
    this.at += length;
    return this.bytes.subarray(from, this.at);
  }
  text() {
    return Buffer.from(this.take(this.number())).toString();
  }
  sub(length) {
    const from = this.at;
    this.at += length;
    return new Reader(this.bytes, from, this.at);
  }
}

function read(bytes) {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") !== "\0asm") throw new Error("this is no wasm module");
  const reader = new Reader(bytes, 8);
  const module = { sections: [], imported: 0, bodies: [], names: new Map() };
  while (reader.at < reader.end) {
    const id = reader.bytes[reader.at++];
    const length = reader.number();
    const section = reader.sub(length);
    const name = id === 0 ? section.text() : SECTIONS[id];
    module.sections.push({ name, length });
    if (name === "import") module.imported = functionsImported(section);
    if (name === "code")
      for (let left = section.number(); left > 0; left -= 1) module.bodies.push(section.sub(section.number()));
    if (name === "name") readNames(section, module.names);
  }
  return module;
}

function functionsImported(section) {
  let functions = 0;
  for (let left = section.number(); left > 0; left -= 1) {
    section.text();
    section.text();
    const kind = section.bytes[section.at++];
    if (kind === 0) {
      functions += 1;
      section.number();
    } else if (kind === 3) {
      section.take(2);
    } else if (kind === 4) {
      section.take(1);
      section.number();
    } else {
      if (kind === 1) section.take(1);
      const bounded = section.number() & 1;
      section.number();
      if (bounded) section.number();
    }
  }
  return functions;
}

function readNames(section, names) {
  while (section.at < section.end) {
    const kind = section.bytes[section.at++];
    const part = section.sub(section.number());
    if (kind !== 1) continue;
    for (let left = part.number(); left > 0; left -= 1) names.set(part.number(), part.text());
  }
}

/** The crate that a symbol's path begins with, in either of the compiler's two manglings. */
export function crateOf(symbol) {
  const v0 = /^_R.*?C(?:s[0-9A-Za-z]*_)?(\d+)_?/.exec(symbol);
  if (v0) return symbol.slice(v0.index + v0[0].length).slice(0, Number(v0[1]));
  const legacy = /^_ZN(\d+)/.exec(symbol);
  if (!legacy) return "(not Rust)";
  const first = symbol.slice(legacy[0].length).slice(0, Number(legacy[1]));
  // An implementation's path is the type's, such as `_$LT$lesson_core..lesson..Lesson$u20$as…`; of a tuple, a slice or a
  // reference what is named first counts.
  return (
    /([a-z][a-z0-9_]*?)(?:\.\.|$)/.exec(first.replace(/\$[A-Z0-9a-z]+\$/g, " ").replace(/^[_\s]+/, ""))?.[1] ?? first
  );
}

const bytes = readFileSync(process.argv[2]);
const module = read(bytes);
if (module.names.size === 0) throw new Error('the module has no names: build it with strip = "debuginfo"');
const crates = new Map();
module.bodies.forEach((body, index) => {
  const crate = crateOf(module.names.get(index + module.imported) ?? "");
  const row = crates.get(crate) ?? { functions: 0, bytes: 0, code: [] };
  row.functions += 1;
  row.bytes += body.end - body.at;
  row.code.push(body.bytes.subarray(body.at, body.end));
  crates.set(crate, row);
});
const line = (name, functions, raw, packed) =>
  console.log(name.padEnd(28), String(functions).padStart(10), String(raw).padStart(12), String(packed).padStart(12));
console.log("Code by crate, as linked, before wasm-opt:");
line("crate", "functions", "bytes", "gzip alone");
const rows = [...crates].sort(([, a], [, b]) => b.bytes - a.bytes);
const MOST = 30;
for (const [name, row] of rows.slice(0, MOST))
  line(name, row.functions, row.bytes, gzipSync(Buffer.concat(row.code)).length);
const rest = rows.slice(MOST);
line(
  `${rest.length} more`,
  rest.reduce((sum, [, row]) => sum + row.functions, 0),
  rest.reduce((sum, [, row]) => sum + row.bytes, 0),
  "",
);
console.log();
line("section", "", "bytes", "");
for (const { name, length } of module.sections.filter(({ length }) => length > 1_000)) line(name, "", length, "");
