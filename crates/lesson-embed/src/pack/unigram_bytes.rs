//! Reading and writing of a Unigram tokenizer, and of how its encoder is used.

use super::bytes::{Reader, put_count, put_text};
use super::{UnigramSpec, Usage};
use crate::EmbedError;

impl Usage {
    fn read(reader: &mut Reader<'_>) -> Result<Self, EmbedError> {
        let query_prefix = reader.text()?;
        let passage_prefix = reader.text()?;
        let meaning_from = f32::from_bits(reader.u32()?);
        let meaning_to = f32::from_bits(reader.u32()?);
        let usage = Self {
            query_prefix,
            passage_prefix,
            meaning_from,
            meaning_to,
        };
        usage.check()?;
        Ok(usage)
    }

    /// Refuses constants that order no cosines.
    pub(crate) fn check(&self) -> Result<(), EmbedError> {
        let (from, to) = (self.meaning_from, self.meaning_to);
        if (-1.0..1.0).contains(&from) && from < to && to <= 1.0 {
            return Ok(());
        }
        let reason = format!("{from} to {to}; must rise within -1 to 1");
        Err(EmbedError::field("meaning", reason))
    }
}

impl UnigramSpec {
    pub(crate) fn read(bytes: &[u8]) -> Result<(Usage, Self), EmbedError> {
        let mut reader = Reader::new(bytes, "tokenizer");
        let usage = Usage::read(&mut reader)?;
        let [begin, end, unknown] = [reader.u32()?, reader.u32()?, reader.u32()?];
        let pieces = (0..reader.count(5)?)
            .map(|_| Ok((reader.text()?, f32::from_bits(reader.u32()?))))
            .collect::<Result<Vec<_>, EmbedError>>()?;
        let replaced = (0..reader.count(5)?)
            .map(|_| {
                let c = char::from_u32(reader.u32()?)
                    .ok_or_else(|| EmbedError::field("tokenizer", "replaces no character"))?;
                Ok((c, reader.text()?))
            })
            .collect::<Result<_, EmbedError>>()?;
        reader.ends()?;
        if let Some((piece, _)) = pieces.iter().find(|(_, score)| !score.is_finite()) {
            let reason = format!("the score of {piece:?} is not finite");
            return Err(EmbedError::field("tokenizer", reason));
        }
        let spec = Self {
            pieces,
            replaced,
            begin,
            end,
            unknown,
        };
        Ok((usage, spec))
    }

    pub(crate) fn write(&self, usage: &Usage) -> Result<Vec<u8>, EmbedError> {
        usage.check()?;
        let mut out = Vec::new();
        put_text(&mut out, &usage.query_prefix)?;
        put_text(&mut out, &usage.passage_prefix)?;
        for word in [usage.meaning_from.to_bits(), usage.meaning_to.to_bits()] {
            out.extend(word.to_le_bytes());
        }
        for id in [self.begin, self.end, self.unknown] {
            out.extend(id.to_le_bytes());
        }
        put_count(&mut out, self.pieces.len())?;
        for (piece, score) in &self.pieces {
            put_text(&mut out, piece)?;
            out.extend(score.to_bits().to_le_bytes());
        }
        put_count(&mut out, self.replaced.len())?;
        for (c, by) in &self.replaced {
            out.extend(u32::from(*c).to_le_bytes());
            put_text(&mut out, by)?;
        }
        Ok(out)
    }
}
