//! A space that is worked on on the server: no request is answered from what is not here.

use crate::common;

use common::vector_server::{Device, Server, Wire, link};
use common::{START, TestStore, block_on, request};
use lesson_service::Service;
use lesson_sync::{Change, Link, Store};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

macro_rules! lines {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        /// Every endpoint: name, method and path.
        const ROWS: &[(&str, &str, &str)] = &[$((stringify!($name), stringify!($method), $path)),*];
    };
}
lesson_types::endpoints!(lines);

/// Answered by the device, or by asking the server for the very thing.
const OF_THE_DEVICE: [&str; 16] = [
    "sync_status",
    "connect",
    "sign_in",
    "sign_out",
    "hold",
    "delete_space",
    "sync_now",
    "list_agent_keys",
    "make_agent_key",
    "revoke_agent_key",
    "list_members",
    "change_member",
    "remove_member",
    "invite",
    "revoke_invite",
    // Nothing is set aside here.
    "list_set_aside",
];

fn on_server(server: Option<&Rc<Server>>) -> Device {
    let store = TestStore::default();
    block_on(store.identity("device")).unwrap();
    let link = Link {
        sends_only: true,
        ..link()
    };
    block_on(store.commit(0, Change::to(link))).unwrap();
    let host = Wire {
        server: RefCell::new(server.cloned()),
        clock: Cell::new(START),
    };
    let again = |host: &Wire| Wire {
        server: RefCell::new(host.server.borrow().clone()),
        clock: Cell::new(host.clock.get()),
    };
    Device {
        service: block_on(Service::open(store.clone(), host))
            .unwrap()
            .with_parts(TestStore::default, again),
        store,
    }
}

#[test]
fn no_endpoint_answers_from_an_empty_space() {
    let device = on_server(None);
    for (name, method, path) in ROWS {
        if OF_THE_DEVICE.contains(name) {
            continue;
        }
        let path = path.replace("{rev}", "1").replace(['{', '}'], "");
        let line = format!("{} {path}", method.to_uppercase());
        let answer = block_on(device.handle(request(&line, Value::Null)));
        let error = &answer.body.value()["error"];
        let refused = answer.status == 409 && error["field"] == "on_server";
        let unread = answer.status == 503
            && error["message"]
                .as_str()
                .is_some_and(|message| message.contains("read from the server"));
        // A request that is wrong whatever the space holds.
        let wrong = answer.status == 400;
        assert!(
            refused || unread || wrong,
            "{name}: {} {}",
            answer.status,
            answer.body
        );
    }
    let told = block_on(device.handle(request("GET /v1/sync", Value::Null)));
    assert_eq!(told.body.value()["on_server"], true);
}

#[test]
fn a_write_reads_its_part_first_and_a_server_of_before_is_named() {
    let server = Rc::new(Server::default());
    let device = on_server(Some(&server));
    server.trouble.borrow_mut().push(404);
    let rate = json!({ "lesson": "lesson-00000", "helpful": true });
    let answer = block_on(device.handle(request("POST /v1/rate", rate)));
    assert_eq!(server.asked(), ["space_rows"]);
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(
        block_on(device.store.read_after(0))
            .unwrap()
            .events
            .is_empty()
    );
}
