//! Renames imports and exports of a wasm module.

use std::collections::HashMap;

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
    use super::{HashMap, rename};

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
