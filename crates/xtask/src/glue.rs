//! Makes one JavaScript glue serve both builds of the module.
//!
//! wasm-bindgen names closure shims after their index in the module and numbers their imports by it, so two builds of
//! the same source get glue that differs in these names only. Here the relaxed module's names are changed to the plain
//! one's; any other difference is refused.

use std::collections::{BTreeMap, HashMap};

/// Beginnings of the names that wasm-bindgen makes from an index.
const NUMBERED: [&str; 2] = ["__wasm_bindgen_func_elem_", "__wbindgen_generic_"];

/// An index that wasm-bindgen leaves in a comment.
const NOTED: &str = "shim_idx: ";

/// The module that belongs to `other`, with its names changed so that `glue` fits it.
pub fn align(glue: &str, other: &str, module: &[u8]) -> Result<Vec<u8>, String> {
    let names = correspondence(glue, other)?;
    rename(module, &names).ok_or_else(|| "the module is no well-formed wasm".to_string())
}

/// Which numbered name of `other` is which of `glue`.
fn correspondence(glue: &str, other: &str) -> Result<HashMap<String, String>, String> {
    let (ours, theirs) = (Glue::parse(glue), Glue::parse(other));
    let mut names: HashMap<String, String> = HashMap::new();
    // Blocks that are alone in their shape settle names; then casts, where equal shapes are equal conversions.
    for settles in [
        |count: usize, _: &str| count == 1,
        |count: usize, shape: &str| count > 1 && shape.contains(NOTED),
    ] {
        for (shape, blocks) in &ours.blocks {
            let Some(counterparts) = theirs
                .blocks
                .get(shape)
                .filter(|found| found.len() == blocks.len())
            else {
                return Err(format!(
                    "only one glue has this, or has it more often:\n{shape}"
                ));
            };
            if settles(blocks.len(), shape) {
                for (block, counterpart) in blocks.iter().zip(counterparts) {
                    for (to, from) in numbered(block).zip(numbered(counterpart)) {
                        names
                            .entry(from.to_string())
                            .or_insert_with(|| to.to_string());
                    }
                }
            }
        }
    }
    let renamed = Glue::parse(&renamed(other, &names));
    if ours.rest != renamed.rest {
        return Err("they differ outside the numbered names".into());
    }
    for (shape, blocks) in &ours.blocks {
        if sorted(blocks) != sorted(renamed.blocks.get(shape).map_or(&[][..], Vec::as_slice)) {
            return Err(format!("the names can't be matched in:\n{shape}"));
        }
    }
    if ours.blocks.len() != renamed.blocks.len() {
        return Err("one of them has more functions".into());
    }
    Ok(names)
}

/// Glue in pieces: functions whose order is without meaning, by their shape; and all other lines, in order.
struct Glue {
    blocks: BTreeMap<String, Vec<String>>,
    rest: Vec<String>,
}

impl Glue {
    fn parse(text: &str) -> Self {
        let mut glue = Self {
            blocks: BTreeMap::new(),
            rest: Vec::new(),
        };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let end = if line.starts_with("function ") {
                "}"
            } else if line.starts_with("        __wb") && line.ends_with('{') {
                "        },"
            } else {
                glue.rest.push(line.to_string());
                continue;
            };
            let mut block = line.to_string();
            for line in lines.by_ref() {
                block.push('\n');
                block.push_str(line);
                if line == end {
                    break;
                }
            }
            glue.blocks
                .entry(shape(&block))
                .or_default()
                .push(without_notes(&block));
        }
        glue
    }
}

fn sorted(blocks: &[String]) -> Vec<&String> {
    let mut blocks: Vec<_> = blocks.iter().collect();
    blocks.sort();
    blocks
}

/// The text with every numbered name and every noted index masked.
fn shape(text: &str) -> String {
    map_words(&without_notes(text), |word| {
        if is_numbered(word) { "@" } else { word }
    })
}

fn renamed(text: &str, names: &HashMap<String, String>) -> String {
    map_words(text, |word| names.get(word).map_or(word, String::as_str))
}

/// The text with the indices in its comments masked.
fn without_notes(text: &str) -> String {
    let mut parts = text.split(NOTED);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.push_str(NOTED);
        out.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    out
}

fn numbered(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_word(letter))
        .filter(|word| is_numbered(word))
}

fn is_numbered(word: &str) -> bool {
    NUMBERED.iter().any(|beginning| word.starts_with(beginning))
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '$'
}

/// The text with each identifier replaced.
fn map_words<'a>(text: &'a str, replace: impl Fn(&'a str) -> &'a str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = is_word(first);
        let end = rest
            .find(|letter| is_word(letter) != in_word)
            .unwrap_or(rest.len());
        let (piece, next) = rest.split_at(end);
        out.push_str(if in_word { replace(piece) } else { piece });
        rest = next;
    }
    out
}

const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;

/// The module with names of imports and exports replaced. `None` where it is malformed.
/// Binary format: <https://webassembly.github.io/spec/core/binary/modules.html>.
pub fn rename(module: &[u8], names: &HashMap<String, String>) -> Option<Vec<u8>> {
    let mut input = Reader(module);
    let mut out = input.take(8)?.to_vec();
    while !input.0.is_empty() {
        let kind = input.take(1)?[0];
        let length = input.number()?;
        let body = input.take(usize::try_from(length).ok()?)?;
        let body = match kind {
            IMPORTS => rename_entries(body, names, true)?,
            EXPORTS => rename_entries(body, names, false)?,
            _ => body.to_vec(),
        };
        out.push(kind);
        write_number(&mut out, body.len() as u64);
        out.extend(body);
    }
    Some(out)
}

fn rename_entries(body: &[u8], names: &HashMap<String, String>, imports: bool) -> Option<Vec<u8>> {
    let mut input = Reader(body);
    let count = input.number()?;
    let mut out = Vec::with_capacity(body.len());
    write_number(&mut out, count);
    for _ in 0..count {
        if imports {
            write_name(&mut out, input.name()?);
        }
        let name = input.name()?;
        write_name(&mut out, names.get(name).map_or(name, String::as_str));
        let before = input.0;
        let kind = input.take(1)?[0];
        match (imports, kind) {
            (false, _) | (true, 0) => {
                input.number()?;
            }
            (true, 1) => {
                input.take(1)?;
                input.limits()?;
            }
            (true, 2) => input.limits()?,
            (true, 3) => {
                input.take(2)?;
            }
            (true, 4) => {
                input.take(1)?;
                input.number()?;
            }
            _ => return None,
        }
        out.extend(&before[..before.len() - input.0.len()]);
    }
    input.0.is_empty().then_some(out)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// An unsigned LEB128 number.
    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn name(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn limits(&mut self) -> Option<()> {
        let flags = self.number()?;
        self.number()?;
        if flags & 1 == 1 {
            self.number()?;
        }
        Some(())
    }
}

fn write_number(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

fn write_name(out: &mut Vec<u8>, name: &str) {
    write_number(out, name.len() as u64);
    out.extend(name.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{HashMap, correspondence, rename};

    /// Glue with two closures, by the numbers that a build may give them and in the order that these lead to.
    fn glue(casts: [(&str, &str, u32, u32); 2]) -> String {
        let mut text = String::from("export function hi() {}\n");
        for (index, kind, shim, function) in casts {
            text.push_str(&format!(
                "        __wbindgen_generic_{index}: function(arg0, arg1) {{\n            // {kind} shim_idx: {shim}.\n            return make(__wasm_bindgen_func_elem_{function});\n        }},\n"
            ));
        }
        for (_, _, _, function) in casts {
            text.push_str(&format!("function __wasm_bindgen_func_elem_{function}(arg0) {{\n    wasm.__wasm_bindgen_func_elem_{function}(arg0);\n}}\n"));
        }
        text
    }

    #[test]
    fn names_are_matched_by_what_they_convert() {
        let plain = glue([("01", "Event", 5, 156), ("02", "Unit", 11, 33)]);
        let relaxed = glue([("01", "Unit", 3, 156), ("02", "Event", 4, 162)]);
        let names = correspondence(&plain, &relaxed).expect("they differ in numbers only");
        let expected = [
            ("__wbindgen_generic_01", "__wbindgen_generic_02"),
            ("__wbindgen_generic_02", "__wbindgen_generic_01"),
            (
                "__wasm_bindgen_func_elem_156",
                "__wasm_bindgen_func_elem_33",
            ),
            (
                "__wasm_bindgen_func_elem_162",
                "__wasm_bindgen_func_elem_156",
            ),
        ];
        assert_eq!(
            names,
            expected
                .map(|(from, to)| (from.to_string(), to.to_string()))
                .into()
        );
    }

    #[test]
    fn any_other_difference_is_refused() {
        let plain = glue([("01", "Event", 5, 156), ("02", "Unit", 11, 33)]);
        for other in [
            plain.replace("hi()", "ho()"),
            plain.replace("// Unit", "// Boolean"),
            plain.replace("(arg0);", "(arg0, 1);"),
            format!("{plain}function more() {{\n}}\n"),
        ] {
            assert!(correspondence(&plain, &other).is_err(), "{other}");
        }
    }

    #[test]
    fn imports_and_exports_are_renamed_and_all_else_is_kept() {
        // (module (import "m" "old" (func)) (import "m" "mem" (memory 1 2)) (export "old" (func 0)))
        let header = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0";
        let module = |import: &[u8], export: &[u8]| {
            let mut bytes = header.to_vec();
            let imports = [b"\x02\x01m", import, b"\0\0\x01m\x03mem\x02\x01\x01\x02"].concat();
            let exports = [b"\x01", export, b"\0\0"].concat();
            for (kind, body) in [(2, imports), (7, exports)] {
                bytes.extend([kind, body.len() as u8]);
                bytes.extend(body);
            }
            bytes
        };
        let names: HashMap<String, String> = [("old".to_string(), "renamed".to_string())].into();
        let found = rename(&module(b"\x03old", b"\x03old"), &names);
        assert_eq!(found, Some(module(b"\x07renamed", b"\x07renamed")));
        assert_eq!(rename(&header[..12], &names), None);
    }
}
