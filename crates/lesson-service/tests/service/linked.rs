//! Status of syncing for a person who is signed in, and their remedies for a server that refuses.

use crate::common;

use common::vector_server::{Device, Server, device, lesson};
use common::{START, block_on, request};
use lesson_core::{Event, EventKind};
use lesson_sync::{Change, Link, Named, Store};
use lesson_types::History;
use serde_json::{Value, json};
use std::rc::Rc;

const ACCOUNT: &str = "01a2012d-d092-763a-ba5f-a767f515c648";

fn signed_in(server: &Rc<Server>) -> Device {
    let one = device(server, 1);
    let link = block_on(one.store.link()).unwrap().unwrap();
    let user = Named {
        id: ACCOUNT.to_owned(),
        name: "ada@example.com".to_owned(),
    };
    let revision = link.revision;
    block_on(
        one.store
            .commit(revision, Change::to(Link { user, ..link })),
    )
    .unwrap();
    block_on(one.catch_up()).unwrap();
    one
}

fn ask(device: &Device, line: &str, body: Value) -> Value {
    let answer = block_on(device.handle(request(line, body)));
    assert_eq!(answer.status, 200, "{line}: {}", answer.body);
    answer.body.value()
}

#[test]
fn the_status_names_the_account_that_events_are_by() {
    let one = signed_in(&Rc::new(Server::default()));
    let status = ask(&one, "GET /v1/sync", Value::Null);
    assert_eq!(status["account"], ACCOUNT);
    assert_eq!(status["email"], "ada@example.com");
    let rate = json!({ "lesson": "lesson-00000", "helpful": true });
    ask(&one, "POST /v1/rate", rate);
    let events = block_on(one.store.read_after(0)).unwrap().events;
    assert_eq!(events[0].event.by, format!("person:{ACCOUNT}"));
}

#[test]
fn a_server_that_refuses_is_asked_again_when_a_person_wants_it() {
    let server = Rc::new(Server::default());
    let one = signed_in(&server);
    server.trouble.borrow_mut().push(426);
    let round = block_on(one.sync_round());
    assert_eq!(server.asked(), ["pull_changes"]);
    assert_eq!(ask(&one, "GET /v1/sync", Value::Null)["phase"], "blocked");
    assert_eq!(round.next_at, Some(START + 300_000));
    // As after every write.
    for _ in 0..5 {
        let round = block_on(one.sync_round());
        assert_eq!(round.next_at, Some(START + 30_000));
    }
    assert!(server.asked().is_empty());
    ask(&one, "POST /v1/sync/now", Value::Null);
    block_on(one.sync_round());
    assert_eq!(server.asked(), ["pull_changes"]);
    assert_eq!(ask(&one, "GET /v1/sync", Value::Null)["phase"], "idle");
}

#[test]
fn a_course_has_the_lifts_that_the_server_reckoned() {
    let server = Rc::new(Server::default());
    let one = signed_in(&server);
    let event = |seq: u64, happening: EventKind| Event {
        op_id: format!("op-{seq}"),
        actor: "other".to_owned(),
        seq,
        at: START + seq as i64 * 1_000,
        by: format!("person:{ACCOUNT}"),
        request: None,
        event: happening,
    };
    let rated = EventKind::Rated {
        lesson: "lesson-00000".to_owned(),
        helpful: true,
        decision_id: None,
    };
    let at = lesson_core::to_rfc3339(START + 2_000);
    // The second is from before the server kept lifts.
    *server.history.borrow_mut() = json!({
        "agents": [], "next_before": null,
        "events": [
            {"version": 3, "event": event(3, rated.clone()), "lift": {"mean": 0.25, "variance": 0.0025, "at": at}},
            {"version": 2, "event": event(2, rated), "lift": null},
            {"version": 1, "event": event(1, EventKind::LessonAdded { lesson: Box::new(lesson(0)) }),
                "lift": {"mean": 0.03, "variance": 0.0144, "at": null}},
        ],
    });
    let told = ask(&one, "GET /v1/lessons/lesson-00000/history", Value::Null);
    let told: History = serde_json::from_value(told).unwrap();
    let lifts: Vec<Option<f64>> = told.course.iter().map(|point| point.lift).collect();
    assert_eq!((lifts[0], lifts[1], lifts.len()), (Some(0.03), None, 3));
    let last = told.course.last().unwrap();
    // A second after it was reckoned next to nothing is forgotten.
    let near = |value: Option<f64>, wanted: f64| (value.unwrap() - wanted).abs() < 1e-6;
    assert!(near(last.lift, 0.25), "{last:?}");
    assert!(near(last.lift_low, 0.25 - 1.96 * 0.05) && near(last.lift_high, 0.25 + 1.96 * 0.05));
}
