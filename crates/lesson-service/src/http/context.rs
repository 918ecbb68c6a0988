//! The parts of a request besides its body.

use crate::http::idempotency_key::Keyed;
use lesson_core::{Lesson, Trust};

/// Name of the person on a device that nobody has signed in to.
const LOCAL: &str = "local";

/// The asker, whether they may be told that what they get is old, and what makes their request known when it comes
/// again. Made where a request enters, and passed on as an argument.
#[derive(Clone)]
pub struct RequestContext {
    by: String,
    is_agent: bool,
    is_stale: bool,
    keyed: Option<Keyed>,
}

impl RequestContext {
    /// A request of the person who uses this device: `account` is the id of the account they are signed in with.
    pub fn of_person(account: Option<&str>) -> Self {
        Self {
            by: account.map_or_else(|| LOCAL.to_owned(), |id| format!("person:{id}")),
            is_agent: false,
            is_stale: false,
            keyed: None,
        }
    }

    /// A request of an agent with the key of this id; `keyed` where it has an `Idempotency-Key`. Agents are given
    /// nothing that is in quarantine, and see their own decisions only.
    pub fn of_agent(key_id: &str, keyed: Option<Keyed>) -> Self {
        Self {
            by: format!("agent:{key_id}"),
            is_agent: true,
            is_stale: false,
            keyed,
        }
    }

    /// A request of an agent on the device of the person who uses it. It is given nothing that is in quarantine; what it
    /// does is the person's, so it sees all decisions.
    pub fn of_local_agent(account: Option<&str>) -> Self {
        Self {
            is_agent: true,
            ..Self::of_person(account)
        }
    }

    /// The same request with its `Idempotency-Key`, which holds in other processes, too.
    #[must_use]
    pub fn with_key(mut self, keyed: Option<Keyed>) -> Self {
        self.keyed = keyed;
        self
    }

    /// The same request, answered from lessons that may be older than they should be.
    #[must_use]
    pub fn stale(mut self, is_stale: bool) -> Self {
        self.is_stale = is_stale;
        self
    }

    /// Names the asker as events do: see [`lesson_core::Event::by`].
    pub fn by(&self) -> &str {
        &self.by
    }

    /// The request's key, where it holds on other devices, too.
    pub fn keyed(&self) -> Option<&Keyed> {
        self.keyed.as_ref()
    }

    /// The hash of what is asked, in hex, where the request has a key.
    pub(crate) fn keyed_request(&self) -> Option<String> {
        self.keyed.as_ref().map(Keyed::request)
    }

    /// Says if an agent with a key of its own asks, not one that speaks with its person's voice.
    pub(crate) fn is_key(&self) -> bool {
        self.is_agent && self.by.starts_with("agent:")
    }

    /// True if an agent asks, with a key or on its person's device.
    pub(crate) fn is_agent(&self) -> bool {
        self.is_agent
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Returns the prefix of the ids of an agent's decisions; `None` where a person asks, who sees all.
    pub(crate) fn own_decisions(&self) -> Option<String> {
        let key_id = self.by.strip_prefix("agent:")?;
        Some(decision_prefix(key_id))
    }

    /// True if this lesson is withheld from the asker.
    pub(crate) fn withholds(&self, lesson: &Lesson) -> bool {
        self.is_agent && lesson.trust == Trust::Quarantined
    }
}

/// Returns the prefix of the ids of decisions by an agent's key, so that no other key can claim them.
pub fn decision_prefix(key_id: &str) -> String {
    format!("{key_id}/")
}
