//! A seed's choices before the run: how many, how faulty, and what happens when.

use crate::dice::Dice;
use lesson_core::Millis;
use std::collections::BTreeMap;

/// 2026-11-22T08:30:00Z.
pub const START: Millis = 1_795_336_200_000;
pub const SECOND: Millis = 1_000;
pub const DEVICES: usize = 8;
/// Events that each device makes.
pub const EVENTS: usize = 200;

/// A run's conditions. Shares are of a thousand.
pub struct Config {
    /// A request never arrives; an answer never comes back; a request arrives twice; late by up to
    /// 40 seconds, past the client's patience.
    pub lost: usize,
    pub answer_lost: usize,
    pub twice: usize,
    pub late: usize,
    /// The server, or a proxy, answers with an error, before or after it did what was asked.
    pub errors: usize,
    /// A transaction of the store fails.
    pub store: usize,
    /// A tab dies between two steps.
    pub crash: usize,
    /// A device goes offline, or hears no answers, for a while after it wrote.
    pub offline: usize,
    /// A proxy refuses batches with more events.
    pub batch: usize,
    /// Rows in a page, at most.
    pub page: usize,
    /// Lifetime of an access token, in milliseconds.
    pub token: Millis,
    /// True if a refresh token that was used is refused even when its successor never arrived.
    pub strict: bool,
    /// When the server is backed up, and when it is restored from that.
    pub restore: Option<(Millis, Millis)>,
    /// The device whose profile is copied, the device that gets the copy, and when.
    pub clone: Option<(usize, usize, Millis)>,
}

impl Config {
    pub fn of(dice: &mut Dice) -> Self {
        // From a good day to a very bad one.
        let harsh = *dice.of(&[0, 5, 20, 60]);
        let some = |dice: &mut Dice| if dice.one_in(3) { 0 } else { harsh };
        let (lost, answer_lost, twice, late) = (some(dice), some(dice), some(dice), some(dice));
        let (errors, store, crash, offline) = (some(dice), some(dice), some(dice) / 8, some(dice));
        let backup = START + dice.between(60, 500) * SECOND;
        let restored = backup + dice.between(30, 500) * SECOND;
        let from = dice.below(DEVICES);
        let to = (from + 1 + dice.below(DEVICES - 1)) % DEVICES;
        let at = START + dice.between(30, 600) * SECOND;
        Self {
            lost,
            answer_lost,
            twice,
            late,
            errors,
            store,
            crash,
            offline,
            batch: *dice.of(&[1_000, 1_000, 40, 7]),
            page: *dice.of(&[5_000, 5_000, 60, 9]),
            token: dice.between(60, 2_000) * SECOND,
            strict: dice.one_in(2),
            restore: dice.one_in(4).then_some((backup, restored)),
            clone: dice.one_in(4).then_some((from, to, at)),
        }
    }
}

/// Counts of what was done, by name.
#[derive(Default)]
pub struct Counts(pub BTreeMap<&'static str, u64>);

impl Counts {
    pub fn add(&mut self, name: &'static str) {
        *self.0.entry(name).or_insert(0) += 1;
    }

    pub fn merge(&mut self, other: Self) {
        for (name, count) in other.0 {
            *self.0.entry(name).or_insert(0) += count;
        }
    }
}
