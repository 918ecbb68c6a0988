//! Two texts compared word by word, for showing them side by side.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The words, with the blanks between them.
    pub text: String,
    /// True if the other text has something else here.
    pub differs: bool,
}

/// The pieces of both texts; those of one, put together, are the text. Takes as many steps as words times words that
/// differ, by Myers' algorithm.
pub fn compare(left: &str, right: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (left, right) = (words(left), words(right));
    let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
    for op in capture_diff_slices(Algorithm::Myers, &left, &right) {
        let differs = !matches!(op, DiffOp::Equal { .. });
        for (pieces, words) in [
            (&mut of_left, &left[op.old_range()]),
            (&mut of_right, &right[op.new_range()]),
        ] {
            if !words.is_empty() {
                pieces.push(Piece {
                    text: words.concat(),
                    differs,
                });
            }
        }
    }
    (joined(of_left), joined(of_right))
}

/// The role of a part in a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Both texts have it.
    Same,
    /// A long stretch that both have.
    Long,
    /// Only the text before has it.
    Gone,
    /// Only the text after has it.
    New,
}

/// Words of an unchanged stretch that stay in sight on each side of a change.
const AROUND: usize = 24;

/// The two texts as one: what both have, with what went and what came in its place. Unchanged stretches but their ends are
/// long ones, to be folded away. Takes as many steps as [`compare`].
pub fn unified(before: &str, after: &str) -> Vec<(Kind, String)> {
    let (old, new) = (words(before), words(after));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let last = ops.len().saturating_sub(1);
    let mut parts: Vec<(Kind, String)> = Vec::new();
    let mut push = |kind: Kind, words: &[&str]| {
        if !words.is_empty() {
            parts.push((kind, words.concat()));
        }
    };
    for (at, op) in ops.iter().enumerate() {
        let (was, is) = (&old[op.old_range()], &new[op.new_range()]);
        if !matches!(op, DiffOp::Equal { .. }) {
            push(Kind::Gone, was);
            push(Kind::New, is);
            continue;
        }
        // Nothing has to be seen before the first change, nor after the last.
        let head = if at == 0 { 0 } else { AROUND };
        let tail = if at == last { 0 } else { AROUND };
        if is.len() <= head + tail + AROUND {
            push(Kind::Same, is);
        } else {
            push(Kind::Same, &is[..head]);
            push(Kind::Long, &is[head..is.len() - tail]);
            push(Kind::Same, &is[is.len() - tail..]);
        }
    }
    parts
}

/// Counts the words of a text, without blanks and signs.
pub fn word_count(text: &str) -> usize {
    let words = words(text).into_iter();
    words
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count()
}

/// Both changes of one text in one, where they don't touch the same words; else `None`. Takes as many steps as two
/// comparisons.
pub fn merge(base: &str, mine: &str, theirs: &str) -> Option<String> {
    let (base, mine, theirs) = (words(base), words(mine), words(theirs));
    let mut changes: Vec<(Range<usize>, &[&str])> = Vec::new();
    for side in [&mine, &theirs] {
        for op in capture_diff_slices(Algorithm::Myers, &base, side) {
            if !matches!(op, DiffOp::Equal { .. }) {
                changes.push((op.old_range(), &side[op.new_range()]));
            }
        }
    }
    changes.sort_by_key(|(old, _)| (old.start, old.end));
    // The same change on both sides is one.
    changes.dedup();
    let (mut merged, mut done) = (String::new(), 0);
    let mut before = None::<Range<usize>>;
    for (old, new) in changes {
        let apart = before.as_ref().is_none_or(|before| {
            old.start > before.end
                || (old.start == before.end && !old.is_empty() && !before.is_empty())
        });
        if !apart {
            return None;
        }
        merged.push_str(&base[done..old.start].concat());
        merged.push_str(&new.concat());
        done = old.end;
        before = Some(old);
    }
    merged.push_str(&base[done..].concat());
    Some(merged)
}

/// Neighbours of one kind as one: what the other text has between them is not shown here.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.differs == piece.differs => last.text.push_str(&piece.text),
            _ => joined.push(piece),
        }
    }
    joined
}

/// Words, runs of blanks, and everything else on its own.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = Class::of(first);
        let end = match class {
            Class::Single => first.len_utf8(),
            _ => rest.find(|c| Class::of(c) != class).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

/// Role of a character in splitting a text into words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Letter,
    Single,
}

impl Class {
    /// Scripts from here on are mostly written without blanks.
    const IDEOGRAPHS: char = '\u{2e80}';

    fn of(c: char) -> Self {
        if c.is_whitespace() {
            Self::Blank
        } else if c.is_alphanumeric() && c < Self::IDEOGRAPHS {
            Self::Letter
        } else {
            Self::Single
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_change_is_one_text_and_long_stretches_are_folded() {
        let told = |before: &str, after: &str| -> String {
            let parts = unified(before, after).into_iter();
            parts
                .map(|(kind, text)| match kind {
                    Kind::Same => text,
                    Kind::Long => format!("<{}>", word_count(&text)),
                    Kind::Gone => format!("-{text}-"),
                    Kind::New => format!("+{text}+"),
                })
                .collect()
        };
        assert_eq!(
            told("use npm here", "use pnpm here"),
            "use -npm-+pnpm+ here"
        );
        assert_eq!(told("", "new"), "+new+");
        assert_eq!(told("old", ""), "-old-");
        let long = "word ".repeat(60);
        assert_eq!(
            told(&format!("{long}a"), &format!("{long}b")),
            format!("<48>{}-a-+b+", "word ".repeat(12))
        );
        let parts = unified(&format!("a {long}b"), &format!("c {long}d"));
        let after: String = parts
            .into_iter()
            .filter(|(kind, _)| *kind != Kind::Gone)
            .map(|(_, text)| text)
            .collect();
        assert_eq!(after, format!("c {long}d"));
    }

    /// Differing pieces in brackets.
    fn shown(pieces: &[Piece]) -> String {
        pieces
            .iter()
            .map(|piece| {
                if piece.differs {
                    format!("[{}]", piece.text)
                } else {
                    piece.text.clone()
                }
            })
            .collect()
    }

    #[test]
    fn words_that_differ_are_marked() {
        for (left, right, left_shown, right_shown) in [
            ("", "", "", ""),
            ("same words", "same words", "same words", "same words"),
            ("", "new", "", "[new]"),
            ("a b c", "a x c", "a [b] c", "a [x] c"),
            ("a a", "a", "a[ a]", "a"),
            ("one, two", "one.", "one[, two]", "one[.]"),
            (
                "\u{4e00}\u{4e8c}\u{4e09}",
                "\u{4e00}\u{4e09}",
                "\u{4e00}[\u{4e8c}]\u{4e09}",
                "\u{4e00}\u{4e09}",
            ),
            (
                "use pnpm",
                "always use pnpm 9",
                "use pnpm",
                "[always ]use pnpm[ 9]",
            ),
            (
                "Überzug ✅ ok",
                "Überzug ❌ ok",
                "Überzug [✅] ok",
                "Überzug [❌] ok",
            ),
        ] {
            let (a, b) = compare(left, right);
            assert_eq!(
                (shown(&a), shown(&b)),
                (left_shown.to_owned(), right_shown.to_owned())
            );
        }
    }

    #[test]
    fn changes_of_both_sides_come_together_where_they_are_apart() {
        let base = "Use pnpm, and pin its version.";
        for (mine, theirs, merged) in [
            (base, base, Some(base)),
            (
                "Always use pnpm, and pin its version.",
                base,
                Some("Always use pnpm, and pin its version."),
            ),
            (
                "Use npm, and pin its version.",
                "Use pnpm, and pin its exact version.",
                Some("Use npm, and pin its exact version."),
            ),
            (
                "Use npm, and pin its version.",
                "Use yarn, and pin its version.",
                None,
            ),
            (
                "Use npm, and pin its version.",
                "Use npm, and pin its version.",
                Some("Use npm, and pin its version."),
            ),
            (
                "Use pnpm, and pin its version. One.",
                "Use pnpm, and pin its version. Two.",
                None,
            ),
            ("", "Use pnpm, and pin it.", None),
        ] {
            assert_eq!(
                merge(base, mine, theirs).as_deref(),
                merged,
                "{mine} | {theirs}"
            );
        }
        assert_eq!(merge("", "a", "b"), None);
    }

    #[test]
    fn very_long_texts_keep_their_common_ends() {
        let long = |word: &str| format!("start {} end", format!("{word} ").repeat(2_000));
        let (a, b) = compare(&long("one"), &long("two"));
        for pieces in [&a, &b] {
            let [Some(first), Some(last)] = [pieces.first(), pieces.last()] else {
                panic!("both have pieces");
            };
            assert_eq!((first.text.as_str(), first.differs), ("start ", false));
            assert_eq!((last.text.as_str(), last.differs), ("  end", false));
        }
        let text: String = a.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(text, long("one"));
    }
}
