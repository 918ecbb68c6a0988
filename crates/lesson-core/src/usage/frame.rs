//! Sentences that name a lesson without applying it: lists of what was shown, labels, questions, what a lesson is about,
//! and lessons that were looked at only.

use super::around::{Around, Token};
use super::denial::Governed;
use super::verdict::{Clause, clauses, is_negator};

/// Words of which labels of lists are made: "the lessons available for this task are".
const LABEL: [&str; 66] = [
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
];

/// Words that say that lessons were shown, and no more.
const SHOWN: [&str; 34] = [
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

/// Words by which a lesson was looked at.
const LOOKED: [&str; 43] = [
    "consider",
    "considered",
    "considering",
    "review",
    "reviewed",
    "reviewing",
    "looked",
    "looking",
    "look",
    "noted",
    "noting",
    "note",
    "read",
    "reading",
    "checked",
    "checking",
    "evaluated",
    "evaluating",
    "assessed",
    "weighed",
    "weighing",
    "examined",
    "saw",
    "seen",
    "studied",
    "discussed",
    "discussing",
    "mentioned",
    "remembered",
    "revisited",
    "skimmed",
    "scanned",
    "inspected",
    "thought",
    "thinking",
    "compared",
    "aware",
    "contemplated",
    "debated",
    "explored",
    "acknowledged",
    "pondered",
    "glanced",
];

/// Words between a verb and the name.
const FILLERS: [&str; 26] = [
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
];

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

/// What the heading above a list says of its items.
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

/// Whether a name is only spoken of; `heading` is what the heading says above the list whose item it begins.
pub(super) fn only_named(around: &Around<'_>, governed: Governed, heading: Label) -> bool {
    let rest = clauses(&around.rest);
    let next = clauses(&around.next);
    if around.end == '?' && is_question(around, &rest) {
        let yes = next.first().is_some_and(|clause| {
            matches!(
                clause.words.first(),
                Some(&("yes" | "yep" | "yeah" | "indeed" | "absolutely" | "definitely"))
            ) || matches!(clause.words.as_slice(), ["it", "does" | "is", ..])
        });
        return !yes;
    }
    let comes = || came_of_it(&rest, &next);
    if around.item && heading != Label::Other {
        return comes() != Some(true);
    }
    let clause = last_clause(&around.before);
    if is_none_of(clause) {
        return true;
    }
    match label(clause, around.opener.is_some()) {
        Label::Rejected => return true,
        Label::Shown => return comes() != Some(true),
        Label::Other => {}
    }
    if let Some(participle) = looked_at(clause) {
        return !has_conclusion(participle, &rest, &next);
    }
    if governed == Governed::Applied {
        return false;
    }
    if rest.first().is_some_and(Clause::rejects) {
        return true;
    }
    if let Some((first, others)) = rest.split_first() {
        let said = without_copulas(&first.words);
        if said.first().is_some_and(|word| LOOKED.contains(word)) {
            return !has_conclusion(false, others, &next);
        }
        if said.len() < first.words.len()
            && said.first().is_some_and(|word| SHOWN[..26].contains(word))
        {
            return came_of_it(others, &next) != Some(true);
        }
    }
    is_about(around, &rest, &next)
}

/// What the words of a heading say of the list below it.
pub(super) fn heading_label(line: &str) -> Label {
    let tokens = super::around::tokens(line.trim_matches(['#', ' ', '-', '•', '_', '`']));
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
    label(last_clause(&tokens[..end]), true)
}

/// Whether the sentence asks about the name: it begins as a question, or the name stands in its last part.
fn is_question(around: &Around<'_>, rest: &[Clause<'_>]) -> bool {
    let colon = around.rest.contains(&Token::Mark(':')) || around.rest.contains(&Token::Mark(';'));
    if colon {
        return false;
    }
    let last = last_clause(&around.before);
    let words = last.iter().filter_map(word);
    let begins = words
        .clone()
        .find(|word| !matches!(*word, "and" | "but" | "so" | "or"));
    let asks = begins.is_some_and(|word| {
        matches!(
            word,
            "should"
                | "shall"
                | "do"
                | "does"
                | "did"
                | "is"
                | "are"
                | "was"
                | "can"
                | "could"
                | "would"
                | "will"
                | "may"
                | "might"
                | "must"
                | "has"
                | "have"
                | "which"
                | "what"
                | "why"
                | "how"
                | "when"
                | "where"
                | "who"
                | "whether"
        )
    });
    asks || rest
        .iter()
        .all(|clause| clause.mark.is_none() && !clause.concludes())
        || last.is_empty() && rest.first().is_some_and(|clause| clause.mark.is_some())
}

/// The words after the last mark that ends a clause.
fn last_clause<'b, 'a>(sentence: &'b [Token<'a>]) -> &'b [Token<'a>] {
    let cut = sentence
        .iter()
        .rposition(|token| matches!(token, Token::Mark(';' | '.' | '!' | '?' | ':')));
    &sentence[cut.map_or(0, |at| at + 1)..]
}

fn word<'a>(token: &Token<'a>) -> Option<&'a str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

/// "None of (the lessons)", "no lesson applies:", right before the names.
fn is_none_of(clause: &[Token<'_>]) -> bool {
    let words: Vec<&str> = clause.iter().filter_map(word).collect();
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

/// What a label right before the names says of them.
fn label(clause: &[Token<'_>], opened: bool) -> Label {
    let words: Vec<&str> = clause.iter().filter_map(word).collect();
    if words.is_empty() || clause.iter().any(|token| matches!(token, Token::Mark(','))) {
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
            let adjective = at < words.len() && REJECTED[..8].contains(&words[at]);
            if of_lessons
                && (adjective
                    || rest.iter().all(|word| {
                        matches!(
                            *word,
                            "lesson" | "lessons" | "skill" | "skills" | "here" | "because" | "as"
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
    let shown = words.iter().any(|word| SHOWN.contains(word));
    let lessons = words
        .iter()
        .any(|word| matches!(*word, "lessons" | "skills"));
    let made = words
        .iter()
        .all(|word| listed(word) || SHOWN.contains(word));
    // "the recommended lesson 'x'" is a lesson that something is said of.
    let single = matches!(words.last(), Some(&("lesson" | "skill"))) && !opened;
    if made && !single && (shown || (lessons && opened)) {
        Label::Shown
    } else {
        Label::Other
    }
}

/// Whether the clause ends with a word by which the name was looked at; the flag says whether the main clause comes after
/// the name ("considering 'x', …").
fn looked_at(clause: &[Token<'_>]) -> Option<bool> {
    let cut = clause
        .iter()
        .rposition(|token| matches!(token, Token::Mark(_)));
    let words: Vec<&str> = clause[cut.map_or(0, |at| at + 1)..]
        .iter()
        .filter_map(word)
        .collect();
    let mut words = words.as_slice();
    let fillers = |words: &mut &[&str]| {
        while let [rest @ .., last] = *words {
            if !FILLERS.contains(last) {
                break;
            }
            *words = rest;
        }
    };
    fillers(&mut words);
    // "considered using 'x'", "thought about applying 'x'"
    if let [rest @ .., "using" | "applying" | "following"] = words {
        let mut rest = rest;
        fillers(&mut rest);
        return match rest {
            [.., last] if LOOKED.contains(last) => Some(false),
            _ => None,
        };
    }
    let [before @ .., last] = words else {
        return None;
    };
    if !LOOKED.contains(last) || before.last().is_some_and(|word| is_negator(word)) {
        return None;
    }
    let led = before
        .iter()
        .any(|word| matches!(*word, "after" | "having" | "when" | "upon" | "while"));
    Some(led || last.ends_with("ing") && before.is_empty())
}

/// Whether a lesson that was looked at came to be applied.
fn has_conclusion(participle: bool, rest: &[Clause<'_>], next: &[Clause<'_>]) -> bool {
    if let Some(verdict) = came_of_it(rest, next) {
        return verdict;
    }
    if rest.iter().any(Clause::turns) || next.first().is_some_and(Clause::turns) {
        return false;
    }
    if participle && !rest.is_empty() {
        return true;
    }
    rest.iter().any(|clause| {
        clause.is_apart()
            && !matches!(
                clause.words.as_slice(),
                ["then" | "because" | "since" | "before" | "first", ..] | ["and", "then", ..]
            )
            && clause.words.len() > 1
    })
}

/// The last thing said of a lesson after its name: applied, rejected, or neither.
fn came_of_it(rest: &[Clause<'_>], next: &[Clause<'_>]) -> Option<bool> {
    let mut verdict = None;
    for clause in rest.iter().chain(next) {
        if clause.rejects() {
            verdict = Some(false);
        } else if clause.applies() || (verdict.is_none() && clause.concludes()) {
            verdict = Some(true);
        }
    }
    verdict
}

fn without_copulas<'b, 'a>(words: &'b [&'a str]) -> &'b [&'a str] {
    let mut words = words;
    while let [first, rest @ ..] = words {
        if !matches!(
            *first,
            "is" | "are"
                | "was"
                | "were"
                | "has"
                | "have"
                | "been"
                | "got"
                | "also"
                | "all"
                | "both"
                | "had"
        ) {
            break;
        }
        words = rest;
    }
    words
}

/// Whether the sentence tells what the lesson is about, and nothing comes of it.
fn is_about(around: &Around<'_>, rest: &[Clause<'_>], next: &[Clause<'_>]) -> bool {
    let before: Vec<&str> = around.before.iter().filter_map(word).collect();
    let alone = around.opener.is_none()
        && before
            .iter()
            .all(|word| LABEL.contains(word) || SHOWN.contains(word));
    let Some(first) = rest.first().filter(|first| alone && first.mark.is_none()) else {
        return false;
    };
    let said: Vec<&str> = first
        .words
        .iter()
        .copied()
        .filter(|word| {
            !matches!(
                *word,
                "only" | "just" | "mainly" | "mostly" | "all" | "itself" | "lesson"
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
