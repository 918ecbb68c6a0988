//! Usage tracking (decision recommendations): which recommended lessons an agent's reasoning applied.

mod about;
mod around;
mod clause;
mod denial;
mod denial_words;
mod frame;
mod label;
mod marks;
mod others;
mod phrases;
mod plain;
mod spoken_of;
mod unrealised;
mod verdict;
mod verdict_words;

use crate::event::Detection;
use crate::lesson::Lesson;
use crate::policy::UsagePolicy;
use aho_corasick::AhoCorasick;
use around::Around;
use clause::{Naming, is_list, is_name_char, naming};
use frame::only_named;
use label::{Label, heading_label};
use lesson_types::MatchType;
use phrases::key_phrases;
use plain::Plain;
use std::collections::BTreeMap;
use std::ops::Range;

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
/// Text that only names a lesson mentions it: a list of what was shown, a question, what a lesson is about, a lesson that was
/// looked at and came to nothing, one that was brought up, edited or left for later, others' words in quotation marks, and a
/// use that did not come about ("I could have followed 'x'", "using 'x' would be overkill", "I have yet to apply 'x'").
/// `INJECTED:` lines and quoted blocks are not read at all. A report's "x: applied" needs no quotes.
///
/// A lesson that is negated in one place and applied in another is applied. All lessons are
/// searched in one pass; memory is about nine times the reasoning.
pub fn detect(lessons: &[&Lesson], reasoning: &str, policy: &UsagePolicy) -> Vec<Detection> {
    let plain = Plain::of_own(reasoning);
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

/// The signs of one lesson that were seen: the first place of each kind.
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
    let headings = headings(text);
    let quotations = others::quotations(text);
    for name in names {
        let floor = last.map_or(0, |(end, _)| end);
        let between = text.get(floor..name.start).unwrap_or_default();
        let own = naming(text, floor.min(name.start), name.start, name.end);
        let said = match last {
            Some((_, before)) if is_list(between) => Naming {
                cued: own.cued || before.cued,
                negated: own.negated || before.negated,
                governed: own.governed,
            },
            _ => own,
        };
        last = Some((name.end, said));
        let place = Some((name.start, name.end));
        let held = &mut seen[name.lesson];
        let line = headings.partition_point(|(from, _)| *from <= name.start);
        let heading = line
            .checked_sub(1)
            .map_or(Label::Other, |at| headings[at].1);
        let around = Around::of(text, name.start, name.end);
        if said.negated
            || is_within(&quotations, name.start)
            || only_named(&around, said.governed, heading)
        {
            held.negated = held.negated.or(place);
        } else if said.cued {
            held.applied = held.applied.or(place);
        }
    }
}

/// Finds the label of the heading above each list, by where the lines of its items begin.
fn headings(text: &str) -> Vec<(usize, Label)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut label = Label::Other;
    for line in text.split_inclusive('\n') {
        let is_item = plain::begins_block(line) && !line.starts_with('#');
        if is_item {
            found.push((at, label));
        } else {
            label = heading_label(line.trim_end());
            found.push((at, Label::Other));
        }
        at += line.len();
    }
    found
}

fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    after
        .checked_sub(1)
        .is_some_and(|place| ranges[place].contains(&at))
}

/// True if no character that `joins` touches `start..end`.
fn stands_alone(text: &str, start: usize, end: usize, joins: impl Fn(char) -> bool) -> bool {
    !text[..start].ends_with(&joins) && !text[end..].starts_with(&joins)
}
