//! A zip archive of stored (uncompressed) text files. Layout: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.16.

use lesson_types::{ApiError, ErrorCode, ExportFiles};
use wasm_bindgen::prelude::*;

/// The date field for 1980-01-01, the format's first day: an export carries no clock.
const EPOCH: u16 = 0x21;
/// Names are UTF-8 (general purpose bit 11).
const UTF8: u16 = 0x0800;
/// Needed to extract: version 2.0.
const VERSION: u16 = 20;

/// An export's `{files: [{path, content}]}` as a zip archive, nothing compressed.
///
/// # Errors
/// Throws an `EngineError` past the classic format's bounds, 65,535 files or 4 GiB, and for another shape.
#[wasm_bindgen]
pub fn zip_files(
    #[wasm_bindgen(unchecked_param_type = "ExportFiles")] files: JsValue,
) -> Result<Vec<u8>, JsValue> {
    let read: Result<ExportFiles, _> = serde_wasm_bindgen::from_value(files);
    let files = read.map_err(|error| {
        let message = format!("no export of files ({error}); send {{files: [{{path, content}}]}}");
        crate::convert::thrown(&ApiError::invalid("files", message))
    })?;
    let parts = files.files.iter();
    let parts = parts.map(|file| (file.path.as_str(), file.content.as_bytes()));
    store(parts).map_err(|TooLarge| {
        crate::convert::thrown(&ApiError::new(
            ErrorCode::TooLarge,
            "Too many lessons for a zip archive. Export as JSONL instead.",
        ))
    })
}

/// Packs files into an archive. Fails past the classic format's bounds: 65,535 files or 4 GiB.
fn store<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Vec<u8>, TooLarge> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    let mut entries: u16 = 0;
    for (name, data) in files {
        entries = entries.checked_add(1).ok_or(TooLarge)?;
        let offset = u32::try_from(out.len()).map_err(|_| TooLarge)?;
        let size = u32::try_from(data.len()).map_err(|_| TooLarge)?;
        let name_len = u16::try_from(name.len()).map_err(|_| TooLarge)?;
        let mut shared = Vec::with_capacity(26);
        for half in [VERSION, UTF8, 0, 0, EPOCH] {
            shared.extend(half.to_le_bytes());
        }
        for word in [crc32(data), size, size] {
            shared.extend(word.to_le_bytes());
        }
        shared.extend(name_len.to_le_bytes());
        shared.extend([0; 2]);

        out.extend(*b"PK\x03\x04");
        out.extend(&shared);
        out.extend(name.as_bytes());
        out.extend(data);

        directory.extend(*b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&shared);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = u32::try_from(out.len()).map_err(|_| TooLarge)?;
    let size = u32::try_from(directory.len()).map_err(|_| TooLarge)?;
    out.extend(directory);
    out.extend(*b"PK\x05\x06\0\0\0\0");
    out.extend(entries.to_le_bytes());
    out.extend(entries.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    Ok(out)
}

/// The archive would leave the format's bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TooLarge;

/// CRC-32 as in IEEE 802.3, bit by bit over a table of 16.
fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 16] = table();
    let mut crc = !0_u32;
    for byte in data {
        crc ^= u32::from(*byte);
        crc = TABLE[(crc & 15) as usize] ^ (crc >> 4);
        crc = TABLE[(crc & 15) as usize] ^ (crc >> 4);
    }
    !crc
}

const fn table() -> [u32; 16] {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 4 {
            value = if value & 1 == 1 {
                0xEDB8_8320 ^ (value >> 1)
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn an_archive_has_its_parts_in_place() {
        let zip =
            store([("a.md", b"alpha".as_slice()), ("b/c.md", b"".as_slice())]).expect("small");
        assert!(zip.starts_with(b"PK\x03\x04"));
        assert_eq!(
            zip.len(),
            (30 + 4 + 5) + (30 + 6) + (46 + 4) + (46 + 6) + 22
        );
        let end = &zip[zip.len() - 22..];
        assert!(end.starts_with(b"PK\x05\x06"));
        assert_eq!(u16::from_le_bytes([end[10], end[11]]), 2);
        let directory = u32::from_le_bytes([end[16], end[17], end[18], end[19]]) as usize;
        assert!(zip[directory..].starts_with(b"PK\x01\x02"));
    }
}
