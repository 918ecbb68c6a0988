//! A playbook over a real service, called as agents call it.

use super::schema::fits;
use super::*;
use crate::{finish, tools};
use lesson_core::Millis;
use lesson_service::{Host, Service};
use lesson_sync::MemoryStore;
use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A clock that moves when it is read, and bytes that count up.
struct TestHost {
    read: Cell<u64>,
}

impl Host for TestHost {
    fn now(&self) -> Millis {
        self.read.set(self.read.get() + 1);
        1_795_336_200_000 + Millis::try_from(self.read.get()).unwrap()
    }

    fn random(&self, bytes: &mut [u8]) {
        self.read.set(self.read.get() + 1);
        for (byte, counted) in bytes.iter_mut().rev().zip(self.read.get().to_le_bytes()) {
            *byte = counted;
        }
    }

    async fn pause(&self) {}
}

/// A service that agents call.
pub(super) struct Playbook {
    service: Service<MemoryStore, TestHost>,
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the future waits for something that never comes");
}

impl Playbook {
    pub fn empty() -> Self {
        let host = TestHost { read: Cell::new(0) };
        let service = block_on(Service::open(MemoryStore::new(), host)).unwrap();
        Self { service }
    }

    /// A playbook with three lessons.
    pub fn filled() -> Self {
        let playbook = Self::empty();
        for (slug, title) in [
            ("strategy-wide-range", "Use a wide range"),
            ("warning-low-tvl", "Avoid pools with low TVL"),
            ("pattern-weekend-volume", "Volume falls at weekends"),
        ] {
            playbook.done(
                "playbook_add_lesson",
                json!({
                    "slug": slug,
                    "title": title,
                    "domain": "dlmm",
                    "context": "A position on a volatile pair.",
                    "recommendation": format!("{title} when volatility is high."),
                    "source": "desk",
                }),
            );
        }
        playbook
    }

    /// The result of a call in the current revision.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.send(current(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        ))
    }

    #[track_caller]
    pub fn send(&self, (headers, body): (Headers, Value)) -> Value {
        let reply = match receive("POST", &headers, body.to_string().as_bytes()) {
            Incoming::Answer(reply) => reply,
            Incoming::Call(call) => {
                let answer = block_on(self.service.handle(call.request.clone()));
                block_on(self.service.flush()).unwrap();
                finish(*call, answer)
            }
            Incoming::Batch(_) => panic!("{body} is no batch"),
        };
        let reply = checked(reply);
        assert_eq!(reply.status, 200);
        let result = reply.body.unwrap().value()["result"].take();
        held(body["params"]["name"].as_str().unwrap(), &result);
        result
    }

    /// The structured part of a call that has to work.
    #[track_caller]
    pub fn done(&self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The text of a call that has to work.
    #[track_caller]
    pub fn text(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The error of a call that has to fail, and its text.
    #[track_caller]
    pub fn fails(&self, tool: &str, arguments: Value) -> (Value, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let data = result["content"][1]["text"].as_str().unwrap();
        let mut data: Value = serde_json::from_str(data).unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        (data["error"].take(), text.to_owned())
    }
}

/// A result is as the protocol and the tool's output schema say.
#[track_caller]
fn held(tool: &str, result: &Value) {
    let content = result["content"].as_array().expect("content");
    assert!(!content.is_empty());
    for part in content {
        assert_eq!(part["type"], "text");
        assert!(part["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
    if result["isError"] == true {
        assert!(result.get("structuredContent").is_none());
        return;
    }
    let described = tools::described();
    let described = described.as_array().unwrap();
    let one = described.iter().find(|one| one["name"] == tool).unwrap();
    fits(&result["structuredContent"], &one["outputSchema"], tool);
}
