//! Text to word-piece ids with the `tokenizers` crate's BERT parts, in bounded time and memory.
//!
//! The parts are called directly and not through the crate's `Tokenizer`: that one links every model,
//! normaliser and a regex engine into the module, and tokenises a whole text before it cuts it.

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{
    Model as _, NormalizedString, Normalizer as _, OffsetReferential, OffsetType,
    PreTokenizedString, PreTokenizer as _,
};

use crate::EmbedError;
use crate::pack::WordPieceSpec;

/// Bytes of a text that are looked at. 256 pieces of real text lie in the first few thousand; only text
/// that makes almost no pieces (control characters, endless words) gets this far.
pub(crate) const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Bytes that are tokenised at a time, up to the next place where a cut changes nothing.
const CHUNK_BYTES: usize = 2048;

/// A BERT word-piece tokenizer.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    normalizer: BertNormalizer,
    model: WordPiece,
    special: Vec<(String, u32)>,
    cls: u32,
    sep: u32,
    /// Longest answer, both marks included.
    max_ids: usize,
    /// True if an ideograph always starts a word, so that a text may be cut before one.
    cut_at_ideographs: bool,
}

impl Tokenizer {
    /// Builds the vocabulary's hash map: the only part of loading that is not slicing.
    pub fn new(spec: WordPieceSpec, max_ids: usize) -> Result<Self, EmbedError> {
        let normalizer = BertNormalizer::new(
            spec.clean_text,
            spec.handle_chinese_chars,
            spec.strip_accents,
            spec.lowercase,
        );
        let vocab = spec.vocab.into_iter().zip(0u32..);
        let model = WordPiece::builder()
            .vocab(vocab.collect::<std::collections::HashMap<_, _, _>>())
            .unk_token(spec.unknown)
            .continuing_subword_prefix(spec.prefix)
            .max_input_chars_per_word(spec.max_word_chars as usize)
            .build()
            .map_err(refused)?;
        Ok(Self {
            normalizer,
            model,
            cut_at_ideographs: spec.handle_chinese_chars
                && spec.special.iter().all(|(text, _)| text.is_ascii()),
            special: spec.special,
            cls: spec.cls,
            sep: spec.sep,
            max_ids,
        })
    }

    /// Ids of the text, cut to the longest answer, with the marks at both ends.
    pub fn ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let room = self.max_ids - 2;
        let mut ids = vec![self.cls];
        let mut rest = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        while !rest.is_empty() && ids.len() <= room {
            let (chunk, tail) = rest.split_at(self.safe_cut(rest));
            self.push_pieces(chunk, room, &mut ids)?;
            rest = tail;
        }
        ids.truncate(room + 1);
        ids.push(self.sep);
        Ok(ids)
    }

    /// The first place past a chunk's length where a word surely ends.
    fn safe_cut(&self, text: &str) -> usize {
        let from = text.floor_char_boundary(CHUNK_BYTES);
        text[from..]
            .find(|c: char| {
                matches!(c, ' ' | '\t' | '\n' | '\r')
                    || self.cut_at_ideographs && ('\u{4e00}'..='\u{9fff}').contains(&c)
            })
            .map_or(text.len(), |at| from + at)
            .max(text.chars().next().map_or(0, char::len_utf8))
    }

    /// Ids of a chunk: special pieces first, the rest by normaliser, word splitter and vocabulary. Stops soon
    /// after `room` ids.
    fn push_pieces(
        &self,
        mut text: &str,
        room: usize,
        ids: &mut Vec<u32>,
    ) -> Result<(), EmbedError> {
        while !text.is_empty() && ids.len() <= room {
            let (at, len, id) = self.next_special(text);
            self.push_words(&text[..at], ids)?;
            ids.extend(id);
            text = &text[at + len..];
        }
        Ok(())
    }

    /// Where the first special piece lies, the longest if several begin there; the end if there is none.
    fn next_special(&self, text: &str) -> (usize, usize, Option<u32>) {
        self.special
            .iter()
            .filter_map(|(piece, id)| Some((text.find(piece)?, piece.len(), Some(*id))))
            .min_by_key(|(at, len, _)| (*at, usize::MAX - len))
            .unwrap_or((text.len(), 0, None))
    }

    fn push_words(&self, text: &str, ids: &mut Vec<u32>) -> Result<(), EmbedError> {
        if text.is_empty() {
            return Ok(());
        }
        let mut normalized = NormalizedString::from(text);
        self.normalizer
            .normalize(&mut normalized)
            .map_err(refused)?;
        let mut words = PreTokenizedString::from(normalized);
        BertPreTokenizer.pre_tokenize(&mut words).map_err(refused)?;
        for (word, _, _) in words.get_splits(OffsetReferential::Normalized, OffsetType::None) {
            let pieces = self.model.tokenize(word).map_err(refused)?;
            ids.extend(pieces.iter().map(|piece| piece.id));
        }
        Ok(())
    }
}

fn refused(error: tokenizers::Error) -> EmbedError {
    EmbedError::Tokenizer(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer(max_ids: usize) -> Tokenizer {
        let vocab = [
            "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "你", ",", "[", "]", "e",
        ];
        let spec = WordPieceSpec {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
            unknown: "[UNK]".into(),
            prefix: "##".into(),
            max_word_chars: 100,
            cls: 2,
            sep: 3,
            special: vec![("[CLS]".into(), 2), ("[MASK]".into(), 4)],
            vocab: vocab.map(String::from).to_vec(),
        };
        Tokenizer::new(spec, max_ids).expect("the vocabulary is sound")
    }

    fn check(text: &str, expected: &[u32]) {
        let ids = tokenizer(256).ids(text).expect("every text has ids");
        let (first, rest) = ids.split_first().expect("marks");
        let (last, middle) = rest.split_last().expect("marks");
        assert_eq!((*first, middle, *last), (2, expected, 3), "{text:?}");
    }

    #[test]
    fn small_texts() {
        check("", &[]);
        check(" \t\r\n", &[]);
        check("\u{0}\u{1}\u{200d}\u{fffd}", &[]);
        check("ab A,a", &[5, 6, 5, 8, 5]);
        check("é É", &[11, 11]);
        check("你你a", &[7, 7, 5]);
        check("🙂", &[1]);
        check("a[MASK]a", &[5, 4, 5]);
        check("[mask]", &[9, 1, 10]);
        check("[[MASK]", &[9, 4]);
        check(&"a".repeat(101), &[1]);
    }

    #[test]
    fn huge_texts_are_cut() {
        let tokenizer = tokenizer(256);
        for text in [
            "a ".repeat(1 << 19),
            "你".repeat(1 << 19),
            "a,".repeat(1 << 19),
            "[MASK]".repeat(1 << 17),
        ] {
            let ids = tokenizer.ids(&text).expect("every text has ids");
            assert_eq!(ids.len(), 256);
            assert_eq!((ids[0], ids[255]), (2, 3));
        }
        for text in [
            "a".repeat(1 << 20),
            "\u{1}".repeat(1 << 20),
            " ".repeat(1 << 20),
            "é".repeat(1 << 20),
        ] {
            let ids = tokenizer.ids(&text).expect("every text has ids");
            assert!(ids.len() <= 3, "{} ids", ids.len());
        }
    }

    #[test]
    fn chunks_give_the_same_ids_as_the_whole() {
        let words = ["ab", "你a", "[MASK]", "e\u{301}", "a,b", "\u{1}", "zz"];
        let mut text = String::new();
        for i in 0..4000usize {
            text.push_str(words[(i * i + i / 3) % words.len()]);
            if i % 3 == 0 {
                text.push([' ', '\n', '\t'][i % 2 + i % 7 / 6]);
            }
        }
        let long = tokenizer(1 << 20);
        let mut whole = vec![2];
        long.push_pieces(&text, usize::MAX, &mut whole)
            .expect("every text has ids");
        whole.push(3);
        assert_eq!(long.ids(&text).expect("every text has ids"), whole);
    }
}
