//! An isolate over a server that is scripted: PostgREST's functions as far as the edge calls them.

use crate::common::{START, block_on, yield_once};
use lesson_core::{Event, EventKind, Lesson, Millis, Policy, Space, Text, Verdict};
use lesson_edge::{Edge, EdgeAnswer, EdgeConfig, EdgeRequest};
use lesson_service::Host;
use lesson_sync::{HttpRequest, HttpResponse, MemoryStore, NoAnswer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use crate::server_keys::{ELSEWHERE, KEY, OTHER, STRANGER, TWIN};

/// Behaviour of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mood {
    #[default]
    Well,
    /// Nobody answers.
    Down,
    /// A push arrives, but its answer does not.
    Deaf,
    /// A page of HTML with the status 502.
    Html,
    /// No answer, ever.
    Silent,
    /// Keys are looked up, but rows are never given.
    Rowless,
}

/// A server with two spaces; PostgREST's functions as far as the edge calls them.
#[derive(Default)]
pub struct Server {
    pub mood: Cell<Mood>,
    spaces: RefCell<BTreeMap<String, Ledger>>,
    pub revoked: RefCell<BTreeSet<String>>,
    pub requests: RefCell<Vec<HttpRequest>>,
    /// Moods for the next requests for rows or with events, before `mood` is asked.
    pub next: RefCell<VecDeque<Mood>>,
    /// Changes when it is restored from a backup.
    pub epoch: Cell<u32>,
    /// Bytes that isolates keep for each other, by name.
    pub shelf: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Set if the shelf gives no answer.
    pub shelf_hangs: Cell<bool>,
    /// A function that takes so many milliseconds to answer.
    pub slow: Cell<Option<(&'static str, u32)>>,
    /// Set if every key is in force, in a space of many.
    pub is_open: Cell<bool>,
}

#[derive(Default)]
struct Ledger {
    space: Space,
    events: Vec<Event>,
    acked: BTreeMap<String, u64>,
}

impl Server {
    pub fn answer(&self, request: &HttpRequest) -> Value {
        let body: Value = serde_json::from_str(request.body.as_deref().unwrap_or("{}")).unwrap();
        let name = request.url.rsplit('/').next().unwrap_or_default();
        if let Some(query) = name.strip_prefix("events?") {
            return self.events(query);
        }
        let mut spaces = self.spaces.borrow_mut();
        let held = spaces
            .entry(body["p_space"].as_str().unwrap().to_owned())
            .or_default();
        match name {
            "push_events" => {
                let agents = self.agents(request);
                let actor = body["p_actor"].as_str().unwrap().to_owned();
                let events: Vec<Event> = serde_json::from_value(body["p_events"].clone()).unwrap();
                let acked = held.acked.entry(actor).or_default();
                let mut rejected = Vec::new();
                for event in events {
                    if event.seq != *acked + 1 {
                        continue;
                    }
                    *acked = event.seq;
                    let known = held.events.iter().find(|one| one.op_id == event.op_id);
                    let is_sent = agents.iter().any(|agent| {
                        event.by == format!("agent:{}", agent["id"].as_str().unwrap())
                    });
                    if known.is_none() && !is_sent {
                        rejected.push(
                            json!({"seq": event.seq, "op_id": event.op_id, "field": "by",
                            "reason": "the key that made this was revoked"}),
                        );
                    } else if known.is_some_and(|known| known.request != event.request) {
                        rejected.push(
                            json!({"seq": event.seq, "op_id": event.op_id, "field": "request",
                            "reason": "this Idempotency-Key was used for another request before"}),
                        );
                    } else if known.is_none() {
                        match held.space.fold(&event, &Policy::default()) {
                            Ok(_) => held.events.push(event),
                            Err(error) => rejected
                                .push(json!({"seq": event.seq, "op_id": event.op_id,
                                "field": error.field(), "reason": error.to_string()})),
                        }
                    }
                }
                json!({"status": "ok", "acked_seq": *acked, "rejected": rejected, "schema_version": lesson_sync::SCHEMA_VERSION})
            }
            "pull_changes" => {
                let mut page = held.page(body["p_cursor"].as_u64().unwrap());
                page["epoch"] = json!(format!("e{}", self.epoch.get()));
                page
            }
            "lesson_history" => held.history(body["p_slug"].as_str().unwrap()),
            other => crate::memory::part(other, &held.space, || held.page(0)),
        }
    }

    pub fn seed(&self, space: &str, slugs: &[&str]) {
        let mut spaces = self.spaces.borrow_mut();
        let held = spaces.entry(space.to_owned()).or_default();
        for (seq, slug) in slugs.iter().enumerate() {
            let text = Text {
                title: format!("Index the {slug} table"),
                tags: vec!["sql".to_owned()],
                ..Text::default()
            };
            let lesson = Lesson::new(*slug, text, "seed", START);
            let event = Event {
                op_id: format!("seed-{slug}"),
                actor: "seed".to_owned(),
                seq: seq as u64 + 1,
                at: START,
                by: "person:seed".to_owned(),
                request: None,
                event: EventKind::LessonAdded {
                    lesson: Box::new(lesson),
                },
            };
            held.space.fold(&event, &Policy::default()).unwrap();
            held.events.push(event);
        }
    }

    /// A person approves a lesson at the dashboard.
    pub fn approve(&self, space: &str, slug: &str, at: Millis) {
        let mut spaces = self.spaces.borrow_mut();
        let held = spaces.get_mut(space).unwrap();
        let event = Event {
            op_id: format!("approve-{slug}"),
            actor: "dashboard".to_owned(),
            seq: 1,
            at,
            by: "person:ada".to_owned(),
            request: None,
            event: EventKind::LessonReviewed {
                lesson: slug.to_owned(),
                verdict: Verdict::Approve,
                content_hash: held.space.lesson(slug).unwrap().text.content_hash(),
                reason: String::new(),
            },
        };
        held.space.fold(&event, &Policy::default()).unwrap();
        held.events.push(event);
    }

    /// Rows of the ledger by their ids, as PostgREST gives them.
    fn events(&self, query: &str) -> Value {
        let part = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .clone()
                .find(|(key, _)| *key == name)
                .map_or("", |(_, value)| value)
                .to_owned()
        };
        let space = part("space").replace("eq.", "");
        let ids = part("op_id");
        let spaces = self.spaces.borrow();
        let events = spaces.get(&space).map_or(&[][..], |held| &held.events);
        let found = events.iter().filter(|event| ids.contains(&event.op_id));
        found
            .map(|event| json!({ "payload": event }))
            .collect::<Vec<_>>()
            .into()
    }

    /// Every event of the ledgers, with the names of who made them.
    pub fn made_by(&self, kind: &str) -> Vec<String> {
        let spaces = self.spaces.borrow();
        spaces
            .values()
            .flat_map(|held| &held.events)
            .filter(|event| event.event.name() == kind)
            .map(|event| event.by.clone())
            .collect()
    }

    /// The server forgets a space, as after a restore from a backup that was made before it.
    pub fn restore(&self, space: &str) {
        self.epoch.set(self.epoch.get() + 1);
        self.spaces.borrow_mut().remove(space);
    }

    /// Counts the events of a kind in the ledger.
    pub fn count(&self, kind: &str) -> usize {
        let spaces = self.spaces.borrow();
        spaces
            .values()
            .flat_map(|held| &held.events)
            .filter(|event| event.event.name() == kind)
            .count()
    }
}

impl Ledger {
    /// Gives the answer of `lesson_history`; it leaves out what speaks of no lesson.
    fn history(&self, slug: &str) -> Value {
        assert!(self.space.lesson(slug).is_some());
        let numbered = || (1..).zip(&self.events);
        let first = |by: &str| numbered().find(|(_, event)| event.by == by).unwrap().0;
        let agents = self.space.agents().iter();
        let events = numbered().filter(|(_, event)| {
            serde_json::to_string(event).unwrap().contains(slug)
                || event.event.name() == "OutcomeRecorded"
        });
        json!({
            "agents": agents.map(|by| json!({ "by": by, "version": first(by) })).collect::<Vec<_>>(),
            "events": events
                .map(|(version, event)| json!({ "version": version, "event": event }))
                .collect::<Vec<_>>(),
            "next_before": null,
        })
    }

    /// Everything, whenever anything changed.
    fn page(&self, cursor: u64) -> Value {
        let version = self.events.len() as u64 * 10;
        let with_version = |mut row: Value| {
            row["version"] = json!(version);
            row
        };
        let changed = version > cursor;
        let lessons: Vec<Value> = self
            .space
            .lessons()
            .filter(|_| changed)
            .map(|lesson| with_version(serde_json::to_value(lesson).unwrap()))
            .collect();
        let decisions: BTreeSet<&str> = self
            .events
            .iter()
            .filter_map(|event| match &event.event {
                EventKind::Surfaced { context, .. } => context.decision_id.as_deref(),
                _ => None,
            })
            .collect();
        let mut recommendations = Vec::new();
        for id in decisions {
            let decision = self.space.decision(id).unwrap();
            for (place, record) in decision.records.iter().enumerate() {
                let mut row = with_version(serde_json::to_value(record).unwrap());
                row["decision_id"] = json!(id);
                row["position"] = json!(place + 1);
                recommendations.push(row);
            }
        }
        let decisions: Vec<Value> = self
            .space
            .decisions()
            .filter(|_| changed)
            .map(|(id, decision)| {
                let mut row = with_version(serde_json::to_value(decision).unwrap());
                row["decision_id"] = json!(id);
                row["records"] = json!([]);
                row
            })
            .collect();
        let settings: Vec<Value> = self
            .space
            .settings()
            .map(|(name, value)| with_version(json!({ "name": name, "value": value })))
            .collect();
        let bases: Vec<Value> = self
            .space
            .bases()
            .map(|(domain, base)| {
                let mut row = with_version(serde_json::to_value(base).unwrap());
                row["domain"] = json!(domain);
                row
            })
            .collect();
        json!({
            "schema_version": lesson_sync::SCHEMA_VERSION, "decisions": decisions, "settings": settings,
            "agents": [{ "keys": self.space.agents(), "version": version }],
            "bases": bases, "lessons": lessons, "recommendations": recommendations, "tools": [], "feedback": [],
            "days": [], "next_cursor": version, "version": version, "has_more": false,
            "acked_seq": {},
        })
    }
}

pub struct FakeHost {
    pub clock: Rc<Cell<Millis>>,
    pub drawn: Cell<u64>,
    pub server: Rc<Server>,
}

impl Host for FakeHost {
    fn now(&self) -> Millis {
        self.clock.get()
    }

    fn random(&self, bytes: &mut [u8]) {
        self.drawn.set(self.drawn.get() + 1);
        for (byte, drawn) in bytes.iter_mut().rev().zip(self.drawn.get().to_le_bytes()) {
            *byte = drawn;
        }
    }

    async fn pause(&self) {
        yield_once().await;
    }

    async fn sleep(&self, ms: u32) {
        let until = self.clock.get() + Millis::from(ms);
        while self.clock.get() < until {
            self.clock.set(self.clock.get() + 1);
            yield_once().await;
        }
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        self.server.requests.borrow_mut().push(request.clone());
        match self.server.slow.get() {
            Some((function, ms)) if request.url.ends_with(function) => self.sleep(ms).await,
            _ => yield_once().await,
        }
        let none = || Err(NoAnswer("connection refused".to_owned()));
        let is_push = request.url.ends_with("push_events");
        let is_lookup = request.url.ends_with("agent_key");
        let next = match is_lookup {
            true => None,
            false => self.server.next.borrow_mut().pop_front(),
        };
        match next.unwrap_or(self.server.mood.get()) {
            Mood::Rowless if !is_lookup => std::future::pending().await,
            Mood::Down => none(),
            Mood::Deaf if is_push => {
                self.server.respond(&request);
                none()
            }
            Mood::Html => Ok(HttpResponse {
                status: 502,
                retry_after: None,
                body: "<html>Bad gateway</html>".to_owned(),
            }),
            Mood::Silent => std::future::pending().await,
            Mood::Well | Mood::Deaf | Mood::Rowless => Ok(self.server.respond(&request)),
        }
    }

    async fn keep(&self, name: &str, write: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let mut whole = Vec::new();
        write(&mut |piece| whole.extend_from_slice(piece));
        yield_once().await;
        self.server
            .shelf
            .borrow_mut()
            .insert(name.to_owned(), whole);
    }

    async fn recall(&self, name: &str) -> Option<Vec<u8>> {
        if self.server.shelf_hangs.get() {
            std::future::pending::<()>().await;
        }
        yield_once().await;
        self.server.shelf.borrow().get(name).cloned()
    }
}

/// Isolates so far: each draws other numbers, also one that comes where another was freed.
static ISOLATES: AtomicU64 = AtomicU64::new(0);

/// An isolate, the server behind it, and a clock.
pub struct TestEdge {
    pub edge: Edge<MemoryStore, FakeHost>,
    pub server: Rc<Server>,
    pub clock: Rc<Cell<Millis>>,
}

impl TestEdge {
    pub fn new() -> Self {
        let server = Rc::new(Server::default());
        server.seed("s1", &["orders", "users"]);
        Self::beside(server)
    }

    /// Another isolate over the same server.
    pub fn beside(server: Rc<Server>) -> Self {
        let clock = Rc::new(Cell::new(START));
        let host = FakeHost {
            clock: Rc::clone(&clock),
            drawn: Cell::new(ISOLATES.fetch_add(1 << 32, Relaxed)),
            server: Rc::clone(&server),
        };
        let edge = Edge::new(config(), host, MemoryStore::passing_rows_on).unwrap();
        Self {
            edge,
            server,
            clock,
        }
    }

    pub fn send(&self, request: EdgeRequest) -> EdgeAnswer {
        block_on(self.edge.handle(request))
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_with(KEY, &[], path, body)
    }

    pub fn post_with(
        &self,
        key: &str,
        headers: &[(&str, &str)],
        path: &str,
        body: &Value,
    ) -> (u16, Value) {
        let mut request = request("POST", path, key);
        for (name, value) in headers {
            request
                .headers
                .insert((*name).to_owned(), (*value).to_owned());
        }
        request.body = body.to_string().into_bytes();
        let answer = self.send(request);
        (answer.status, serde_json::from_str(&answer.body).unwrap())
    }

    pub fn settle(&self) {
        block_on(self.edge.settle());
    }

    pub fn wait(&self, ms: Millis) {
        self.clock.set(self.clock.get() + ms);
    }
}

pub fn config() -> EdgeConfig {
    EdgeConfig {
        url: "https://abc.supabase.co".to_owned(),
        key: "publishable".to_owned(),
        dashboard_origin: Some("https://lessons.example.org".to_owned()),
        hosts: vec!["edge.example.org".to_owned()],
        requests_per_second: None,
        burst: None,
        bytes_per_second: None,
        work_per_second: None,
        replica_bytes: None,
    }
}

pub fn request(method: &str, path: &str, key: &str) -> EdgeRequest {
    EdgeRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: BTreeMap::from([
            ("host".to_owned(), "edge.example.org".to_owned()),
            ("authorization".to_owned(), format!("Bearer {key}")),
            ("content-type".to_owned(), "application/json".to_owned()),
        ]),
        ..EdgeRequest::default()
    }
}

pub fn sha(key: &str) -> String {
    Sha256::digest(key.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

pub fn code(answer: &(u16, Value)) -> (u16, &str) {
    (
        answer.0,
        answer.1["error"]["code"].as_str().unwrap_or_default(),
    )
}
