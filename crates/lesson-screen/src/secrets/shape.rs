//! Shapes of tokens: how one is read from its line in the table, and found in a text.

use super::look;
use super::rules::RULES;
use super::span::{Span, boundary_after, boundary_before};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Bytes that a run is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Alnum,
    Upper,
    Lower,
    Hex,
    Digit,
    Dashed,
    Base64,
    Signs,
    Path,
}

impl Class {
    fn of(letter: u8) -> Option<Self> {
        Some(match letter {
            b'a' => Self::Alnum,
            b'u' => Self::Upper,
            b'l' => Self::Lower,
            b'h' => Self::Hex,
            b'd' => Self::Digit,
            b'w' => Self::Dashed,
            b'b' => Self::Base64,
            b's' => Self::Signs,
            b'p' => Self::Path,
            _ => return None,
        })
    }

    pub(super) fn allows(self, b: u8) -> bool {
        match self {
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Lower => b.is_ascii_lowercase() || b.is_ascii_digit(),
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Digit => b.is_ascii_digit(),
            Self::Dashed => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
            Self::Base64 => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
            Self::Signs => {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=' | b'%')
            }
            Self::Path => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'='),
        }
    }
}

/// The longest run that is looked at before a shape is found, so that the cost stays linear.
const LONGEST: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Literal(&'static str),
    Run {
        class: Class,
        least: usize,
        most: Option<usize>,
        random: bool,
    },
}

/// A shape around its longest literal, which the text is searched for.
struct Shape {
    before: Vec<Part>,
    anchor: &'static str,
    after: Vec<Part>,
    label: &'static str,
}

struct Shapes {
    finder: AhoCorasick,
    /// The shapes of each pattern of the finder.
    of_anchor: Vec<Vec<Shape>>,
}

static SHAPES: LazyLock<Option<Shapes>> = LazyLock::new(|| {
    let mut by_anchor: BTreeMap<&'static str, Vec<Shape>> = BTreeMap::new();
    for rule in RULES {
        for shape in rule.shapes.iter().filter_map(|line| read(line, rule.label)) {
            by_anchor.entry(shape.anchor).or_default().push(shape);
        }
    }
    let finder = AhoCorasick::builder()
        // Every anchor counts: one may be the beginning of another.
        .match_kind(MatchKind::Standard)
        .build(by_anchor.keys())
        .ok()?;
    Some(Shapes {
        finder,
        of_anchor: by_anchor.into_values().collect(),
    })
});

/// A shape from its line; None when the line is wrong, which a test rules out.
fn read(line: &'static str, label: &'static str) -> Option<Shape> {
    let mut parts = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let Some(open) = rest.find('{') else {
            parts.push(Part::Literal(rest));
            break;
        };
        if open > 0 {
            parts.push(Part::Literal(&rest[..open]));
        }
        let close = rest.find('}')?;
        let run = rest.get(open + 1..close)?;
        rest = &rest[close + 1..];
        let random = rest.starts_with('?');
        rest = rest.strip_prefix('?').unwrap_or(rest);
        let class = Class::of(*run.as_bytes().first()?)?;
        let (least, most) = match run[1..].split_once(',') {
            None => {
                let exactly = run[1..].parse().ok()?;
                (exactly, Some(exactly))
            }
            Some((least, "")) => (least.parse().ok()?, None),
            Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
        };
        parts.push(Part::Run {
            class,
            least,
            most,
            random,
        });
    }
    let (at, anchor) = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Literal(literal) => Some((at, *literal)),
            Part::Run { .. } => None,
        })
        .max_by_key(|(at, literal)| (literal.len(), usize::MAX - at))?;
    let after = parts.split_off(at + 1);
    parts.pop();
    parts.reverse();
    (anchor.len() >= 2).then_some(Shape {
        before: parts,
        anchor,
        after,
        label,
    })
}

/// Adds every token of a known shape to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let Some(shapes) = SHAPES.as_ref() else {
        return;
    };
    for hit in shapes.finder.find_overlapping_iter(text) {
        let Some(known) = shapes.of_anchor.get(hit.pattern().as_usize()) else {
            continue;
        };
        // A hit within a token that was found already says nothing new.
        if spans.last().is_some_and(|last| hit.end() <= last.end) {
            continue;
        }
        for shape in known {
            if let Some((start, end)) = matched(text, shape, hit.start(), hit.end()) {
                spans.push(Span {
                    start,
                    end,
                    label: shape.label,
                });
                break;
            }
        }
    }
}

/// The bytes of a shape whose anchor stands at a place.
fn matched(text: &str, shape: &Shape, anchor: usize, past: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut start = anchor;
    for part in &shape.before {
        start -= match *part {
            Part::Literal(literal) => bytes[..start]
                .ends_with(literal.as_bytes())
                .then_some(literal.len())?,
            Part::Run {
                class,
                least,
                most,
                random,
            } => {
                let length = bytes[..start]
                    .iter()
                    .rev()
                    .take(most.unwrap_or(LONGEST))
                    .take_while(|b| class.allows(**b))
                    .count();
                let run = &text[start - length..start];
                (length >= least && (!random || look::random(run))).then_some(length)?
            }
        };
    }
    if !boundary_before(text, start) {
        return None;
    }
    let mut end = past;
    for (place, part) in shape.after.iter().enumerate() {
        end += match *part {
            Part::Literal(literal) => bytes[end..]
                .starts_with(literal.as_bytes())
                .then_some(literal.len())?,
            Part::Run {
                class,
                least,
                most,
                random,
            } => {
                let mut length = bytes[end..]
                    .iter()
                    .take(most.unwrap_or(LONGEST))
                    .take_while(|b| class.allows(**b))
                    .count();
                let last = place + 1 == shape.after.len();
                if length < least || (random && !look::random(&text[end..end + length])) {
                    return None;
                }
                if last && most.is_none() && length == LONGEST {
                    // All of it goes; its hits are skipped, so that it is looked at once.
                    length += bytes[end + length..]
                        .iter()
                        .take_while(|b| class.allows(**b))
                        .count();
                }
                // A full stop ends the sentence, not the token.
                while last && most.is_none() && length > least && bytes[end + length - 1] == b'.' {
                    length -= 1;
                }
                length
            }
        };
    }
    boundary_after(text, end).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_shape() {
        for rule in RULES {
            for line in rule.shapes {
                assert!(read(line, rule.label).is_some(), "{}: {line}", rule.label);
            }
        }
    }
}
