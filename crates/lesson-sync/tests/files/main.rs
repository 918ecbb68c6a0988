//! The contract of a store, held against files in memory; and what only files can do: tear, fill up, be merged.

#[path = "../contract/mod.rs"]
mod contract;
mod disk;
mod kills;

use disk::{Disk, Fault, added, now, own, rated, store, store_at};
use lesson_core::{Event, EventKind, Policy, Space};
use lesson_sync::{Entry, FileStore, Store, StoreError};
use std::collections::BTreeSet;

/// The ids of all events, in the store's order.
fn ids(store: &FileStore<Disk>) -> Vec<String> {
    let ledger = now(store.read_after(0)).unwrap();
    let events = ledger.events.into_iter();
    events.map(|stored| stored.event.op_id).collect()
}

fn events(store: &FileStore<Disk>) -> Vec<Event> {
    let ledger = now(store.read_after(0)).unwrap();
    let events = ledger.events.into_iter();
    events.map(|stored| stored.event).collect()
}

fn folded(store: &FileStore<Disk>) -> (Space, usize) {
    let events = events(store);
    let (space, refused) = Space::of_ledger(&events, &Policy::default());
    (space, refused.len())
}

/// Appends as a service does: reads what is new when others wrote.
fn push(store: &FileStore<Disk>, entries: &[Entry]) -> Result<(), StoreError> {
    let mut position = u64::MAX;
    for _ in 0..9 {
        match now(store.append(position, entries.to_vec())) {
            Ok(_) => return Ok(()),
            Err(StoreError::Behind) => position = now(store.read_after(u64::MAX))?.position,
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Behind)
}

#[test]
fn it_does_what_syncing_needs() {
    now(contract::holds(async |name| {
        FileStore::new(Disk::default(), disk::ids(name), None)
    }));
}

#[test]
fn what_is_written_is_read_by_others_and_after_a_restart() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    push(&one, &[own("1", 10, rated())]).unwrap();
    let two = store(&disk, "b");
    assert_eq!(
        two.own_actor(),
        one.own_actor(),
        "one clone writes one file"
    );
    assert_eq!(ids(&two), ["1"]);
    push(&two, &[own("2", 5, rated()), own("3", 5, rated())]).unwrap();
    assert_eq!(
        now(one.append(1, vec![own("4", 20, rated())])),
        Err(StoreError::Behind)
    );
    // Nobody comes between until it is tried again, or given up.
    assert!(
        push(&two, &[own("no", 5, rated())])
            .unwrap_err()
            .to_string()
            .contains("locked by")
    );
    one.end_write();
    let news = now(one.read_after(1)).unwrap();
    assert_eq!((news.events.len(), news.position, news.epoch), (2, 3, 0));
    push(&one, &[own("4", 20, rated())]).unwrap();
    assert_eq!(ids(&store(&disk, "c")), ["1", "2", "3", "4"]);
    let held = events(&one);
    let seqs: Vec<u64> = held.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, [1, 2, 3, 4]);
    // A clock that was set back does not put an event before what was read.
    let times: Vec<i64> = held.iter().map(|event| event.at).collect();
    assert_eq!(times, [10, 11, 11, 20]);
}

#[test]
fn what_was_made_elsewhere_is_kept_as_it_is_behind_what_was_read() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    push(&one, &[own("1", 100, rated())]).unwrap();
    let event = Event {
        op_id: "2".to_owned(),
        actor: "elsewhere".to_owned(),
        seq: 77,
        at: 5,
        by: "person:x".to_owned(),
        request: None,
        event: rated(),
    };
    push(&one, &[Entry::Foreign(event.clone()), own("3", 1, rated())]).unwrap();
    let read = events(&store(&disk, "b"));
    assert_eq!(read[1], event);
    assert_eq!(read[2].seq, 2);
}

#[test]
fn a_torn_line_of_a_writer_that_is_gone_is_cut_off() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    push(&one, &[own("1", 10, rated())]).unwrap();
    let name = format!("ledger/{}.jsonl", one.own_actor());
    disk.add(&name, br#"{"op_id":"torn","act"#);
    let two = store(&disk, "b");
    assert_eq!(ids(&two), ["1"]);
    push(&two, &[own("2", 10, rated())]).unwrap();
    assert_eq!(ids(&two), ["1", "2"]);
    assert_eq!(ids(&store(&disk, "c")), ["1", "2"]);
    assert!(!disk.text(&name).contains("torn"));

    // A batch that is not all there goes, too; a whole line that its writer could not tell of stays.
    disk.add(&name, b"{\"format\":\"lessonloop-batch\",\"events\":2}\n");
    let line = disk
        .text(&name)
        .lines()
        .nth(1)
        .unwrap()
        .replace("\"1\"", "\"half\"");
    disk.add(&name, format!("{line}\n").as_bytes());
    let three = store(&disk, "d");
    assert_eq!(ids(&three), ["1", "2"]);
    push(&three, &[own("3", 10, rated())]).unwrap();
    assert_eq!(ids(&three), ["1", "2", "3"]);
    let line = line.replace("half", "whole");
    disk.add(&name, format!("{line}\n").as_bytes());
    push(&three, &[own("4", 10, rated())]).unwrap();
    let all: BTreeSet<String> = ids(&store(&disk, "e")).into_iter().collect();
    assert_eq!(all.len(), 5);
    assert!(all.contains("whole") && all.contains("4"));
}

#[test]
fn a_torn_line_of_another_clone_waits_until_it_is_whole() {
    let (one, two) = (Disk::default(), Disk::default());
    let theirs = store(&two, "b");
    push(&theirs, &[own("1", 10, rated())]).unwrap();
    let name = format!("ledger/{}.jsonl", theirs.own_actor());
    let whole = two.text(&name);
    let (first, rest) = whole.split_at(whole.len() - 20);
    one.put(&name, first.as_bytes());
    let ours = store(&one, "a");
    assert!(ids(&ours).is_empty());
    push(&ours, &[own("2", 20, rated())]).unwrap();
    one.add(&name, rest.as_bytes());
    assert_eq!(ids(&ours), ["1", "2"]);
    assert_eq!(
        now(ours.read_after(0)).unwrap().epoch,
        1,
        "it came before what was read"
    );
}

#[test]
fn merged_clones_fold_to_the_same_whatever_came_first() {
    let (one, two) = (Disk::default(), Disk::default());
    let (a, b) = (store(&one, "a"), store(&two, "b"));
    push(&a, &[own("a1", 10, added("x", "Ours"))]).unwrap();
    push(
        &b,
        &[
            own("b1", 12, added("x", "Theirs")),
            own("b2", 12, added("y", "Both")),
        ],
    )
    .unwrap();
    push(
        &a,
        &[
            own("a2", 14, added("y", "Both")),
            own("a3", 15, added("z", "Z")),
        ],
    )
    .unwrap();
    push(
        &b,
        &[own("b3", 13, rated_of("x")), own("b4", 20, rated_of("y"))],
    )
    .unwrap();
    assert_eq!(folded(&a).0.lessons().len(), 3);
    // git merges: each file is one clone's.
    one.copy_from(&two, "ledger/");
    two.copy_from(&one, "ledger/");
    let (ours, theirs) = (folded(&a), folded(&b));
    assert_eq!(ours, theirs, "to the bit");
    assert_eq!(ours.1, 0, "nothing is refused");
    assert_eq!(folded(&store(&one, "c")), ours);
    let space = ours.0;
    let slugs: Vec<&str> = space.lessons().map(|lesson| lesson.slug.as_str()).collect();
    assert_eq!(slugs.len(), 4, "{slugs:?}");
    let later = slugs.iter().find(|slug| slug.starts_with("x-")).unwrap();
    let later = space.lesson(later).unwrap();
    assert_eq!(later.text.title, "Theirs");
    assert_eq!(later.trust, lesson_core::Trust::Unreviewed);
    // Both go on from there.
    push(&a, &[own("a4", 1, rated_of("z"))]).unwrap();
    two.copy_from(&one, "ledger/");
    assert_eq!(folded(&a), folded(&b));
    assert_eq!(
        now(b.read_after(0))
            .unwrap()
            .events
            .last()
            .unwrap()
            .event
            .op_id,
        "a4"
    );
}

fn rated_of(slug: &str) -> EventKind {
    EventKind::Rated {
        lesson: slug.to_owned(),
        helpful: true,
        decision_id: None,
    }
}

#[test]
fn a_file_that_is_not_as_it_was_left_gives_way_to_another() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    push(&one, &[own("1", 10, rated())]).unwrap();
    let name = format!("ledger/{}.jsonl", one.own_actor());
    let before = disk.text(&name);
    push(&one, &[own("2", 11, rated())]).unwrap();

    // A reset, noticed while it is open and by the next process.
    disk.put(&name, before.as_bytes());
    let next = store(&disk, "b");
    assert_ne!(next.own_actor(), one.own_actor());
    push(&one, &[own("3", 12, rated())]).unwrap();
    assert_eq!(next.own_actor(), one.own_actor());
    assert_eq!(disk.text(&name), before, "it is left alone");
    assert_eq!(ids(&one), ["1", "3"]);
    assert_eq!(ids(&next), ["1", "3"]);

    // A copy by git has no cache.
    let copy = Disk::default();
    copy.copy_from(&disk, "ledger/");
    assert_ne!(store(&copy, "c").own_actor(), one.own_actor());
    // One that took the cache along lies elsewhere.
    let placed = Disk::default();
    let there = store_at(&placed, "d", "/there");
    push(&there, &[own("1", 10, rated())]).unwrap();
    assert_eq!(
        store_at(&placed, "e", "/there").own_actor(),
        there.own_actor()
    );
    assert_ne!(
        store_at(&placed, "f", "/elsewhere").own_actor(),
        there.own_actor()
    );
}

#[test]
fn a_deleted_cache_loses_nothing() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    push(&one, &[own("1", 10, rated())]).unwrap();
    now(one.keep_snapshot(1, b"fold")).unwrap();
    now(one.put_vectors("m", &[("h".to_owned(), vec![1, 2])])).unwrap();
    disk.remove_all("cache/");
    let two = store(&disk, "b");
    assert_eq!(ids(&two), ["1"]);
    push(&two, &[own("2", 11, rated())]).unwrap();
    assert_eq!(ids(&two), ["1", "2"]);
    assert!(now(two.vectors("m")).unwrap().is_empty());
}

#[test]
fn lines_that_are_no_events_are_named_and_nothing_is_lost() {
    for (line, says) in [
        ("<<<<<<< HEAD", "merge conflict"),
        (">>>>>>> theirs", "merge conflict"),
        (
            "{\"format\":\"lessonloop-ledger\",\"version\":99}",
            "newer version",
        ),
        ("{\"lessonloop\":\"ledger\",\"version\":1}", "0.1.0-pre"),
        ("{\"op_id\":1}", "no event"),
        ("\u{0}\u{0}", "no event"),
    ] {
        let disk = Disk::default();
        let one = store(&disk, "a");
        push(&one, &[own("1", 10, rated())]).unwrap();
        disk.put("ledger/other.jsonl", format!("\n{line}\n").as_bytes());
        let before = disk.all();
        let error = now(one.read_after(0)).unwrap_err().to_string();
        assert!(
            error.contains("ledger/other.jsonl, line 2") && error.contains(says),
            "{error}"
        );
        let refused = push(&one, &[own("2", 10, rated())]).unwrap_err();
        assert_eq!(refused.code(), "failed");
        assert_eq!(disk.all(), before);
        disk.put("ledger/other.jsonl", b"");
        push(&one, &[own("2", 10, rated())]).unwrap();
        assert_eq!(ids(&one), ["1", "2"]);
    }
}

#[test]
fn a_link_of_another_shape_is_refused_with_the_way_out() {
    for (shape, says) in [("", "0.1.0-pre made it"), ("\"shape\":2,", "newer version")] {
        let disk = Disk::default();
        let link = format!("{{{shape}\"link\":{{\"actor\":\"me\",\"ledger_version\":4}}}}");
        disk.put("link/link.json", link.as_bytes());
        let one = FileStore::new(disk.clone(), || "fresh".to_owned(), None);
        let error = now(one.link()).unwrap_err().to_string();
        assert!(
            error.contains("link/link.json") && error.contains(says),
            "{error}"
        );
        assert_eq!(disk.text("link/link.json"), link);
    }
}

#[test]
fn a_disk_that_is_full_or_can_not_be_written_keeps_nothing_of_a_batch() {
    for code in ["ENOSPC", "EROFS"] {
        for after in 0..4 {
            let disk = Disk::default();
            let one = store(&disk, "a");
            push(&one, &[own("1", 10, rated())]).unwrap();
            let name = format!("ledger/{}.jsonl", one.own_actor());
            let before = disk.text(&name);
            disk.fail(Fault::Write { code, after });
            let batch = [own("2", 11, rated()), own("3", 11, rated())];
            let outcome = push(&one, &batch);
            disk.heal();
            match outcome {
                Ok(()) => assert_eq!(ids(&one), ["1", "2", "3"]),
                Err(error) => {
                    assert!(error.to_string().contains(code), "{error}");
                    assert_eq!(ids(&one), ["1"], "{code} {after}");
                    assert_eq!(disk.text(&name), before, "{code} {after}");
                }
            }
            push(&one, &[own("4", 11, rated())]).unwrap();
            assert_eq!(ids(&one).last().map(String::as_str), Some("4"));
        }
    }
}

#[test]
fn a_store_that_can_not_be_written_can_be_read() {
    let disk = Disk::default();
    push(&store(&disk, "a"), &[own("1", 10, rated())]).unwrap();
    disk.remove_all("cache/");
    disk.fail(Fault::Write {
        code: "EROFS",
        after: 0,
    });
    let one = store(&disk, "b");
    assert_eq!(ids(&one), ["1"]);
    let refused = push(&one, &[own("2", 10, rated())]).unwrap_err();
    assert!(refused.to_string().contains("EROFS"), "{refused}");
}

#[test]
fn a_snapshot_is_given_back_while_it_fits() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    push(
        &one,
        &[own("1", 10, added("x", "X")), own("2", 10, rated())],
    )
    .unwrap();
    now(one.keep_snapshot(2, b"fold")).unwrap();
    push(&one, &[own("3", 11, rated())]).unwrap();
    let two = store(&disk, "b");
    let kept = now(two.snapshot()).unwrap().unwrap();
    assert_eq!(
        (kept.position, kept.bytes.as_slice()),
        (2, b"fold".as_slice())
    );
    let news = now(two.read_after(2)).unwrap();
    assert_eq!((news.events.len(), news.position, news.epoch), (1, 3, 0));
    assert_eq!(ids(&two), ["1", "2", "3"]);
    push(&two, &[own("4", 11, rated())]).unwrap();
    assert_eq!(now(two.read_after(3)).unwrap().events[0].event.seq, 4);

    let name = format!("ledger/{}.jsonl", one.own_actor());
    // Another file, and events from before.
    for break_it in [
        &|disk: &Disk| disk.put(&name, disk.text(&name).replace("\"2\"", "\"q\"").as_bytes()),
        &|disk: &Disk| {
            let other = Disk::default();
            push(&store(&other, "z"), &[own("0", 1, rated())]).unwrap();
            disk.copy_from(&other, "ledger/");
        },
        &|disk: &Disk| disk.put("cache/snapshot.bin", b"{\"shape\":1}\nx"),
        &|disk: &Disk| disk.put("cache/snapshot.bin", b"no"),
    ] as [&dyn Fn(&Disk); 4]
    {
        let copy = disk.copy();
        break_it(&copy);
        assert_eq!(now(store(&copy, "c").snapshot()).unwrap(), None);
    }
}

#[test]
fn vectors_are_kept_by_model_and_a_torn_end_is_written_over() {
    let disk = Disk::default();
    let one = store(&disk, "a");
    let row = |hash: &str, byte: u8| (hash.to_owned(), vec![byte; 3]);
    now(one.put_vectors("m", &[row("h", 1)])).unwrap();
    let other = store(&disk, "b");
    now(other.put_vectors("m", &[row("h", 2), row("i", 3)])).unwrap();
    now(one.put_vectors("m", &[row("j", 4)])).unwrap();
    let name = disk.names("cache/vectors-").remove(0);
    disk.add(&name, &[9, 0, 0, 0, 1]);
    now(store(&disk, "c").put_vectors("m", &[row("k", 5)])).unwrap();
    let read = now(store(&disk, "d").vectors("m")).unwrap();
    assert_eq!(read, [row("h", 2), row("i", 3), row("j", 4), row("k", 5)]);
    assert!(now(one.vectors("M")).unwrap().is_empty());
}
