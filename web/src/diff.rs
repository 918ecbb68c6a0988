//! Two texts compared word by word, for showing them side by side.

/// Texts that differ in more pairs of words than this are marked as a whole; the table would take megabytes.
const MOST_PAIRS: usize = 1_000_000;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The words, with the blanks between them.
    pub text: String,
    /// Whether the other text has something else here.
    pub differs: bool,
}

/// The pieces of both texts; those of one, put together, are the text. Takes as many steps as the words that differ in
/// one text times those in the other, at most a million.
pub fn compare(left: &str, right: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (left, right) = (words(left), words(right));
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = left.iter().zip(&right).take_while(same).count();
    let tail = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take(left.len().min(right.len()) - head)
        .take_while(same)
        .count();
    let middle = |words: &[&str]| head..words.len() - tail;
    let (in_left, in_right) = (middle(&left), middle(&right));
    let mut common_left = vec![false; left.len()];
    let mut common_right = vec![false; right.len()];
    common_left[..head].fill(true);
    common_right[..head].fill(true);
    common_left[in_left.end..].fill(true);
    common_right[in_right.end..].fill(true);
    for (i, j) in common(&left[in_left], &right[in_right]) {
        common_left[head + i] = true;
        common_right[head + j] = true;
    }
    (pieces(&left, &common_left), pieces(&right, &common_right))
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

/// What a character does to the words around it.
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

/// The places of a longest common subsequence; none for texts that are too long.
fn common(left: &[&str], right: &[&str]) -> Vec<(usize, usize)> {
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return Vec::new();
    }
    // longest[i][j]: how many words the rests from i and j have in common.
    let mut longest = vec![vec![0_u32; right.len() + 1]; left.len() + 1];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            longest[i][j] = if left[i] == right[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            found.push((i, j));
            i += 1;
            j += 1;
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

fn pieces(words: &[&str], common: &[bool]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (word, common) in words.iter().zip(common) {
        match pieces.last_mut() {
            Some(last) if last.differs != *common => last.text.push_str(word),
            _ => pieces.push(Piece {
                text: (*word).to_owned(),
                differs: !common,
            }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn very_long_texts_keep_their_common_ends() {
        let long = |word: &str| format!("start {} end", format!("{word} ").repeat(2_000));
        let (a, b) = compare(&long("one"), &long("two"));
        for pieces in [&a, &b] {
            let marked: Vec<bool> = pieces.iter().map(|piece| piece.differs).collect();
            assert_eq!(marked, [false, true, false]);
        }
        let text: String = a.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(text, long("one"));
    }
}
