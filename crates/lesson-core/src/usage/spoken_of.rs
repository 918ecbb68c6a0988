//! Names that something is said or done of, but not by applying the lesson: brought up, handled, left for later, granted.

use super::around::Token;
use super::label::word;
use super::verdict::Clause;
use super::verdict_words::FIT_VERBS;

/// Words between a verb and the name.
pub(super) const FILLERS: [&str; 32] = [
    "the",
    "a",
    "lesson",
    "lessons",
    "skill",
    "skills",
    "at",
    "on",
    "about",
    "into",
    "over",
    "through",
    "of",
    "recommended",
    "advice",
    "warning",
    "rule",
    "briefly",
    "first",
    "carefully",
    "both",
    "also",
    "up",
    "what",
    "injected",
    "this",
    "text",
    "file",
    "entry",
    "title",
    "name",
    "lesson's",
];

/// Verbs by which something brought the lesson up.
const BROUGHT: [&str; 28] = [
    "suggested",
    "suggests",
    "returned",
    "returns",
    "surfaced",
    "surfaces",
    "recommended",
    "offered",
    "offers",
    "retrieved",
    "injected",
    "listed",
    "lists",
    "found",
    "fetched",
    "gave",
    "gives",
    "proposed",
    "proposes",
    "brought",
    "pulled",
    "showed",
    "shows",
    "ranked",
    "ranks",
    "presented",
    "turned",
    "included",
];

/// Verbs by which something was done to the lesson itself, or to what it stands in.
const HANDLED: [&str; 34] = [
    "renamed",
    "rename",
    "deleted",
    "delete",
    "deleting",
    "archived",
    "archive",
    "archiving",
    "updated",
    "update",
    "updating",
    "edited",
    "edit",
    "editing",
    "merged",
    "merge",
    "merging",
    "wrote",
    "written",
    "created",
    "create",
    "removed",
    "remove",
    "removing",
    "rewrote",
    "mentions",
    "mention",
    "contains",
    "contained",
    "named",
    "called",
    "titled",
    "restored",
    "approved",
];

/// Verbs that leave a use for later, where "for" or "later" follows.
const LEAVES: [&str; 16] = [
    "leave",
    "leaving",
    "left",
    "save",
    "saving",
    "keep",
    "keeping",
    "park",
    "parking",
    "parked",
    "back",
    "revisit",
    "revisiting",
    "return",
    "returning",
    "schedule",
];

/// True if something other than the speaker brought the name up: "the memory suggested 'x'".
pub(super) fn is_brought_up(clause: &[Token<'_>]) -> bool {
    let words: Vec<&str> = clause.iter().filter_map(word).collect();
    let at = words
        .iter()
        .rposition(|word| !FILLERS.contains(word) && !matches!(*word, "me" | "us"));
    let Some(at) = at else {
        return false;
    };
    let own = |word: &&str| matches!(*word, "as" | "i" | "we" | "i've" | "we've" | "what");
    at > 0 && BROUGHT.contains(&words[at]) && !words[..at].iter().any(own)
}

/// True if the name stands in what is granted: "although I know 'x', …".
pub(super) fn is_granted(before: &[Token<'_>]) -> bool {
    let mut words = before.iter().filter_map(word);
    matches!(
        words.next(),
        Some("although" | "though" | "while" | "whilst" | "albeit")
    ) && before.iter().all(|token| word(token).is_some())
}

/// True if something was done to the lesson itself: "archived 'x'", "an entry called 'x'".
pub(super) fn is_handled(clause: &[Token<'_>]) -> bool {
    last_word(clause).is_some_and(|word| HANDLED.contains(&word))
}

/// "The topic of 'x'".
pub(super) fn is_part_of_it(clause: &[Token<'_>]) -> bool {
    let words: Vec<&str> = clause.iter().filter_map(word).collect();
    matches!(
        words.as_slice(),
        [
            ..,
            "topic"
                | "subject"
                | "scope"
                | "gist"
                | "content"
                | "contents"
                | "author"
                | "wording"
                | "relevance",
            "of"
        ]
    )
}

/// "Leaving 'x' for a follow-up", "we might come back to 'x' later".
pub(super) fn is_left_for_later(clause: &[Token<'_>], rest: &[Clause<'_>]) -> bool {
    let first = rest.first().filter(|first| first.mark.is_none());
    let later = first.is_some_and(|first| {
        matches!(
            first.words.as_slice(),
            [
                "for",
                "a" | "another" | "the" | "later" | "next" | "now",
                ..
            ]
        ) || first.words.iter().any(|word| {
            matches!(
                *word,
                "later" | "another" | "eventually" | "someday" | "tomorrow"
            )
        })
    });
    let left = clause
        .iter()
        .filter_map(word)
        .any(|word| LEAVES.contains(&word));
    later && left
}

/// "'x' would apply if we called it", "'x' only matters for network code".
pub(super) fn is_open(rest: &[Clause<'_>]) -> bool {
    let Some(first) = rest.first().filter(|first| first.mark.is_none()) else {
        return false;
    };
    match first.words.as_slice() {
        ["would" | "could" | "might", ..] => rest.iter().any(|clause| {
            clause
                .words
                .iter()
                .any(|word| matches!(*word, "if" | "were"))
        }),
        ["only" | "mainly" | "mostly", verb, ..] => {
            FIT_VERBS.iter().any(|stem| verb.starts_with(stem))
        }
        _ => false,
    }
}

pub(super) fn last_word<'a>(clause: &[Token<'a>]) -> Option<&'a str> {
    let words = clause.iter().rev();
    words.map_while(word).find(|word| !FILLERS.contains(word))
}
