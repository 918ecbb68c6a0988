//! The keys of the agents that asked for a space lately: its requests to the server are sent with them.
//!
//! Reading takes any that is in force. What an agent made is sent with that agent's key, so the server knows by whom it was made,
//! and sets aside what a key made that was revoked meanwhile.

use crate::agent::{Agent, AgentKey};
use lesson_service::RequestContext;
use lesson_sync::HttpResponse;
use std::cell::{Cell, RefCell};

/// Keys that a request which sends no events carries: where the latest was revoked a moment ago, the next one reads on.
const READING: usize = 3;
/// Keys that a space remembers. As many agents ask one isolate for one space only in theory, and the key of each is needed until
/// what it made is sent.
const KEPT: usize = 1_000;
/// The code in the server's answer when none of the keys is in force.
const NONE_HOLDS: &str = "\"PT401\"";

/// The keys of a space's agents.
#[derive(Default)]
pub(crate) struct KeyRing {
    /// The one that asked last is the last.
    held: RefCell<Vec<Held>>,
    refused: Cell<bool>,
}

struct Held {
    /// Maker of this key's events, as events name it.
    by: String,
    key: AgentKey,
}

impl KeyRing {
    /// Of one key that nobody has looked up yet.
    pub fn of(key: &AgentKey) -> Self {
        let ring = Self::default();
        ring.held.borrow_mut().push(Held {
            by: String::new(),
            key: key.clone(),
        });
        ring
    }

    /// Notes that an agent asks, whose key was in force at its last look-up. Whether no other key was in force before.
    pub fn asked(&self, agent: &Agent) -> bool {
        let mut held = self.held.borrow_mut();
        if held.last().is_some_and(|last| last.key == agent.key) {
            return false;
        }
        let known = held.iter().position(|one| one.key == agent.key);
        if let Some(at) = known {
            held.remove(at);
        }
        if held.len() >= KEPT {
            held.remove(0);
        }
        held.push(Held {
            by: RequestContext::of_agent(&agent.id, None).by().to_owned(),
            key: agent.key.clone(),
        });
        self.refused.replace(false)
    }

    /// Forgets a key that is not in force any more.
    pub fn forget(&self, key: &str) {
        self.held.borrow_mut().retain(|one| one.key.text() != key);
    }

    /// The value of the header for a request that sends what these made: their keys, and others that read.
    pub fn header(&self, makers: &[String]) -> String {
        let held = self.held.borrow();
        let made = |one: &&Held| makers.contains(&one.by);
        let makers = held.iter().filter(made);
        let readers = held.iter().rev().filter(|one| !made(one)).take(READING);
        // Makers first: the server looks at as many keys as a batch may have makers.
        let keys: Vec<&str> = makers.chain(readers).map(|one| one.key.text()).collect();
        keys.join(",")
    }

    /// Looks at an answer: whether it was refused for want of a key.
    pub fn answered(&self, answer: &HttpResponse) {
        self.refused
            .set(answer.status == 401 && answer.body.contains(NONE_HOLDS));
    }

    /// True if none of the keys was in force at the last request. Nothing can be sent then, and nobody is there to be told.
    pub fn is_refused(&self) -> bool {
        self.refused.get()
    }
}
