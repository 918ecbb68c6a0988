//! Text to piece ids by a Unigram model, in bounded time and memory: what is cut off is never looked at.

use std::collections::HashMap;

use crate::pack::UnigramSpec;
use crate::pieces::{Hash, Pieces};
use crate::tokenizer::MAX_TEXT_BYTES;

/// Stands for the space before a word.
const SPACE: char = '▁';
/// Of a word without end as many characters are cut at a time; real words are shorter, and a cut at such a place costs a piece.
const WORD_CHARS: usize = 1024;
/// Amount by which a character that no piece has counts less than the rarest piece; SentencePiece's value.
const UNKNOWN_PENALTY: f32 = 10.0;

/// A Unigram tokenizer.
#[derive(Debug)]
pub(crate) struct Unigram {
    pieces: Pieces,
    replaced: HashMap<char, Box<str>>,
    begin: u32,
    end: u32,
    unknown: u32,
    unknown_score: f32,
    /// Longest piece in bytes.
    longest: usize,
    /// Longest answer, both marks included.
    max_ids: usize,
}

impl Unigram {
    /// Builds the map of pieces.
    pub fn new(spec: UnigramSpec, max_ids: usize) -> Self {
        let marks = [spec.begin, spec.end, spec.unknown];
        let scores = spec.pieces.iter().map(|(_, score)| *score);
        let rarest = scores.fold(0.0, f32::min);
        let longest = spec.pieces.iter().map(|(piece, _)| piece.len()).max();
        Self {
            // A text that holds `<s>` does not begin there.
            pieces: Pieces::new(spec.pieces, |id| !marks.contains(&id)),
            replaced: spec
                .replaced
                .into_iter()
                .map(|(c, by)| (c, by.into()))
                .collect(),
            begin: spec.begin,
            end: spec.end,
            unknown: spec.unknown,
            unknown_score: rarest - UNKNOWN_PENALTY,
            longest: longest.unwrap_or(0),
            max_ids,
        }
    }

    /// Ids of the text after its prefix, cut to the longest answer, with the marks at both ends.
    pub fn ids(&self, prefix: &str, text: &str) -> Vec<u32> {
        let room = self.max_ids - 1;
        let mut ids = vec![self.begin];
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let mut word = String::new();
        let mut chars = 0;
        for c in prefix.chars().chain(text.chars()) {
            let same = c.encode_utf8(&mut [0; 4]).to_owned();
            let written = self.replaced.get(&c).map_or(same.as_str(), |by| by);
            for c in written.chars() {
                if c == ' ' || chars == WORD_CHARS {
                    self.push_pieces(&word, &mut ids);
                    word.clear();
                    chars = 0;
                }
                if ids.len() > room {
                    break;
                }
                if c != ' ' {
                    if chars == 0 {
                        word.push(SPACE);
                    }
                    word.push(c);
                    chars += 1;
                }
            }
        }
        self.push_pieces(&word, &mut ids);
        ids.truncate(room);
        ids.push(self.end);
        ids
    }

    /// The pieces of a word with the greatest sum of scores, of equals the one that came first.
    fn push_pieces(&self, word: &str, ids: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        // For each place in bytes: the best score up to it, its last piece, and where that begins.
        let mut best = vec![(f32::NEG_INFINITY, self.unknown, 0); word.len() + 1];
        best[0].0 = 0.0;
        for (start, c) in word.char_indices() {
            let (before, _, _) = best[start];
            let mut reach = |end: usize, score: f32, id: u32| {
                if before + score > best[end].0 {
                    best[end] = (before + score, id, start);
                }
            };
            let rest = &word[start..];
            let mut hash = Hash::default();
            for (at, c) in rest.char_indices() {
                let len = at + c.len_utf8();
                if len > self.longest {
                    break;
                }
                hash.add(&rest.as_bytes()[at..len]);
                if let Some((id, score)) = self.pieces.get(&rest[..len], hash) {
                    reach(start + len, score, id);
                }
            }
            reach(start + c.len_utf8(), self.unknown_score, self.unknown);
        }
        let from = ids.len();
        let mut end = word.len();
        while end > 0 {
            let (_, id, start) = best[end];
            ids.push(id);
            end = start;
        }
        ids[from..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unigram(max_ids: usize) -> Unigram {
        let pieces = [
            "<s>", "</s>", "<unk>", "▁", "▁ab", "a", "b", "c", "▁a", "bc", "abc",
        ];
        let scores = [
            0.0, 0.0, 0.0, -3.0, -2.0, -4.0, -4.0, -4.0, -2.5, -2.0, -3.0,
        ];
        let spec = UnigramSpec {
            pieces: pieces.map(str::to_owned).into_iter().zip(scores).collect(),
            replaced: vec![
                ('\n', " ".to_owned()),
                ('Ａ', "a".to_owned()),
                ('\0', String::new()),
            ],
            begin: 0,
            end: 1,
            unknown: 2,
        };
        Unigram::new(spec, max_ids)
    }

    #[test]
    fn words_are_cut_into_the_likeliest_pieces() {
        let unigram = unigram(16);
        for (text, ids) in [
            ("", vec![]),
            ("  \n ", vec![]),
            ("ab", vec![4]),
            ("abc", vec![8, 9]),
            ("Ａb\nc", vec![4, 3, 7]),
            ("x<s>", vec![3, 2, 2, 2, 2]),
            ("a\0b", vec![4]),
        ] {
            let marked: Vec<u32> = [0].into_iter().chain(ids).chain([1]).collect();
            assert_eq!(unigram.ids("", text), marked, "{text:?}");
        }
        assert_eq!(unigram.ids("ab ", "c"), [0, 4, 3, 7, 1]);
    }

    #[test]
    fn long_texts_are_cut() {
        let unigram = unigram(16);
        for text in [
            "ab ".repeat(50_000),
            "ab".repeat(50_000),
            "🦀".repeat(50_000),
        ] {
            let ids = unigram.ids("", &text);
            assert_eq!((ids.len(), ids[0], ids[15]), (16, 0, 1));
        }
    }
}
