//! A scenario walked natively, and its answers in their written form.

use lesson_core::Millis;
use lesson_service::{Host, Service};
use lesson_sync::MemoryStore;
use lesson_types::{Method, Request, Response};
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::task::{Context, Poll, Waker};

/// Requests, one after the other.
#[derive(Deserialize)]
pub struct Scenario {
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
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

/// Walks a scenario and returns the answers in their written form.
pub fn walked(scenario: Scenario) -> String {
    written(&block_on(run(scenario)))
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
pub fn as_javascript(number: f64) -> String {
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
