//! Keys of agents: what is asked of the linked server, and what becomes of its answers.

use crate::common;

use common::{START, block_on, request};
use lesson_core::Millis;
use lesson_service::{Host, Service};
use lesson_sync::{
    Change, HttpRequest, HttpResponse, Link, MemoryStore, Named, NoAnswer, Session, Store,
};
use lesson_types::{
    AgentKey, AgentKeyRevoked, AgentKeys, ErrorBody, ErrorCode, MadeAgentKey, Response,
    SpaceDeletion,
};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const SPACE: &str = "01a20260-5f40-7000-8000-000000000001";
const ID: &str = "01a20260-5f40-7000-8000-000000000002";
const KEY: &str = "llk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// The server: what it answers, and what it was asked.
#[derive(Default)]
struct Server {
    /// Answers to the functions about keys, first one first; the last one is given again.
    answers: RefCell<Vec<Result<(u16, String), &'static str>>>,
    /// The access token that holds.
    token: RefCell<String>,
    /// Set if a session can be renewed.
    renews: Cell<bool>,
    asked: RefCell<Vec<HttpRequest>>,
}

impl Server {
    fn answer(&self, asked: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        let function = asked
            .url
            .strip_prefix("https://abc.supabase.co/")
            .unwrap()
            .to_owned();
        let bearer = asked
            .headers
            .iter()
            .find(|(name, _)| *name == "authorization")
            .map(|(_, token)| token.clone());
        self.asked.borrow_mut().push(asked);
        let (status, body) = match function.as_str() {
            "auth/v1/token?grant_type=refresh_token" if self.renews.get() => {
                let session =
                    json!({"access_token": "fresh", "refresh_token": "next", "user": {"id": "me"}});
                (200, session.to_string())
            }
            "auth/v1/token?grant_type=refresh_token" => {
                (400, json!({"error": "invalid_grant"}).to_string())
            }
            "auth/v1/logout" => (204, String::new()),
            _ if bearer != Some(format!("Bearer {}", self.token.borrow())) => (
                401,
                json!({"code": "PGRST301", "message": "JWT expired"}).to_string(),
            ),
            "rest/v1/rpc/pull_changes" => {
                let page = json!({
                    "lessons": [], "recommendations": [], "decisions": [], "settings": [], "agents": [], "bases": [], "tools": [], "feedback": [], "days": [],
                    "next_cursor": 0, "version": 0, "has_more": false, "acked_seq": {}, "epoch": "e", "schema_version": lesson_sync::SCHEMA_VERSION,
                });
                (200, page.to_string())
            }
            _ => {
                let mut answers = self.answers.borrow_mut();
                let answer = if answers.len() > 1 {
                    answers.remove(0)
                } else {
                    answers[0].clone()
                };
                answer.map_err(|cause| NoAnswer(cause.to_owned()))?
            }
        };
        Ok(HttpResponse {
            status,
            retry_after: None,
            body,
        })
    }

    /// The functions that were called, with their arguments.
    fn calls(&self) -> Vec<(String, Value)> {
        let asked = self.asked.borrow();
        let about_keys = asked
            .iter()
            .filter_map(|asked| Some((asked.url.split_once("/rpc/")?.1, asked)));
        about_keys
            .filter(|(function, _)| function.ends_with("agent_key") || function.ends_with("_keys"))
            .map(|(function, asked)| {
                let body = asked.body.as_deref().unwrap();
                (function.to_owned(), serde_json::from_str(body).unwrap())
            })
            .collect()
    }
}

struct Networked {
    server: Rc<Server>,
    clock: Cell<Millis>,
}

impl Host for Networked {
    fn now(&self) -> Millis {
        self.clock.set(self.clock.get() + 1);
        self.clock.get()
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    async fn pause(&self) {
        common::yield_once().await;
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        self.server.answer(request)
    }
}

struct Linked {
    service: Service<MemoryStore, Networked>,
    server: Rc<Server>,
}

impl Linked {
    /// Linked to a space of a server that answers so; the session holds.
    fn to(answers: &[Result<(u16, Value), &'static str>]) -> Self {
        let answers = answers.iter().map(|answer| {
            answer
                .as_ref()
                .map(|(status, body)| (*status, body.to_string()))
                .map_err(|cause| *cause)
        });
        let server = Rc::new(Server {
            answers: RefCell::new(answers.collect()),
            token: RefCell::new("at first".to_owned()),
            renews: Cell::new(true),
            ..Server::default()
        });
        let store = MemoryStore::new();
        let link = Link {
            url: "https://abc.supabase.co".to_owned(),
            key: "publishable".to_owned(),
            space: Named {
                id: SPACE.to_owned(),
                name: "Ours".to_owned(),
            },
            actor: "01a20260-5f40-7000-8000-000000000009".to_owned(),
            epoch: "e".to_owned(),
            session: Some(Session {
                access_token: "at first".to_owned(),
                refresh_token: "once".to_owned(),
            }),
            ..Link::default()
        };
        block_on(store.commit(0, Change::to(link))).unwrap();
        let host = Networked {
            server: Rc::clone(&server),
            clock: Cell::new(START),
        };
        let service = block_on(Service::open(store, host)).unwrap();
        Self { service, server }
    }

    fn call(&self, line: &str, body: Value) -> Response {
        block_on(self.service.handle(request(line, body)))
    }

    fn ok<T: serde::de::DeserializeOwned>(&self, line: &str, body: Value) -> T {
        let response = self.call(line, body);
        assert_eq!(response.status, 200, "{line}: {}", response.body);
        response.body.read().unwrap()
    }

    fn refused(&self, line: &str, body: Value) -> lesson_types::ApiError {
        let response = self.call(line, body);
        let error: ErrorBody = response.body.read().unwrap();
        assert_eq!(response.status, error.error.code.status(), "{line}");
        error.error
    }
}

fn made() -> Result<(u16, Value), &'static str> {
    Ok((
        200,
        json!({"id": ID, "name": "Claude Code", "key": KEY, "of a newer server": 1}),
    ))
}

fn revoke() -> String {
    format!("POST /v1/agent-keys/{ID}/revoke")
}

#[test]
fn a_key_is_made_listed_and_revoked_by_the_server() {
    let listed = json!([{
        "id": ID, "name": "Claude Code", "created_at": "2026-11-22T09:05:00.000Z",
        "last_used_at": null, "revoked_at": "2026-11-22T10:00:00.000Z",
    }]);
    let linked = Linked::to(&[
        made(),
        Ok((200, listed)),
        Ok((200, json!(true))),
        Ok((200, json!(false))),
    ]);
    let got: MadeAgentKey = linked.ok(
        "POST /v1/agent-keys",
        json!({"name": "  Claude Code\u{a0}"}),
    );
    assert_eq!((&*got.id, &*got.name, &*got.key), (ID, "Claude Code", KEY));
    assert!(!format!("{got:?}").contains("llk_"), "{got:?}");
    let keys: AgentKeys = linked.ok("GET /v1/agent-keys", Value::Null);
    assert_eq!(
        keys.keys,
        [AgentKey {
            id: ID.to_owned(),
            name: "Claude Code".to_owned(),
            created_at: "2026-11-22T09:05:00.000Z".to_owned(),
            last_used_at: None,
            revoked_at: Some("2026-11-22T10:00:00.000Z".to_owned()),
        }]
    );
    let first: AgentKeyRevoked = linked.ok(&revoke(), Value::Null);
    let again: AgentKeyRevoked = linked.ok(&revoke(), json!({}));
    assert_eq!((first.revoked, again.revoked), (true, false));
    assert_eq!(
        linked.server.calls(),
        [
            (
                "create_agent_key".to_owned(),
                json!({"p_space": SPACE, "p_name": "Claude Code"})
            ),
            ("list_agent_keys".to_owned(), json!({"p_space": SPACE})),
            ("revoke_agent_key".to_owned(), json!({"p_key": ID})),
            ("revoke_agent_key".to_owned(), json!({"p_key": ID})),
        ]
    );
}

#[test]
fn a_session_that_expired_is_renewed_and_the_request_made_again_once() {
    let linked = Linked::to(&[made()]);
    *linked.server.token.borrow_mut() = "fresh".to_owned();
    let got: MadeAgentKey = linked.ok("POST /v1/agent-keys", json!({"name": "Claude Code"}));
    assert_eq!(got.key, KEY);
    // The first call was refused at the door.
    assert_eq!(linked.server.calls().len(), 2);

    linked.server.asked.borrow_mut().clear();
    *linked.server.token.borrow_mut() = "of somebody else".to_owned();
    linked.server.renews.set(false);
    let error = linked.refused("POST /v1/agent-keys", json!({"name": "Claude Code"}));
    assert_eq!(error.code, ErrorCode::Unauthorized);
    assert!(error.message.contains("sign in again"), "{error}");
    let error = linked.refused("GET /v1/agent-keys", Value::Null);
    assert_eq!(error.code, ErrorCode::Unauthorized);
}

#[test]
fn without_a_server_there_is_a_remedy() {
    let alone = common::TestService::new();
    for (line, body) in [
        ("GET /v1/agent-keys", Value::Null),
        ("POST /v1/agent-keys", json!({"name": "Claude Code"})),
        (&*revoke(), Value::Null),
    ] {
        let (status, error) = alone.refused(line, body);
        assert_eq!((status, error.code), (409, ErrorCode::Conflict), "{line}");
        assert!(error.message.contains("/v1/sync/connect"), "{error}");
    }
}

#[test]
fn what_the_server_answers_instead_is_an_error_with_a_remedy() {
    let no_space = json!({"code": "PT404", "message": "there is no such space"});
    let no_function = json!({"code": "PGRST202", "message": "Could not find the function"});
    type Case = (
        Result<(u16, Value), &'static str>,
        ErrorCode,
        [&'static str; 3],
    );
    let cases: [Case; 7] = [
        (
            Err("the network is down"),
            ErrorCode::Unavailable,
            [
                "try again when it answers",
                "revoke one of this name",
                "once more",
            ],
        ),
        (
            Ok((500, json!({"message": "disk"}))),
            ErrorCode::Unavailable,
            [
                "try again when it answers",
                "revoke one of this name",
                "once more",
            ],
        ),
        // A page of a proxy, and an answer of another shape.
        (
            Ok((200, json!("<html>"))),
            ErrorCode::Unavailable,
            ["try again", "revoke one of this name", "once more"],
        ),
        (
            Ok((404, no_space)),
            ErrorCode::NotFound,
            ["no member", "no member", "there is no key"],
        ),
        (
            Ok((404, no_function)),
            ErrorCode::Unavailable,
            ["supabase/migrations"; 3],
        ),
        (
            Ok((429, json!({}))),
            ErrorCode::RateLimited,
            ["in a minute"; 3],
        ),
        (
            Ok((
                400,
                json!({"code": "PT400", "message": "p_name has to have 1 to 100 characters"}),
            )),
            ErrorCode::Unavailable,
            ["1 to 100 characters"; 3],
        ),
    ];
    for (answer, code, remedies) in cases {
        let linked = Linked::to(&[answer]);
        let lines = [
            ("GET /v1/agent-keys".to_owned(), Value::Null),
            ("POST /v1/agent-keys".to_owned(), json!({"name": "x"})),
            (revoke(), Value::Null),
        ];
        for ((line, body), remedy) in lines.into_iter().zip(remedies) {
            let error = linked.refused(&line, body);
            assert_eq!(error.code, code, "{line}: {error}");
            assert!(error.message.contains(remedy), "{line}: {error}");
        }
    }
}

#[test]
fn a_request_that_says_too_little_or_too_much_never_reaches_the_server() {
    let linked = Linked::to(&[made()]);
    let long = "x".repeat(101);
    for (line, body, field) in [
        ("POST /v1/agent-keys", json!({}), "name"),
        ("POST /v1/agent-keys", json!({"name": " \t"}), "name"),
        ("POST /v1/agent-keys", json!({"name": long}), "name"),
        ("POST /v1/agent-keys", json!({"name": "a\u{0}b"}), "name"),
        ("POST /v1/agent-keys", json!({"name": "two\nlines"}), "name"),
        ("POST /v1/agent-keys", json!({"name": 3}), "name"),
        (
            "POST /v1/agent-keys",
            json!({"name": "x", "space": SPACE}),
            "space",
        ),
        ("GET /v1/agent-keys", json!({"name": "x"}), "name"),
        ("GET /v1/agent-keys?space=x", Value::Null, "space"),
        ("PATCH /v1/agent-keys", json!({}), "method"),
        ("GET /v1/agent-keys/x/revoke", Value::Null, "method"),
        ("POST /v1/agent-keys/x/revoke", Value::Null, "id"),
        (
            "POST /v1/agent-keys/01a202605f4070008000000000000002aaaa/revoke",
            Value::Null,
            "id",
        ),
        (&*revoke(), json!({"id": ID}), "id"),
    ] {
        let error = linked.refused(line, body.clone());
        let code = match field {
            "method" => ErrorCode::MethodNotAllowed,
            _ => ErrorCode::InvalidRequest,
        };
        assert_eq!(
            (error.code, error.field.as_deref()),
            (code, Some(field)),
            "{line} {body}: {error}"
        );
    }
    assert_eq!(linked.server.calls(), []);
}

#[test]
fn a_repeated_request_makes_no_second_key_and_gets_none_to_see() {
    let linked = Linked::to(&[Err("cut"), made()]);
    let keyed = || {
        let mut request = request("POST /v1/agent-keys", json!({"name": "Claude Code"}));
        request
            .headers
            .insert("idempotency-key".to_owned(), "k".to_owned());
        request
    };
    // A failure spends no key.
    assert_eq!(block_on(linked.service.handle(keyed())).status, 503);
    let first = block_on(linked.service.handle(keyed()));
    assert_eq!(
        (first.status, &first.body.value()["key"]),
        (200, &json!(KEY))
    );
    let again = block_on(linked.service.handle(keyed()));
    assert_eq!(again.status, 409, "{}", again.body);
    assert_eq!(again.body.value()["error"]["field"], "idempotency-key");
    assert!(!again.body.to_string().contains("llk_"));
    assert_eq!(linked.server.calls().len(), 2);
}

#[test]
fn nothing_of_a_key_is_stored() {
    let linked = Linked::to(&[made()]);
    let before = (linked.service.position(), linked.service.revision());
    let _: MadeAgentKey = linked.ok("POST /v1/agent-keys", json!({"name": "Claude Code"}));
    block_on(linked.service.idle()).unwrap();
    // Neither an event nor anything of the link.
    let after = (linked.service.position(), linked.service.revision());
    assert_eq!(after, before);
}

#[test]
fn a_space_is_deleted_in_two_steps_and_what_is_kept_here_goes_with_it() {
    let told = json!({
        "deleted": false, "code": "c0de", "expires_at": "2026-11-22T09:15:00.000Z",
        "lessons": 3, "events": 12, "members": 2, "agent_keys": 1, "of a newer server": 1,
    });
    let linked = Linked::to(&[
        Ok((200, told)),
        Ok((409, json!({"code": "PT409", "message": "it does not hold"}))),
        Ok((400, json!({"code": "PT400", "message": "not the name"}))),
        Ok((403, json!({"code": "PT403", "message": "not the owner"}))),
        Err("connection refused"),
        // One that is too large to be deleted at once: it is asked for until nothing is left.
        Ok((200, json!({"deleted": true, "more": true}))),
        Ok((200, json!({"deleted": true, "more": true}))),
        Ok((200, json!({"deleted": true}))),
    ]);
    let line = "POST /v1/space/delete";
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "Ours", "code": ""}), "code"),
        (json!({"name": "Ours", "codes": 1}), "codes"),
    ] {
        assert_eq!(linked.refused(line, body).field.as_deref(), Some(field));
    }
    let first: SpaceDeletion = linked.ok(line, json!({"name": "Ours"}));
    let confirm = first.confirm.expect("there is something to confirm");
    assert!(!first.deleted);
    assert_eq!((&*confirm.code, confirm.lessons), ("c0de", 3));
    for (code, field) in [
        (ErrorCode::Conflict, Some("code")),
        (ErrorCode::InvalidRequest, Some("name")),
        (ErrorCode::Forbidden, None),
        (ErrorCode::Unavailable, None),
    ] {
        let error = linked.refused(line, json!({"name": "Ours", "code": "c0de"}));
        assert_eq!((error.code, error.field.as_deref()), (code, field));
    }
    let is_connected = || linked.call("GET /v1/sync", Value::Null).body.value()["url"] != "";
    assert!(is_connected(), "nothing is forgotten before it is deleted");
    let gone: SpaceDeletion = linked.ok(line, json!({"name": "Ours", "code": "c0de"}));
    assert!(gone.deleted && gone.confirm.is_none());
    assert!(!is_connected());
    assert_eq!(
        linked.refused(line, json!({"name": "Ours"})).code,
        ErrorCode::Conflict
    );
    let asked = linked.server.asked.borrow();
    let sent: Vec<_> = asked
        .iter()
        .filter(|one| one.url.ends_with("/rpc/delete_space"))
        .collect();
    assert_eq!(sent.len(), 8);
    let body: Value = serde_json::from_str(sent[0].body.as_deref().unwrap()).unwrap();
    assert_eq!(
        body,
        json!({"p_space": SPACE, "p_name": "Ours", "p_code": null})
    );
    assert!(asked.iter().any(|one| one.url.ends_with("/auth/v1/logout")));
}
