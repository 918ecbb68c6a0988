//! The index as bytes, so that no word is counted anew.

use super::languages::Language;
use super::stems::stem;
use super::{Entry, KeywordIndex, Posting, Said};
use crate::lesson::Lesson;
use crate::lessons::slug_hash;
use crate::packed::{Reader, Writer};
use crate::stable_map::StableMap;
use crate::text::Text;

/// Words of every kind that the rules tell apart.
const PROBE: &str = "Row-level `localStorage` of node.js, C++ and C#: don't naïve.Straße 漢字庫 ΣΑΣ a_b/c:d HTTPServer2go x-1";
/// Words of a language that is recognised.
const OTHER_PROBE: &str = "Die Datenbanken und nicht der Größe";

/// Says in words how the index is written, and what the rules make of some words: an index of
/// other rules is another one.
pub(crate) fn packed_shape(to: &mut String) {
    let mut probe = KeywordIndex::new();
    let text = Text {
        title: PROBE.to_owned(),
        tags: vec!["Tag".to_owned()],
        tech_stacks: vec!["Tech".to_owned()],
        description: "Said".to_owned(),
        context: "Met".to_owned(),
        recommendation: "Told".to_owned(),
        ..Text::default()
    };
    probe.insert(&Lesson::new("probe", text, "", 0));
    let other = Text {
        title: OTHER_PROBE.to_owned(),
        ..Text::default()
    };
    probe.insert(&Lesson::new("other", other, "", 0));
    to.push_str("index");
    for (word, term) in &probe.sorted {
        let said = probe
            .postings
            .get(*term as usize)
            .and_then(|postings| postings.first())
            .map_or(0, |posting| posting.said.0);
        to.push_str(&format!(" {word}:{said}:{}", stem(word)));
    }
}

impl KeywordIndex {
    /// Lessons without the free places between them, then every word in order with who has it.
    pub(crate) fn put(&self, to: &mut Writer<'_>) {
        let mut places = vec![0_u32; self.lessons.len()];
        let mut next = 0;
        to.number(self.len() as u64);
        for (entry, place) in self.lessons.iter().zip(&mut places) {
            let Some(entry) = entry else { continue };
            *place = next;
            next += 1;
            to.text(&entry.slug);
            to.number(u64::from(entry.length));
            to.number(entry.language.place() as u64);
        }
        let held = |term: u32| self.postings.get(term as usize).filter(|p| !p.is_empty());
        let words = self.sorted.values().filter(|term| held(**term).is_some());
        to.number(words.count() as u64);
        for (word, term) in &self.sorted {
            let Some(postings) = held(*term) else {
                continue;
            };
            to.text(word);
            to.number(postings.len() as u64);
            let mut before = 0;
            for posting in postings {
                let place = places.get(posting.place as usize).copied().unwrap_or(0);
                to.number(u64::from(place - before));
                to.number(u64::from(posting.said.0));
                before = place;
            }
        }
    }

    /// `None` for what is no index.
    pub(crate) fn take(from: &mut Reader<'_>) -> Option<Self> {
        let mut index = Self::new();
        let lessons = from.count()?;
        index.places.reserve(lessons);
        let mut said: Vec<(Box<str>, u32, Language, Vec<u32>)> = Vec::with_capacity(lessons);
        for place in 0..lessons {
            let slug: Box<str> = from.text()?.into();
            let length = from.small()?;
            let language = Language::at(from.small()?)?;
            index.in_language[language.place()] += 1;
            index.slugs = index.slugs.wrapping_add(slug_hash(&slug));
            index
                .places
                .insert(slug.clone(), u32::try_from(place).ok()?);
            said.push((slug, length, language, Vec::new()));
        }
        let words = from.count()?;
        index.terms = StableMap::with_capacity_and_hasher(words, Default::default());
        index.postings.reserve(words);
        let mut sorted: Vec<(Box<str>, u32)> = Vec::with_capacity(words);
        for term in 0..words {
            let term = u32::try_from(term).ok()?;
            let word: Box<str> = from.text()?.into();
            let having = from.count()?;
            let mut postings = Vec::with_capacity(having);
            let mut place = 0_u32;
            for at in 0..having {
                let step = from.small()?;
                if at > 0 && step == 0 {
                    return None;
                }
                place = place.checked_add(step)?;
                let word = Said(from.small()?);
                said.get_mut(place as usize)?.3.push(term);
                postings.push(Posting { place, said: word });
            }
            index.postings.push(postings);
            index.terms.insert(word.clone(), term);
            index.add_stem(&word, term);
            sorted.push((word, term));
        }
        index.sorted = sorted.into_iter().collect();
        index.lessons = said
            .into_iter()
            .map(|(slug, length, language, terms)| {
                Some(Entry {
                    slug,
                    terms: terms.into(),
                    length,
                    language,
                })
            })
            .collect();
        index.version = 1;
        (index.places.len() == lessons && index.terms.len() == words).then_some(index)
    }
}
