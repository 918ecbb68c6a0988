//! Duties of every store for syncing, whatever it keeps things in.

use lesson_core::{Event, EventKind, Row};
use lesson_sync::{Change, Entry, Link, Named, Session, SetAside, Store, StoreError, VersionedRow};

/// Holds a store against all of it. `open` gives an empty store of this name.
pub async fn holds<S: Store>(open: impl AsyncFn(&str) -> S) {
    a_link_is_kept_whole(open("contract-link").await).await;
    a_step_at_another_revision_changes_nothing(open("contract-behind").await).await;
    rows_are_read_by_version(open("contract-rows").await).await;
    events_are_renumbered_and_go_on(open("contract-renumbered").await).await;
    renumbered_events_may_be_forgotten_at_once(open("contract-both").await).await;
    forgotten_events_leave_the_position(open("contract-forgotten").await).await;
    some_events_are_read_in_order(open("contract-some").await).await;
    set_aside_events_are_kept_once_until_settled(open("contract-set-aside").await).await;
    nothing_is_left_after_a_wipe(open("contract-wiped").await).await;
}

fn own(op_id: &str) -> Entry {
    Entry::Own {
        op_id: op_id.to_owned(),
        by: "local".to_owned(),
        request: None,
        at: 7,
        event: EventKind::Rated {
            lesson: "a".to_owned(),
            helpful: true,
            decision_id: None,
        },
    }
}

fn event(op_id: &str, actor: &str, seq: u64) -> Event {
    Event {
        op_id: op_id.to_owned(),
        by: "local".to_owned(),
        request: None,
        actor: actor.to_owned(),
        seq,
        at: 5,
        event: EventKind::Voted {
            lesson: "b".to_owned(),
            up: true,
            decision_id: None,
        },
    }
}

fn day(version: u64, day: i64, events: u32) -> VersionedRow {
    VersionedRow {
        version,
        row: Row::Day { day, events },
    }
}

fn to(actor: &str) -> Change {
    Change::to(Link {
        actor: actor.to_owned(),
        ..Link::default()
    })
}

fn refused(op_id: &str, reason: &str) -> SetAside {
    SetAside {
        event: event(op_id, "me", 1),
        field: "base_rev".to_owned(),
        reason: reason.to_owned(),
    }
}

/// (position, op_id, actor, seq) of all events.
async fn held(store: &impl Store) -> Vec<(u64, String, String, u64)> {
    let ledger = store.read_after(0).await.unwrap();
    ledger
        .events
        .into_iter()
        .map(|stored| {
            let event = stored.event;
            (stored.position, event.op_id, event.actor, event.seq)
        })
        .collect()
}

fn is(position: u64, op_id: &str, actor: &str, seq: u64) -> (u64, String, String, u64) {
    (position, op_id.to_owned(), actor.to_owned(), seq)
}

async fn a_link_is_kept_whole(store: impl Store) {
    store.identity("me").await.unwrap();
    assert_eq!(store.link().await.unwrap(), None);
    assert_eq!(store.read_after(0).await.unwrap().revision, 0);
    let link = Link {
        revision: 77,
        url: "https://abc.supabase.co".to_owned(),
        user: Named {
            id: "u".to_owned(),
            name: "ä@b.c".to_owned(),
        },
        actor: "linked".to_owned(),
        session: Some(Session {
            access_token: "secret".to_owned(),
            refresh_token: "more".to_owned(),
        }),
        cursor: 9_007_199_254_740_991,
        synced_at: Some(-5),
        ..Link::default()
    };
    let first = store.commit(0, Change::to(link.clone())).await.unwrap();
    let expected = Link {
        revision: 1,
        ..link
    };
    assert_eq!(first, expected);
    assert_eq!(store.link().await.unwrap(), Some(expected.clone()));
    assert_eq!(store.read_after(0).await.unwrap().revision, 1);
    // Events made from now on are of the link's actor.
    store.append(0, vec![own("a")]).await.unwrap();
    assert_eq!(held(&store).await, [is(1, "a", "linked", 1)]);
    let second = store.commit(1, Change::to(expected)).await.unwrap();
    assert_eq!(second.revision, 2);
}

async fn a_step_at_another_revision_changes_nothing(store: impl Store) {
    store.identity("me").await.unwrap();
    store.append(0, vec![own("a"), own("b")]).await.unwrap();
    let mut first = to("me");
    first.rows = vec![day(1, 1, 1)];
    first.set_aside = vec![refused("x", "first")];
    let link = store.commit(0, first).await.unwrap();
    let before = held(&store).await;
    for expected in [0, 2] {
        let mut late = to("other");
        late.clear_rows = true;
        late.rows = vec![day(2, 2, 2)];
        late.renumber_after = Some(0);
        late.forget_through = Some(1);
        late.set_aside = vec![refused("y", "late")];
        late.settled = vec!["x".to_owned()];
        let refusal = store.commit(expected, late).await;
        assert_eq!(refusal, Err(StoreError::Behind), "{expected}");
    }
    assert_eq!(store.link().await.unwrap(), Some(link));
    assert_eq!(store.rows_after(0).await.unwrap(), [day(1, 1, 1)]);
    assert_eq!(held(&store).await, before);
    assert_eq!(store.set_aside().await.unwrap(), [refused("x", "first")]);
}

async fn rows_are_read_by_version(store: impl Store) {
    store.identity("me").await.unwrap();
    let feedback = VersionedRow {
        version: 4,
        row: Row::Feedback {
            position: 12,
            at: 1_795_336_200_000,
        },
    };
    let mut change = to("me");
    change.rows = vec![day(9, 1, 1), feedback.clone(), day(2, -3, 7)];
    store.commit(0, change).await.unwrap();
    assert_eq!(
        store.rows_after(0).await.unwrap(),
        [day(2, -3, 7), feedback.clone(), day(9, 1, 1)]
    );
    assert_eq!(store.rows_after(4).await.unwrap(), [day(9, 1, 1)]);
    assert_eq!(store.rows_after(9).await.unwrap(), []);

    // One with the same key takes the place of the one before, and its version.
    let mut change = to("me");
    change.rows = vec![day(10, -3, 8)];
    store.commit(1, change).await.unwrap();
    assert_eq!(
        store.rows_after(0).await.unwrap(),
        [feedback, day(9, 1, 1), day(10, -3, 8)]
    );

    let mut change = to("me");
    change.clear_rows = true;
    change.rows = vec![day(1, 5, 5)];
    store.commit(2, change).await.unwrap();
    assert_eq!(store.rows_after(0).await.unwrap(), [day(1, 5, 5)]);
}

async fn events_are_renumbered_and_go_on(store: impl Store) {
    store.identity("me").await.unwrap();
    let entries = vec![
        own("a"),
        own("b"),
        Entry::Foreign(event("f", "you", 40)),
        own("c"),
    ];
    store.append(0, entries).await.unwrap();
    let mut change = to("new");
    change.renumber_after = Some(1);
    store.commit(0, change).await.unwrap();
    let expected = [
        is(1, "a", "me", 1),
        is(2, "b", "new", 1),
        is(3, "f", "new", 2),
        is(4, "c", "new", 3),
    ];
    assert_eq!(held(&store).await, expected);
    assert_eq!(store.identity("fresh").await.unwrap().actor, "new");
    store.append(4, vec![own("d")]).await.unwrap();
    assert_eq!(held(&store).await[4], is(5, "d", "new", 4));

    // With nothing to number, the next event is the first.
    let mut change = to("newer");
    change.renumber_after = Some(5);
    store.commit(1, change).await.unwrap();
    store.append(5, vec![own("e")]).await.unwrap();
    assert_eq!(
        held(&store).await[4..],
        [is(5, "d", "new", 4), is(6, "e", "newer", 1)]
    );
}

async fn renumbered_events_may_be_forgotten_at_once(store: impl Store) {
    store.identity("me").await.unwrap();
    let entries = vec![own("a"), own("b"), own("c")];
    store.append(0, entries).await.unwrap();
    let mut change = to("new");
    change.renumber_after = Some(0);
    change.forget_through = Some(2);
    store.commit(0, change).await.unwrap();
    assert_eq!(held(&store).await, [is(3, "c", "new", 3)]);
}

async fn forgotten_events_leave_the_position(store: impl Store) {
    store.identity("me").await.unwrap();
    let entries = vec![own("a"), own("b"), own("c")];
    store.append(0, entries).await.unwrap();
    let mut change = to("me");
    change.forget_through = Some(2);
    store.commit(0, change).await.unwrap();
    assert_eq!(held(&store).await, [is(3, "c", "me", 3)]);
    let mut change = to("me");
    change.forget_through = Some(3);
    store.commit(1, change).await.unwrap();
    for after in [0, 3] {
        let ledger = store.read_after(after).await.unwrap();
        assert_eq!((ledger.events.len(), ledger.position), (0, 3), "{after}");
    }
    let refused = store.append(0, vec![own("d")]).await;
    assert_eq!(refused, Err(StoreError::Behind));
    store.append(3, vec![own("d")]).await.unwrap();
    assert_eq!(held(&store).await, [is(4, "d", "me", 4)]);
}

async fn some_events_are_read_in_order(store: impl Store) {
    store.identity("me").await.unwrap();
    let entries = vec![own("a"), own("b"), own("c")];
    store.append(0, entries).await.unwrap();
    for (after, most, positions, position) in [
        (0, 2, vec![1, 2], 2),
        (2, 2, vec![3], 3),
        (0, 3, vec![1, 2, 3], 3),
        (0, 9, vec![1, 2, 3], 3),
        (1, 0, vec![], 1),
        (9, 2, vec![], 3),
    ] {
        let ledger = store.read_some(after, most).await.unwrap();
        let read: Vec<u64> = ledger.events.iter().map(|stored| stored.position).collect();
        assert_eq!(
            (read, ledger.position),
            (positions, position),
            "{after} {most}"
        );
    }
}

async fn set_aside_events_are_kept_once_until_settled(store: impl Store) {
    store.identity("me").await.unwrap();
    let mut change = to("me");
    change.set_aside = vec![refused("b", "1"), refused("a", "2")];
    store.commit(0, change).await.unwrap();
    let mut change = to("me");
    change.set_aside = vec![refused("c", "3"), refused("b", "again"), refused("c", "4")];
    store.commit(1, change).await.unwrap();
    assert_eq!(
        store.set_aside().await.unwrap(),
        [refused("b", "1"), refused("a", "2"), refused("c", "3")]
    );
    // Settled events go before new ones come.
    let mut change = to("me");
    change.settled = vec!["b".to_owned(), "never".to_owned()];
    change.set_aside = vec![refused("b", "anew")];
    store.commit(2, change).await.unwrap();
    assert_eq!(
        store.set_aside().await.unwrap(),
        [refused("a", "2"), refused("c", "3"), refused("b", "anew")]
    );
}

async fn nothing_is_left_after_a_wipe(store: impl Store) {
    store.identity("me").await.unwrap();
    store.append(0, vec![own("a"), own("b")]).await.unwrap();
    let vectors = [("hash".to_owned(), vec![1])];
    store.put_vectors("m", &vectors).await.unwrap();
    let mut change = to("linked");
    change.rows = vec![day(1, 1, 1)];
    change.set_aside = vec![refused("x", "why")];
    store.commit(0, change).await.unwrap();

    store.wipe().await.unwrap();
    assert_eq!(store.link().await.unwrap(), None);
    assert_eq!(store.rows_after(0).await.unwrap(), []);
    assert_eq!(store.set_aside().await.unwrap(), []);
    assert_eq!(store.vectors("m").await.unwrap(), []);
    let ledger = store.read_after(0).await.unwrap();
    assert_eq!((ledger.events.len(), ledger.revision), (0, 0));
    assert_eq!(store.identity("fresh").await.unwrap().actor, "fresh");
    // A writer that still has the old state finds itself behind.
    let refused = store.append(2, vec![own("c")]).await;
    assert_eq!(refused, Err(StoreError::Behind));
    let stored = store.append(ledger.position, vec![own("a")]).await.unwrap();
    assert_eq!((&*stored[0].event.actor, stored[0].event.seq), ("fresh", 1));
}
