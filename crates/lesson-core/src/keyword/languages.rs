//! The languages that words are told apart by: their tags, their rules of stems, and their stop words.

use rust_stemmers::Algorithm;

/// A language that is written in Latin letters and has stems of its own. Other scripts say by themselves whose stems they take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Language(u8);

/// Number of languages, English among them.
pub(super) const COUNT: usize = 1 + LATIN.len();
/// Distinct stop words that a text of another language than English has at least.
const FEWEST: u8 = 2;

/// Tag, rules of stems, stop words. The tag ends the words of lessons in the language, in the index and on the server. Words of one
/// letter, and words that English texts about code are full of (`man`, `war`, `per`), are left out.
#[rustfmt::skip]
pub(super) const LATIN: [(&str, Algorithm, &str); 13] = [
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

    /// Returns the tag that its words end with after an `@`, such as `de`; `None` for English.
    pub fn tag(self) -> Option<&'static str> {
        Some(self.row()?.0)
    }

    fn row(self) -> Option<&'static (&'static str, Algorithm, &'static str)> {
        LATIN.get(self.place().checked_sub(1)?)
    }

    /// Its stop words, parted by spaces; none of English, whose are told elsewhere.
    pub fn stop_words(self) -> &'static str {
        self.row().map_or("", |row| row.2)
    }

    /// The language with this tag.
    pub fn tagged(tag: &str) -> Option<Self> {
        Self::others().find(|language| language.tag() == Some(tag))
    }

    pub(super) fn algorithm(self) -> Algorithm {
        self.row().map_or(Algorithm::English, |row| row.1)
    }

    /// The language of a text, by the bits of its distinct words (see `language_bits`): the one with most stop words, two at least and more than English
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
