//! A store that is full, fails, is lost, or was written to by others: nothing half-done, nothing
//! shown that is not stored, nothing stored twice.

use crate::common;

use common::{Fault, TestService, TestStore, block_on, request};
use lesson_core::EventKind;
use lesson_sync::{Entry, Store};
use lesson_types::*;
use serde_json::json;

fn fixture() -> TestService {
    TestService::with(&[
        ("a-lesson", "A lesson", "Do it."),
        ("b-lesson", "B lesson", "Do that."),
    ])
}

#[test]
fn a_store_that_refuses_changes_nothing_and_says_what_to_do() {
    for fault in [Fault::Full, Fault::Failed, Fault::LostBefore] {
        let fixture = fixture();
        let before = fixture.store.space();
        for (line, body) in [
            (
                "POST /v1/rate",
                json!({"lesson": "a-lesson", "helpful": true}),
            ),
            ("POST /v1/lessons", json!({"title": "New"})),
            ("POST /v1/lessons/a-lesson/archive", json!(null)),
            (
                "POST /v1/import",
                json!({"files": [{"path": "c.md", "content": "# C\n\nText."}]}),
            ),
            (
                "POST /v1/tools/success",
                json!({"query": "q", "server": "s"}),
            ),
        ] {
            fixture.store.0.fault.set(fault);
            let (status, error) = fixture.refused(line, body);
            assert_eq!(
                (status, error.code),
                (503, ErrorCode::Unavailable),
                "{fault:?} {line}"
            );
            assert!(error.message.len() > 20, "{error}");
            fixture.store.0.fault.set(fault);
        }
        if fault == Fault::Full {
            let health: Health = fixture.get("/v1/health");
            assert!(
                health
                    .store
                    .error
                    .is_some_and(|error| error.contains("full"))
            );
        }
        fixture.store.0.fault.set(Fault::None);
        assert_eq!(fixture.store.space(), before);
        // Answers show what is stored.
        assert_eq!(fixture.get::<LessonPage>("/v1/lessons").total, 2);
        assert_eq!(
            fixture
                .get::<LessonView>("/v1/lessons/a-lesson")
                .standing
                .times_helpful,
            0
        );
        // And it goes on when the store does.
        let rated: Rated = fixture.ok(
            "POST /v1/rate",
            json!({"lesson": "a-lesson", "helpful": true}),
        );
        assert_eq!(rated.times_helpful, 1);
        assert_eq!(fixture.get::<Health>("/v1/health").store.error, None);
    }
}

#[test]
fn retrieval_goes_on_while_the_store_fails_and_tracking_is_kept() {
    let fixture = fixture();
    fixture.store.0.fault.set(Fault::Full);
    for _ in 0..3 {
        let answer: Recommendations = fixture.ok(
            "POST /v1/recommend",
            json!({"query": "lesson", "decision_id": "d"}),
        );
        assert_eq!(answer.recommended.len(), 2);
    }
    let health: Health = fixture.get("/v1/health");
    assert_eq!(health.store.unsaved, 3);
    assert!(block_on(fixture.service.idle()).is_err());
    fixture.store.0.fault.set(Fault::None);
    block_on(fixture.service.idle()).unwrap();
    let health: Health = fixture.get("/v1/health");
    assert_eq!((health.store.unsaved, health.store.error), (0, None));
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .times_surfaced,
        3
    );
}

#[test]
fn a_write_that_was_kept_before_the_connection_broke_counts_once() {
    let fixture = fixture();
    fixture.store.0.fault.set(Fault::LostAfter);
    let rated: Rated = fixture.ok(
        "POST /v1/rate",
        json!({"lesson": "a-lesson", "helpful": true}),
    );
    assert_eq!(rated.times_helpful, 1);
    let names = fixture.store.events();
    assert_eq!(names.iter().filter(|name| **name == "Rated").count(), 1);

    // The same for tracking that waits: it is not stored twice.
    block_on(
        fixture
            .service
            .handle(request("POST /v1/recommend", json!({"query": "lesson"}))),
    );
    fixture.store.0.fault.set(Fault::LostAfter);
    assert!(block_on(fixture.service.flush()).is_err());
    block_on(fixture.service.idle()).unwrap();
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .times_surfaced,
        1
    );
}

#[test]
fn a_dead_store_refuses_to_open_and_to_catch_up() {
    let fixture = fixture();
    fixture.store.0.fault.set(Fault::Dead);
    assert_eq!(
        block_on(fixture.service.catch_up()).unwrap_err().code,
        ErrorCode::Unavailable
    );
    let (status, _) = fixture.refused("GET /v1/export", json!(null));
    assert_eq!(status, 503);
    // Lessons in memory are still answered, and said to be stale.
    let answer: Recommendations = fixture.ok("POST /v1/recommend", json!({"query": "lesson"}));
    assert!(answer.stale);
}

fn own(op_id: &str, event: EventKind) -> Entry {
    Entry::Own {
        op_id: op_id.to_owned(),
        by: "local".to_owned(),
        request: None,
        at: common::START,
        event,
    }
}

#[test]
fn a_write_is_checked_again_when_another_tab_was_quicker() {
    let fixture = fixture();
    let rate = |id: &str| {
        own(
            id,
            EventKind::Rated {
                lesson: "a-lesson".to_owned(),
                helpful: true,
                decision_id: None,
            },
        )
    };
    fixture
        .store
        .0
        .ahead
        .borrow_mut()
        .extend([vec![rate("x1")], vec![rate("x2")]]);
    let rated: Rated = fixture.ok(
        "POST /v1/rate",
        json!({"lesson": "a-lesson", "helpful": true}),
    );
    assert_eq!(rated.times_helpful, 3);

    // The other tab's write makes this edit a conflict.
    let edit = EventKind::LessonEdited {
        lesson: "a-lesson".to_owned(),
        base_rev: 1,
        changes: Box::default(),
        trust: lesson_core::Trust::Unreviewed,
        findings: Vec::new(),
    };
    fixture
        .store
        .0
        .ahead
        .borrow_mut()
        .push(vec![own("x3", edit)]);
    let (status, error) = fixture.refused(
        "PATCH /v1/lessons/a-lesson",
        json!({"base_rev": 1, "title": "Mine"}),
    );
    assert_eq!((status, error.field.as_deref()), (409, Some("base_rev")));

    // Others who never stop make it give up, with nothing stored.
    for n in 0..20 {
        fixture
            .store
            .0
            .ahead
            .borrow_mut()
            .push(vec![rate(&format!("y{n}"))]);
    }
    let (status, _) = fixture.refused("POST /v1/lessons", json!({"title": "New"}));
    assert_eq!(status, 503);
    fixture.store.0.ahead.borrow_mut().clear();
    assert!(fixture.store.space().lesson("new").is_none());
}

#[test]
fn another_tabs_events_are_seen_after_catching_up() {
    let here = fixture();
    let there = TestService::over(here.store.clone());
    there.ok::<LessonView>(
        "POST /v1/lessons",
        json!({"title": "From there", "recommendation": "zebra"}),
    );
    assert_eq!(here.get::<LessonPage>("/v1/lessons?q=zebra").total, 0);
    assert!(block_on(here.service.catch_up()).unwrap());
    assert_eq!(here.get::<LessonPage>("/v1/lessons?q=zebra").total, 1);
    assert!(!block_on(here.service.catch_up()).unwrap());
}

#[test]
fn events_that_cannot_be_folded_are_left_out_and_named() {
    let store = TestStore::default();
    let rate = EventKind::Rated {
        lesson: "gone".to_owned(),
        helpful: true,
        decision_id: None,
    };
    block_on(store.identity("me")).unwrap();
    block_on(store.append(0, vec![own("x1", rate)])).unwrap();
    let fixture = TestService::over(store);
    let health: Health = fixture.get("/v1/health");
    assert_eq!(health.store.events, 1);
    let error = health.store.error.unwrap();
    assert!(
        error.contains("position 1 (Rated)") && error.contains("gone"),
        "{error}"
    );
    let made: LessonView = fixture.ok("POST /v1/lessons", json!({"title": "Fine"}));
    assert_eq!(made.slug, "fine");
}
