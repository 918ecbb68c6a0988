//! Which tool server worked for which request.

use serde::{Deserialize, Serialize};

/// `POST /v1/tools/success`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSuccess {
    /// What was asked.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::QUERY), regex(pattern = r"\S")))]
    pub query: String,
    /// The server that did it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S")))]
    pub server: String,
}

/// Why a success was not added as a new record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NotRecorded {
    /// A core server: always at hand, never recorded.
    Core,
    /// Known already; its time was refreshed.
    Duplicate,
}

/// The answer to a tool success.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct ToolRecorded {
    /// Whether there is a new record.
    pub recorded: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NotRecorded>,
}

/// `POST /v1/tools/suggest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SuggestTools {
    /// What is to be done.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::QUERY), regex(pattern = r"\S")))]
    pub query: String,
    /// 1 to 100; 5 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::LIMIT)))]
    pub limit: Option<u32>,
}

/// A record that speaks for a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolReason {
    /// What was asked then.
    pub query: String,
    /// How long ago, in days.
    pub age_days: f64,
    /// What it adds to the server's score.
    pub score: f64,
}

/// A suggested server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuggestedServer {
    /// Its name.
    pub server: String,
    /// The sum over its records.
    pub score: f64,
    /// The records that count most.
    pub because: Vec<ToolReason>,
}

/// The answer to a suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSuggestions {
    /// Best first.
    pub servers: Vec<SuggestedServer>,
    /// How many records there are.
    pub records: u32,
}
