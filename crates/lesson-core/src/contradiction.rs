//! Lessons that deny each other: sentences of much the same words, of which one is negated.
//!
//! "Deploy on weekdays" and "Do not deploy on weekdays" share all their words, and their vectors lie close. They are no
//! duplicates: whoever merges them, or gives one for both, loses the correction.

use crate::keyword::stem;
use crate::lesson::Lesson;
use crate::text::Text;
use crate::tools::STOP_WORDS;
use std::collections::BTreeSet;

/// Words in common, of the words that either clause has, from which two clauses speak of the same; 0 to 1. 0.6: a clause
/// of four words may have one of its own.
const SAME_CLAUSE: f64 = 0.6;
/// Words that two clauses share at least.
const FEWEST: usize = 2;
/// Clauses of a lesson that are read: what it is about stands at its beginning.
const MOST_CLAUSES: usize = 60;
/// Lessons of an answer that are compared with each other.
const MOST_LESSONS: usize = 20;

/// Words that deny what stands beside them; two of them in one clause deny nothing ("do not forget to").
const DENIALS: &[&str] = &[
    "aint",
    "arent",
    "avoid",
    "avoided",
    "avoiding",
    "avoids",
    "ban",
    "banned",
    "bans",
    "cannot",
    "cant",
    "couldnt",
    "didnt",
    "disallow",
    "disallowed",
    "disallows",
    "doesnt",
    "dont",
    "forbid",
    "forbidden",
    "forbids",
    "forget",
    "forgetting",
    "isnt",
    "mustnt",
    "neglect",
    "never",
    "no",
    "nobody",
    "none",
    "not",
    "omit",
    "omits",
    "omitted",
    "prohibit",
    "prohibited",
    "prohibits",
    "refrain",
    "refuse",
    "shouldnt",
    "skip",
    "skipped",
    "skipping",
    "skips",
    "stop",
    "wasnt",
    "werent",
    "without",
    "wont",
    "wouldnt",
];
/// Denials of other languages. Many say them twice for one ("ne … pas", "no … nunca"), so any number counts once.
const OTHER_DENIALS: &[&str] = &[
    "aldrig",
    "aucun",
    "aucune",
    "değil",
    "ei",
    "geen",
    "ingen",
    "inte",
    "ikke",
    "jamais",
    "jamás",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "mai",
    "nem",
    "nessun",
    "nicht",
    "nie",
    "niemals",
    "niet",
    "nigdy",
    "non",
    "nooit",
    "nunca",
    "não",
    "ohne",
    "pas",
    "sans",
    "sem",
    "senza",
    "sin",
    "tanpa",
    "tidak",
    "ничего",
    "нельзя",
    "не",
    "нет",
    "ни",
    "никогда",
    "ні",
    "لا",
    "لن",
    "ليس",
    "नहीं",
    "मत",
    "안",
    "못",
];
/// Denials in scripts without spaces, and endings that deny.
const WRITTEN_DENIALS: &[&str] = &[
    "不要",
    "不",
    "没有",
    "没",
    "沒",
    "勿",
    "禁止",
    "未",
    "ません",
    "ない",
    "않",
    "금지",
    "마세요",
];
/// Denials that are none with the word that follows.
const NO_DENIALS: &[(&str, &str)] = &[
    ("no", "matter"),
    ("not", "just"),
    ("not", "merely"),
    ("not", "only"),
];
/// Opposites, as the word that the other one denies.
const OPPOSITES: &[(&str, &str)] = &[
    ("deny", "allow"),
    ("denied", "allow"),
    ("disable", "enable"),
    ("disabled", "enable"),
    ("disables", "enable"),
    ("exclude", "include"),
    ("insecure", "secure"),
    ("invalid", "valid"),
    ("unsafe", "safe"),
    ("unsupported", "support"),
];
/// Words of leave and of duty, which say nothing of what about.
const MODALS: &[&str] = &[
    "allow",
    "allowed",
    "allows",
    "always",
    "may",
    "must",
    "ok",
    "okay",
    "permit",
    "permitted",
    "required",
    "shall",
    "sure",
    "use",
    "used",
    "using",
];

/// The word by which one of two lessons denies what the other one says, as it is written there: "not", "never",
/// "forbidden". `None` where neither does. Costs some microseconds for a page of text.
///
/// ```
/// let lesson = |text: &str| lesson_core::Text { recommendation: text.to_owned(), ..Default::default() };
/// let (one, two) = (lesson("Deploy to production on weekdays."), lesson("Do not deploy to production on weekdays."));
/// assert_eq!(lesson_core::contradiction(&one, &two).as_deref(), Some("not"));
/// assert_eq!(lesson_core::contradiction(&one, &one), None);
/// ```
pub fn contradiction(one: &Text, two: &Text) -> Option<String> {
    between(&clauses(one), &clauses(two))
}

/// Of each lesson the places of those that it contradicts; of the first twenty lessons, which are the most that an agent
/// reads.
pub fn contradictions(lessons: &[&Lesson]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); lessons.len()];
    let read = lessons.iter().take(MOST_LESSONS);
    let read: Vec<Vec<Clause>> = read.map(|lesson| clauses(&lesson.text)).collect();
    for (at, one) in read.iter().enumerate() {
        for (other, two) in read.iter().enumerate().skip(at + 1) {
            if between(one, two).is_some() {
                found[at].push(other);
                found[other].push(at);
            }
        }
    }
    found
}

/// A part of a sentence.
#[derive(Default)]
struct Clause {
    /// The stems of what it is about.
    about: BTreeSet<String>,
    /// What denies in it, as it is written.
    denials: Vec<String>,
    is_denied: bool,
}

impl Clause {
    /// Words in common, of those that either has.
    fn share(&self, other: &Self) -> f64 {
        let both = self.about.intersection(&other.about).count();
        if both < FEWEST {
            return 0.0;
        }
        both as f64 / (self.about.len() + other.about.len() - both) as f64
    }
}

fn between(one: &[Clause], two: &[Clause]) -> Option<String> {
    one.iter().find_map(|clause| {
        // What both say and one says again in a denial of something else is no contradiction: the likest clause counts.
        let likest = two
            .iter()
            .map(|other| {
                (
                    clause.share(other),
                    clause.is_denied == other.is_denied,
                    other,
                )
            })
            .filter(|(share, ..)| *share >= SAME_CLAUSE)
            .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        let (_, is_alike, other) = likest;
        if is_alike {
            return None;
        }
        let (denied, plain) = if clause.is_denied {
            (clause, other)
        } else {
            (other, clause)
        };
        let own = denied
            .denials
            .iter()
            .find(|word| !plain.denials.contains(word));
        own.or(denied.denials.first()).cloned()
    })
}

fn clauses(text: &Text) -> Vec<Clause> {
    let fields = [&text.title, &text.recommendation, &text.description];
    fields
        .into_iter()
        .flat_map(|field| field.split(is_end))
        .flat_map(|clause| clause.split(" but "))
        .map(clause)
        .filter(|clause| clause.about.len() >= FEWEST)
        .take(MOST_CLAUSES)
        .collect()
}

fn is_end(symbol: char) -> bool {
    matches!(
        symbol,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '\n'
            | '('
            | ')'
            | '—'
            | '。'
            | '，'
            | '；'
            | '：'
            | '！'
            | '？'
            | '、'
    )
}

fn clause(text: &str) -> Clause {
    let lowered = text.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = lowered
        .split(|symbol: char| !symbol.is_alphanumeric() && symbol != '_' && !is_mark(symbol))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Clause::default();
    let (mut denials, mut is_denied_once) = (0_u32, false);
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        if NO_DENIALS.contains(&(word, next)) {
            continue;
        }
        if DENIALS.contains(word) {
            denials += 1;
            found.denials.push((*word).to_owned());
        } else if OTHER_DENIALS.contains(word) {
            is_denied_once = true;
            found.denials.push((*word).to_owned());
        } else if let Some((_, opposite)) = OPPOSITES.iter().find(|(denying, _)| denying == word) {
            denials += 1;
            found.denials.push((*word).to_owned());
            found.about.extend(about(opposite));
        } else if word.is_ascii() {
            found.about.extend(about(word));
        } else {
            is_denied_once |= foreign(word, &mut found);
        }
    }
    found.is_denied = is_denied_once || denials % 2 == 1;
    found
}

/// Marks that belong to the letter before them.
fn is_mark(symbol: char) -> bool {
    matches!(symbol, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{97f}')
}

/// A word as what a clause is about.
fn about(word: &str) -> Option<String> {
    let says = STOP_WORDS.binary_search(&word).is_err() && !MODALS.contains(&word);
    says.then(|| stem(word).into_owned())
}

/// Takes a word of another script; whether something in it denies. Scripts without spaces are compared by pairs of
/// letters.
fn foreign(word: &str, found: &mut Clause) -> bool {
    if !word.chars().any(is_unspaced) {
        found.about.insert(word.to_owned());
        return false;
    }
    let mut rest = word.to_owned();
    let mut is_denied = false;
    for denial in WRITTEN_DENIALS {
        // "Not only" and "different" are no denials.
        if rest.contains(denial)
            && !["不仅", "不僅", "不同"]
                .iter()
                .any(|none| rest.contains(none))
        {
            rest = rest.replace(denial, "");
            found.denials.push((*denial).to_owned());
            is_denied = true;
        }
    }
    let letters: Vec<char> = rest.chars().collect();
    found.about.extend(
        letters
            .windows(2)
            .map(|pair| pair.iter().collect::<String>()),
    );
    is_denied
}

/// Chinese, Japanese and Korean letters.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(one: &str, two: &str) -> Option<String> {
        let text = |title: &str| Text {
            title: title.to_owned(),
            ..Text::default()
        };
        let there = contradiction(&text(one), &text(two));
        let back = contradiction(&text(two), &text(one));
        assert_eq!(there.is_some(), back.is_some(), "{one} / {two}");
        there
    }

    #[test]
    fn a_denial_is_told_by_its_word() {
        for (one, two, denial) in [
            (
                "Retry failed payments at once",
                "Never retry failed payments at once",
                "never",
            ),
            (
                "Releases are permitted on Fridays",
                "Releases are forbidden on Fridays",
                "forbidden",
            ),
            (
                "Squash commits before a merge",
                "Don't squash commits before a merge",
                "dont",
            ),
            (
                "Enable query caching in staging",
                "Disable query caching in staging",
                "disable",
            ),
            (
                "Skip the smoke tests on hotfixes",
                "Do not skip the smoke tests on hotfixes",
                "skip",
            ),
            (
                "Run migrations with locks",
                "Run migrations without locks",
                "without",
            ),
            (
                "Zugriffe im Log speichern",
                "Zugriffe im Log nicht speichern",
                "nicht",
            ),
            ("工作日可以部署生产环境", "工作日不可以部署生产环境", "不"),
            (
                "Храните токены в журнале",
                "Не храните токены в журнале",
                "не",
            ),
        ] {
            assert_eq!(word(one, two).as_deref(), Some(denial), "{one} / {two}");
        }
    }

    #[test]
    fn what_denies_nothing_or_something_else_is_no_contradiction() {
        for (one, two) in [
            (
                "Rotate the signing keys monthly",
                "Do not forget to rotate the signing keys monthly",
            ),
            (
                "Cache the token response",
                "Cache not only the token response",
            ),
            ("Never store tokens in logs", "Don't store tokens in logs"),
            (
                "Index foreign keys of large tables",
                "Never log the bodies of requests",
            ),
            (
                "Use pnpm. Do not use yarn here",
                "Use pnpm. Don't use yarn here",
            ),
            ("", "Never do this"),
        ] {
            assert_eq!(word(one, two), None, "{one} / {two}");
        }
    }
}
