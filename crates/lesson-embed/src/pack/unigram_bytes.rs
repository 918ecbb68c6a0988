//! Reading and writing of a Unigram tokenizer, and of how its encoder is used.
//!
//! A piece is told by how many bytes it has in common with the one before, then by the others: sorted pieces take half the room. Its
//! score is a multiple, in two bytes, of a step that all scores share.

use super::bytes::{Reader, put_count, put_text};
use super::{UnigramSpec, Usage};
use crate::EmbedError;

/// Steps between 0 and the lowest score.
const STEPS: f32 = 65_535.0;

impl Usage {
    fn read(reader: &mut Reader<'_>, hidden: usize) -> Result<Self, EmbedError> {
        let query_prefix = reader.text()?;
        let passage_prefix = reader.text()?;
        let meaning_from = reader.f32()?;
        let meaning_to = reader.f32()?;
        let alike_from = reader.f32()?;
        let alike_to = reader.f32()?;
        let head_weight = reader.f32()?;
        let mean_share = reader.f32()?;
        let language_share = reader.f32()?;
        let mut mean = || {
            (0..reader.count(4)?)
                .map(|_| reader.f32())
                .collect::<Result<Vec<_>, EmbedError>>()
        };
        let usage = Self {
            query_prefix,
            passage_prefix,
            meaning_from,
            meaning_to,
            alike_from,
            alike_to,
            head_weight,
            query_means: mean()?,
            passage_mean: mean()?,
            mean_share,
            language_share,
        };
        usage.check(hidden)?;
        Ok(usage)
    }

    /// Refuses constants that order no cosines, and means that are no vectors of `hidden` numbers.
    pub(super) fn check(&self, hidden: usize) -> Result<(), EmbedError> {
        for (field, from, to) in [
            ("meaning", self.meaning_from, self.meaning_to),
            ("alike", self.alike_from, self.alike_to),
        ] {
            if !((-1.0..1.0).contains(&from) && from < to && to <= 1.0) {
                let reason = format!("{from} to {to}; must rise within -1 to 1");
                return Err(EmbedError::field(field, reason));
            }
        }
        for (field, share) in [
            ("mean share", self.mean_share),
            ("language share", self.language_share),
            ("head weight", self.head_weight),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(EmbedError::field(field, format!("{share}; must be 0 to 1")));
            }
        }
        for (field, mean, rows) in [
            (
                "query means",
                &self.query_means,
                self.query_means.len() / hidden,
            ),
            ("passage mean", &self.passage_mean, 1),
        ] {
            if !mean.is_empty() && mean.len() != hidden * rows.max(1) {
                return Err(EmbedError::WrongDims {
                    field,
                    expected: (hidden * rows.max(1)) as u64,
                    found: mean.len() as u64,
                });
            }
            if let Some(v) = mean.iter().find(|v| !v.is_finite()) {
                return Err(EmbedError::field(field, format!("{v} is not finite")));
            }
        }
        Ok(())
    }
}

impl UnigramSpec {
    pub(super) fn read(bytes: &[u8], hidden: usize) -> Result<(Usage, Self), EmbedError> {
        let mut reader = Reader::new(bytes, "tokenizer");
        let usage = Usage::read(&mut reader, hidden)?;
        let [begin, end, unknown] = [reader.u32()?, reader.u32()?, reader.u32()?];
        let step = reader.f32()?;
        if !(step.is_finite() && step >= 0.0) {
            let reason = format!("{step}; must be 0 or more");
            return Err(EmbedError::field("score step", reason));
        }
        let mut last: Vec<u8> = Vec::new();
        let pieces = (0..reader.count(4)?)
            .map(|_| {
                let common = usize::from(reader.u8()?);
                if common > last.len() {
                    let reason =
                        format!("a piece has {common} bytes of one that has {}", last.len());
                    return Err(EmbedError::field("tokenizer", reason));
                }
                last.truncate(common);
                let rest = reader.u8()?;
                last.extend(reader.take(usize::from(rest))?);
                let piece = std::str::from_utf8(&last)
                    .map_err(|_| EmbedError::field("tokenizer", "holds text that is not UTF-8"))?;
                let steps = f32::from(reader.u16()?);
                Ok((piece.to_owned(), -(steps * step)))
            })
            .collect::<Result<Vec<_>, EmbedError>>()?;
        let replaced = (0..reader.count(5)?)
            .map(|_| {
                let c = char::from_u32(reader.u32()?)
                    .ok_or_else(|| EmbedError::field("tokenizer", "replaces no character"))?;
                Ok((c, reader.text()?))
            })
            .collect::<Result<_, EmbedError>>()?;
        reader.ends()?;
        let spec = Self {
            pieces,
            replaced,
            begin,
            end,
            unknown,
        };
        Ok((usage, spec))
    }

    pub(super) fn write(&self, usage: &Usage) -> Result<Vec<u8>, EmbedError> {
        let mut out = Vec::new();
        put_text(&mut out, &usage.query_prefix)?;
        put_text(&mut out, &usage.passage_prefix)?;
        for number in [
            usage.meaning_from,
            usage.meaning_to,
            usage.alike_from,
            usage.alike_to,
            usage.head_weight,
            usage.mean_share,
            usage.language_share,
        ] {
            out.extend(number.to_le_bytes());
        }
        for mean in [&usage.query_means, &usage.passage_mean] {
            put_count(&mut out, mean.len())?;
            out.extend(mean.iter().flat_map(|v| v.to_le_bytes()));
        }
        for id in [self.begin, self.end, self.unknown] {
            out.extend(id.to_le_bytes());
        }
        if let Some((piece, score)) = self
            .pieces
            .iter()
            .find(|(_, score)| !(score.is_finite() && *score <= 0.0))
        {
            let reason = format!("the score of {piece:?} is {score}; must be 0 or less");
            return Err(EmbedError::field("tokenizer", reason));
        }
        let lowest = self.pieces.iter().fold(0.0, |low: f32, (_, s)| low.min(*s));
        let step = -lowest / STEPS;
        out.extend(step.to_le_bytes());
        put_count(&mut out, self.pieces.len())?;
        let mut last: &[u8] = &[];
        for (piece, score) in &self.pieces {
            let bytes = piece.as_bytes();
            let common = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            let common = common.min(usize::from(u8::MAX));
            let rest = bytes.len() - common;
            let rest = u8::try_from(rest).map_err(|_| {
                EmbedError::field("tokenizer", format!("{piece:?} is longer than 255 bytes"))
            })?;
            // `common` was cut to a byte.
            out.extend([common as u8, rest]);
            out.extend(&bytes[common..]);
            let steps = if step > 0.0 { -score / step } else { 0.0 };
            // Within the steps, as none is lower than the lowest.
            out.extend((steps.round_ties_even().min(STEPS) as u16).to_le_bytes());
            last = bytes;
        }
        put_count(&mut out, self.replaced.len())?;
        for (c, by) in &self.replaced {
            out.extend(u32::from(*c).to_le_bytes());
            put_text(&mut out, by)?;
        }
        Ok(out)
    }
}
