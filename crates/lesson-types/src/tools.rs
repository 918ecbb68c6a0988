//! Requests and the tool server that worked for each.

use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `POST /v1/tools/success`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSuccess {
    /// The request in words.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::QUERY), regex(pattern = r"\S")))]
    #[field(name)]
    pub query: String,
    /// The server that did it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S")))]
    #[field(name)]
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
    /// True if there is a new record.
    pub recorded: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NotRecorded>,
}

/// `POST /v1/tools/suggest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SuggestTools {
    /// The task to be done.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::QUERY), regex(pattern = r"\S")))]
    #[field(sought)]
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
    /// The request of that time.
    pub query: String,
    /// The age of the record in days.
    pub age_days: f64,
    /// The weight that its age leaves it, 0 to 1.
    pub weight: f64,
    /// Its share of the server's score.
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
    /// Records in all.
    pub records: u32,
    /// Loss of weight of records with age.
    pub decay: Decay,
}

/// The loss of weight of a record with age.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decay {
    /// Days after which a record counts half; without decay when not above 0.
    pub half_life_days: f64,
    /// Points of the curve, from new to five half-lives old.
    pub points: Vec<DecayPoint>,
}

/// A point of the curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecayPoint {
    /// In days.
    pub age_days: f64,
    /// 0 to 1.
    pub weight: f64,
}

/// `GET /v1/tools/records`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct ToolRecordsQuery {
    /// Only records with this in their request or server, whatever the case.
    #[field(sought)]
    pub q: Option<String>,
    /// Records to pass over; 0 when absent.
    pub offset: Option<u32>,
    /// 1 to 1,000; 50 when absent.
    pub limit: Option<u32>,
}

/// A request that a server did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolRecordView {
    /// The request in words.
    pub query: String,
    /// The server.
    pub server: String,
    /// When it last did it.
    pub at: String,
    /// The time since then, in days.
    pub age_days: f64,
    /// The weight that its age leaves it, 0 to 1.
    pub weight: f64,
}

/// Requests and the server that worked for each, latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolRecords {
    /// The records of this page.
    pub records: Vec<ToolRecordView>,
    /// Records that fit, in all.
    pub total: u32,
    /// Loss of weight of records with age.
    pub decay: Decay,
}
