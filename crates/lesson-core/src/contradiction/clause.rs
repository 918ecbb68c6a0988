//! The clauses of a lesson: what each is about, and whether it is denied.

use crate::keyword::stem;
use crate::stable_map::StableMap;
use crate::text::Text;
use crate::tools::STOP_WORDS;
use std::borrow::Cow;

/// Words in common, of the words that either clause has, from which two clauses speak of the same; 0 to 1. 0.6: a clause
/// of four words may have one of its own.
const SAME_CLAUSE: f64 = 0.6;
/// Words that two clauses share at least.
const FEWEST: usize = 2;
/// Clauses of a lesson that are read: what it is about stands at its beginning.
const MOST_CLAUSES: usize = 60;
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

/// A lesson's title, recommendation and description, in this order, in lower case and without apostrophes.
pub(super) type Lowered = [String; 3];

pub(super) fn lowered(text: &Text) -> Lowered {
    [&text.title, &text.recommendation, &text.description].map(|field| {
        let mut field = field.to_lowercase();
        field.retain(|symbol| !matches!(symbol, '\'' | '’'));
        field
    })
}

/// A part of a sentence.
#[derive(Default)]
pub(super) struct Clause<'a> {
    /// Its subject: its stems, by their numbers, in ascending order.
    about: Vec<u32>,
    /// The words that deny in it, as they are written.
    pub(super) denials: Vec<&'a str>,
    pub(super) is_denied: bool,
}

impl Clause<'_> {
    /// Words in common, of those that either has; 0 where that is below [`SAME_CLAUSE`].
    pub(super) fn share(&self, other: &Self) -> f64 {
        let (own, others) = (self.about.len(), other.about.len());
        let share = |both: usize| both as f64 / (own + others - both) as f64;
        // At most all words of the shorter one are in both.
        if share(own.min(others)) < SAME_CLAUSE {
            return 0.0;
        }
        let mut both = 0;
        let mut rest = other.about.iter().peekable();
        for stem in &self.about {
            while rest.next_if(|other| *other < stem).is_some() {}
            both += usize::from(rest.next_if_eq(&stem).is_some());
        }
        let share = share(both);
        if both < FEWEST || share < SAME_CLAUSE {
            0.0
        } else {
            share
        }
    }
}

/// The part that a word plays in a clause.
#[derive(Clone, Copy)]
enum Word {
    /// Two of them deny nothing.
    Denies,
    /// Any number of them denies once.
    DeniesOnce,
    /// Denies what has this stem.
    Opposite(Option<u32>),
    /// Is what the clause is about; `None`: says nothing of that.
    About(Option<u32>),
    /// Is of another script, and may hold a denial.
    Foreign,
}

/// The words of the lessons that are compared: each is looked up once, however often it is said.
#[derive(Default)]
pub(super) struct Words<'a> {
    known: StableMap<&'a str, Word>,
    stems: StableMap<Cow<'a, str>, u32>,
}

impl<'a> Words<'a> {
    pub(super) fn clauses(&mut self, text: &'a Lowered) -> Vec<Clause<'a>> {
        text.iter()
            .flat_map(|field| field.split(is_end))
            .flat_map(|clause| clause.split(" but "))
            .map(|clause| self.clause(clause))
            .filter(|clause| clause.about.len() >= FEWEST)
            .take(MOST_CLAUSES)
            .collect()
    }

    fn clause(&mut self, text: &'a str) -> Clause<'a> {
        let mut words = text
            .split(|symbol: char| !symbol.is_alphanumeric() && symbol != '_' && !is_mark(symbol))
            .filter(|word| !word.is_empty())
            .peekable();
        let mut found = Clause::default();
        let (mut denials, mut is_denied_once) = (0_u32, false);
        while let Some(word) = words.next() {
            match self.word(word) {
                Word::Denies => {
                    let next = words.peek().copied().unwrap_or_default();
                    if !NO_DENIALS.contains(&(word, next)) {
                        denials += 1;
                        found.denials.push(word);
                    }
                }
                Word::DeniesOnce => {
                    is_denied_once = true;
                    found.denials.push(word);
                }
                Word::Opposite(opposite) => {
                    denials += 1;
                    found.denials.push(word);
                    found.about.extend(opposite);
                }
                Word::About(stem) => found.about.extend(stem),
                Word::Foreign => is_denied_once |= self.foreign(word, &mut found),
            }
        }
        found.is_denied = is_denied_once || denials % 2 == 1;
        found.about.sort_unstable();
        found.about.dedup();
        found
    }

    fn word(&mut self, word: &'a str) -> Word {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let found = if DENIALS.contains(&word) {
            Word::Denies
        } else if OTHER_DENIALS.contains(&word) {
            Word::DeniesOnce
        } else if let Some((_, opposite)) = OPPOSITES.iter().find(|(denying, _)| *denying == word) {
            Word::Opposite(self.about(opposite))
        } else if word.is_ascii() {
            Word::About(self.about(word))
        } else {
            Word::Foreign
        };
        self.known.insert(word, found);
        found
    }

    /// The number of a word's stem; `None` of one that says nothing of what a clause is about.
    fn about(&mut self, word: &'a str) -> Option<u32> {
        let says = STOP_WORDS.binary_search(&word).is_err() && !MODALS.contains(&word);
        says.then(|| self.number(stem(word)))
    }

    fn number(&mut self, stem: Cow<'a, str>) -> u32 {
        let next = u32::try_from(self.stems.len()).unwrap_or(u32::MAX);
        *self.stems.entry(stem).or_insert(next)
    }

    /// Takes a word of another script; whether something in it denies. Scripts without spaces are compared by pairs of
    /// letters.
    fn foreign(&mut self, word: &'a str, found: &mut Clause<'a>) -> bool {
        if !word.chars().any(is_unspaced) {
            found.about.push(self.number(Cow::Borrowed(word)));
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
                found.denials.push(denial);
                is_denied = true;
            }
        }
        let letters: Vec<char> = rest.chars().collect();
        for pair in letters.windows(2) {
            let pair: String = pair.iter().collect();
            found.about.push(self.number(Cow::Owned(pair)));
        }
        is_denied
    }
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

/// Marks that belong to the letter before them.
fn is_mark(symbol: char) -> bool {
    matches!(symbol, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{97f}')
}

/// Chinese, Japanese and Korean letters.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
