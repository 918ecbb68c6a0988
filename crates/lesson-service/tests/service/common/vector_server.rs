//! A server that keeps vectors, as far as a device that syncs with it sees, and such a device.

use super::{START, TestStore, block_on, yield_once};
use lesson_core::{Lesson, Millis, Row, Text};
use lesson_embed::EmbedError;
use lesson_service::{Embedder, Host, Service};
use lesson_sync::{
    Change, HttpRequest, HttpResponse, Link, Named, NoAnswer, Session, Store, VersionedRow,
};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

pub const MODEL: &str = "meanings@1";
pub const SPACE: &str = "5ace0000-0000-4000-8000-000000000001";
const DIMS: usize = 384;
/// Rows that the stand-in gives at once.
const PAGE: usize = 1_000;

/// A service, and the store that it is over.
pub struct Device {
    pub service: Service<TestStore, Wire>,
    pub store: TestStore,
}

impl std::ops::Deref for Device {
    type Target = Service<TestStore, Wire>;

    fn deref(&self) -> &Self::Target {
        &self.service
    }
}

/// Every text points elsewhere.
pub struct Meanings {
    id: &'static str,
    dims: usize,
    pub embedded: Cell<usize>,
}

impl Meanings {
    pub fn new() -> Rc<Self> {
        Self::of(MODEL, DIMS)
    }

    pub fn of(id: &'static str, dims: usize) -> Rc<Self> {
        Rc::new(Self {
            id,
            dims,
            embedded: Cell::new(0),
        })
    }
}

impl Embedder for Meanings {
    fn id(&self) -> &str {
        self.id
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embedded.set(self.embedded.get() + 1);
        let mut state = text.bytes().fold(7u32, |state, byte| {
            state.wrapping_mul(31).wrapping_add(byte.into())
        });
        Ok((0..self.dims)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 - 1.0
            })
            .collect())
    }
}

/// The server as a member sees it: lessons' texts by their hash, and vectors in base64.
#[derive(Default)]
pub struct Server {
    pub lessons: RefCell<BTreeMap<String, String>>,
    pub vectors: RefCell<BTreeMap<String, String>>,
    pub version: Cell<u64>,
    /// The functions that were called, in order.
    asked: RefCell<Vec<String>>,
    /// Statuses that the next calls are answered with instead.
    pub trouble: RefCell<Vec<u16>>,
    /// Set if every page leads to itself.
    pub stuck: Cell<bool>,
    /// Answer of `lesson_history`.
    pub history: RefCell<Value>,
    /// The most rows of a batch that is not answered with 413.
    pub most: Cell<usize>,
}

impl Server {
    pub fn asked(&self) -> Vec<String> {
        self.asked.take()
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let function = request.url.rsplit('/').next().unwrap();
        self.asked.borrow_mut().push(function.to_owned());
        let body: Value = serde_json::from_str(request.body.as_deref().unwrap()).unwrap();
        let status = self.trouble.borrow_mut().pop().unwrap_or(200);
        if status != 200 {
            return response(status, json!({"message": "trouble"}));
        }
        match function {
            "pull_embeddings" => {
                assert_eq!(body["p_space"], SPACE);
                response(200, self.pull(&body))
            }
            "put_embeddings" => {
                let rows = body["p_rows"].as_array().unwrap();
                if rows.len() > self.most.get() {
                    return response(413, json!({"message": "too many"}));
                }
                response(200, self.put(rows))
            }
            "pull_changes" => response(
                200,
                json!({
                    "lessons": [], "recommendations": [], "decisions": [], "settings": [], "agents": [], "bases": [], "tools": [], "feedback": [], "days": [],
                    "next_cursor": self.version.get(), "version": self.version.get(),
                    "has_more": false, "acked_seq": {}, "epoch": "one", "schema_version": lesson_sync::SCHEMA_VERSION,
                }),
            ),
            "lesson_history" => response(200, self.history.borrow().clone()),
            "logout" => response(204, Value::Null),
            other => panic!("{other} is not to be called"),
        }
    }

    fn pull(&self, body: &Value) -> Value {
        let vectors = self.vectors.borrow();
        let after = body["p_after"].as_str().unwrap().to_owned();
        let given: Vec<(&String, &String)> = match body["p_hashes"].as_array() {
            Some(hashes) => {
                assert!(hashes.len() <= PAGE);
                let named = |hash: &&String| hashes.iter().any(|one| one == hash.as_str());
                vectors.iter().filter(|(hash, _)| named(hash)).collect()
            }
            None => vectors.iter().filter(|(hash, _)| **hash > after).collect(),
        };
        let more = given.len() > PAGE;
        let given = &given[..given.len().min(PAGE)];
        let lessons = self.lessons.borrow();
        let lacking: Vec<(&String, &String)> = match body["p_lacking_after"].as_str() {
            Some(after) => lessons
                .iter()
                .filter(|(slug, hash)| slug.as_str() > after && !vectors.contains_key(*hash))
                .collect(),
            None => Vec::new(),
        };
        let more_lacking = lacking.len() > PAGE;
        let lacking = &lacking[..lacking.len().min(PAGE)];
        json!({
            "vectors": given.iter()
                .map(|(hash, packed)| json!({"content_hash": hash, "packed": packed}))
                .collect::<Vec<_>>(),
            "next_after": if self.stuck.get() { Some(&after) } else { given.last().filter(|_| more).map(|(hash, _)| *hash) },
            "lacking": lacking.iter()
                .map(|(slug, hash)| json!({"slug": slug, "content_hash": hash}))
                .collect::<Vec<_>>(),
            "lacking_next_after": lacking.last().filter(|_| more_lacking).map(|(slug, _)| slug),
        })
    }

    fn put(&self, rows: &[Value]) -> Value {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        for row in rows {
            assert_eq!(text(&row["packed"]).len(), 512);
            let hash = text(&row["content_hash"]);
            assert_eq!(self.lessons.borrow().get(&text(&row["slug"])), Some(&hash));
            self.vectors.borrow_mut().insert(hash, text(&row["packed"]));
        }
        json!({"stored": rows.len(), "stale": [], "unknown": []})
    }
}

fn response(status: u16, body: Value) -> HttpResponse {
    HttpResponse {
        status,
        retry_after: None,
        body: body.to_string(),
    }
}

/// A host on this server's network; `None`: there is none.
pub struct Wire {
    pub server: RefCell<Option<Rc<Server>>>,
    pub clock: Cell<Millis>,
}

impl Host for Wire {
    fn now(&self) -> Millis {
        self.clock.get()
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    async fn pause(&self) {}

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        yield_once().await;
        match &*self.server.borrow() {
            Some(server) => Ok(server.answer(&request)),
            None => Err(NoAnswer("no network".to_owned())),
        }
    }
}

pub fn lesson(number: usize) -> Lesson {
    let text = Text {
        title: format!("Lesson {number}"),
        recommendation: "Do it.".to_owned(),
        ..Text::default()
    };
    Lesson::new(
        format!("lesson-{number:05}"),
        text,
        "test".to_owned(),
        START,
    )
}

/// The link of a device to the server.
pub fn link() -> Link {
    Link {
        url: "http://localhost".to_owned(),
        key: "key".to_owned(),
        space: Named {
            id: SPACE.to_owned(),
            name: "test".to_owned(),
        },
        actor: "device".to_owned(),
        session: Some(Session {
            access_token: "token".to_owned(),
            refresh_token: "traded for a session".to_owned(),
        }),
        epoch: "one".to_owned(),
        ..Link::default()
    }
}

/// A device that has pulled these lessons, which the server has.
pub fn device(server: &Rc<Server>, lessons: usize) -> Device {
    let store = TestStore::default();
    block_on(store.identity("device")).unwrap();
    let rows: Vec<VersionedRow> = (0..lessons)
        .map(|number| {
            let lesson = lesson(number);
            let hash = lesson.text.embedded_hash();
            server
                .lessons
                .borrow_mut()
                .insert(lesson.slug.clone(), hash);
            VersionedRow {
                version: number as u64 + 1,
                row: Row::Lesson(Box::new(lesson)),
            }
        })
        .collect();
    server.version.set(lessons as u64);
    server.most.set(500);
    let link = Link {
        cursor: lessons as u64,
        ..link()
    };
    let change = Change {
        rows,
        ..Change::to(link)
    };
    block_on(store.commit(0, change)).unwrap();
    let host = Wire {
        server: RefCell::new(Some(Rc::clone(server))),
        clock: Cell::new(START),
    };
    Device {
        service: block_on(Service::open(store.clone(), host)).unwrap(),
        store,
    }
}
