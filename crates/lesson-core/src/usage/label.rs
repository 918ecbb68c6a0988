//! Labels of lists: that lessons were shown, or that they were rejected.

use super::around::{Token, tokens};
use super::verdict::is_negator;

/// Words of which labels of lists are made: "the lessons available for this task are".
pub(super) const LABEL: [&str; 67] = [
    "lesson",
    "lessons",
    "skill",
    "skills",
    "context",
    "in",
    "the",
    "are",
    "were",
    "is",
    "was",
    "these",
    "those",
    "following",
    "i",
    "we",
    "you",
    "have",
    "had",
    "been",
    "me",
    "us",
    "to",
    "for",
    "this",
    "task",
    "session",
    "list",
    "of",
    "top",
    "best",
    "all",
    "other",
    "others",
    "there",
    "two",
    "three",
    "four",
    "five",
    "several",
    "some",
    "memory",
    "known",
    "existing",
    "options",
    "include",
    "includes",
    "including",
    "such",
    "as",
    "also",
    "at",
    "start",
    "a",
    "an",
    "now",
    "here",
    "my",
    "our",
    "by",
    "from",
    "with",
    "below",
    "above",
    "run",
    "prompt",
    "your",
];

/// Words that say that lessons were shown, and no more.
pub(super) const SHOWN: [&str; 40] = [
    "available",
    "recommended",
    "recommendation",
    "recommendations",
    "suggested",
    "suggestion",
    "suggestions",
    "injected",
    "shown",
    "surfaced",
    "retrieved",
    "provided",
    "given",
    "listed",
    "loaded",
    "returned",
    "offered",
    "candidate",
    "candidates",
    "matching",
    "matched",
    "found",
    "received",
    "got",
    "presented",
    "displayed",
    "fetched",
    "context",
    "relevant",
    "related",
    "known",
    "existing",
    "proposed",
    "supplied",
    "matches",
    "results",
    "result",
    "hits",
    "search",
    "entries",
];

/// Words of a label that say that lessons were read, and no more: "lessons considered:".
const READ: [&str; 10] = [
    "considered",
    "reviewed",
    "read",
    "checked",
    "evaluated",
    "seen",
    "consulted",
    "examined",
    "looked",
    "weighed",
];

/// Words of a label that reject what it lists, alone or with [`LABEL`] words.
const REJECTED: [&str; 20] = [
    "irrelevant",
    "inapplicable",
    "n/a",
    "na",
    "unused",
    "unrelated",
    "unneeded",
    "unnecessary",
    "rejected",
    "skipped",
    "ignored",
    "dismissed",
    "discarded",
    "excluded",
    "disregarded",
    "overruled",
    "dropped",
    "omitted",
    "off-topic",
    "non-applicable",
];

/// The kind of the heading above a list, by what it says of its items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Label {
    /// Nothing of this kind.
    #[default]
    Other,
    /// That they were shown.
    Shown,
    /// That they were rejected.
    Rejected,
}

/// Classifies the words of a heading by what they say of the list below it.
pub(super) fn heading_label(line: &str) -> Label {
    let tokens = tokens(line.trim_matches(['#', ' ', '-', '•', '_', '`']));
    let closed = matches!(tokens.last(), Some(Token::Mark(':')));
    let heading = line.trim_start().starts_with('#') || closed;
    if !heading {
        return Label::Other;
    }
    let end = tokens.len() - usize::from(closed);
    let end = tokens[..end]
        .iter()
        .position(|token| *token == Token::Mark('('))
        .unwrap_or(end);
    label(last_clause(&tokens[..end]), Some(':'))
}

/// "None of (the lessons)", "no lesson applies:", right before the names.
pub(super) fn is_none_of(clause: &[Token<'_>]) -> bool {
    let words: Vec<&str> = clause.iter().filter_map(word).collect();
    // "not one of"
    let words = match words.as_slice() {
        ["not", "one", rest @ ..] => [&["none"], rest].concat(),
        _ => words,
    };
    let at = words
        .iter()
        .rposition(|word| matches!(*word, "none" | "no" | "neither"));
    let Some(at) = at else {
        return false;
    };
    if words[at] == "no"
        && !matches!(
            words.get(at + 1),
            Some(&("lesson" | "lessons" | "skill" | "skills"))
        )
    {
        return false;
    }
    let said = &words[at + 1..];
    let own = |word: &&&str| {
        LABEL.contains(*word)
            || SHOWN.contains(*word)
            || ["appl", "fit", "matter", "use", "help"]
                .iter()
                .any(|stem| word.starts_with(stem))
    };
    let others = said.iter().any(|word| matches!(*word, "other" | "others"));
    !others && said.iter().all(|word| own(&word))
}

/// Classifies a label right before the names by what it says of them.
pub(super) fn label(clause: &[Token<'_>], opener: Option<char>) -> Label {
    let opened = opener.is_some();
    let words: Vec<&str> = clause.iter().filter_map(word).collect();
    if words.is_empty() || clause.iter().any(|token| matches!(token, Token::Mark(','))) {
        return Label::Other;
    }
    // "As recommended in 'x', …"
    if matches!(words.as_slice(), ["as", .., "in" | "by" | "of"]) {
        return Label::Other;
    }
    let listed =
        |word: &&str| LABEL.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit());
    if opened {
        let denied = words
            .iter()
            .position(|word| is_negator(word) && *word != "no");
        // "these do not apply:", "not relevant to this pool:"
        if let Some(at) = denied {
            let head = &words[..at];
            let head = match head {
                [
                    head @ ..,
                    "do" | "does" | "did" | "is" | "are" | "was" | "were",
                ] => head,
                head => head,
            };
            let fits = words[at + 1..]
                .iter()
                .find(|word| !listed(word))
                .is_some_and(|word| {
                    [
                        "appl",
                        "relevan",
                        "fit",
                        "need",
                        "use",
                        "pertinent",
                        "help",
                        "necessar",
                    ]
                    .iter()
                    .any(|stem| word.starts_with(stem))
                });
            if fits && head.iter().all(|word| listed(word) || SHOWN.contains(word)) {
                return Label::Rejected;
            }
        }
        let unfit = words.iter().position(|word| REJECTED.contains(word));
        if let Some(at) = unfit {
            let of_lessons = words[..at]
                .iter()
                .all(|word| listed(word) || SHOWN.contains(word));
            let rest = &words[at + 1..];
            let adjective = REJECTED[..8].contains(&words[at]);
            if of_lessons
                && (adjective
                    || opener != Some('(')
                        && rest.iter().all(|word| {
                            matches!(
                                *word,
                                "lesson"
                                    | "lessons"
                                    | "skill"
                                    | "skills"
                                    | "here"
                                    | "because"
                                    | "as"
                            )
                        }))
            {
                return Label::Rejected;
            }
        }
    }
    // "Given 'x', …"
    if !opened && matches!(words.as_slice(), ["given"]) {
        return Label::Other;
    }
    let shown = words
        .iter()
        .any(|word| SHOWN.contains(word) || (opened && READ.contains(word)));
    let lessons = words
        .iter()
        .any(|word| matches!(*word, "lessons" | "skills"));
    let made = words
        .iter()
        .all(|word| listed(word) || SHOWN.contains(word) || (opened && READ.contains(word)));
    // "the recommended lesson 'x'" is a lesson that something is said of.
    let single = matches!(words.last(), Some(&("lesson" | "skill"))) && !opened;
    let lists = opened || matches!(words.last(), Some(&("are" | "were" | "include")));
    if made && !single && (shown || (lessons && lists)) {
        Label::Shown
    } else {
        Label::Other
    }
}

/// The words after the last mark that ends a clause.
pub(super) fn last_clause<'b, 'a>(sentence: &'b [Token<'a>]) -> &'b [Token<'a>] {
    let cut = sentence
        .iter()
        .rposition(|token| matches!(token, Token::Mark(';' | '.' | '!' | '?' | ':')));
    &sentence[cut.map_or(0, |at| at + 1)..]
}

pub(super) fn word<'a>(token: &Token<'a>) -> Option<&'a str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}
