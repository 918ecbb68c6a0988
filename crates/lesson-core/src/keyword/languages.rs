//! The languages that words are told apart by: their stop words, by which a text's language is recognised, and their stems.

use super::stems::{english_stem, term_in};
use crate::stable_map::StableMap;
use crate::tools::STOP_WORDS;
use rust_stemmers::Algorithm;
use std::sync::OnceLock;

/// A language that is written in Latin letters and has stems of its own. Other scripts say by themselves whose stems they take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Language(u8);

/// How many languages there are, English among them.
pub(super) const COUNT: usize = 1 + LATIN.len();
/// Distinct stop words that a text of another language than English has at least.
const FEWEST: u8 = 2;

/// Tag, rules of stems, stop words. The tag ends the words of lessons in the language, in the index and on the server. Words of one
/// letter, and words that English texts about code are full of (`man`, `war`, `per`), are left out.
#[rustfmt::skip]
const LATIN: [(&str, Algorithm, &str); 13] = [
    ("de", Algorithm::German, "der die das und nicht mit ein eine einen einer eines dem den des ist sind wird werden wenn dass für auf von zu zum zur bei nach vor aus über unter durch oder aber auch nur noch sich sie wir ich es als wie kann muss müssen sollte immer nie kein keine haben hatte wurde im bevor damit weil"),
    ("fr", Algorithm::French, "le la les un une du de et est pas ne que qui dans pour par sur avec sans sont être il elle nous vous ce cette ces au aux ou mais comme plus quand avant après toujours jamais doit faut se sa leur ses dont donc fait chaque"),
    ("es", Algorithm::Spanish, "el la los las un una unos de del que no en es por para con sin se su sus lo al como más pero cuando antes después siempre nunca debe está están ser hay este esta estos esto cada todo todos desde hasta entre sobre ya"),
    ("pt", Algorithm::Portuguese, "os as um uma de do da dos das que não em por para com sem se no na nos nas ao mais mas como quando antes depois sempre nunca deve está são ser há este esta isso isto seu sua cada todo todos desde até entre sobre ou já pelo pela você"),
    ("it", Algorithm::Italian, "il lo la gli le un una di del della dei delle che non in con senza si nel nella al alla come più ma quando prima dopo sempre mai deve sono essere questo questa ogni tutti tra su già dal dalla anche se"),
    ("nl", Algorithm::Dutch, "de het een en van is niet met voor op te dat die zijn wordt worden als je ik we aan bij naar uit door onder of maar ook alleen nog altijd nooit geen moet kan hebben heeft er deze dit om tot zonder"),
    ("sv", Algorithm::Swedish, "och att det som en ett är inte med för på av till den de om när kan ska skall från har var vid eller men också bara alltid aldrig måste utan efter före innan under över så vi du jag sig"),
    ("da", Algorithm::Danish, "og at det som en et er ikke med for på af til den de om når kan skal fra har var ved eller men også kun altid aldrig må uden efter før under over så vi du jeg sig være bliver"),
    ("no", Algorithm::Norwegian, "og at det som en et er ikke med for på av til den de om når kan skal fra har var ved eller men også bare alltid aldri må uten etter før under over så vi du jeg seg være blir"),
    ("fi", Algorithm::Finnish, "ja on ei se että kun tai joka ole mutta jos niin kuin myös vain ovat sen ennen jälkeen aina koskaan pitää voi kanssa ilman tämä nämä siitä sitä mitä mikä oli olla ne"),
    ("hu", Algorithm::Hungarian, "az és nem hogy egy is van ha meg de csak vagy mint minden ez ezt azt el ki kell lehet után előtt mindig soha nélkül között még már ezek volt legyen"),
    ("ro", Algorithm::Romanian, "și să nu de la în cu pe un este sunt pentru din sau dar mai care când ca prin după înainte întotdeauna niciodată trebuie fi ale lui fără între acest această al"),
    ("tr", Algorithm::Turkish, "ve bir bu da de için ile mi ne gibi daha çok ama veya değil olan olarak her en sonra önce kadar hiç var yok ise zaman tarafından olduğu eğer şu"),
];

/// Stop words of languages that their script tells.
const OTHER_SCRIPTS: &str = "и в не на что с по как это из для от при или если то но за до же бы ли так все его её они мы вы я у о к а \
    та що й та з від або якщо це як до для і є не та її \
    και το να η ο την του με σε για από που δεν θα τα στο στη είναι αν ή \
    في من على إلى أن لا ما هذا هذه التي الذي كان مع عن أو إذا هو هي ثم كل \
    के में है की को का से और पर कि यह नहीं एक हैं लिए तो भी जो या ने कर \
    של את על לא זה עם אם או כי גם הוא היא";

/// What is known of a stop word's stem.
#[derive(Clone, Copy, Default)]
struct Signs {
    /// A bit for each language that has it, English the lowest.
    languages: u16,
    /// Whether it is one of a script other than Latin.
    other_script: bool,
}

fn signs(stem: &str) -> Signs {
    static TABLE: OnceLock<StableMap<Box<str>, Signs>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table: StableMap<Box<str>, Signs> = StableMap::default();
        for word in STOP_WORDS {
            let held = table.entry(english_stem(word).into()).or_default();
            held.languages |= 1;
        }
        for (at, (_, _, words)) in LATIN.iter().enumerate() {
            for word in words.split(' ') {
                let held = table.entry(english_stem(word).into()).or_default();
                held.languages |= 2 << at;
            }
        }
        for word in OTHER_SCRIPTS.split_whitespace() {
            let held = table.entry(english_stem(word).into()).or_default();
            held.other_script = true;
        }
        table
    });
    table.get(stem).copied().unwrap_or_default()
}

/// The languages, as bits, of whose stop words a word with this English stem is one.
pub(super) fn language_bits(stem: &str) -> u16 {
    signs(stem).languages
}

/// Whether a word says nothing about what a text of the language is about. `stem` is its English stem.
pub(super) fn says_nothing(word: &str, stem: &str, language: Language) -> bool {
    STOP_WORDS.binary_search(&word).is_ok() || {
        let signs = signs(stem);
        signs.other_script
            || language != Language::ENGLISH && signs.languages >> language.0 & 1 == 1
    }
}

/// Calls `found` for every stop word, as the index keeps it in lessons of its language.
pub(super) fn each_stop_term(mut found: impl FnMut(&str)) {
    STOP_WORDS.iter().for_each(|word| found(word));
    OTHER_SCRIPTS.split_whitespace().for_each(&mut found);
    for language in Language::others() {
        let words = language.row().map_or("", |row| row.2);
        words
            .split(' ')
            .for_each(|word| found(&term_in(word, language)));
    }
}

impl Language {
    /// English, and whatever is not recognised.
    pub const ENGLISH: Self = Self(0);

    /// All but English.
    pub fn others() -> impl DoubleEndedIterator<Item = Self> {
        (1..COUNT as u8).map(Self)
    }

    /// Its place among the languages, below [`COUNT`].
    pub fn place(self) -> usize {
        usize::from(self.0)
    }

    /// `None` for a place where no language is.
    pub fn at(place: u32) -> Option<Self> {
        let place = u8::try_from(place).ok()?;
        (usize::from(place) < COUNT).then_some(Self(place))
    }

    /// What its words end with after an `@`, such as `de`; `None` for English.
    pub fn tag(self) -> Option<&'static str> {
        Some(self.row()?.0)
    }

    fn row(self) -> Option<&'static (&'static str, Algorithm, &'static str)> {
        LATIN.get(self.place().checked_sub(1)?)
    }

    /// The language with this tag.
    pub fn tagged(tag: &str) -> Option<Self> {
        Self::others().find(|language| language.tag() == Some(tag))
    }

    pub(super) fn algorithm(self) -> Algorithm {
        self.row().map_or(Algorithm::English, |row| row.1)
    }

    /// The language of a text, by its distinct words' [`language_bits`]: the one with most stop words, two at least and more than English
    /// has. Of equals the first.
    pub fn of_bits(words: impl Iterator<Item = u16>) -> Self {
        let mut counts = [0_u8; COUNT];
        for bits in words.filter(|bits| *bits != 0) {
            for (place, count) in counts.iter_mut().enumerate() {
                *count = count.saturating_add((bits >> place & 1) as u8);
            }
        }
        let least = FEWEST.max(counts[0].saturating_add(1));
        Self::others()
            .filter(|language| counts[language.place()] >= least)
            .rev()
            .max_by_key(|language| counts[language.place()])
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server tells languages by the same stems.
    #[test]
    fn the_servers_stop_words_are_these() {
        let sql = include_str!("../../../../supabase/migrations/20261126100004_search.sql");
        let english: Vec<&str> = STOP_WORDS.to_vec();
        let english = english.join(" ");
        let rows = LATIN.iter().map(|(tag, _, words)| (*tag, *words));
        let mut lacking = String::new();
        for (tag, words) in std::iter::once(("en", english.as_str())).chain(rows) {
            let mut stems: Vec<String> = words
                .split(' ')
                .map(|word| english_stem(word).into_owned())
                .collect();
            stems.sort();
            stems.dedup();
            let row = format!("    ('{tag}', '{}')", stems.join(" "));
            if !sql.contains(&row) {
                lacking = format!("{lacking}{row},\n");
            }
        }
        assert_eq!(lacking, "", "the file of search lacks rows");
    }
}
