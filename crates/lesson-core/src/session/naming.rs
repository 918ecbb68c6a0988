//! Titles and slugs of what a session taught.

use super::line::cut;
use crate::slug::slug_within;
use lesson_types::limits::NEW_SLUG;
use sha2::{Digest, Sha256};

/// Longest title, in characters.
const LONGEST_TITLE: usize = 100;
/// Characters that [`with_hash`] adds to a slug.
const HASH: usize = 9;

/// True if there is a letter or a digit, not only dots and dashes.
pub(super) fn says_something(said: &str) -> bool {
    said.contains(char::is_alphanumeric)
}

/// The first sentence, cut at a word when it is long.
pub(super) fn title_from(prefix: &str, said: &str) -> String {
    let line = said.lines().find(|line| says_something(line));
    let line = line.unwrap_or_default();
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | '?'));
    let sentence = line
        .match_indices(['.', '!', '?'])
        .filter(|(at, _)| line[at + 1..].starts_with(' '))
        .map(|(at, _)| &line[..at])
        .find(|head| says_something(head))
        .unwrap_or(line);
    let room = LONGEST_TITLE.saturating_sub(prefix.len());
    if sentence.chars().count() <= room {
        return format!("{prefix}{}", sentence.trim_end_matches('.'));
    }
    let head = cut(sentence, room.saturating_sub(1));
    let head = head.rsplit_once(' ').map_or(head, |(head, _)| head);
    format!("{prefix}{head}…")
}

/// A slug of the text's first words; what it can't hold, a hash of the text stands for.
pub(super) fn slug_from(prefix: &str, said: &str) -> String {
    let room = NEW_SLUG - prefix.len();
    // Longer than there is room for, where there is more.
    let whole = slug_within(said, NEW_SLUG + 1);
    let lost = !said.is_ascii() || whole.len() > room;
    let room = if lost { room - HASH } else { room };
    let mut head = whole.get(..room).unwrap_or(&whole);
    if head.len() < whole.len() {
        head = head.rsplit_once('-').map_or(head, |(head, _)| head);
    }
    if head.is_empty() {
        return with_hash(&format!("{prefix}insight"), said);
    }
    let slug = format!("{prefix}{head}");
    if lost { with_hash(&slug, said) } else { slug }
}

/// A slug with 32 bits of the text's SHA-256 in hex, cut where both are too long.
pub(super) fn with_hash(slug: &str, text: &str) -> String {
    let slug = slug.get(..NEW_SLUG - HASH).unwrap_or(slug);
    let slug = slug.trim_end_matches('-');
    let hash = Sha256::digest(text.as_bytes());
    format!("{slug}-{}", hex::encode(&hash[..4]))
}
