//! Detection of sentences that deny the lesson that they name.
//!
//! "I will not open this pool based on X" applies X; "I am not using X" rejects it. What counts is
//! the word that governs the name, read backwards from it: a negation that reaches this word
//! denies the lesson, one that a verb of its own keeps from it does not. After the name, its own
//! predicate counts: "X does not apply", "X was ignored".

use super::denial_words::{
    ANYWAY, APPLY, APPLY_STEMS, AUXILIARIES, FILLERS, FITTING, FORBIDDEN, LIGHT, NEGATORS,
    OPINIONS, PARTICIPLES, PREPOSITIONS, REFUSALS, REJECT_STEMS, REJECTING, REJECTING_PAIRS,
    UNFITTING,
};
use super::marks::{trim_marks, words};

/// A mark that parts phrases, among words.
const BREAK: &str = ",";

/// The verdict on a name by the word before it that governs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Governed {
    /// By a word that applies it.
    Applied,
    /// By a word that rejects it.
    Denied,
    /// By neither.
    Neither,
}

/// Finds the verdict of the text `before` a name on it; `after` is what follows the name.
pub(super) fn governed(before: &str, after: &str) -> Governed {
    let tokens = tokens(trim_marks(before));
    let rest = without_fillers(&tokens);
    if is_owed(rest, after) {
        return Governed::Applied;
    }
    let Some((&governor, rest)) = rest.split_last() else {
        return Governed::Neither;
    };
    let last = rest.last().copied().unwrap_or(BREAK);
    // "Enter? No: 'x'" answers, and gives its reason.
    let answers = governor == "no"
        && last == BREAK
        && before
            .trim_end_matches(['\'', '"', '`', ' '])
            .ends_with(':');
    if answers {
        return Governed::Neither;
    }
    if is_negator(governor)
        || REJECTING.contains(&governor)
        || REJECTING_PAIRS.contains(&(last, governor))
    {
        return Governed::Denied;
    }
    // "rely on 'x'", "a reason to deviate from 'x'": the word before the preposition governs.
    let (verb, rest) = match rest.split_last() {
        Some((&verb, rest)) if PREPOSITIONS.contains(&governor) => (verb, rest),
        _ => (governor, rest),
    };
    let denied = negated(rest, verb);
    let phrase = last_phrase(rest);
    if is_second_choice(phrase, verb, governor)
        || is_no_place(phrase, verb)
        || is_uncalled_for(phrase, verb)
    {
        return Governed::Denied;
    }
    let begins = |stems: &[&str]| stems.iter().any(|stem| verb.starts_with(stem));
    if begins(&REJECT_STEMS) {
        return if denied {
            Governed::Applied
        } else {
            Governed::Denied
        };
    }
    if APPLY.contains(&verb) || begins(&APPLY_STEMS) {
        return if denied {
            Governed::Denied
        } else {
            Governed::Applied
        };
    }
    if OPINIONS.contains(&verb) && denied {
        return Governed::Denied;
    }
    Governed::Neither
}

/// The words after the last mark.
fn last_phrase<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let from = words.iter().rposition(|word| *word == BREAK);
    &words[from.map_or(0, |at| at + 1)..]
}

/// "Chose a breaker over 'x'", "preferred a breaker to 'x'", "nothing to do with 'x'".
fn is_second_choice(phrase: &[&str], verb: &str, governor: &str) -> bool {
    let chose = |stems: &[&str]| {
        phrase
            .iter()
            .any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    };
    match governor {
        "over" => chose(&[
            "chose", "choos", "prefer", "pick", "favour", "favor", "select", "took",
        ]),
        "to" => chose(&["prefer", "irrelevant"]),
        "with" => verb == "do" && matches!(phrase, [.., "nothing" | "little", "to"]),
        _ => false,
    }
}

/// "I don't see a place for 'x'".
fn is_no_place(phrase: &[&str], verb: &str) -> bool {
    matches!(
        verb,
        "place" | "room" | "opportunity" | "occasion" | "chance"
    ) && phrase.iter().any(|word| is_negator(word))
}

/// "Nothing here calls for 'x'".
fn is_uncalled_for(phrase: &[&str], verb: &str) -> bool {
    matches!(phrase.first(), Some(&("nothing" | "none")))
        && [
            "call", "warrant", "need", "requir", "trigger", "demand", "justif", "match", "relat",
            "touch", "fall", "point",
        ]
        .iter()
        .any(|stem| verb.starts_with(stem))
}

/// True if something would have gone wrong without the lesson that is named: "without 'x' I would have missed it".
fn is_owed(before: &[&str], after: &str) -> bool {
    let rest = match before {
        [rest @ .., "using" | "applying" | "following" | "heeding"] => rest,
        rest => rest,
    };
    let Some((&"without", rest)) = rest.split_last() else {
        return false;
    };
    let end = after.find(['\n', '.', ';', '!', '?']);
    let after: Vec<&str> = words(&after[..end.unwrap_or(after.len())]).collect();
    let is_perfect = |said: &[&str]| {
        said.windows(2).any(|pair| {
            matches!(
                pair[0],
                "would" | "wouldn't" | "could" | "couldn't" | "might" | "i'd" | "we'd"
            ) && pair[1] == "have"
                || matches!(pair[0], "would've" | "could've" | "might've")
        }) || said.windows(3).any(|words| {
            matches!(
                words,
                ["would" | "could" | "might", "not" | "never", "have"]
            )
        })
    };
    is_perfect(rest) || is_perfect(&after)
}

/// True if a negation in `rest` reaches the word `verb` after it.
fn negated(rest: &[&str], verb: &str) -> bool {
    let word = |at: usize| rest.get(at).copied().unwrap_or(BREAK);
    for at in (0..rest.len()).rev() {
        let before = at.checked_sub(1).map_or(BREAK, word);
        if is_negator(word(at)) {
            // "I can't ship without applying 'x'"
            let is_double = word(at) == "without"
                && last_phrase(&rest[at.saturating_sub(4)..at])
                    .iter()
                    .any(|word| is_negator(word));
            if is_double {
                return false;
            }
            let alone = at + 1 == rest.len() && PARTICIPLES.contains(&verb);
            return !(alone && is_modal_negation(before, word(at)));
        }
        if matches!((before, word(at)), ("instead", "of") | ("rather", "than")) {
            return true;
        }
        if REFUSALS.iter().any(|stem| word(at).starts_with(stem)) {
            let next = rest.get(at + 1).copied();
            return next == Some("to") || (next.is_none() && verb.ends_with("ing"));
        }
        if !LIGHT.contains(&word(at)) && !OPINIONS.contains(&word(at)) {
            return false;
        }
    }
    false
}

/// "won't", "do not": what they negate is a verb in its plain form, which a participle is not.
fn is_modal_negation(before: &str, negator: &str) -> bool {
    let of_be = |word: &str| matches!(word, "is" | "are" | "was" | "were" | "am");
    match negator.strip_suffix("n't") {
        Some(auxiliary) => !of_be(auxiliary),
        None => negator == "cannot" || (AUXILIARIES.contains(&before) && !of_be(before)),
    }
}

/// True if what follows a name denies it; `applied` when what stands before applies it, so that only a predicate about its
/// fitting counts.
pub(super) fn denied_after(after: &str, applied: bool) -> bool {
    let end = after.find(['\n', '.', ';', '!', '?']);
    let sentence = &after[..end.unwrap_or(after.len())];
    let clause = sentence.split(',').next().unwrap_or_default();
    let colon = clause
        .trim_start_matches(['\'', '"', '`', ' '])
        .starts_with(':');
    let said: Vec<&str> = words(clause)
        .skip_while(|word| matches!(*word, "lesson" | "skill" | "itself" | "also" | "here"))
        .collect();
    let word = |at: usize| said.get(at).copied().unwrap_or_default();
    let begins = |at: usize, stems: &[&str]| stems.iter().any(|stem| word(at).starts_with(stem));
    if !applied {
        if matches!(word(0), "aside" | "notwithstanding") || begins(0, &REJECT_STEMS) {
            return true;
        }
        if words(sentence).any(|word| ANYWAY.contains(&word)) {
            return true;
        }
    }
    let auxiliary = AUXILIARIES.contains(&word(0));
    let negation = if is_negator(word(0)) {
        Some(0)
    } else {
        (auxiliary && is_negator(word(1))).then_some(1)
    };
    if let Some(at) = negation {
        let first =
            at + 1 + usize::from(matches!(word(at + 1), "be" | "been" | "being" | "longer"));
        let only = matches!(word(at + 1), "only" | "just" | "merely");
        if only || FORBIDDEN.contains(&word(first)) || begins(first, &REJECT_STEMS) {
            return false;
        }
        // "'x': do not enter", "'x' not entering" and "based on 'x' will not enter" obey it.
        let bare = colon || applied || matches!(word(0), "not" | "no" | "never");
        return !bare || begins(first, &FITTING) || begins(first + 1, &FITTING);
    }
    if !auxiliary {
        return false;
    }
    let be = 1 + usize::from(matches!(word(1), "been" | "being" | "be"));
    if UNFITTING.contains(&word(be)) || begins(be, &REJECT_STEMS) {
        return true;
    }
    // "'x' was considered but rejected"
    said.windows(2).any(|pair| {
        matches!(pair[0], "but" | "and" | "then")
            && REJECT_STEMS.iter().any(|stem| pair[1].starts_with(stem))
    })
}

fn is_negator(word: &str) -> bool {
    NEGATORS.contains(&word) || word.ends_with("n't")
}

/// `words` without articles and nouns at their end, such as "the advice of".
fn without_fillers<'a, 'b>(mut words: &'b [&'a str]) -> &'b [&'a str] {
    loop {
        words = match words {
            [rest @ .., noun, "of" | "in" | "from"] if FILLERS[4..].contains(noun) => {
                &words[..rest.len() + 1]
            }
            [rest @ .., filler] if FILLERS.contains(filler) => rest,
            _ => return words,
        };
    }
}

/// The words of the sentence that `text` ends in, with [`BREAK`] for marks that part phrases.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for (at, piece) in text.split_inclusive(is_break).enumerate() {
        if at > 0 {
            tokens.push(BREAK);
        }
        tokens.extend(words(piece));
    }
    if text.ends_with(is_break) {
        tokens.push(BREAK);
    }
    tokens
}

fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | ',' | ';' | ':' | '.' | '!' | '?' | '(' | ')' | '—' | '–'
    )
}
