//! The surroundings of a lesson's name: the cues that it is applied, the words that deny it.

use super::denial::{Governed, denied_after, governed};
use super::marks::{trim_marks, words};

/// Words after which a name is a lesson that is applied.
const CUES: [&str; 6] = [
    "applying",
    "using",
    "based on",
    "following",
    "lesson",
    "skill",
];

/// Words that may stand between a cue and the name.
const FILLERS: [&str; 4] = ["the", "lesson", "skill", "lessons"];

/// Bytes before a name that are read; keeps long texts linear.
const LONGEST_CLAUSE: usize = 600;

/// Bytes after a name that are read: the rest of a sentence.
const LONGEST_VERB: usize = 160;

/// The cues and denials around a name in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Naming {
    /// Quoted, or after a cue.
    pub(super) cued: bool,
    /// Denied by what stands around it.
    pub(super) negated: bool,
    /// The verdict of the words before it.
    pub(super) governed: Governed,
}

/// Finds the use of the name at `start..end` of a plain text; `floor` is where the name before it ends, since a negation
/// reaches to the next name only.
///
/// A name of one part is a word as well: it names the lesson in quotes only.
pub(super) fn naming(text: &str, floor: usize, start: usize, end: usize) -> Naming {
    let before = last_bytes(&text[floor..start], LONGEST_CLAUSE);
    let after = first_bytes(&text[end..], LONGEST_VERB);
    let open = before.chars().next_back();
    let quoted = open.is_some_and(|c| matches!(c, '\'' | '"' | '`') && after.starts_with(c));
    let governed = governed(before, after);
    if !quoted && !text[start..end].contains('-') {
        return Naming {
            cued: false,
            negated: false,
            governed,
        };
    }
    Naming {
        cued: quoted || ends_with_cue(before) || begins_with_verdict(after),
        negated: governed == Governed::Denied || denied_after(after, governed == Governed::Applied),
        governed,
    }
}

/// True if only quotes, commas and "and", "or", "nor" stand between two names, so that what is said of the first is said of the
/// second.
pub(super) fn is_list(between: &str) -> bool {
    !between.contains(['\n', '.', ';'])
        && words(between).all(|word| matches!(word, "and" | "or" | "nor" | "the" | "lesson"))
}

/// True if a name that begins or ends at this character is only a part of a longer one.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

fn last_bytes(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn ends_with_cue(before: &str) -> bool {
    let mut rest = trim_marks(before);
    loop {
        if CUES.iter().any(|cue| ends_with_word(rest, cue)) {
            return true;
        }
        let Some(filler) = FILLERS.iter().find(|filler| ends_with_word(rest, filler)) else {
            return false;
        };
        rest = trim_marks(&rest[..rest.len() - filler.len()]);
    }
}

/// "name: applied", "| name | used |", as reports put it.
fn begins_with_verdict(after: &str) -> bool {
    let after = after.trim_start_matches(['\'', '"', '`', ' ']);
    let Some(said) = after.strip_prefix([':', '|', '—', '–', '→', '=']) else {
        return false;
    };
    let said = said.trim_start_matches(['>', ' ', '*', '_']);
    let end = said
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(said.len());
    let rest = said[end..].trim_start_matches([' ', '*', '_']);
    matches!(&said[..end], "applied" | "used" | "followed" | "heeded")
        && (rest.is_empty() || rest.starts_with(['\n', '(', '|', '.', ',', ';', ':', '—', '–']))
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|rest| !rest.ends_with(is_name_char))
}
