//! Keys of agents.

use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `GET /v1/agent-keys`: the keys of the space, revoked ones too, oldest first. Nothing in it could
/// be used as a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentKeys {
    /// The keys.
    pub keys: Vec<AgentKey>,
}

/// The record of a key, without the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentKey {
    /// Names it; for revoking.
    pub id: String,
    /// The name that people know it by; two keys may have the same one.
    pub name: String,
    /// When it was made.
    pub created_at: String,
    /// When an agent last came with it, to the minute or so; `null` when none did.
    pub last_used_at: Option<String>,
    /// Since when it is refused; `null` while it is in force.
    pub revoked_at: Option<String>,
}

/// `POST /v1/agent-keys`: makes a key for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewAgentKey {
    /// Tells people which agent it is for; 1 to 100 characters.
    #[field(verbatim)]
    pub name: String,
}

/// The answer to [`NewAgentKey`], given once: nobody can look the key up afterwards.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MadeAgentKey {
    /// Names it; for revoking.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The key itself: `llk_`, 64 hex digits and 8 more that check them. An agent sends it as `Authorization: Bearer …`.
    pub key: String,
}

impl std::fmt::Debug for MadeAgentKey {
    /// The key stays out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MadeAgentKey")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The answer to `POST /v1/agent-keys/{id}/revoke`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentKeyRevoked {
    /// True if it was in force until now; `false` when it was revoked before.
    pub revoked: bool,
}
