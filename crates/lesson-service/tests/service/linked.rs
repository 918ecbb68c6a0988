//! What a person who is signed in is told of syncing, and what they can do about a server that refuses.

use crate::common;

use common::vector_server::{Device, Server, device};
use common::{START, block_on, request};
use lesson_sync::{Change, Link, Named, Store};
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
    answer.body
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
