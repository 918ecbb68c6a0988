//! The recorded scenario, run natively: the answers that every other host has to give byte for
//! byte. `corpus/scenario.json` says how clock, randomness and the written form are made.
//!
//! `LESSONLOOP_PARITY_OUT=path` writes the answers there: to compare them, and to record them anew
//! as `corpus/scenario.expected.json` when the engine is meant to answer differently.

use lesson_api::{Method, Request, Response};
use lesson_core::Millis;
use lesson_service::{Host, Service};
use lesson_sync::MemoryStore;
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::task::{Context, Poll, Waker};

#[derive(Deserialize)]
struct Scenario {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    method: Method,
    path: String,
    #[serde(default)]
    body: Value,
}

struct Counting {
    now: Cell<Millis>,
    drawn: Cell<u64>,
}

impl Host for Counting {
    fn now(&self) -> Millis {
        self.now.replace(self.now.get() + 1)
    }

    fn random(&self, bytes: &mut [u8]) {
        self.drawn.set(self.drawn.get() + 1);
        bytes.fill(0);
        for (byte, counted) in bytes.iter_mut().rev().zip(self.drawn.get().to_le_bytes()) {
            *byte = counted;
        }
    }

    async fn pause(&self) {}
}

#[test]
fn the_scenario_gives_the_recorded_answers() {
    let scenario: Scenario = serde_json::from_str(include_str!("corpus/scenario.json")).unwrap();
    assert!(scenario.steps.len() >= 40);
    let written = written(&block_on(run(scenario)));
    if let Ok(path) = std::env::var("LESSONLOOP_PARITY_OUT") {
        std::fs::write(&path, &written).unwrap();
    }
    let recorded = include_str!("corpus/scenario.expected.json");
    for (step, (got, want)) in written.lines().zip(recorded.lines()).enumerate() {
        assert_eq!(
            got, want,
            "step {step} (from 1); if it is meant, record the answers anew with LESSONLOOP_PARITY_OUT"
        );
    }
    assert_eq!(written.len(), recorded.len());
}

async fn run(scenario: Scenario) -> Vec<Response> {
    let host = Counting {
        now: Cell::new(1_795_336_200_000),
        drawn: Cell::new(0),
    };
    let service = Service::open(MemoryStore::new(), host).await.unwrap();
    let mut answers = Vec::new();
    for step in scenario.steps {
        let request = Request {
            method: step.method,
            path: step.path,
            headers: BTreeMap::new(),
            body: step.body,
        };
        answers.push(service.handle(request).await);
        service.idle().await.unwrap();
    }
    answers
}

/// Nothing here waits for anything outside this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

fn written(answers: &[Response]) -> String {
    let lines: Vec<String> = answers
        .iter()
        .map(|answer| {
            let mut line = String::new();
            canonical(&serde_json::to_value(answer).unwrap(), &mut line);
            line
        })
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// JSON without spaces, keys sorted, numbers as JavaScript writes them.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
            out.push('{');
            for (n, (name, value)) in sorted.into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write!(out, "{}:", Value::from(name.as_str())).unwrap();
                canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (n, value) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                canonical(value, out);
            }
            out.push(']');
        }
        Value::Number(number) if number.is_f64() => {
            out.push_str(&as_javascript(number.as_f64().unwrap()));
        }
        other => write!(out, "{other}").unwrap(),
    }
}

/// ECMAScript's Number::toString: <https://tc39.es/ecma262/#sec-numeric-types-number-tostring>.
fn as_javascript(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let shortest = format!("{:e}", number.abs());
    let (digits, exponent) = shortest.split_once('e').unwrap();
    let digits = digits.replace('.', "");
    let point = exponent.parse::<i32>().unwrap() + 1;
    let count = i32::try_from(digits.len()).unwrap();
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap());
    let text = if (count..=21).contains(&point) {
        format!("{digits}{}", zeros(point - count))
    } else if (1..=21).contains(&point) {
        let (whole, part) = digits.split_at(usize::try_from(point).unwrap());
        format!("{whole}.{part}")
    } else if (-5..=0).contains(&point) {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = digits.split_at(1);
        let gap = if rest.is_empty() { "" } else { "." };
        format!("{first}{gap}{rest}e{:+}", point - 1)
    };
    if number < 0.0 {
        format!("-{text}")
    } else {
        text
    }
}

#[test]
fn numbers_are_written_as_javascript_writes_them() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.000_001, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123_456_789.125, "123456789.125"),
    ] {
        assert_eq!(as_javascript(number), text);
    }
}
