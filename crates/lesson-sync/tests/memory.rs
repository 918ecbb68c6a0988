//! The contract of a store, held against the one in memory.

mod contract;

use lesson_core::{Event, EventKind, Row};
use lesson_sync::{Change, Entry, Link, MemoryStore, Store, StoreError, VersionedRow};
use std::task::{Context, Poll, Waker};

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

fn rated() -> EventKind {
    EventKind::Rated {
        lesson: "a".to_owned(),
        helpful: true,
        decision_id: None,
    }
}

fn own(op_id: &str) -> Entry {
    Entry::Own {
        op_id: op_id.to_owned(),
        by: "local".to_owned(),
        request: None,
        at: 7,
        event: rated(),
    }
}

fn foreign(op_id: &str, actor: &str, seq: u64) -> Entry {
    Entry::Foreign(Event {
        op_id: op_id.to_owned(),
        by: "local".to_owned(),
        request: None,
        actor: actor.to_owned(),
        seq,
        at: 5,
        event: rated(),
    })
}

/// (position, op_id, actor, seq) of everything after a position.
fn held(store: &MemoryStore, after: u64) -> Vec<(u64, String, String, u64)> {
    let ledger = now(store.read_after(after)).unwrap();
    assert!(ledger.unreadable.is_empty());
    ledger
        .events
        .into_iter()
        .map(|stored| {
            let event = stored.event;
            (stored.position, event.op_id, event.actor, event.seq)
        })
        .collect()
}

fn row(position: u64, op_id: &str, actor: &str, seq: u64) -> (u64, String, String, u64) {
    (position, op_id.to_owned(), actor.to_owned(), seq)
}

fn opened() -> MemoryStore {
    let store = MemoryStore::new();
    now(store.identity("me")).unwrap();
    store
}

#[test]
fn the_first_identity_stays() {
    let store = opened();
    assert_eq!(now(store.identity("other")).unwrap().actor, "me");
}

#[test]
fn own_events_are_numbered_and_read_back_in_order() {
    let store = opened();
    let stored = now(store.append(0, vec![own("a"), own("b")])).unwrap();
    assert_eq!(stored.len(), 2);
    now(store.append(2, vec![own("c")])).unwrap();
    assert_eq!(
        held(&store, 0),
        [
            row(1, "a", "me", 1),
            row(2, "b", "me", 2),
            row(3, "c", "me", 3)
        ]
    );
    assert_eq!(held(&store, 2), [row(3, "c", "me", 3)]);
    assert_eq!(now(store.read_after(9)).unwrap().position, 3);
}

#[test]
fn an_append_at_another_position_keeps_nothing() {
    let store = opened();
    now(store.append(0, vec![own("a")])).unwrap();
    for expected in [0, 2] {
        let refused = now(store.append(expected, vec![own("b")]));
        assert_eq!(refused, Err(StoreError::Behind), "{expected}");
    }
    assert_eq!(held(&store, 0).len(), 1);
}

#[test]
fn an_op_id_is_kept_once_and_spends_no_number() {
    let store = opened();
    now(store.append(0, vec![own("a"), own("a"), foreign("f", "you", 4)])).unwrap();
    let again = now(store.append(2, vec![foreign("f", "you", 4), own("a"), own("b")])).unwrap();
    assert_eq!(again.len(), 1);
    assert_eq!(
        held(&store, 0),
        [
            row(1, "a", "me", 1),
            row(2, "f", "you", 4),
            row(3, "b", "me", 2)
        ]
    );
}

#[test]
fn numbers_go_on_after_own_events_that_came_back() {
    let store = opened();
    now(store.append(0, vec![foreign("old", "me", 41), own("new")])).unwrap();
    assert_eq!(held(&store, 1), [row(2, "new", "me", 42)]);
}

#[test]
fn vectors_are_kept_per_model_and_replaced() {
    let store = opened();
    let rows = |byte: u8| vec![("hash".to_owned(), vec![byte])];
    now(store.put_vectors("m1", &rows(1))).unwrap();
    now(store.put_vectors("m1", &rows(2))).unwrap();
    assert_eq!(now(store.vectors("m1")).unwrap(), rows(2));
    assert!(now(store.vectors("m2")).unwrap().is_empty());
}

#[test]
fn it_does_what_syncing_needs() {
    now(contract::holds(async |_| MemoryStore::new()));
}

#[test]
fn rows_that_were_passed_on_are_not_kept() {
    let store = MemoryStore::passing_rows_on();
    let day = |version: u64| VersionedRow {
        version,
        row: Row::Day {
            day: i64::try_from(version).unwrap(),
            events: 1,
        },
    };
    let put = |expected: u64, rows: Vec<VersionedRow>| {
        let change = Change {
            rows,
            ..Change::to(Link::default())
        };
        now(store.commit(expected, change)).unwrap();
    };
    let versions = |after: u64| -> Vec<u64> {
        let rows = now(store.rows_after(after)).unwrap();
        rows.iter().map(|row| row.version).collect()
    };
    put(0, vec![day(1), day(2)]);
    // The same question again, because somebody else wrote in between.
    assert_eq!(versions(0), [1, 2]);
    assert_eq!(versions(0), [1, 2]);
    put(1, vec![day(3)]);
    assert_eq!(versions(2), [3]);
    assert_eq!(versions(0), [3]);
}
