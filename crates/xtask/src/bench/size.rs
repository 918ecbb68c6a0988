//! What a browser downloads, held against the bars.

use anyhow::Result;

use crate::cache::Cache;
use crate::run;

/// Node compresses: it is there anyway, and its gzip is the one that web servers use. Fails when a bar is missed.
const SIZES: &str = r#"
const { readdirSync, readFileSync, statSync } = require("node:fs");
const { gzipSync } = require("node:zlib");
const { join, relative } = require("node:path");
const dist = process.argv[1];
const walk = (at) => statSync(at).isDirectory() ? readdirSync(at).sort().flatMap((name) => walk(join(at, name))) : [at];
const row = (name, raw, packed) => console.log(name.padEnd(44), String(raw).padStart(12), String(packed).padStart(12));
row("file", "bytes", "gzip -9");
const raw = {}, packed = {};
for (const file of walk(dist)) {
  if (!/\.(wasm|js|css|html|pack)$/.test(file)) continue;
  const name = relative(dist, file).replaceAll("\\", "/");
  const bytes = readFileSync(file);
  raw[name] = bytes.length;
  packed[name] = gzipSync(bytes, { level: 9 }).length;
  row(name, raw[name], packed[name]);
}
// What comes before anything is seen, without the worker and what it loads; and the other pages, which come after that.
const dashboard = Object.keys(packed).filter((name) => /^(web|styles)-[^/]*\.(wasm|js|css)$/.test(name));
const later = dashboard.filter((name) => name.endsWith("-pages.wasm"));
const sum = (names) => names.reduce((sum, name) => sum + packed[name], 0);
const bars = [
  ["dashboard: first wasm, glue, styles, gzip", sum(dashboard) - sum(later), 500_000],
  ["dashboard: with all pages, gzip", sum(dashboard), 1_280_000],
  ["module with its glue, gzip", packed["engine/lessonloop_bg.wasm"] + packed["engine/lessonloop.js"], 3_035_000],
  ["module with relaxed SIMD and its glue, gzip", packed["engine/lessonloop_relaxed_bg.wasm"] + packed["engine/lessonloop_relaxed.js"], 3_035_000],
  ["model pack", raw["engine/minilm.pack"], 23_000_000],
];
console.log();
row("bar", "bytes", "at most");
for (const [name, bytes, most] of bars) {
  row(name, bytes, most);
  if (!(bytes <= most)) {
    console.log(`too large: ${name}`);
    process.exitCode = 1;
  }
}
"#;

/// Prints what a browser downloads and holds it against the bars.
pub fn size(cache: &Cache) -> Result<()> {
    let mut node = run::program(cache, "node")?;
    node.args(["-e", SIZES, "--"]).arg(cache.root.join("dist"));
    run::loud(node, "see what grew: cargo xtask bench size")
}
