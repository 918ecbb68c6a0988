//! Sentences that tell what a lesson is about.

use super::around::Around;
use super::label::{LABEL, SHOWN, word};
use super::verdict::{Clause, came_of_it};

/// Verbs by which a text tells what a lesson is about.
const ABOUT: [&str; 22] = [
    "describes",
    "describe",
    "covers",
    "cover",
    "concerns",
    "concern",
    "addresses",
    "address",
    "discusses",
    "explains",
    "targets",
    "documents",
    "summarises",
    "summarizes",
    "mentions",
    "deals",
    "deal",
    "talks",
    "talk",
    "speaks",
    "refers",
    "relates",
];

/// Verbs by which a text tells what a lesson says, which may be how it is applied.
const SAYS: [&str; 9] = [
    "says",
    "warns",
    "states",
    "tells",
    "recommends",
    "advises",
    "suggests",
    "notes",
    "teaches",
];

/// "And it's for HTTP only".
pub(super) fn describes(clause: &Clause<'_>) -> bool {
    matches!(
        clause.words.as_slice(),
        ["it's" | "they're", "for" | "about" | "on" | "only", ..]
            | [
                "and",
                "it's" | "they're",
                "for" | "about" | "on" | "only",
                ..
            ]
            | ["it", "is", "for" | "about" | "on" | "only", ..]
            | ["and", "it", "is", "for" | "about" | "on" | "only", ..]
    )
}

/// True if the sentence tells what the lesson is about, and nothing comes of it.
pub(super) fn is_about(around: &Around<'_>, rest: &[Clause<'_>], next: &[Clause<'_>]) -> bool {
    let before: Vec<&str> = around.before.iter().filter_map(word).collect();
    let alone = around.opener.is_none()
        && before
            .iter()
            .all(|word| LABEL.contains(word) || SHOWN.contains(word));
    let Some(first) = rest.first().filter(|first| alone && first.mark.is_none()) else {
        return false;
    };
    let begins = usize::from(first.words.first() == Some(&"lesson"));
    let said: Vec<&str> = first.words[begins..]
        .iter()
        .copied()
        .filter(|word| {
            !matches!(
                *word,
                "only" | "just" | "mainly" | "mostly" | "all" | "itself"
            )
        })
        .collect();
    let about = match said.as_slice() {
        [
            "is" | "are" | "was",
            "about" | "for" | "on" | "meant" | "written" | "concerned",
            ..,
        ] => true,
        ["is" | "are" | "was", "a" | "an" | "the", noun, ..]
            if matches!(
                *noun,
                "lesson" | "warning" | "pattern" | "strategy" | "skill" | "rule" | "note"
            ) =>
        {
            true
        }
        ["has" | "had", "a" | "an", ..] => said.iter().any(|word| {
            matches!(
                *word,
                "rate" | "score" | "lift" | "badge" | "confidence" | "success" | "effectiveness"
            )
        }),
        [
            "was" | "is",
            "last" | "first" | "created" | "updated" | "archived",
            ..,
        ] => true,
        [verb, ..] => ABOUT.contains(verb),
        [] => false,
    };
    let says = said.first().is_some_and(|verb| SAYS.contains(verb))
        && around.first
        && next.is_empty()
        && rest.len() == 1;
    let here = first.words.iter().any(|word| {
        matches!(
            *word,
            "this"
                | "these"
                | "here"
                | "i"
                | "me"
                | "we"
                | "us"
                | "my"
                | "our"
                | "it"
                | "so"
                | "exactly"
        )
    });
    (about || says) && !here && came_of_it(&rest[1..], next) != Some(true)
}
