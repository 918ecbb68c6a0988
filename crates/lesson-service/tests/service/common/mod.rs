//! Shared parts of the service's tests: a deterministic host, stores that fail, a small model, and a
//! client that calls the service as a host does.
#![allow(dead_code)] // Every test file uses its own part.

pub mod measuring;
pub mod vector_server;

use lesson_core::{Millis, Policy, Space};
use lesson_embed::EmbedError;
use lesson_service::{Embedder, Host, Service};
use lesson_sync::{
    Change, Entry, Identity, Ledger, Link, MemoryStore, SetAside, Store, StoreError, Stored,
    VectorRow, VersionedRow,
};
use lesson_types::{ErrorBody, Method, Request, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// 2026-11-22T08:30:00Z.
pub const START: Millis = 1_795_336_200_000;
/// A day in milliseconds.
pub const DAY: Millis = 86_400_000;

/// Polls a future that waits for nothing outside this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the future waits for something that never comes");
}

/// Polls futures in turn, the first one first, until all are done.
pub fn interleaved<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..100_000 {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(&mut context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            return done.into_iter().flatten().collect();
        }
    }
    panic!("the futures wait for each other");
}

/// Pending once.
pub async fn yield_once() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

thread_local! {
    /// TestServices of this test so far, so that no two draw the same ids.
    static DESKS: Cell<u64> = const { Cell::new(0) };
}

/// A clock that moves a millisecond when it is read, and bytes that count up.
pub struct TestHost {
    pub clock: Rc<Cell<Millis>>,
    bytes: Cell<u64>,
}

impl Host for TestHost {
    fn now(&self) -> Millis {
        self.clock.set(self.clock.get() + 1);
        self.clock.get()
    }

    fn random(&self, bytes: &mut [u8]) {
        let drawn = self.bytes.get() + 1;
        self.bytes.set(drawn);
        for (byte, counted) in bytes.iter_mut().rev().zip(drawn.to_le_bytes()) {
            *byte = counted;
        }
    }

    async fn pause(&self) {
        yield_once().await;
    }
}

/// Misbehaviour of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fault {
    #[default]
    None,
    /// Every append finds it full.
    Full,
    /// Every append fails.
    Failed,
    /// The next append is kept, and then the connection is lost.
    LostAfter,
    /// The next append is lost before it is kept.
    LostBefore,
    /// Nothing can be read or appended.
    Dead,
}

#[derive(Default)]
pub struct Inner {
    pub memory: MemoryStore,
    pub fault: Cell<Fault>,
    /// Set if every append lets others run first.
    pub slow: Cell<bool>,
    pub appends: Cell<usize>,
    /// Run before the next append: another tab that is quicker.
    pub ahead: RefCell<Vec<Vec<Entry>>>,
}

/// A store that is shared with the test, and fails when told to.
#[derive(Clone, Default)]
pub struct TestStore(pub Rc<Inner>);

impl TestStore {
    fn alive(&self) -> Result<(), StoreError> {
        if self.0.fault.get() == Fault::Dead {
            return Err(StoreError::Lost("closed".to_owned()));
        }
        Ok(())
    }

    /// The ledger's fold.
    pub fn space(&self) -> Space {
        let ledger = block_on(self.0.memory.read_after(0)).unwrap();
        let events: Vec<_> = ledger
            .events
            .into_iter()
            .map(|stored| stored.event)
            .collect();
        let (space, refused) = Space::of_ledger(&events, &Policy::default());
        assert!(refused.is_empty(), "{refused:?}");
        space
    }

    /// The names of the events, in order.
    pub fn events(&self) -> Vec<&'static str> {
        let ledger = block_on(self.0.memory.read_after(0)).unwrap();
        ledger
            .events
            .iter()
            .map(|stored| stored.event.event.name())
            .collect()
    }
}

impl Store for TestStore {
    fn kind(&self) -> &'static str {
        "memory"
    }

    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError> {
        self.0.memory.identity(fresh).await
    }

    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError> {
        self.alive()?;
        self.0.memory.read_after(position).await
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        self.0.appends.set(self.0.appends.get() + 1);
        if self.0.slow.get() {
            yield_once().await;
        }
        self.alive()?;
        let ahead = self.0.ahead.borrow_mut().pop();
        if let Some(others) = ahead {
            let position = self.0.memory.read_after(0).await?.position;
            self.0.memory.append(position, others).await?;
        }
        match self.0.fault.get() {
            Fault::Full => Err(StoreError::Full),
            Fault::Failed => Err(StoreError::Failed("disk".to_owned())),
            Fault::LostAfter => {
                self.0.fault.set(Fault::None);
                self.0.memory.append(expected, entries).await?;
                Err(StoreError::Lost("closed".to_owned()))
            }
            Fault::LostBefore => {
                self.0.fault.set(Fault::None);
                Err(StoreError::Lost("closed".to_owned()))
            }
            Fault::None | Fault::Dead => self.0.memory.append(expected, entries).await,
        }
    }

    async fn read_some(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        self.alive()?;
        self.0.memory.read_some(position, most).await
    }

    async fn link(&self) -> Result<Option<Link>, StoreError> {
        self.alive()?;
        self.0.memory.link().await
    }

    async fn rows_after(&self, version: u64) -> Result<Vec<VersionedRow>, StoreError> {
        self.alive()?;
        self.0.memory.rows_after(version).await
    }

    async fn set_aside(&self) -> Result<Vec<SetAside>, StoreError> {
        self.alive()?;
        self.0.memory.set_aside().await
    }

    async fn commit(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        self.alive()?;
        match self.0.fault.get() {
            Fault::Full => Err(StoreError::Full),
            Fault::Failed => Err(StoreError::Failed("disk".to_owned())),
            _ => self.0.memory.commit(expected, change).await,
        }
    }

    async fn wipe(&self) -> Result<(), StoreError> {
        self.alive()?;
        self.0.memory.wipe().await
    }

    async fn vectors(&self, model: &str) -> Result<Vec<VectorRow>, StoreError> {
        self.alive()?;
        self.0.memory.vectors(model).await
    }

    async fn put_vectors(&self, model: &str, rows: &[VectorRow]) -> Result<(), StoreError> {
        self.alive()?;
        match self.0.fault.get() {
            Fault::Full => Err(StoreError::Full),
            Fault::Failed => Err(StoreError::Failed("disk".to_owned())),
            _ => self.0.memory.put_vectors(model, rows).await,
        }
    }
}

/// A service, its store and its clock.
pub struct TestService {
    pub service: Service<TestStore, TestHost>,
    pub store: TestStore,
    pub clock: Rc<Cell<Millis>>,
}

impl TestService {
    /// Over an empty store.
    pub fn new() -> Self {
        Self::over(TestStore::default())
    }

    /// Over a store that may hold something.
    pub fn over(store: TestStore) -> Self {
        let clock = Rc::new(Cell::new(START));
        let host = TestHost {
            clock: Rc::clone(&clock),
            bytes: Cell::new(DESKS.replace(DESKS.get() + 1) << 32),
        };
        let service = block_on(Service::open(store.clone(), host)).unwrap();
        Self {
            service,
            store,
            clock,
        }
    }

    /// One with these lessons: (slug, title, recommendation).
    pub fn with(lessons: &[(&str, &str, &str)]) -> Self {
        let fixture = Self::new();
        for (slug, title, recommendation) in lessons {
            fixture.ok::<lesson_types::LessonView>(
                "POST /v1/lessons",
                serde_json::json!({"slug": slug, "title": title, "recommendation": recommendation}),
            );
        }
        fixture
    }

    /// The same, with the sources' rules of standing.
    pub fn by_seeds(self) -> Self {
        let rule = serde_json::json!({"rank": {"standing": "seeds"}});
        self.ok::<Value>("PATCH /v1/policy", rule);
        self
    }

    /// Calls, then stores what waits, as a host does.
    pub fn call(&self, line: &str, body: Value) -> Response {
        let response = block_on(self.service.handle(request(line, body)));
        let _ = block_on(self.service.flush());
        response
    }

    /// Calls and reads the answer as its type.
    pub fn ok<T: DeserializeOwned>(&self, line: &str, body: Value) -> T {
        let response = self.call(line, body);
        assert_eq!(response.status, 200, "{line}: {}", response.body);
        response
            .body
            .read()
            .unwrap_or_else(|error| panic!("{line}: {error}: {}", response.body))
    }

    /// Reads and reads the answer as its type.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> T {
        self.ok(&format!("GET {path}"), Value::Null)
    }

    /// Calls and reads the refusal.
    pub fn refused(&self, line: &str, body: Value) -> (u16, lesson_types::ApiError) {
        let response = self.call(line, body);
        let body: ErrorBody = response
            .body
            .read()
            .unwrap_or_else(|error| panic!("{line}: {} {error}", response.status));
        assert_eq!(response.status, body.error.code.status());
        (response.status, body.error)
    }
}

/// `POST /v1/rate` and a body as a request.
pub fn request(line: &str, body: Value) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    Request {
        method: match method {
            "GET" => Method::Get,
            "POST" => Method::Post,
            "PATCH" => Method::Patch,
            other => panic!("no method {other}"),
        },
        path: path.to_owned(),
        headers: BTreeMap::new(),
        body,
    }
}

/// A model of a few words: each names a direction, and some share one.
pub struct WordModel {
    pub embedded: Cell<usize>,
}

const MEANINGS: [&[&str]; 4] = [
    &["database", "postgres", "tenants", "rows"],
    &["form", "input", "frontend", "state"],
    &["money", "pool", "liquidity", "tvl"],
    &["ship", "deploy", "release", "rollout"],
];

impl WordModel {
    pub fn new() -> Rc<Self> {
        Rc::new(Self {
            embedded: Cell::new(0),
        })
    }
}

impl Embedder for WordModel {
    fn id(&self) -> &str {
        "words@1"
    }

    fn dims(&self) -> usize {
        MEANINGS.len() + 1
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embedded.set(self.embedded.get() + 1);
        if text.contains("unembeddable") {
            return Err(EmbedError::Tokenizer("refused".to_owned()));
        }
        let mut vector = vec![0.0; self.dims()];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            for (axis, words) in MEANINGS.iter().enumerate() {
                if words.contains(&word) {
                    vector[axis] += 1.0;
                }
            }
        }
        if vector.iter().all(|value| *value == 0.0) {
            vector[MEANINGS.len()] = 1.0;
        }
        Ok(vector)
    }
}
