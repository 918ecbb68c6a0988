//! Uses of a lesson that did not come about: supposed, wished for, put off, planned and given up, or judged against as a use.

use super::around::{Around, Token};
use super::label::word;
use super::verdict::{Clause, came_of_it, is_negator};

/// Verbs whose object is applied, in the forms that stand after an auxiliary or "to", or alone as a noun.
const APPLY: [&str; 36] = [
    "use",
    "used",
    "using",
    "apply",
    "applied",
    "applying",
    "follow",
    "followed",
    "following",
    "heed",
    "heeded",
    "heeding",
    "adopt",
    "adopted",
    "adopting",
    "invoke",
    "invoked",
    "invoking",
    "implement",
    "implemented",
    "implementing",
    "obey",
    "obeyed",
    "rely",
    "relied",
    "relying",
    "try",
    "tried",
    "trying",
    "go",
    "gone",
    "take",
    "taken",
    "employ",
    "employed",
    "employing",
];

/// The same as nouns: "using 'x' would be overkill".
const GERUNDS: [&str; 10] = [
    "using",
    "applying",
    "following",
    "heeding",
    "adopting",
    "invoking",
    "implementing",
    "employing",
    "bringing",
    "trying",
];

/// Verbs by which a use was planned; it came about unless the text turns.
const PLANNED: [&str; 19] = [
    "going",
    "about",
    "planned",
    "planning",
    "meant",
    "meaning",
    "intended",
    "intending",
    "hoped",
    "hoping",
    "wanted",
    "tried",
    "trying",
    "attempted",
    "attempting",
    "tempted",
    "started",
    "supposed",
    "began",
];

/// Verbs and adverbs between a subject and the verb that applies.
const BETWEEN: [&str; 30] = [
    "have",
    "has",
    "had",
    "be",
    "been",
    "being",
    "also",
    "even",
    "just",
    "simply",
    "actually",
    "still",
    "probably",
    "perhaps",
    "maybe",
    "certainly",
    "easily",
    "well",
    "instead",
    "the",
    "lesson",
    "skill",
    "advice",
    "of",
    "in",
    "from",
    "on",
    "with",
    "a",
    "to",
];

/// Predicates that judge against a use.
const AGAINST: [&str; 44] = [
    "overkill",
    "excessive",
    "premature",
    "pointless",
    "harmful",
    "risky",
    "wrong",
    "counterproductive",
    "useless",
    "silly",
    "redundant",
    "superfluous",
    "unnecessary",
    "unneeded",
    "unhelpful",
    "unwise",
    "unsafe",
    "dangerous",
    "misleading",
    "mistaken",
    "incorrect",
    "inappropriate",
    "irrelevant",
    "impossible",
    "wasteful",
    "costly",
    "bad",
    "worse",
    "hurt",
    "hurts",
    "harm",
    "harms",
    "break",
    "breaks",
    "slow",
    "slows",
    "complicate",
    "complicates",
    "backfire",
    "backfires",
    "waste",
    "wastes",
    "mistake",
    "nothing",
];

/// Words for the good that a negated use does not do: "using 'x' would not help".
const USEFUL: [&str; 20] = [
    "help",
    "helps",
    "work",
    "works",
    "apply",
    "applies",
    "fit",
    "fits",
    "matter",
    "matters",
    "pay",
    "sense",
    "useful",
    "helpful",
    "worth",
    "right",
    "appropriate",
    "needed",
    "necessary",
    "justified",
];

/// True if the name is the object of a use that did not come about.
pub(super) fn is_unrealised(around: &Around<'_>, rest: &[Clause<'_>], next: &[Clause<'_>]) -> bool {
    let said = last_piece(&around.before);
    // "Using 'x', 'y' does not apply" judges the second.
    let is_unreal = (!around.goes_on && is_judged_against(&said, rest))
        || verb(&said).is_some_and(|at| {
            is_wished(&around.before)
                || is_not_the_place(&said[..at])
                || is_supposed(&said, at, &around.before, rest)
                || is_put_off(&said[..at])
                || is_planned(&said[..at], rest, next)
        });
    is_unreal && came_of_it(rest, next) != Some(true)
}

/// The words of the sentence after its last mark.
fn last_piece<'a>(before: &[Token<'a>]) -> Vec<&'a str> {
    let cut = before
        .iter()
        .rposition(|token| matches!(token, Token::Mark(_)));
    before[cut.map_or(0, |at| at + 1)..]
        .iter()
        .filter_map(word)
        .collect()
}

/// Where the verb stands that applies the name right after it.
fn verb(said: &[&str]) -> Option<usize> {
    let at = said.iter().rposition(|word| !BETWEEN.contains(word))?;
    APPLY.contains(&said[at]).then_some(at)
}

/// "I wish I had followed 'x'", "next time I apply 'x'", "TODO: apply 'x'".
fn is_wished(before: &[Token<'_>]) -> bool {
    let words: Vec<&str> = before.iter().filter_map(word).collect();
    words
        .iter()
        .any(|word| matches!(*word, "wish" | "hindsight" | "todo" | "someday"))
        || words
            .windows(2)
            .any(|pair| matches!(pair, ["next", "time"] | ["in", "future"]))
}

/// "It is too early to apply 'x'", "no opportunity to use 'x'", by what stands before the verb.
fn is_not_the_place(head: &[&str]) -> bool {
    let Some((&"to", head)) = head.split_last() else {
        return false;
    };
    let is_double = head.last() == Some(&"not");
    !is_double
        && head.iter().any(|word| {
            matches!(*word, "too" | "no" | "little" | "stretch") || AGAINST.contains(word)
        })
}

/// "Could have followed", "might use", "if I applied", "had the call been remote, I would apply"; the verb stands at `at`.
fn is_supposed(said: &[&str], at: usize, before: &[Token<'_>], rest: &[Clause<'_>]) -> bool {
    let from = said[..at]
        .iter()
        .rposition(|word| !BETWEEN.contains(word))
        .unwrap_or(0);
    let auxiliary = said[from];
    let is_perfect = matches!(
        auxiliary,
        "could've" | "would've" | "should've" | "might've"
    ) || said.get(from + 1) == Some(&"have") && said.get(from + 2) != Some(&"to");
    let subject = from.checked_sub(1).map_or("", |at| said[at]);
    // "so that I could use 'x'" tells what became possible.
    let is_enabled = said[..from]
        .iter()
        .any(|word| matches!(*word, "so" | "that"));
    if matches!(auxiliary, "might" | "may" | "could") && !is_enabled {
        return true;
    }
    if is_perfect && (is_would(auxiliary) || auxiliary.ends_with("'ve") || auxiliary == "should") {
        return true;
    }
    if is_would(auxiliary) && (is_contrary(before) || rest.iter().any(is_condition)) {
        return true;
    }
    // "if we followed 'x'", "whether to apply 'x'"
    matches!(
        auxiliary,
        "if" | "whether" | "unless" | "suppose" | "supposing"
    ) || matches!(auxiliary, "i" | "we" | "you" | "one" | "were") && {
        let word = |back: usize| from.checked_sub(back).map_or("", |at| said[at]);
        matches!(subject, "if" | "whether" | "unless" | "had")
            || auxiliary == "were" && matches!(word(2), "if" | "whether")
    }
}

fn is_would(word: &str) -> bool {
    matches!(
        word,
        "would" | "i'd" | "we'd" | "you'd" | "they'd" | "could"
    )
}

/// True if a sentence supposes what is not so: "if this were …", "had the call been …".
fn is_contrary(before: &[Token<'_>]) -> bool {
    let words: Vec<&str> = before.iter().filter_map(word).collect();
    if matches!(words.as_slice(), ["had" | "were", ..]) {
        return true;
    }
    is_past_from(&words, |word| word == "if")
}

fn is_condition(clause: &Clause<'_>) -> bool {
    is_past_from(&clause.words, |word| matches!(word, "if" | "had"))
}

/// True if a past auxiliary stands at or after the first word that `opens` a condition.
fn is_past_from(words: &[&str], opens: impl Fn(&str) -> bool) -> bool {
    let mut words = words.iter().skip_while(|word| !opens(word));
    words.any(|word| is_past_auxiliary(word))
}

fn is_past_auxiliary(word: &str) -> bool {
    matches!(
        word,
        "were" | "was" | "had" | "wasn't" | "weren't" | "hadn't" | "did" | "didn't"
    )
}

/// "Have yet to apply", "never got around to using", "forgot to follow", by what stands before the verb.
fn is_put_off(head: &[&str]) -> bool {
    let end = head
        .iter()
        .rposition(|word| *word != "to")
        .map_or(0, |last| last + 1);
    match &head[..end] {
        [
            ..,
            "yet" | "forgot" | "forgotten" | "unable" | "reluctant" | "hesitant",
        ] => end < head.len(),
        [.., "around" | "round"] => {
            end < head.len() && head[..end].iter().any(|word| is_negator(word))
        }
        [.., "hold" | "held" | "holding", "off"] | [.., "off", "on"] => true,
        [
            ..,
            "postpone" | "postponed" | "postponing" | "defer" | "deferred" | "deferring",
        ] => true,
        _ => false,
    }
}

/// "Was going to use 'x', then noticed …", "tried to apply 'x' but could not", by what stands before the verb.
fn is_planned(head: &[&str], rest: &[Clause<'_>], next: &[Clause<'_>]) -> bool {
    let last = head.iter().rfind(|word| !BETWEEN.contains(word));
    let planned = last.is_some_and(|word| PLANNED.contains(word));
    let turned = |clause: &Clause<'_>| {
        clause.turns()
            || matches!(
                clause.words.as_slice(),
                ["then" | "until" | "before", ..] | ["and" | "only", "then" | "to", ..]
            )
    };
    planned && (rest.iter().any(turned) || next.first().is_some_and(Clause::turns))
}

/// "Using 'x' would be overkill", "applying 'x' makes no sense".
fn is_judged_against(said: &[&str], rest: &[Clause<'_>]) -> bool {
    let last = said.iter().rposition(|word| !BETWEEN.contains(word));
    let is_subject = last.is_some_and(|at| {
        GERUNDS.contains(&said[at])
            && said[..at]
                .iter()
                .all(|word| matches!(*word, "and" | "but" | "so" | "i" | "think" | "here"))
    });
    let Some(first) = rest
        .first()
        .filter(|first| is_subject && first.mark.is_none())
    else {
        return false;
    };
    let words = first.words.as_slice();
    if matches!(words, ["would" | "could" | "might", "have", ..]) {
        return true;
    }
    let is_predicate = words.first().is_some_and(|word| {
        is_negator(word)
            || matches!(
                *word,
                "would"
                    | "will"
                    | "is"
                    | "was"
                    | "seems"
                    | "seemed"
                    | "looks"
                    | "looked"
                    | "feels"
                    | "makes"
                    | "made"
                    | "adds"
                    | "added"
                    | "could"
                    | "might"
                    | "may"
                    | "can"
                    | "brings"
                    | "gains"
                    | "buys"
                    | "does"
                    | "did"
                    | "here"
            )
            || AGAINST.contains(word)
    });
    let is_denied =
        words.iter().any(|word| is_negator(word)) && words.iter().any(|word| USEFUL.contains(word));
    is_predicate && (is_denied || words.iter().take(6).any(|word| AGAINST.contains(word)))
}
