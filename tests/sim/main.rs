//! Syncing under faults: devices, a network and a server in virtual time, from a seed.
//!
//! `SEED=7 cargo test -p tests --test simulator` replays one seed, `SEEDS=5000` runs more of them.
//! The same seed makes the same run, to the last step.

mod accounts;
mod author;
mod config;
mod device;
mod dice;
mod keys;
mod network;
mod oracle;
mod oracle_counts;
mod plants;
mod server;
mod server_rows;
mod tabs;
mod trace;
mod world;
mod writes;

use config::{Counts, DEVICES, EVENTS};
use lesson_core::Policy;
use plants::Plant;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::task::{Context, Poll, Waker};
use world::{Report, run};

/// Seeds that are run when nothing else is said.
const SEEDS: u64 = 1_000;
/// The rules of the fold, as the app has them.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);
/// Planted bugs are looked for in so many of them.
const PLANT_SEEDS: u64 = 200;

/// A store in memory waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a store in memory waited"),
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Does `work` with every number below `end`, on all cores.
fn on_all_cores(end: u64, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return;
                    }
                    work(number);
                }
            });
        }
    });
}

#[derive(Default)]
struct Sum {
    events: usize,
    accepted: usize,
    refused: usize,
    rounds: u32,
    counts: Counts,
    broken: Vec<(u64, String)>,
}

impl Sum {
    fn add(&mut self, report: Report) {
        self.events += report.events;
        self.accepted += report.accepted;
        self.refused += report.refused;
        self.rounds = self.rounds.max(report.rounds);
        self.counts.merge(report.counts);
    }
}

#[test]
fn every_event_arrives_once_and_all_devices_agree() {
    let (first, seeds) = match number("SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("SEEDS").unwrap_or(SEEDS)),
    };
    let sum = Mutex::new(Sum::default());
    on_all_cores(seeds, |seed| {
        let done = run(first + seed, None);
        let mut sum = sum.lock().expect("no thread dies holding it");
        match done {
            Ok(report) => sum.add(report),
            Err(broken) => sum.broken.push((first + seed, broken)),
        }
    });
    let mut sum = sum.into_inner().expect("all threads are done");
    let faults: Vec<String> = sum
        .counts
        .0
        .iter()
        .map(|(name, count)| format!("  {count:>8}  {name}"))
        .collect();
    println!(
        "{seeds} seeds x {DEVICES} devices x {EVENTS} events: {} made, {} in the ledger at the end, {} set aside; at most {} rounds to quiet\n{}",
        sum.events,
        sum.accepted,
        sum.refused,
        sum.rounds,
        faults.join("\n")
    );
    sum.broken.sort();
    let broken: Vec<String> = sum
        .broken
        .iter()
        .take(8)
        .map(|(seed, broken)| {
            format!(
                "{broken}\n  replay: SEED={seed} cargo test -p tests --test simulator every_event"
            )
        })
        .collect();
    assert!(
        broken.is_empty(),
        "{} of {seeds} seeds broke:\n{}",
        sum.broken.len(),
        broken.join("\n")
    );
}

#[test]
fn equal_seeds_give_equal_traces() {
    let trace = |seed| run(seed, None).map(|report| report.trace);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..10 {
        let once = trace(seed);
        assert_eq!(once, trace(seed), "seed {seed}");
        seen.insert(once);
    }
    assert_eq!(seen.len(), 10, "other seeds give other traces");
}

#[test]
fn every_planted_bug_is_caught() {
    let caught = Mutex::new(Vec::new());
    on_all_cores(Plant::ALL.len() as u64, |which| {
        let plant = Plant::ALL[which as usize];
        let found = (0..PLANT_SEEDS).find_map(|seed| Some((seed, run(seed, Some(plant)).err()?)));
        let mut caught = caught.lock().expect("no thread dies holding it");
        caught.push((which, plant, found));
    });
    let mut caught = caught.into_inner().expect("all threads are done");
    caught.sort_by_key(|(which, ..)| *which);
    let mut missed = Vec::new();
    for (_, plant, found) in &caught {
        match found {
            Some((seed, broken)) => println!("{plant:?}: caught by seed {seed}: {broken}"),
            None => missed.push(plant),
        }
    }
    println!("{} planted bugs", caught.len());
    assert!(
        missed.is_empty(),
        "not caught in {PLANT_SEEDS} seeds: {missed:?}"
    );
}
