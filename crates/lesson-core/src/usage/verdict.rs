//! Verdicts of clauses on a lesson that was named before them: that it was rejected, or that it was applied.

use super::around::Token;
use super::verdict_words::{
    APPLIED, COPULAS, FIT_ADJECTIVES, FIT_VERBS, NO_OBJECT, PASSED_OVER, REACHED, REJECT, UNFIT,
};

/// The last thing said of a lesson after its name: applied, rejected, or neither.
pub(super) fn came_of_it(rest: &[Clause<'_>], next: &[Clause<'_>]) -> Option<bool> {
    let mut verdict = None;
    let mut has_turned = false;
    for (clauses, at) in [rest, next]
        .into_iter()
        .flat_map(|clauses| (0..clauses.len()).map(move |at| (clauses, at)))
    {
        let clause = &clauses[at];
        // "Lessons applied: none" is a label, and what it holds.
        if clauses
            .get(at + 1)
            .is_some_and(|next| next.mark == Some(':') && clause.words.len() < 4)
        {
            continue;
        }
        has_turned |= clause.turns();
        if clause.rejects() {
            verdict = Some(false);
        } else if clause.applies() {
            verdict = Some(true);
        } else if verdict.is_none() && clause.concludes() {
            // "but the endpoint is not flaky, so …" concludes from what speaks against the lesson.
            verdict = Some(!has_turned);
        }
    }
    verdict
}

/// Splits a sentence into clauses at marks and joints. Each begins with its joint, if there is one.
pub(super) fn clauses<'b, 'a>(sentence: &'b [Token<'a>]) -> Vec<Clause<'a>> {
    let mut clauses: Vec<Clause<'a>> = vec![Clause::default()];
    for token in sentence {
        match token {
            Token::Mark(mark) => clauses.push(Clause {
                mark: Some(*mark),
                words: Vec::new(),
            }),
            Token::Name => push(&mut clauses, "<name>"),
            Token::Word(word) => {
                if is_joint(word)
                    && clauses
                        .last()
                        .is_some_and(|clause| !clause.words.is_empty())
                {
                    clauses.push(Clause::default());
                }
                push(&mut clauses, word);
            }
        }
    }
    clauses.retain(|clause| !clause.words.is_empty());
    clauses
}

fn push<'a>(clauses: &mut [Clause<'a>], word: &'a str) {
    if let Some(clause) = clauses.last_mut() {
        clause.words.push(word);
    }
}

fn is_joint(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "but"
            | "so"
            | "then"
            | "however"
            | "yet"
            | "therefore"
            | "hence"
            | "thus"
            | "though"
            | "although"
            | "because"
            | "since"
            | "whereas"
    )
}

/// A piece of a sentence between marks and joints.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause<'a> {
    /// The mark before it.
    pub(super) mark: Option<char>,
    /// Its words, with the joint that it begins with.
    pub(super) words: Vec<&'a str>,
}

impl Clause<'_> {
    /// True if a mark or a joint parts it from what stands before it.
    pub(super) fn is_apart(&self) -> bool {
        self.mark.is_some() || self.words.first().is_some_and(|word| is_joint(word))
    }

    /// True if it announces what comes of the lesson.
    pub(super) fn concludes(&self) -> bool {
        let begins = self.words.first().is_some_and(|word| {
            matches!(
                *word,
                "so" | "therefore" | "hence" | "thus" | "accordingly" | "consequently"
            )
        });
        let second = matches!(
            self.words.as_slice(),
            ["and", "so" | "therefore" | "hence" | "thus", ..]
        );
        let why = self
            .words
            .windows(3)
            .any(|words| matches!(words, ["which" | "that", "is", "why"]))
            || self
                .words
                .windows(2)
                .any(|words| matches!(words, ["that's", "why"]));
        begins || second || why || self.words.contains(&"exactly")
    }

    /// True if it begins with a word that turns from what was said.
    pub(super) fn turns(&self) -> bool {
        self.words.iter().take(2).any(|word| {
            matches!(
                *word,
                "but" | "however" | "yet" | "although" | "though" | "whereas" | "still"
            )
        })
    }

    /// True if it says that the lesson was rejected, or does not fit.
    pub(super) fn rejects(&self) -> bool {
        let mut words = self.words.as_slice();
        while let [first, rest @ ..] = words {
            if !PASSED_OVER.contains(first)
                || matches!(words, ["that" | "this" | "the" | "one", next, ..] if !is_predicate(next))
            {
                break;
            }
            words = rest;
        }
        rejects(words)
    }

    /// True if it says of what was named that it does not fit, in words that are said of advice only.
    pub(super) fn unfits(&self) -> bool {
        let begins = self
            .words
            .iter()
            .position(|word| !matches!(*word, "so" | "but" | "and" | "which" | "thus" | "here"));
        let Some([subject, rest @ ..]) = begins.map(|at| &self.words[at..]) else {
            return false;
        };
        let is_of_it = matches!(*subject, "it" | "this" | "that" | "is" | "it's" | "that's");
        is_of_it
            && (rest.windows(3).any(|words| {
                matches!(
                    words,
                    ["beside", "the", "point"] | ["out", "of", "scope"] | ["does", "not", "apply"]
                )
            }) || rest.iter().any(|word| {
                matches!(
                    *word,
                    "irrelevant" | "inapplicable" | "n/a" | "moot" | "overkill" | "off-topic"
                )
            }) || rest.windows(2).any(|words| {
                matches!(
                    words,
                    [
                        "doesn't" | "didn't" | "won't",
                        "apply" | "fit" | "help" | "matter"
                    ] | ["not" | "isn't", "relevant" | "applicable" | "needed"]
                )
            }))
    }

    /// True if it says that the lesson was applied.
    pub(super) fn applies(&self) -> bool {
        let mut words = self.words.as_slice();
        while let [first, rest @ ..] = words {
            let passed = PASSED_OVER.contains(first) || COPULAS.contains(first);
            if !passed || rest.is_empty() {
                break;
            }
            words = rest;
        }
        match words {
            ["did" | "does"] => true,
            [verb, rest @ ..] => APPLIED
                .iter()
                .any(|(word, own)| word == verb && (!own || is_lesson_object(rest))),
            [] => false,
        }
    }
}

/// True if a word after "that" or "this" is their predicate, so that they stand for the lesson.
fn is_predicate(word: &str) -> bool {
    COPULAS.contains(&word)
        || PASSED_OVER.contains(&word)
        || is_negator(word)
        || FIT_VERBS.iter().any(|stem| word.starts_with(stem))
        || matches!(word, "lesson" | "one")
}

fn rejects(words: &[&str]) -> bool {
    let words = match words {
        // "can wait", "so no", "left it alone", "conflicts with the rule"
        ["can" | "could" | "may" | "must", "wait", ..]
        | ["no" | "nope" | "none"]
        | [
            "no",
            "bearing" | "relevance" | "use" | "match" | "place",
            ..,
        ]
        | ["none", "apply" | "applies" | "applied" | "fit" | "fits", ..]
        | ["turned" | "turn", "down"]
        | [
            "adds" | "added" | "brings" | "brought" | "offers" | "offered",
            "nothing" | "little",
            ..,
        ]
        | ["misses" | "missed", "the", "point" | "mark", ..]
        | [
            "leave" | "left" | "leaving",
            "it" | "that" | "them" | "this",
            "alone" | "be",
            ..,
        ]
        | [
            "conflicts" | "conflicted" | "clashes" | "clashed",
            "with",
            ..,
        ]
        | ["contradicts" | "contradicted", ..] => return true,
        // "didn't come into play", "never came up"
        [verb, "come" | "enter" | "figure" | "play", ..] if is_negator(verb) => return true,
        // "of no use", "out of scope", "beside the point"
        ["of", "no" | "little", ..]
        | ["out", "of", "scope", ..]
        | ["beside", "the", "point", ..]
        | ["off", "topic", ..] => return true,
        // "is irrelevant", "was rejected", "has been ruled out"
        [verb, rest @ ..]
            if COPULAS.contains(verb)
                && !rest
                    .first()
                    .is_some_and(|word| is_negator(word) && !matches!(*word, "no" | "nothing")) =>
        {
            return match rest {
                ["no" | "nothing" | "little", thing, ..] => matches!(
                    *thing,
                    "bearing"
                        | "relevance"
                        | "effect"
                        | "use"
                        | "to"
                        | "place"
                        | "influence"
                        | "value"
                        | "help"
                        | "role"
                        | "match"
                ),
                _ => rejects(after_adverbs(rest)),
            };
        }
        [verb, rest @ ..] if COPULAS.contains(verb) => rest,
        words => words,
    };
    let [first, rest @ ..] = words else {
        return false;
    };
    if UNFIT.contains(first) {
        return true;
    }
    if is_negator(first) || first.ends_with("n't") {
        return denies(rest);
    }
    match words {
        [
            "decided" | "opted" | "chose" | "chosen" | "voted" | "elected",
            "against",
            object @ ..,
        ] => {
            return is_lesson_object(object)
                || object.first().is_some_and(|verb| {
                    is_apply_participle(verb) && is_lesson_object(&object[1..])
                });
        }
        [
            "decided" | "opted" | "chose" | "elected" | "preferred",
            "not",
            "to",
            rest @ ..,
        ] => return denies(rest),
        ["moved" | "move", "on", ..]
        | ["went" | "go", "ahead", ..]
        | ["proceeded" | "proceed", "anyway" | "regardless", ..] => return true,
        ["passed", "on", object @ ..] | ["passed", "over", object @ ..] => {
            return is_lesson_object(object);
        }
        ["ruled" | "left", "out", object @ ..] | ["set" | "put" | "left", "aside", object @ ..] => {
            return is_lesson_object(object);
        }
        ["ruled" | "left", "it" | "them" | "that", "out", ..]
        | ["set" | "put" | "left", "it" | "them" | "that", "aside", ..] => return true,
        _ => {}
    }
    REJECT.iter().any(|stem| first.starts_with(stem)) && is_lesson_object(rest)
}

/// True if the words that a negation reaches are that the lesson fits, or is used.
fn denies(mut words: &[&str]) -> bool {
    while let [first, rest @ ..] = words {
        if !REACHED.contains(first) {
            break;
        }
        words = rest;
    }
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    // "it does not concern batch jobs"
    if ["concern", "cover", "address"]
        .iter()
        .any(|stem| first.starts_with(stem))
    {
        return true;
    }
    // "it isn't for this case"
    if matches!(
        words,
        ["for", "this" | "us" | "me" | "here" | "my" | "our", ..]
    ) {
        return true;
    }
    if FIT_ADJECTIVES.iter().any(|stem| first.starts_with(stem)) {
        return true;
    }
    // "it does not matter that …" says nothing of the lesson.
    let expletive = first.starts_with("matter")
        && !rest.is_empty()
        && !matches!(rest, ["here" | "to" | "for" | "in", ..]);
    !expletive && FIT_VERBS.iter().any(|stem| first.starts_with(stem)) && is_lesson_object(rest)
}

/// True if the words after a verb are the lesson, as a pronoun or by its kind, or nothing that could be its object.
fn is_lesson_object(words: &[&str]) -> bool {
    match words {
        [] => true,
        [
            "the" | "this" | "that",
            "lesson" | "skill" | "warning" | "advice" | "rule" | "idea" | "thought" | "option"
            | "suggestion" | "approach",
            ..,
        ] => true,
        ["that" | "this", next, ..] => NO_OBJECT.contains(next),
        [first, ..] => NO_OBJECT.contains(first) || *first == "<name>",
    }
}

fn is_apply_participle(word: &str) -> bool {
    matches!(
        word,
        "using" | "applying" | "following" | "heeding" | "adopting"
    )
}

fn after_adverbs<'b, 'a>(mut words: &'b [&'a str]) -> &'b [&'a str] {
    while let [first, rest @ ..] = words {
        let adverb = first.ends_with("ly")
            || PASSED_OVER.contains(first)
            || matches!(*first, "been" | "being" | "be" | "too" | "rather" | "like");
        if !adverb {
            break;
        }
        words = rest;
    }
    words
}

/// True if a word negates what follows.
pub(super) fn is_negator(word: &str) -> bool {
    matches!(
        word,
        "not" | "cannot" | "never" | "no" | "neither" | "hardly" | "nothing"
    ) || word.ends_with("n't")
}
