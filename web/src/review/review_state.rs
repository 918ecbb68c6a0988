//! This browser's memory of reviewing: lessons that may stay as they are, and how far this
//! visit has come.

use super::Act;
use crate::dom::Memory as Kept;
use serde::{Deserialize, Serialize};

const KEPT: &str = "lessonloop.review.kept";
const PAIRS: &str = "lessonloop.review.pairs";
const VISIT: &str = "lessonloop.review.visit";
/// The most questions that are remembered as answered; the oldest are asked again.
const MOST: usize = 1_000;
/// A visit ends after a pause of this many milliseconds: skipped lessons are asked again then.
const PAUSE: f64 = 6.0 * 3_600_000.0;

/// The answers that are remembered, and this visit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewState {
    /// Keys of the questions that were answered by “keep”.
    kept: Vec<String>,
    /// Pairs of texts that were found to say each something of its own.
    pairs: Vec<String>,
    /// This visit.
    pub visit: Visit,
}

/// The progress of a visit. It ends with the tab, but not with a reload.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Visit {
    /// When it last went on, in milliseconds.
    at: f64,
    /// Lessons that are dealt with.
    pub done: u32,
    /// Of those: approved.
    pub approved: u32,
    /// Archived.
    pub archived: u32,
    /// Merged.
    pub merged: u32,
    /// Rated.
    pub rated: u32,
    /// Given another trial.
    pub tried: u32,
    /// Kept as they are.
    pub kept: u32,
    /// Put off.
    put_off: u32,
    /// Slugs of lessons that were rated and have no other question.
    answered: Vec<String>,
    /// Keys of the questions that were skipped.
    skipped: Vec<String>,
}

impl ReviewState {
    /// Reads the memory as of `now`; a visit that was long ago is begun anew.
    pub fn load(now: f64) -> Self {
        let visit: Visit = Kept::Tab.find_json(VISIT).unwrap_or_default();
        let memory = Self {
            kept: Kept::Browser.find_json(KEPT).unwrap_or_default(),
            pairs: Kept::Browser.find_json(PAIRS).unwrap_or_default(),
            visit,
        };
        memory.at(now)
    }

    /// The memory at this time: of a visit that was long ago nothing is left.
    fn at(mut self, now: f64) -> Self {
        let paused = now - self.visit.at;
        if !(0.0..=PAUSE).contains(&paused) {
            self.visit = Visit::default();
        }
        self
    }

    /// True if a question was answered by “keep”.
    pub fn is_kept(&self, key: &str) -> bool {
        self.kept.iter().any(|kept| kept == key)
    }

    /// True if each of these pairs, of which there is one at least, was answered for.
    pub fn knows_pairs<'a>(&self, pairs: impl Iterator<Item = &'a String>) -> bool {
        let mut pairs = pairs.peekable();
        pairs.peek().is_some() && pairs.all(|pair| self.pairs.contains(pair))
    }

    /// Remembers pairs.
    pub fn keep_pairs(&mut self, pairs: Vec<String>) {
        if pairs.is_empty() {
            return;
        }
        // Pairs that another tab has kept meanwhile stay.
        self.pairs = Kept::Browser
            .find_json(PAIRS)
            .unwrap_or_else(|| self.pairs.clone());
        self.pairs.retain(|held| !pairs.contains(held));
        self.pairs.extend(pairs);
        let old = self.pairs.len().saturating_sub(MOST);
        self.pairs.drain(..old);
    }

    /// Takes them back.
    pub fn forget_pairs(&mut self, pairs: &[String]) {
        self.pairs.retain(|held| !pairs.contains(held));
    }

    /// True if a lesson was rated in this visit and has no other question.
    pub fn is_answered(&self, slug: &str) -> bool {
        self.visit.answered.iter().any(|answered| answered == slug)
    }

    /// True if a question was skipped in this visit.
    pub fn is_skipped(&self, key: &str) -> bool {
        self.visit.skipped.iter().any(|skipped| skipped == key)
    }

    /// Asks everything again that was skipped.
    pub fn forget_skipped(&mut self) {
        self.visit.skipped.clear();
    }

    /// Notes an answer. `key` names the question where there is one to be remembered, `gone` says
    /// that the lesson is dealt with.
    pub fn note(&mut self, act: &Act, slug: &str, key: Option<&str>, gone: bool) {
        *self.tally(act) += 1;
        match (act, key) {
            (Act::Skip, Some(key)) => self.visit.skipped.push(key.to_owned()),
            (Act::Keep | Act::Approve { .. }, Some(key)) => {
                // Keys that another tab has kept meanwhile stay.
                self.kept = Kept::Browser
                    .find_json(KEPT)
                    .unwrap_or_else(|| self.kept.clone());
                self.kept.retain(|kept| kept != key);
                self.kept.push(key.to_owned());
                let old = self.kept.len().saturating_sub(MOST);
                self.kept.drain(..old);
            }
            (Act::Rate { .. }, _) if gone => self.visit.answered.push(slug.to_owned()),
            _ => {}
        }
        if gone && *act != Act::Skip {
            self.visit.done += 1;
        }
    }

    /// Takes a noted answer back.
    pub fn forget(&mut self, act: &Act, slug: &str, key: Option<&str>, gone: bool) {
        let tally = self.tally(act);
        *tally = tally.saturating_sub(1);
        match (act, key) {
            (Act::Skip, Some(key)) => self.visit.skipped.retain(|skipped| skipped != key),
            (Act::Keep | Act::Approve { .. }, Some(key)) => self.kept.retain(|kept| kept != key),
            (Act::Rate { .. }, _) => self.visit.answered.retain(|answered| answered != slug),
            _ => {}
        }
        if gone && *act != Act::Skip {
            self.visit.done = self.visit.done.saturating_sub(1);
        }
    }

    fn tally(&mut self, act: &Act) -> &mut u32 {
        match act {
            Act::Approve { .. } => &mut self.visit.approved,
            Act::Rate { .. } => &mut self.visit.rated,
            Act::Trial => &mut self.visit.tried,
            Act::Archive => &mut self.visit.archived,
            Act::Merge { .. } => &mut self.visit.merged,
            Act::Keep => &mut self.visit.kept,
            Act::Skip => &mut self.visit.put_off,
        }
    }

    /// Writes it down, where storage allows.
    pub fn save(&mut self, now: f64) {
        self.visit.at = now;
        Kept::Browser.keep_json(KEPT, &self.kept);
        Kept::Browser.keep_json(PAIRS, &self.pairs);
        Kept::Tab.keep_json(VISIT, &self.visit);
    }
}
