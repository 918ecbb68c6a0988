//! The time that `GET /v1/lift` and a recommendation take in a space of 10,000 lessons and 100,000 decisions, through the
//! whole handler.

use lesson_core::learning::unit;
use lesson_core::{
    DecisionOutcome, Drawn, EventKind, Lesson, Measured, Millis, SurfacedContext, SurfacedItem,
    Text,
};
use lesson_service::{Host, Service};
use lesson_sync::{Entry, MemoryStore, Store};
use lesson_types::{Method, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

const LESSONS: usize = 10_000;
const DECISIONS: usize = 100_000;
const ROUNDS: usize = 21;
/// 2026-11-22T08:30:00Z.
const NOW: Millis = 1_795_336_200_000;

/// Times in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// The first lift, which reads all decisions.
    pub first: f64,
    /// The median of those after one more outcome each.
    pub next: f64,
    /// The greatest of those.
    pub slowest: f64,
    /// The median of recommendations under the sources' rules.
    pub seeds: f64,
    /// The same by lift, after one more outcome each.
    pub lift: f64,
    /// The median of outcomes.
    pub outcome: f64,
}

/// Measures.
///
/// # Errors
/// When the store in memory refuses an event.
pub fn measure() -> Result<Times, String> {
    let store = MemoryStore::new();
    block_on(store.identity("bench")).map_err(|error| error.to_string())?;
    let events: Vec<EventKind> = events();
    let mut position = 0;
    for (from, part) in events.chunks(10_000).enumerate() {
        let entries = part
            .iter()
            .zip(from * 10_000..)
            .map(|(event, n)| Entry::Own {
                op_id: format!("op-{n}"),
                at: NOW - 1_000_000_000 + n as i64,
                by: "local".to_owned(),
                request: None,
                event: event.clone(),
            });
        let stored = block_on(store.append(position, entries.collect()));
        let stored = stored.map_err(|error| error.to_string())?;
        position = stored.last().map_or(position, |last| last.position);
    }
    let service = block_on(Service::open(store, Clock)).map_err(|error| error.message)?;
    let (first, _) = timed(&service, Method::Get, "/v1/lift", Value::Null);
    let outcome = |n: usize| {
        let body = json!({ "decision_id": format!("open-{n:04}"), "outcome": "success" });
        timed(&service, Method::Post, "/v1/outcome", body).0
    };
    let mut outcomes = Vec::new();
    let mut lifts = Vec::new();
    for n in 0..ROUNDS {
        outcomes.push(outcome(n));
        lifts.push(timed(&service, Method::Get, "/v1/lift", Value::Null).0);
    }
    let recommend = || {
        let body =
            json!({ "query": "retry a payment with care", "domain": "domain 3", "dry_run": true });
        timed(&service, Method::Post, "/v1/recommend", body).0
    };
    let by = |standing: &str| {
        let rank = json!({ "rank": { "standing": standing } });
        timed(&service, Method::Patch, "/v1/policy", rank);
    };
    by("seeds");
    let mut seeds: Vec<f64> = (0..ROUNDS).map(|_| recommend()).collect();
    by("lift");
    let mut lift = Vec::new();
    for n in ROUNDS..2 * ROUNDS {
        outcome(n);
        lift.push(recommend());
    }
    for times in [&mut lifts, &mut seeds, &mut lift, &mut outcomes] {
        times.sort_by(f64::total_cmp);
    }
    Ok(Times {
        first,
        next: lifts[ROUNDS / 2],
        slowest: lifts[ROUNDS - 1],
        seeds: seeds[ROUNDS / 2],
        lift: lift[ROUNDS / 2],
        outcome: outcomes[ROUNDS / 2],
    })
}

fn events() -> Vec<EventKind> {
    let mut events: Vec<EventKind> = (0..LESSONS)
        .map(|n| {
            let text = Text {
                title: format!("Lesson {n} on payments"),
                recommendation: format!("Retry with care, and look at case {}.", n % 97),
                domain: format!("domain {}", n % 20),
                ..Text::default()
            };
            EventKind::LessonAdded {
                lesson: Box::new(Lesson::new(
                    format!("lesson-{n}"),
                    text,
                    "bench",
                    NOW - 2_000_000_000,
                )),
            }
        })
        .collect();
    for n in 0..DECISIONS + 2 * ROUNDS {
        let id = if n < DECISIONS {
            format!("d{n}")
        } else {
            format!("open-{:04}", n - DECISIONS)
        };
        let control = unit(&["control", &id]) < 0.1;
        let drawn: Vec<Drawn> = (0..if control { 0 } else { 5 })
            .map(|place| {
                let lesson = format!("lesson-{}", (n * 7 + place * 131) % LESSONS);
                let withheld = unit(&["withhold", &id, &lesson]) < 0.2;
                Drawn {
                    lesson,
                    q: 0.2,
                    withheld,
                }
            })
            .collect();
        let items = drawn.iter().zip(1..).filter(|(one, _)| !one.withheld);
        events.push(EventKind::Surfaced {
            retrieval_id: format!("r{n}"),
            purpose: "recommend".to_owned(),
            context: SurfacedContext {
                decision_id: Some(id.clone()),
                domain: Some(format!("domain {}", n % 20)),
                ..SurfacedContext::default()
            },
            items: items
                .map(|(one, rank)| SurfacedItem {
                    lesson: one.lesson.clone(),
                    rank,
                    score: 0.5,
                    relevance: 0.5,
                    likelihood: None,
                })
                .collect(),
            policy: String::new(),
            measured: Some(Measured {
                control,
                control_q: 0.1,
                drawn,
            }),
        });
        if n < DECISIONS {
            let outcome = if unit(&["outcome", &id]) < 0.6 {
                DecisionOutcome::Success
            } else {
                DecisionOutcome::Failure
            };
            events.push(EventKind::OutcomeRecorded {
                decision_id: id,
                outcome,
                pnl_percent: None,
            });
        }
    }
    events
}

fn timed(
    service: &Service<MemoryStore, Clock>,
    method: Method,
    path: &str,
    body: Value,
) -> (f64, Value) {
    let request = Request {
        method,
        path: path.to_owned(),
        headers: BTreeMap::new(),
        body,
    };
    let begun = Instant::now();
    let response = block_on(service.handle(request));
    let spent = begun.elapsed().as_secs_f64() * 1_000.0;
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    (spent, response.body.value())
}

struct Clock;

impl Host for Clock {
    fn now(&self) -> Millis {
        NOW
    }

    fn random(&self, bytes: &mut [u8]) {
        use std::sync::atomic::{AtomicU64, Ordering};
        static DRAWN: AtomicU64 = AtomicU64::new(1);
        let drawn = DRAWN.fetch_add(1, Ordering::Relaxed);
        for (byte, counted) in bytes.iter_mut().rev().zip(drawn.to_le_bytes()) {
            *byte = counted;
        }
    }

    async fn pause(&self) {}
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
