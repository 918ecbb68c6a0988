//! An agent, and its key.

use serde::Deserialize;
use std::rc::Rc;

/// An agent, as the server knows its key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Agent {
    /// The key's id.
    pub id: String,
    /// The key's name.
    pub name: String,
    /// The space's id.
    pub space: String,
    /// The space's name.
    #[serde(default)]
    pub space_name: String,
    /// The state of the space that the server is in; another one after it was restored from a backup. Nobody without a key knows it.
    #[serde(default)]
    pub epoch: String,
    /// The key itself.
    #[serde(skip)]
    pub key: AgentKey,
}

/// An agent's key. It goes into a header of requests to the server and nowhere else: nothing prints it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct AgentKey(Rc<str>);

impl AgentKey {
    pub fn new(key: &str) -> Self {
        Self(Rc::from(key))
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for AgentKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentKey")
    }
}
