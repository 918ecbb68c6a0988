//! Sentences that name a lesson without applying it: lists of what was shown, questions, what a lesson is about, and
//! lessons that were looked at only.

use super::about::{describes, is_about};
use super::around::{Around, Token};
use super::denial::Governed;
use super::label::{Label, SHOWN, is_none_of, label, last_clause, word};
use super::spoken_of::{
    FILLERS, is_brought_up, is_granted, is_handled, is_left_for_later, is_open, is_part_of_it,
    last_word,
};
use super::unrealised::is_unrealised;
use super::verdict::{Clause, came_of_it, clauses, is_negator};

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

/// Verbs by which the lesson came up by itself, or is there.
const CAME_UP: [&str; 20] = [
    "came", "comes", "appeared", "appears", "turned", "popped", "showed", "exists", "existed",
    "ranked", "ranks", "scored", "scores", "surfaced", "stood", "stands", "topped", "sits",
    "remains", "seemed",
];

/// True if a name is only spoken of; `heading` is what the heading says above the list whose item it begins.
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
    if is_unrealised(around, &rest, &next) {
        return true;
    }
    if governed != Governed::Applied && is_granted(&around.before) {
        return came_of_it(&rest, &next) != Some(true);
    }
    if let Some(participle) = looked_at(clause) {
        return !has_conclusion(participle, &rest, &next);
    }
    if is_brought_up(clause) {
        let rest = without_brackets(&rest);
        return !has_conclusion(false, &rest, &next);
    }
    if is_handled(clause) || is_part_of_it(clause) {
        return !has_conclusion(false, &rest, &next);
    }
    if governed == Governed::Applied {
        return false;
    }
    if matches!(last_word(clause), Some("whether" | "if" | "unless")) {
        return came_of_it(rest.get(1..).unwrap_or_default(), &next) != Some(true);
    }
    if is_left_for_later(clause, &rest) || is_open(&rest) {
        return came_of_it(&rest, &next) != Some(true);
    }
    let turned = rest
        .iter()
        .chain(&next)
        .any(|clause| clause.turns() && clause.rejects());
    if turned && came_of_it(&rest, &next) == Some(false) {
        return true;
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
        if first.mark.is_none()
            && (first
                .words
                .first()
                .is_some_and(|word| CAME_UP.contains(word))
                || matches!(
                    first.words.as_slice(),
                    [
                        "got" | "had",
                        "a",
                        ..,
                        "look" | "glance" | "read" | "mention"
                    ]
                ))
        {
            return !has_conclusion(false, others, &next);
        }
        if rest.iter().chain(&next).any(Clause::unfits) && came_of_it(&rest, &next) != Some(true) {
            return true;
        }
    }
    is_about(around, &rest, &next)
}

/// True if the sentence asks about the name: it begins as a question, or the name stands in its last part.
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

/// The clauses without what stands in brackets.
fn without_brackets<'a>(clauses: &[Clause<'a>]) -> Vec<Clause<'a>> {
    let mut is_open = false;
    let mut kept = clauses.to_vec();
    kept.retain(|clause| {
        match clause.mark {
            Some('(') => is_open = true,
            Some(')') => is_open = false,
            _ => {}
        }
        !is_open
    });
    kept
}

/// Finds a word at the end of the clause by which the name was looked at; the flag says whether the main clause comes after the
/// name ("considering 'x', …").
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

/// True if a lesson that was looked at came to be applied.
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
            && !describes(clause)
            && !matches!(
                clause.words.as_slice(),
                [
                    "then" | "because" | "since" | "before" | "first" | "which" | "that" | "as",
                    ..
                ] | ["and", "then", ..]
            )
            && clause.words.len() > 1
    })
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
