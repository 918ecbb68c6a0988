//! Usage tracking (decision recommendations): which recommended lessons an agent's reasoning applied.

mod clause;
mod denial;
mod marks;
mod phrases;
mod plain;

use crate::event::Detection;
use crate::lesson::Lesson;
use crate::policy::UsagePolicy;
use aho_corasick::AhoCorasick;
use clause::{Naming, is_list, is_name_char, naming};
use lesson_types::MatchType;
use phrases::key_phrases;
use plain::Plain;
use std::collections::BTreeMap;

/// Most places of a key phrase that are looked at.
const PLACES: usize = 32;

/// One detection per lesson, in the order given: how `reasoning` uses it.
///
/// - *Explicit*: the slug, whatever its case, quoted or after "applying", "using", "based on",
///   "following", "lesson" or "skill"; quoted alone when it is one word without a `-`. It has to
///   stand alone: `warning-dlmm` is not in `warning-dlmm-low-tvl`.
/// - *Mentioned*: the slug, but only where the lesson itself is denied ("not applying 'x'",
///   "instead of 'x'", "'x' does not apply"). Nothing is applied then, even if key phrases appear.
///   A denied verb before a cue applies it: "I will not open this pool based on 'x'".
/// - *Implicit*: three or more different key phrases in places that don't overlap.
///
/// A lesson that is negated in one place and applied in another is applied. All lessons are
/// searched in one pass; memory is about nine times the reasoning.
pub fn detect(lessons: &[&Lesson], reasoning: &str, policy: &UsagePolicy) -> Vec<Detection> {
    let plain = Plain::of(reasoning);
    let mut patterns: Vec<String> = Vec::new();
    let mut owners: Vec<Owner> = Vec::new();
    for (place, lesson) in lessons.iter().enumerate() {
        patterns.push(lesson.slug.to_ascii_lowercase());
        owners.push(Owner::Slug(place));
        for phrase in key_phrases(lesson, policy) {
            patterns.push(phrase);
            owners.push(Owner::Phrase(place));
        }
    }
    let mut seen: Vec<Seen> = vec![Seen::default(); lessons.len()];
    let mut names: Vec<Name> = Vec::new();
    // Building fails only past 2^31 bytes of patterns, more than lessons can hold.
    if let Ok(automaton) = AhoCorasick::new(&patterns) {
        for found in automaton.find_overlapping_iter(&plain.text) {
            let (start, end) = (found.start(), found.end());
            match owners[found.pattern().as_usize()] {
                Owner::Slug(lesson) if stands_alone(&plain.text, start, end, is_name_char) => {
                    names.push(Name { start, end, lesson });
                }
                Owner::Phrase(lesson)
                    if stands_alone(&plain.text, start, end, char::is_alphanumeric) =>
                {
                    seen[lesson].phrase(found.pattern().as_usize(), (start, end));
                }
                _ => {}
            }
        }
    }
    names.sort_unstable_by_key(|name| (name.start, name.lesson));
    read_names(&names, &plain.text, &mut seen);
    lessons
        .iter()
        .zip(seen)
        .map(|(lesson, seen)| seen.detection(lesson, &plain, policy))
        .collect()
}

#[derive(Debug, Clone, Copy)]
enum Owner {
    Slug(usize),
    Phrase(usize),
}

/// A slug in the text.
#[derive(Debug)]
struct Name {
    start: usize,
    end: usize,
    lesson: usize,
}

/// What was seen of one lesson: the first place of each kind.
#[derive(Debug, Clone, Default)]
struct Seen {
    applied: Option<(usize, usize)>,
    negated: Option<(usize, usize)>,
    /// Where each key phrase stands, in the order of the text.
    phrases: BTreeMap<usize, Vec<(usize, usize)>>,
}

impl Seen {
    fn phrase(&mut self, pattern: usize, place: (usize, usize)) {
        let places = self.phrases.entry(pattern).or_default();
        if places.len() < PLACES {
            places.push(place);
        }
    }

    /// Places of different key phrases that don't overlap, first place first. A phrase that stands
    /// in few places chooses before one that stands in many.
    fn apart(&self) -> Vec<(usize, usize)> {
        let mut phrases: Vec<&Vec<(usize, usize)>> = self.phrases.values().collect();
        phrases.sort_by_key(|places| (places.len(), places.first().map(|place| place.1)));
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for places in phrases {
            let free = |place: &&(usize, usize)| {
                taken
                    .iter()
                    .all(|held| place.1 <= held.0 || held.1 <= place.0)
            };
            if let Some(place) = places.iter().find(free) {
                taken.push(*place);
            }
        }
        taken.sort_unstable();
        taken
    }

    fn detection(&self, lesson: &Lesson, plain: &Plain<'_>, policy: &UsagePolicy) -> Detection {
        let phrases = self.apart();
        let implicit = phrases.len() >= policy.implicit_min_phrases as usize;
        let (match_type, confidence, place) = match (self.applied, self.negated) {
            (Some(place), _) => (MatchType::Explicit, policy.explicit_confidence, Some(place)),
            (None, Some(place)) => (MatchType::Mentioned, 0.0, Some(place)),
            (None, None) if implicit && !phrases.is_empty() => (
                MatchType::Implicit,
                policy.implicit_confidence,
                phrases.first().copied(),
            ),
            (None, None) => (MatchType::None, 0.0, None),
        };
        Detection {
            lesson: lesson.slug.clone(),
            applied: matches!(match_type, MatchType::Explicit | MatchType::Implicit),
            match_type,
            confidence,
            quote: place.map(|(start, end)| plain.quote(start, end, policy.quote_radius as usize)),
        }
    }
}

fn read_names(names: &[Name], text: &str, seen: &mut [Seen]) {
    let mut last: Option<(usize, Naming)> = None;
    for name in names {
        let floor = last.map_or(0, |(end, _)| end);
        let between = text.get(floor..name.start).unwrap_or_default();
        let own = naming(text, floor.min(name.start), name.start, name.end);
        let said = match last {
            Some((_, before)) if is_list(between) => Naming {
                cued: own.cued || before.cued,
                negated: own.negated || before.negated,
            },
            _ => own,
        };
        last = Some((name.end, said));
        let place = Some((name.start, name.end));
        let held = &mut seen[name.lesson];
        if said.negated {
            held.negated = held.negated.or(place);
        } else if said.cued {
            held.applied = held.applied.or(place);
        }
    }
}

/// Whether no character that `joins` touches `start..end`.
fn stands_alone(text: &str, start: usize, end: usize, joins: impl Fn(char) -> bool) -> bool {
    !text[..start].ends_with(&joins) && !text[end..].starts_with(&joins)
}
