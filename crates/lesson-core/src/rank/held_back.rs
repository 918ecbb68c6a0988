//! Unreviewed lessons of agents' keys beside approved ones: where these answer, a key's are tried in one answer of eight.
//!
//! The holder of a key can read every lesson, and write one for each that has its words without being a copy. By its match
//! alone such a lesson would be in most answers, and often first. What a person approved answers a question, so a key's lesson
//! may wait for a review there; where nothing approved fits nearly as well, it is given at once.

use super::likelihood::best_of;
use super::order::Scored;
use crate::learning::unit;

/// A key's lesson that matches so many times as well as the best of the approved is given in every answer.
const CLEARLY: f64 = 1.5;

/// Share of the answers in which a key's others may have a place.
const TRIED: f64 = 0.125;

/// The approved lessons that unreviewed ones of keys stand beside.
pub(super) struct Beside {
    /// Their best match; 0 where nothing was asked in words.
    best: f64,
    /// Keys whose lessons may have a place in this answer.
    tried: Vec<u64>,
}

impl Beside {
    /// `None` where no approved lesson is among these. Whether a key's lessons are tried is drawn by key and question: many lessons of
    /// one key are no more draws, and an answer is the same wherever it is made.
    pub fn of(scored: &[Scored<'_>], asked: Option<&str>) -> Option<Self> {
        let approved = scored.iter().filter(|one| one.of.facts.vouched);
        let mut matches = approved.map(|one| one.matched).peekable();
        matches.peek()?;
        let best = best_of(matches);
        let mut keys: Vec<(u64, &str)> = Vec::new();
        for one in scored {
            let key = one.of.facts.key;
            if key != 0 && !keys.iter().any(|(held, _)| *held == key) {
                keys.push((key, &one.of.lesson.by));
            }
        }
        let asked = asked.unwrap_or_default();
        keys.retain(|(_, by)| unit(&["unreviewed", by, asked]) < TRIED);
        Some(Self {
            best,
            tried: keys.into_iter().map(|(key, _)| key).collect(),
        })
    }

    /// True if a lesson waits for a review, in this answer.
    pub fn holds_back(&self, one: &Scored<'_>) -> bool {
        let key = one.of.facts.key;
        key != 0
            && (self.best <= 0.0 || one.matched < CLEARLY * self.best)
            && !self.tried.contains(&key)
    }
}
