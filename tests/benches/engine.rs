//! Retrieval by store size, natively: recommend and search through the whole handler, without a
//! model and with one. `engine.mjs` beside this file times the module in Node.
//!
//! With a model the query is embedded by the real one; lessons have made-up vectors of the same
//! shape, since embedding 100,000 lessons would take an hour and the scan does not look at what
//! a vector means.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench reads the clock; nothing that is measured does"
)]

use lesson_core::Millis;
use lesson_embed::{EmbedError, Model};
use lesson_service::{Embedder, Host, Service};
use lesson_sync::MemoryStore;
use lesson_types::{Method, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const ROUNDS: usize = 15;
const QUERIES: [&str; 3] = [
    "query: isolate the data of several customers in one postgres database",
    "query: retry a payment without charging twice",
    "query: funding rate turns against an open perps position",
];

fn main() {
    let pack = std::env::var("LESSONLOOP_MODEL_PACK")
        .expect("LESSONLOOP_MODEL_PACK is not set: run `cargo xtask bench engine`");
    let model = Rc::new(
        Model::load(std::fs::read(pack).expect("the pack can be read")).expect("the pack loads"),
    );
    println!(
        "Retrieval through the handler, native, milliseconds: median (fastest to slowest of {ROUNDS} rounds)\n"
    );
    println!(
        "{:>8} {:>26} {:>26} {:>26} {:>26} {:>26} {:>26} {:>26}",
        "lessons",
        "recommend, keywords",
        "recommend, model",
        "with every factor",
        "search, keywords",
        "search, model",
        "review, first: words/model",
        "review"
    );
    for size in SIZES {
        let service =
            block_on(Service::open(MemoryStore::new(), Clock)).expect("a store in memory opens");
        fill(&service, size);
        // The first one looks for near duplicates. These lessons are all made of forty words, which
        // is the most that it can cost.
        let first_by_words = review(&service);
        let plain = [
            timed(&service, "/v1/recommend", &json!({})),
            timed(&service, "/v1/search", &json!({})),
        ];
        let model: Rc<dyn Embedder> = Rc::new(Half(Rc::clone(&model)));
        block_on(service.use_model(model)).expect("the model is taken");
        block_on(service.idle()).expect("lessons get their vectors");
        let semantic = [
            timed(&service, "/v1/recommend", &json!({})),
            timed(&service, "/v1/recommend", &json!({ "explain": true })),
            timed(&service, "/v1/search", &json!({})),
        ];
        let first = format!("{first_by_words:.0} / {:.0}", review(&service));
        let mut later: Vec<f64> = (0..ROUNDS).map(|_| review(&service)).collect();
        println!(
            "{size:>8} {:>26} {:>26} {:>26} {:>26} {:>26} {first:>26} {:>26}",
            plain[0],
            semantic[0],
            semantic[1],
            plain[1],
            semantic[2],
            spread(&mut later)
        );
    }
    println!("\nBars at 10,000 lessons: 50 ms without a model, 500 ms with one.");
}

/// The real model for queries, made-up vectors for lessons.
struct Half(Rc<Model>);

impl Embedder for Half {
    fn id(&self) -> &str {
        "bench"
    }

    fn dims(&self) -> usize {
        self.0.dims()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if text.starts_with("query:") {
            return self.0.embed(text);
        }
        let mut seed = text.bytes().fold(1_u64, |seed, byte| {
            seed.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let mut vector: Vec<f32> = (0..self.dims())
            .map(|_| (draw(&mut seed) % 2_001) as f32 / 1_000.0 - 1.0)
            .collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        Ok(vector)
    }
}

struct Clock;

impl Host for Clock {
    fn now(&self) -> Millis {
        1_795_336_200_000
    }

    fn random(&self, bytes: &mut [u8]) {
        use std::sync::atomic::{AtomicU64, Ordering};
        static DRAWN: AtomicU64 = AtomicU64::new(1);
        let mut seed = DRAWN.fetch_add(1, Ordering::Relaxed);
        bytes.fill_with(|| draw(&mut seed) as u8);
    }

    async fn pause(&self) {}
}

fn draw(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

const WORDS: [&str; 40] = [
    "index",
    "policy",
    "retry",
    "tenant",
    "cache",
    "queue",
    "token",
    "form",
    "render",
    "deploy",
    "rollback",
    "secret",
    "latency",
    "timeout",
    "schema",
    "migration",
    "fixture",
    "snapshot",
    "funding",
    "margin",
    "slippage",
    "spread",
    "position",
    "liquidity",
    "review",
    "commit",
    "branch",
    "release",
    "metric",
    "alert",
    "parser",
    "buffer",
    "worker",
    "session",
    "cursor",
    "batch",
    "lock",
    "transaction",
    "postgres",
    "payment",
];

fn lesson(number: usize) -> Value {
    let mut seed = number as u64 * 7 + 1;
    let mut words = |count: usize| {
        let picked: Vec<&str> = (0..count)
            .map(|_| WORDS[draw(&mut seed) as usize % WORDS.len()])
            .collect();
        picked.join(" ")
    };
    json!({
        "slug": format!("pattern-bench-{number}"),
        "title": format!("Lesson {number} on {}", words(4)),
        "description": words(12),
        "recommendation": words(60),
        "tags": [words(1), words(1)],
        "tech_stacks": [words(1)],
    })
}

fn fill(service: &Service<MemoryStore, Clock>, size: usize) {
    for from in (0..size).step_by(5_000) {
        let records: Vec<Value> = (from..size.min(from + 5_000)).map(lesson).collect();
        let body = json!({ "files": [{ "path": "bench.json", "content": Value::from(records).to_string() }] });
        let answer = ask(service, "/v1/import", body);
        assert_eq!(
            answer["rejected"],
            json!([]),
            "the bench's lessons are taken"
        );
    }
}

fn timed(service: &Service<MemoryStore, Clock>, path: &str, more: &Value) -> String {
    let mut spent: Vec<f64> = Vec::new();
    for round in 0..=ROUNDS {
        let mut body = more.clone();
        body["query"] = QUERIES[round % QUERIES.len()].into();
        let begun = Instant::now();
        let answer = ask(service, path, body);
        if round > 0 {
            spent.push(begun.elapsed().as_secs_f64() * 1_000.0);
        }
        assert!(answer.is_object());
        block_on(service.flush()).expect("tracking is stored");
    }
    spread(&mut spent)
}

fn spread(spent: &mut [f64]) -> String {
    spent.sort_by(f64::total_cmp);
    format!(
        "{:.2} ({:.2}–{:.2})",
        spent[ROUNDS / 2],
        spent[0],
        spent[ROUNDS - 1]
    )
}

/// Measures the time that the review queue takes, in milliseconds.
fn review(service: &Service<MemoryStore, Clock>) -> f64 {
    let begun = Instant::now();
    let request = Request {
        method: Method::Get,
        path: "/v1/review".to_owned(),
        headers: BTreeMap::new(),
        body: Value::Null,
    };
    let response = block_on(service.handle(request));
    assert_eq!(response.status, 200, "{}", response.body);
    begun.elapsed().as_secs_f64() * 1_000.0
}

fn ask(service: &Service<MemoryStore, Clock>, path: &str, body: Value) -> Value {
    let request = Request {
        method: Method::Post,
        path: path.to_owned(),
        headers: BTreeMap::new(),
        body,
    };
    let response = block_on(service.handle(request));
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.body.value()
}

/// Nothing here waits for anything outside, so polling in place is enough.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
