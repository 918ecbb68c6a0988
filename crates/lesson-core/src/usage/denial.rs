//! Whether a sentence denies the lesson that it names.
//!
//! "I will not open this pool based on X" applies X; "I am not using X" rejects it. What counts is
//! the word that governs the name, read backwards from it: a negation that reaches this word
//! denies the lesson, one that a verb of its own keeps from it does not. After the name, its own
//! predicate counts: "X does not apply", "X was ignored".

use super::marks::{trim_marks, words};

/// Nouns and articles between a governing word and the name: "ignoring the advice of 'x'".
const FILLERS: [&str; 17] = [
    "the", "a", "this", "that", "what", "our", "my", "lesson", "lessons", "skill", "skills",
    "warning", "advice", "rule", "guidance", "pattern", "strategy",
];

/// Words that negate what follows them. "not only" and "not just" don't.
const NEGATORS: [&str; 9] = [
    "not", "cannot", "never", "nor", "neither", "without", "no", "against", "hardly",
];

/// Governing words that reject the name after them.
const REJECTING: [&str; 9] = [
    "despite",
    "notwithstanding",
    "against",
    "unlike",
    "although",
    "though",
    "while",
    "whilst",
    "versus",
];

/// The same, of two words.
const REJECTING_PAIRS: [(&str, &str); 24] = [
    ("passed", "on"),
    ("passing", "on"),
    ("passed", "over"),
    ("ruled", "out"),
    ("ruling", "out"),
    ("left", "out"),
    ("leaving", "out"),
    ("set", "aside"),
    ("setting", "aside"),
    ("put", "aside"),
    ("instead", "of"),
    ("spite", "of"),
    ("regardless", "of"),
    ("irrespective", "of"),
    ("defiance", "of"),
    ("violation", "of"),
    ("breach", "of"),
    ("rather", "than"),
    ("contrary", "to"),
    ("opposed", "to"),
    ("counter", "to"),
    ("even", "if"),
    ("conflict", "with"),
    ("contradiction", "to"),
];

/// Beginnings of verbs (and a noun) whose object is rejected.
const REJECT_STEMS: [&str; 40] = [
    "ignor",
    "disregard",
    "reject",
    "overrid",
    "overrul",
    "overrod",
    "bypass",
    "dismiss",
    "violat",
    "breach",
    "break",
    "broke",
    "contradict",
    "discount",
    "discard",
    "defy",
    "defied",
    "defies",
    "flout",
    "waiv",
    "abandon",
    "dropp",
    "skip",
    "disagree",
    "doubt",
    "distrust",
    "mistrust",
    "neglect",
    "sidestep",
    "circumvent",
    "oppos",
    "deviat",
    "depart",
    "exception",
    "overlook",
    "forgo",
    "suspend",
    "challeng",
    "refus",
    "disput",
];

/// Verbs whose object is applied, unless they are negated.
const APPLY: [&str; 11] = [
    "use", "uses", "used", "using", "let", "letting", "rely", "relies", "relied", "relying",
    "based",
];

/// Beginnings of more of them.
const APPLY_STEMS: [&str; 18] = [
    "apply",
    "appli",
    "follow",
    "heed",
    "obey",
    "respect",
    "trust",
    "honour",
    "honor",
    "accept",
    "adopt",
    "implement",
    "invok",
    "consider",
    "need",
    "want",
    "agree",
    "regard",
];

/// Verbs of opinion: "I don't think 'x' applies".
const OPINIONS: [&str; 10] = [
    "think",
    "believe",
    "sure",
    "convinced",
    "feel",
    "find",
    "see",
    "say",
    "expect",
    "suppose",
];

/// Prepositions that belong to the verb before them.
const PREPOSITIONS: [&str; 8] = ["on", "with", "to", "by", "from", "for", "in", "of"];

/// Words that a negation reaches across.
const LIGHT: [&str; 48] = [
    "to", "be", "been", "being", "am", "is", "are", "was", "were", "will", "would", "should",
    "have", "has", "had", "do", "did", "does", "can", "could", "may", "must", "i", "we", "they",
    "us", "me", "i'm", "i've", "i'll", "i'd", "we're", "we've", "we'll", "really", "actually",
    "even", "simply", "yet", "longer", "going", "planning", "reason", "point", "intend", "for",
    "in", "ever",
];

/// Cues that begin a phrase of their own, so that a negated auxiliary before them stands alone:
/// "I won't, based on 'x'".
const PARTICIPLES: [&str; 4] = ["applying", "using", "following", "based"];

/// Beginnings of verbs that refuse what follows as "to …" or "…ing".
const REFUSALS: [&str; 8] = [
    "refus", "declin", "fail", "neglect", "avoid", "stop", "quit", "skip",
];

/// Verbs that can be negated themselves.
const AUXILIARIES: [&str; 19] = [
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "will", "would",
    "should", "can", "could", "must", "may", "might", "need",
];

/// What a lesson that forbids does not do: "'x' does not allow this" applies it.
const FORBIDDEN: [&str; 17] = [
    "let",
    "allow",
    "permit",
    "want",
    "like",
    "support",
    "recommend",
    "advise",
    "approve",
    "endorse",
    "favour",
    "favor",
    "leave",
    "justify",
    "tolerate",
    "encourage",
    "suggest",
];

/// Beginnings of words by which a lesson fits, or would.
const FITTING: [&str; 17] = [
    "appl",
    "relevan",
    "fit",
    "hold",
    "help",
    "matter",
    "necessar",
    "need",
    "requir",
    "appropriate",
    "use",
    "followed",
    "valid",
    "right",
    "correct",
    "work",
    "suit",
];

/// Words by which a lesson does not fit: "'x' is outdated".
const UNFITTING: [&str; 9] = [
    "irrelevant",
    "inapplicable",
    "outdated",
    "obsolete",
    "wrong",
    "moot",
    "too",
    "overly",
    "overcautious",
];

/// Words that go on in spite of what was said: "I know 'x' but I enter anyway".
const ANYWAY: [&str; 4] = ["anyway", "regardless", "nonetheless", "nevertheless"];

/// A mark that parts phrases, among words.
const BREAK: &str = ",";

/// How a name is governed by what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Governed {
    /// By a word that applies it.
    Applied,
    /// By a word that rejects it.
    Denied,
    /// By neither.
    Neither,
}

/// How the text `before` a name governs it.
pub(super) fn governed(before: &str) -> Governed {
    let tokens = tokens(trim_marks(before));
    let rest = without_fillers(&tokens);
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

/// Whether a negation in `rest` reaches the word `verb` after it.
fn negated(rest: &[&str], verb: &str) -> bool {
    let word = |at: usize| rest.get(at).copied().unwrap_or(BREAK);
    for at in (0..rest.len()).rev() {
        let before = at.checked_sub(1).map_or(BREAK, word);
        if is_negator(word(at)) {
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

/// Whether what follows a name denies it; `applied` when what stands before applies it, so that
/// only a predicate about its fitting counts.
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
