//! Sizes of what a browser downloads, held against the bars.

use anyhow::Result;

use crate::cache::Cache;
use crate::run;

/// Python compresses: it is there anyway, and has zlib itself, as web servers have. Node's is another, which is quicker and
/// leaves one byte of a hundred more, or less, by what the processor has. Fails when a bar is missed.
const SIZES: &str = r#"
import gzip, pathlib, re, sys

dist = pathlib.Path(sys.argv[1])
raw, packed = {}, {}


def row(name, *sizes):
    print(name.ljust(44), *(str(size).rjust(12) for size in sizes))


row("file", "bytes", "gzip -9")
for file in sorted(path for path in dist.rglob("*") if path.is_file()):
    if not re.search(r"\.(wasm|js|css|html|pack)$", file.name):
        continue
    name = file.relative_to(dist).as_posix()
    content = file.read_bytes()
    raw[name] = len(content)
    packed[name] = len(gzip.compress(content, 9, mtime=0))
    row(name, raw[name], packed[name])
# What comes before anything is seen, without the worker and what it loads; and the other pages, which come after that.
dashboard = [name for name in packed if re.match(r"(web|styles)-[^/]*\.(wasm|js|css)$", name)]
everything = sum(packed[name] for name in dashboard)
later = sum(packed[name] for name in dashboard if name.endswith("-pages.wasm"))


def module(name):
    return packed[f"engine/{name}_bg.wasm"] + packed[f"engine/{name}.js"]


print()
row("bar", "bytes", "at most")
missed = False
for name, size, most in [
    ("dashboard: first wasm, glue, styles, gzip", everything - later, 500_000),
    ("dashboard: with all pages, gzip", everything, 1_280_000),
    ("module with its glue, gzip", module("lessonloop"), 3_035_000),
    ("module with relaxed SIMD and its glue, gzip", module("lessonloop_relaxed"), 3_035_000),
    ("model pack", raw["engine/minilm.pack"], 23_000_000),
]:
    row(name, size, most)
    if size > most:
        missed = True
        print(f"too large: {name}")
sys.exit(missed)
"#;

/// Prints what a browser downloads and holds it against the bars.
pub fn size(cache: &Cache) -> Result<()> {
    let mut python = run::program(cache, "python3")?;
    python.args(["-c", SIZES]).arg(cache.root.join("dist"));
    run::loud(python, "see what grew: cargo xtask bench size")
}
