//! The lessons of a space by slug, and close together beside them what ranking reads of every one.
//!
//! A ranking looks at each lesson of a space. Lessons lie all over memory, with their texts elsewhere again; their facts
//! lie in one array, and a text is looked at only where the facts leave a question.

use crate::lesson::{Lesson, Standing};
use crate::stable_map::Mix;
use crate::technologies::technology_names;
use lesson_types::{Category, Kind, Trust};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// Lessons by slug. A place is that of a lesson in `lessons` and in `facts`.
#[derive(Clone, Default)]
pub(crate) struct Lessons {
    places: BTreeMap<String, u32>,
    #[expect(
        clippy::vec_box,
        reason = "a growing vector would hold all lessons twice for a moment, and a swap would move half a kilobyte"
    )]
    lessons: Vec<Box<Lesson>>,
    facts: Vec<RankFeatures>,
    /// Places in the order of slugs, as long as no lesson comes or goes.
    order: OnceLock<Vec<u32>>,
    /// The sum of all slugs' hashes: tells sets of slugs apart.
    slugs: u64,
}

impl Lessons {
    pub(crate) fn len(&self) -> usize {
        self.lessons.len()
    }

    pub(crate) fn contains_key(&self, slug: &str) -> bool {
        self.places.contains_key(slug)
    }

    pub(crate) fn get(&self, slug: &str) -> Option<&Lesson> {
        let place = *self.places.get(slug)?;
        self.lessons.get(place as usize).map(|lesson| &**lesson)
    }

    /// A lesson to be changed, apart from its slug. Its facts follow when the borrow ends.
    pub(crate) fn get_mut(&mut self, slug: &str) -> Option<Changing<'_>> {
        let place = *self.places.get(slug)? as usize;
        Some(Changing {
            lesson: self.lessons.get_mut(place)?,
            facts: self.facts.get_mut(place)?,
        })
    }

    /// Puts a lesson in place of the one with its slug.
    pub(crate) fn insert(&mut self, lesson: Lesson) {
        if let Some(mut held) = self.get_mut(&lesson.slug) {
            *held = lesson;
            return;
        }
        self.order.take();
        self.slugs = self.slugs.wrapping_add(slug_hash(&lesson.slug));
        self.places.insert(lesson.slug.clone(), self.len() as u32);
        self.facts.push(RankFeatures::of(&lesson));
        self.lessons.push(Box::new(lesson));
    }

    pub(crate) fn remove(&mut self, slug: &str) {
        let Some(place) = self.places.remove(slug) else {
            return;
        };
        self.order.take();
        self.slugs = self.slugs.wrapping_sub(slug_hash(slug));
        self.facts.swap_remove(place as usize);
        self.lessons.swap_remove(place as usize);
        if let Some(moved) = self.lessons.get(place as usize)
            && let Some(held) = self.places.get_mut(&moved.slug)
        {
            *held = place;
        }
    }

    /// All lessons in the order of their slugs.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = &Lesson> {
        self.in_order().map(|(lesson, _)| lesson)
    }

    /// All lessons in the order of their slugs, with their facts. Costs a look at no lesson.
    pub(crate) fn in_order(&self) -> impl ExactSizeIterator<Item = (&Lesson, &RankFeatures)> {
        let order = self
            .order
            .get_or_init(|| self.places.values().copied().collect());
        order.iter().map(|place| {
            let place = *place as usize;
            (&*self.lessons[place], &self.facts[place])
        })
    }

    /// The sum of all slugs' hashes.
    pub(crate) fn slugs(&self) -> u64 {
        self.slugs
    }
}

impl FromIterator<Lesson> for Lessons {
    fn from_iter<T: IntoIterator<Item = Lesson>>(all: T) -> Self {
        let lessons: Vec<Box<Lesson>> = all.into_iter().map(Box::new).collect();
        // From an ordered list the map is made at once.
        let slugs = lessons.iter().map(|lesson| lesson.slug.clone());
        let places: BTreeMap<String, u32> = slugs.zip(0..).collect();
        if places.len() < lessons.len() {
            let mut each = Self::default();
            lessons.into_iter().for_each(|lesson| each.insert(*lesson));
            return each;
        }
        Self {
            facts: lessons
                .iter()
                .map(|lesson| RankFeatures::of(lesson))
                .collect(),
            slugs: lessons
                .iter()
                .fold(0, |sum, lesson| sum.wrapping_add(slug_hash(&lesson.slug))),
            order: OnceLock::new(),
            places,
            lessons,
        }
    }
}

impl PartialEq for Lessons {
    fn eq(&self, other: &Self) -> bool {
        self.values().eq(other.values())
    }
}

impl std::fmt::Debug for Lessons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

/// A lesson that is being changed.
pub(crate) struct Changing<'a> {
    lesson: &'a mut Lesson,
    facts: &'a mut RankFeatures,
}

impl Deref for Changing<'_> {
    type Target = Lesson;

    fn deref(&self) -> &Lesson {
        self.lesson
    }
}

impl DerefMut for Changing<'_> {
    fn deref_mut(&mut self) -> &mut Lesson {
        self.lesson
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        *self.facts = RankFeatures::of(self.lesson);
    }
}

/// The parts of a lesson that ranking reads. Where words are hashed, equal hashes only say that it is worth to look.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankFeatures {
    pub standing: Standing,
    /// The trimmed title in lower case, hashed.
    pub title: u64,
    /// The bits of its technologies' names; see [`bit_of`] and [`technology_names`].
    pub techs: u64,
    /// The bits of its kinds of project.
    pub projects: u64,
    /// Its domain, hashed; 0 for none.
    pub domain: u64,
    /// True if it lists technologies at all.
    pub has_techs: bool,
    /// True if it lists kinds of project at all.
    pub has_projects: bool,
    pub archived: bool,
    pub trust: Trust,
    /// True if a person stands behind its text.
    pub vouched: bool,
    /// The agent's key that wrote it, hashed, while nobody vouches for it; else 0.
    pub key: u64,
    pub category: Category,
    pub kind: Kind,
}

impl RankFeatures {
    fn of(lesson: &Lesson) -> Self {
        let text = &lesson.text;
        let bits = |words: &[String]| {
            words
                .iter()
                .fold(0, |bits, word| bits | bit_of(word.trim()))
        };
        let domain = text.domain.trim();
        Self {
            standing: lesson.standing.clone(),
            title: word_hash(text.title.trim()),
            techs: text
                .tech_stacks
                .iter()
                .flat_map(|tech| technology_names(tech))
                .fold(0, |bits, name| bits | bit_of(&name)),
            projects: bits(&text.project_types),
            domain: if domain.is_empty() {
                0
            } else {
                domain_hash(domain)
            },
            has_techs: !text.tech_stacks.is_empty(),
            has_projects: !text.project_types.is_empty(),
            archived: lesson.archived,
            trust: lesson.trust,
            vouched: lesson.is_vouched_for(),
            key: lesson.unvouched_key().map_or(0, domain_hash),
            category: text.category,
            kind: lesson.kind(),
        }
    }
}

/// One bit of 64 for a word, whatever its case: lists without the bit don't have the word.
pub(crate) fn bit_of(word: &str) -> u64 {
    1 << (word_hash(word) >> 58)
}

/// A domain's hash, whatever its case; never 0.
pub(crate) fn domain_hash(domain: &str) -> u64 {
    word_hash(domain).max(1)
}

/// A hash of the word in lower case, without making it for ASCII.
pub(crate) fn word_hash(word: &str) -> u64 {
    let mut mix = Mix::default();
    if word.is_ascii() {
        let mut eight = [0; 8];
        for part in word.as_bytes().chunks(8) {
            let held = &mut eight[..part.len()];
            held.copy_from_slice(part);
            held.make_ascii_lowercase();
            mix.write(held);
        }
    } else {
        let lowered = word.to_lowercase();
        lowered
            .as_bytes()
            .chunks(8)
            .for_each(|part| mix.write(part));
    }
    mix.finish()
}

/// A hash of a slug, for sums over sets of them.
pub(crate) fn slug_hash(slug: &str) -> u64 {
    let mut mix = Mix::default();
    mix.write(slug.as_bytes());
    // Else equal parts of many slugs would add up alike.
    mix.write_u64(slug.len() as u64);
    mix.finish()
}

#[cfg(test)]
mod tests;
