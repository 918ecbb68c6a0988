//! Sentences that name a lesson without applying it: lists of what was shown, questions, what a lesson is about, and
//! lessons that were looked at only.

use super::around::{Around, Token};
use super::denial::Governed;
use super::label::{LABEL, Label, SHOWN, is_none_of, label, last_clause, word};
use super::verdict::{Clause, clauses, is_negator};

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
    match label(clause, around.opener) {
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
