//! Unreviewed lessons of agents' keys beside lessons that people wrote or approved: where these answer, a key's are tried in one
//! answer of eight.
//!
//! Who holds a key can read every lesson, and write one for each that has its words without being a copy. By its match alone such
//! a lesson would be in most answers, and often first. What a person wrote or approved answers a question, so a key's lesson may
//! wait for a review there; where nothing else fits nearly as well, it is given at once.

use super::candidate::Candidate;
use super::order::Scored;
use crate::learning::unit;

/// A key's lesson that matches so many times as well as the best of people's is given in every answer.
const CLEARLY: f64 = 1.5;

/// Share of the answers in which a key's others may have a place.
const TRIED: f64 = 0.125;

/// What unreviewed lessons of keys stand beside.
pub(super) struct Beside<'a> {
    /// The best match of people's lessons; 0 where nothing was asked in words.
    best: f64,
    /// What was asked, and of what.
    asked: &'a str,
    /// By key: whether its lessons may have a place in this answer. Keys are few.
    drawn: Vec<(u64, bool)>,
}

impl<'a> Beside<'a> {
    /// `None` where no lesson of people's is among these.
    pub fn of(scored: &[Scored<'_>], asked: Option<&'a str>) -> Option<Self> {
        let matches = scored.iter().filter(|one| one.of.facts.key == 0);
        let matches = matches.map(|one| one.matched);
        let best = matches.reduce(|best, matched| if matched > best { matched } else { best })?;
        Some(Self {
            best,
            asked: asked.unwrap_or_default(),
            drawn: Vec::new(),
        })
    }

    /// Whether a lesson waits for a review, in this answer. The draw is by key and question, so that many lessons of one key are
    /// no more draws, and an answer is the same wherever it is made.
    pub fn holds_back(&mut self, one: &Scored<'_>) -> bool {
        let key = one.of.facts.key;
        key != 0
            && (self.best <= 0.0 || one.matched < CLEARLY * self.best)
            && !self.is_drawn(&one.of)
    }

    fn is_drawn(&mut self, one: &Candidate<'_>) -> bool {
        let key = one.facts.key;
        if let Some((_, is_drawn)) = self.drawn.iter().find(|(held, _)| *held == key) {
            return *is_drawn;
        }
        let is_drawn = unit(&["unreviewed", &one.lesson.by, self.asked]) < TRIED;
        self.drawn.push((key, is_drawn));
        is_drawn
    }
}
