//! Measures of syncing: how much is sent at once and kept, under which actor, and how long to wait after failures.

use crate::link::Change;
use crate::store::{Stored, uuid7};
use lesson_core::{Event, Millis};
use std::collections::{BTreeMap, BTreeSet};

/// Events in a batch; the server takes a thousand.
pub(crate) const BATCH: usize = 500;
/// Bytes in a batch, as far as it has more than one event; the server takes 16 MiB.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Agents whose events a batch may have: the server looks at the keys of as many in one request.
const MAKERS: usize = 32;
/// Events that are kept after they arrived, to be sent again when the server is restored from a
/// backup.
pub(crate) const KEPT: u64 = 20_000;
/// The first wait after a failure; it doubles.
pub(crate) const BACK_OFF: Millis = 1_000;
/// A server that refuses in a way that repeating does not mend is asked no sooner again, whatever is written meanwhile.
pub(crate) const AGAIN: Millis = 30_000;
/// The longest wait after failures.
pub const LONGEST: Millis = 300_000;

/// The part of an epoch that says which ledger it is; what follows counts how often its server folded it anew.
pub(crate) fn ledger_of(epoch: &str) -> &str {
    epoch.split_once('.').map_or(epoch, |(ledger, _)| ledger)
}

/// Events after `after` get a new actor; all that the server knows of them is their `op_id`.
pub(crate) fn renumber(change: &mut Change, after: u64, now: Millis, random: u128) {
    change.link.actor = uuid7(now, random);
    change.link.acked = after;
    change.link.tried = after;
    change.renumber_after = Some(after);
}

/// The sizes of the events of the latest batch, by position. What stands at a position stays there, but for its actor and
/// number, so an event that waits is measured once, however often it is read.
#[derive(Debug, Default)]
pub(crate) struct Sizes(BTreeMap<u64, usize>);

impl Sizes {
    /// As many events as a batch may have by its size and by who made them, one at least.
    pub fn in_bounds(&mut self, mut events: Vec<Stored>) -> Vec<Stored> {
        let before = std::mem::take(&mut self.0);
        let mut bytes = 0;
        let mut makers = BTreeSet::new();
        let fit = events
            .iter()
            .take_while(|stored| {
                let known = before.get(&stored.position).copied();
                // The server refuses by name what can't be written.
                let size = known.or_else(|| written(&stored.event)).unwrap_or(0);
                self.0.insert(stored.position, size);
                bytes += size;
                makers.insert(&stored.event.by);
                bytes <= BATCH_BYTES && makers.len() <= MAKERS
            })
            .count();
        events.truncate(fit.max(1));
        events
    }
}

/// Bytes of an event as JSON, which is counted but not kept.
fn written(event: &Event) -> Option<usize> {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, event).ok()?;
    Some(count.0)
}

/// Bytes that were written to it.
struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Computes the wait after so many failures in a row: half to all of a wait that doubles from a
/// second to [`LONGEST`].
pub fn back_off(failures: u32, random: u128) -> Millis {
    let whole = BACK_OFF
        .saturating_mul(1 << failures.saturating_sub(1).min(16))
        .min(LONGEST);
    let half = whole / 2;
    let part = u64::try_from(random % 1_000).unwrap_or(0);
    half + half * Millis::try_from(part).unwrap_or(0) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use lesson_core::EventKind;

    fn stored(position: u64, bytes: usize) -> Stored {
        Stored {
            position,
            event: Event {
                op_id: format!("op-{position}"),
                actor: "me".to_owned(),
                seq: position,
                at: 0,
                by: String::new(),
                request: None,
                event: EventKind::ToolSucceeded {
                    query: "x".repeat(bytes),
                    server: "git".to_owned(),
                },
            },
        }
    }

    #[test]
    fn a_batch_has_as_many_events_as_its_size_allows_and_one_at_least() {
        let mebi = 1024 * 1024;
        for (sizes, fit) in [
            (vec![], 0),
            (vec![10, 10, 10], 3),
            (vec![5 * mebi, 10], 1),
            (vec![mebi, mebi, mebi, mebi, 10], 3),
            (vec![10, 5 * mebi, 10], 1),
        ] {
            let mut held = Sizes::default();
            let batch = || -> Vec<Stored> {
                let sizes = sizes.iter().zip(1..);
                sizes.map(|(bytes, at)| stored(at, *bytes)).collect()
            };
            // Measured, and then known.
            for _ in 0..2 {
                assert_eq!(held.in_bounds(batch()).len(), fit, "{sizes:?}");
            }
        }
    }

    #[test]
    fn a_batch_names_no_more_agents_than_the_server_looks_at() {
        let of = |agents: u64| -> Vec<Stored> {
            let numbered = (1..=100).map(|at| (at, stored(at, 10)));
            let named = numbered.map(|(at, mut stored)| {
                stored.event.by = format!("agent:{}", at % agents);
                stored
            });
            named.collect()
        };
        assert_eq!(Sizes::default().in_bounds(of(32)).len(), 100);
        assert_eq!(Sizes::default().in_bounds(of(33)).len(), 32);
    }

    #[test]
    fn an_event_is_measured_once_and_forgotten_when_it_has_gone() {
        let mut held = Sizes::default();
        held.in_bounds(vec![stored(1, 10), stored(2, 10)]);
        let text = serde_json::to_string(&stored(1, 10).event).unwrap();
        assert_eq!(held.0.get(&1), Some(&text.len()));
        held.in_bounds(vec![stored(2, 999), stored(3, 20)]);
        assert_eq!(held.0.keys().copied().collect::<Vec<_>>(), [2, 3]);
        assert_eq!(held.0[&2], text.len());
    }
}
