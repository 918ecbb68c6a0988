//! Reading and writing of the variable part of a pack: lengths, strings, flags.

use super::WordPieceSpec;
use crate::EmbedError;

/// Reads little-endian values and names what was missing.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    field: &'static str,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], field: &'static str) -> Self {
        Self { bytes, field }
    }

    pub fn take(&mut self, len: usize) -> Result<&'a [u8], EmbedError> {
        let (head, rest) = self
            .bytes
            .split_at_checked(len)
            .ok_or_else(|| EmbedError::field(self.field, "ends early"))?;
        self.bytes = rest;
        Ok(head)
    }

    pub fn u8(&mut self) -> Result<u8, EmbedError> {
        Ok(self.take(1)?[0])
    }

    pub fn u32(&mut self) -> Result<u32, EmbedError> {
        let mut word = [0; 4];
        word.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(word))
    }

    pub fn u16(&mut self) -> Result<u16, EmbedError> {
        Ok(u16::from_le_bytes([self.u8()?, self.u8()?]))
    }

    pub fn f32(&mut self) -> Result<f32, EmbedError> {
        self.u32().map(f32::from_bits)
    }

    /// A string of at most 255 bytes.
    pub fn text(&mut self) -> Result<String, EmbedError> {
        let len = self.u8()?;
        let bytes = self.take(usize::from(len))?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(EmbedError::field(
                self.field,
                "holds text that is not UTF-8",
            )),
        }
    }

    /// A count of items that take at least `size` bytes each, so that no count makes us allocate more than
    /// the pack is long.
    pub fn count(&mut self, size: usize) -> Result<usize, EmbedError> {
        let count = self.u32()? as usize;
        if count > self.bytes.len() / size {
            return Err(EmbedError::field(
                self.field,
                format!("{count} items do not fit"),
            ));
        }
        Ok(count)
    }

    /// Refuses what is left.
    pub fn ends(&self) -> Result<(), EmbedError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let reason = "is followed by bytes that belong to nothing";
        Err(EmbedError::field(self.field, reason))
    }
}

const CLEAN: u8 = 1;
const CHINESE: u8 = 2;
const LOWERCASE: u8 = 4;
const STRIP_SAID: u8 = 8;
const STRIP: u8 = 16;

impl WordPieceSpec {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, EmbedError> {
        let mut reader = Reader::new(bytes, "tokenizer");
        let flags = reader.u8()?;
        let max_word_chars = reader.u32()?;
        let cls = reader.u32()?;
        let sep = reader.u32()?;
        let unknown = reader.text()?;
        let prefix = reader.text()?;
        let special = (0..reader.count(5)?)
            .map(|_| {
                let id = reader.u32()?;
                Ok((reader.text()?, id))
            })
            .collect::<Result<_, EmbedError>>()?;
        let vocab = (0..reader.count(1)?)
            .map(|_| reader.text())
            .collect::<Result<_, EmbedError>>()?;
        reader.ends()?;
        Ok(Self {
            clean_text: flags & CLEAN != 0,
            handle_chinese_chars: flags & CHINESE != 0,
            strip_accents: (flags & STRIP_SAID != 0).then_some(flags & STRIP != 0),
            lowercase: flags & LOWERCASE != 0,
            unknown,
            prefix,
            max_word_chars,
            cls,
            sep,
            special,
            vocab,
        })
    }

    pub(crate) fn write(&self) -> Result<Vec<u8>, EmbedError> {
        let mut out = Vec::new();
        let mut flags = 0;
        for (on, bit) in [
            (self.clean_text, CLEAN),
            (self.handle_chinese_chars, CHINESE),
            (self.lowercase, LOWERCASE),
            (self.strip_accents.is_some(), STRIP_SAID),
            (self.strip_accents == Some(true), STRIP),
        ] {
            if on {
                flags |= bit;
            }
        }
        out.push(flags);
        for word in [self.max_word_chars, self.cls, self.sep] {
            out.extend(word.to_le_bytes());
        }
        put_text(&mut out, &self.unknown)?;
        put_text(&mut out, &self.prefix)?;
        put_count(&mut out, self.special.len())?;
        for (text, id) in &self.special {
            out.extend(id.to_le_bytes());
            put_text(&mut out, text)?;
        }
        put_count(&mut out, self.vocab.len())?;
        for piece in &self.vocab {
            put_text(&mut out, piece)?;
        }
        Ok(out)
    }
}

pub(super) fn put_count(out: &mut Vec<u8>, count: usize) -> Result<(), EmbedError> {
    let count = u32::try_from(count)
        .map_err(|_| EmbedError::field("tokenizer", "has more than 2³² items"))?;
    out.extend(count.to_le_bytes());
    Ok(())
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) -> Result<(), EmbedError> {
    let len = u8::try_from(text.len()).map_err(|_| {
        EmbedError::field("tokenizer", format!("{text:?} is longer than 255 bytes"))
    })?;
    out.push(len);
    out.extend(text.as_bytes());
    Ok(())
}
