//! The store in IndexedDB: what syncing needs of it, databases of 0.1.0-pre, and other tabs.
#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

#[path = "../../lesson-sync/tests/contract/mod.rs"]
mod contract;

use js_sys::{Function, Promise};
use lesson_core::{EventKind, Row};
use lesson_sync::{Change, Entry, Link, Store, StoreError, VersionedRow};
use lesson_wasm::IndexedDbStore;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

// The contract lies outside this package, so cargo knows it by its whole path. Where several clones share a target directory,
// another clone's program would pass for this one's: a build for another clone is another build.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

wasm_bindgen_test_configure!(run_in_dedicated_worker);

async fn opened(name: &str) -> IndexedDbStore {
    IndexedDbStore::open(name).await.unwrap()
}

/// Runs JavaScript that sees the database's name as `name`, `opened(request)` and `done(transaction)`.
async fn script(name: &str, body: &str) -> JsValue {
    let source = format!(
        "const opened = (request) => new Promise((ok, fail) => {{
            request.onsuccess = () => ok(request.result);
            request.onerror = () => fail(request.error);
        }});
        const done = (transaction) => new Promise((ok, fail) => {{
            transaction.oncomplete = ok;
            transaction.onabort = () => fail(transaction.error);
        }});
        return (async () => {{ {body} }})();"
    );
    let promise: Promise = Function::new_with_args("name", &source)
        .call1(&JsValue::UNDEFINED, &name.into())
        .unwrap()
        .dyn_into()
        .unwrap();
    JsFuture::from(promise).await.unwrap()
}

fn rated(op_id: &str) -> Entry {
    Entry::Own {
        op_id: op_id.to_owned(),
        by: "local".to_owned(),
        request: None,
        at: 0,
        event: EventKind::Rated {
            lesson: "a".to_owned(),
            helpful: true,
            decision_id: None,
        },
    }
}

fn to(actor: &str) -> Change {
    Change::to(Link {
        actor: actor.to_owned(),
        ..Link::default()
    })
}

fn day(version: u64) -> VersionedRow {
    VersionedRow {
        version,
        row: Row::Day {
            day: version as i64,
            events: 1,
        },
    }
}

#[wasm_bindgen_test]
async fn it_does_what_syncing_needs() {
    contract::holds(opened).await;
}

/// Makes a database as 0.1.0-pre did, of one of its versions, with an event.
fn old(version: u32) -> String {
    format!(
        r#"const opening = indexedDB.open(name, {version});
        opening.onupgradeneeded = () => {{
            for (const store of ["events", "meta", "vectors"]) opening.result.createObjectStore(store);
        }};
        const database = await opened(opening);
        const writing = database.transaction(["events", "meta"], "readwrite");
        writing.objectStore("events").put(JSON.stringify({{
            op_id: "op", actor: "device", seq: 1, at: "2026-11-22T08:30:00.000Z",
            event: {{ Rated: {{ lesson: "a", helpful: true }} }},
        }}), 1);
        writing.objectStore("meta").put(JSON.stringify({{ actor: "device", position: 1, seq: 1 }}), "head");
        await done(writing);
        database.close();"#
    )
}

#[wasm_bindgen_test]
async fn a_database_of_0_1_0_pre_is_refused_with_the_way_out_and_stays_as_it_was() {
    for version in [1, 2] {
        let name = format!("old-{version}");
        script(&name, &old(version)).await;
        for _ in 0..2 {
            let Err(StoreError::Failed(cause)) = IndexedDbStore::open(&name).await else {
                panic!("version {version} was opened");
            };
            for part in [
                "0.1.0-pre",
                "export the lessons there",
                "remove this site's data",
            ] {
                assert!(cause.contains(part), "{cause}");
            }
        }
        let held = script(
            &name,
            "const database = await opened(indexedDB.open(name));
            const held = await opened(database.transaction('events').objectStore('events').count());
            database.close();
            return `${database.version} ${held}`;",
        )
        .await;
        assert_eq!(held.as_string(), Some(format!("{version} 1")));
    }
}

#[wasm_bindgen_test]
async fn an_event_that_cannot_be_read_stays_and_spends_no_number() {
    let store = opened("unreadable").await;
    store.identity("device").await.unwrap();
    let events = ["1", "2", "3", "4"].map(rated).to_vec();
    store.append(0, events).await.unwrap();
    script(
        "unreadable",
        "const database = await opened(indexedDB.open(name));
        const writing = database.transaction('events', 'readwrite');
        writing.objectStore('events').put('{not json', 3);
        await done(writing);
        database.close();",
    )
    .await;
    let places = |ledger: &lesson_sync::Ledger| -> Vec<(u64, String, u64)> {
        ledger
            .events
            .iter()
            .map(|stored| {
                let event = &stored.event;
                (stored.position, event.actor.clone(), event.seq)
            })
            .collect()
    };
    let device = || "device".to_owned();
    let ledger = store.read_after(0).await.unwrap();
    assert_eq!(
        places(&ledger),
        [(1, device(), 1), (2, device(), 2), (4, device(), 4)]
    );
    assert_eq!((ledger.unreadable[0].0, ledger.position), (3, 4));

    // Batches go past it.
    let mut change = to("linked");
    change.renumber_after = Some(1);
    change.rows = vec![day(1)];
    store.commit(0, change).await.unwrap();
    store.append(4, vec![rated("next")]).await.unwrap();
    let ledger = store.read_after(0).await.unwrap();
    let linked = || "linked".to_owned();
    assert_eq!(
        places(&ledger),
        [
            (1, device(), 1),
            (2, linked(), 1),
            (4, linked(), 2),
            (5, linked(), 3)
        ]
    );
    assert_eq!(ledger.unreadable[0].0, 3);
    let some = store.read_some(2, 1).await.unwrap();
    assert_eq!(places(&some), [(4, linked(), 2)]);
    assert_eq!(store.rows_after(0).await.unwrap(), [day(1)]);
}

#[wasm_bindgen_test]
async fn a_step_that_fails_midway_changes_nothing() {
    let store = opened("midway").await;
    store.identity("me").await.unwrap();
    store.append(0, vec![rated("a")]).await.unwrap();
    let mut first = to("me");
    first.rows = vec![day(1)];
    let link = store.commit(0, first).await.unwrap();
    // A head that can't be read is met after the rows were put.
    let head = |value: &str| {
        format!(
            "const database = await opened(indexedDB.open(name));
            const writing = database.transaction('meta', 'readwrite');
            const meta = writing.objectStore('meta');
            {value}
            await done(writing);
            database.close();"
        )
    };
    script(
        "midway",
        &head("const held = await opened(meta.get('head')); meta.put(held, 'spare'); meta.put('{', 'head');"),
    )
    .await;
    let mut change = to("other");
    change.clear_rows = true;
    change.rows = vec![day(2), day(3)];
    change.renumber_after = Some(0);
    let failed = store.commit(1, change.clone()).await;
    assert!(matches!(failed, Err(StoreError::Failed(_))), "{failed:?}");
    assert_eq!(store.rows_after(0).await.unwrap(), [day(1)]);
    assert_eq!(store.link().await.unwrap(), Some(link));

    script(
        "midway",
        &head("meta.put(await opened(meta.get('spare')), 'head');"),
    )
    .await;
    assert_eq!(
        store.read_after(0).await.unwrap().events[0].event.actor,
        "me"
    );
    // And it works once the cause is gone.
    assert_eq!(store.commit(1, change).await.unwrap().revision, 2);
    assert_eq!(store.rows_after(0).await.unwrap(), [day(2), day(3)]);
}

#[wasm_bindgen_test]
async fn of_two_tabs_at_one_revision_the_second_is_behind() {
    let (one, two) = (opened("tabs").await, opened("tabs").await);
    one.identity("me").await.unwrap();
    let mut ours = to("me");
    ours.rows = vec![day(1)];
    let mut theirs = to("me");
    theirs.rows = vec![day(2)];
    let link = one.commit(0, ours).await.unwrap();
    assert_eq!(two.commit(0, theirs.clone()).await, Err(StoreError::Behind));
    assert_eq!(two.link().await.unwrap(), Some(link));
    assert_eq!(two.commit(1, theirs).await.unwrap().revision, 2);
    assert_eq!(one.rows_after(0).await.unwrap(), [day(1), day(2)]);
}

#[wasm_bindgen_test]
async fn more_than_a_page_of_rows_and_events_goes_in_one_step() {
    let store = opened("pages").await;
    store.identity("me").await.unwrap();
    let events: Vec<Entry> = (0..9_000).map(|at| rated(&at.to_string())).collect();
    store.append(0, events).await.unwrap();
    let mut change = to("new");
    change.rows = (1..=9_000).map(day).collect();
    change.renumber_after = Some(500);
    store.commit(0, change).await.unwrap();
    let rows = store.rows_after(0).await.unwrap();
    assert!(rows.iter().map(|row| row.version).eq(1..=9_000));
    let ledger = store.read_after(500).await.unwrap();
    let numbers = ledger.events.iter().map(|stored| stored.event.seq);
    assert!(numbers.eq(1..=8_500));
    assert!(
        ledger
            .events
            .iter()
            .all(|stored| stored.event.actor == "new")
    );
    assert_eq!(store.read_some(0, 5_000).await.unwrap().events.len(), 5_000);
}

#[wasm_bindgen_test]
async fn a_tab_lets_go_when_a_newer_version_of_the_page_wants_to_upgrade() {
    let store = opened("newer").await;
    store.identity("me").await.unwrap();
    let outcome = script(
        "newer",
        "const opening = indexedDB.open(name, 1_000);
        const blocked = new Promise((ok) => (opening.onblocked = () => ok('blocked')));
        return Promise.race([blocked, opened(opening).then((database) => (database.close(), 'open'))]);",
    )
    .await;
    assert_eq!(outcome.as_string().as_deref(), Some("open"));
    // This page is the older one now.
    let refused = store.identity("me").await;
    assert!(matches!(refused, Err(StoreError::Lost(_))), "{refused:?}");
}

#[wasm_bindgen_test]
async fn a_row_that_cannot_be_read_hides_no_other() {
    let store = opened("damaged-row").await;
    store.identity("me").await.unwrap();
    let mut change = to("me");
    change.rows = vec![day(1), day(3)];
    store.commit(0, change).await.unwrap();
    script(
        "damaged-row",
        "const database = await opened(indexedDB.open(name));
        const writing = database.transaction('rows', 'readwrite');
        writing.objectStore('rows').put({ v: 2, j: '{' }, 'day|2');
        await done(writing);
        database.close();",
    )
    .await;
    assert_eq!(store.rows_after(0).await.unwrap(), [day(1), day(3)]);
}
