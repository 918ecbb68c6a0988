//! Writes random ledgers, each with what the core folds it into, as JSON lines: the other fold is held against them.
//!
//! Usage: `ledgers COUNT SEED [START [BY]]`. The events are given as text, so that a reader passes them on with every
//! digit. START is the time of the first ones, in milliseconds; without it, the start of 2026. BY is who makes all of
//! them; without it, two persons and an edge do, and most claim to be somebody else. `person:ada` and the like stand for
//! ids that the reader puts in their place.

#[path = "ledgers/author.rs"]
mod author;

use author::{START, ledger};
use std::io::Write;

// This file lies outside its package, so cargo knows it by its whole path. Where several clones share a target directory,
// another clone's program would pass for this one's: a build for another clone is another build.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    let (Some(count), Some(seed)) = (number(0), number(1)) else {
        eprintln!("usage: ledgers COUNT SEED [START [BY]]");
        std::process::exit(2);
    };
    let start = number(2).and_then(|at| at.try_into().ok());
    let start = start.unwrap_or(START);
    let only = words.get(3);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for number in 0..count {
        let ledger = ledger(seed, number, start, only.cloned());
        if writeln!(out, "{}", ledger.line()).is_err() {
            return; // Whoever reads has had enough.
        }
    }
}
