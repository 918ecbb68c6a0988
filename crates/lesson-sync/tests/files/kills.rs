//! Processes on two clones that are killed at random: what was acknowledged is there once, and whole.

use super::disk::{Disk, Fault, own, rated, store};
use super::{ids, push};
use lesson_sync::{Entry, FileStore};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Next act of a process.
#[derive(Debug, Clone)]
enum Act {
    /// So many events at once, by the clock.
    Append(u8, i64),
    /// The machine dies after so many bytes of the next writes, and comes up again.
    Die(u16),
    /// Another clone's files come by git, and ours go to it.
    Merge,
    /// The cache is deleted.
    Forget,
}

fn act() -> impl Strategy<Value = (u8, Act)> {
    let act = prop_oneof![
        8 => (1..4_u8, 0..50_i64).prop_map(|(events, at)| Act::Append(events, at)),
        3 => (0..900_u16).prop_map(Act::Die),
        2 => Just(Act::Merge),
        1 => Just(Act::Forget),
    ];
    (0..4_u8, act)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Four processes, two on each of two clones: what was acknowledged is there once, whole, in one order everywhere.
    #[test]
    fn nothing_is_lost_doubled_or_torn(acts in proptest::collection::vec(act(), 1..40)) {
        let disks = [Disk::default(), Disk::default()];
        let open = |process: u8, life: usize| {
            let disk = &disks[usize::from(process % 2)];
            disk.put_lock_down();
            store(disk, &format!("{process}-{life}"))
        };
        let mut processes: Vec<FileStore<Disk>> = (0..4).map(|process| open(process, 0)).collect();
        let mut kept: [BTreeSet<String>; 2] = Default::default();
        let mut maybe: BTreeSet<String> = BTreeSet::new();
        let mut next = 0;
        for (life, (process, act)) in acts.into_iter().enumerate() {
            let place = usize::from(process % 2);
            let disk = &disks[place];
            match act {
                Act::Append(events, at) => {
                    let batch: Vec<Entry> = (0..events).map(|_| {
                        next += 1;
                        own(&format!("e{next}"), at, rated())
                    }).collect();
                    let made = (next - u32::from(events) + 1..=next).map(|n| format!("e{n}"));
                    match push(&processes[usize::from(process)], &batch) {
                        Ok(()) => kept[place].extend(made),
                        Err(_) => maybe.extend(made),
                    }
                    if disk.is_dead() {
                        // Both processes of the clone were on that machine.
                        disk.heal();
                        for process in [place as u8, place as u8 + 2] {
                            processes[usize::from(process)] = open(process, life + 1);
                        }
                    }
                }
                Act::Die(after) => disk.fail(Fault::Die { after: usize::from(after) }),
                Act::Merge => {
                    if disks.iter().all(|disk| !disk.is_failing()) {
                        // Each clone has its own files as they are, and gets the other's as those are.
                        for (here, there, owners) in [(0, 1, ["1", "3"]), (1, 0, ["0", "2"])] {
                            for owner in owners {
                                let folder = format!("ledger/{owner}");
                                disks[here].remove_all(&folder);
                                disks[here].copy_from(&disks[there], &folder);
                            }
                        }
                        let all: BTreeSet<String> = kept[0].union(&kept[1]).cloned().collect();
                        kept = [all.clone(), all];
                    }
                }
                Act::Forget => disk.remove_all("cache/"),
            }
        }
        for place in 0..2_u8 {
            let disk = &disks[usize::from(place)];
            disk.heal();
            let fresh = ids(&open(place, 1_000));
            let held: BTreeSet<String> = fresh.iter().cloned().collect();
            prop_assert_eq!(held.len(), fresh.len(), "none is doubled");
            prop_assert!(kept[usize::from(place)].is_subset(&held), "none is lost");
            for id in held.difference(&kept[usize::from(place)]) {
                prop_assert!(maybe.contains(id) || kept[1 - usize::from(place)].contains(id), "{} came from nowhere", id);
            }
            for process in [place, place + 2] {
                prop_assert_eq!(&ids(&processes[usize::from(process)]), &fresh, "all see the same order");
            }
        }
    }
}
