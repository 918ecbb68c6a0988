//! One act on many lessons.

use crate::error::ErrorCode;
use crate::words::BulkAct;
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// A lesson to act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct BulkItem {
    /// The lesson's slug.
    #[field(sought)]
    pub slug: String,
    /// The text that was seen; when given and no longer current, this lesson is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(sought)]
    pub content_hash: Option<String>,
}

/// `POST /v1/lessons/bulk`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bulk {
    /// The act on each lesson.
    pub act: BulkAct,
    /// The lessons to act on, 1 to 1,000; one that is named twice counts once.
    pub lessons: Vec<BulkItem>,
    /// The tags, 1 to 64, where the act is about tags; otherwise none.
    #[serde(default)]
    #[field(lesson)]
    pub tags: Vec<String>,
    /// Why lessons are approved, kept in their history; those that are held back are refused without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::DESCRIPTION)))]
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[field(stored)]
    pub reason: Option<String>,
}

/// A lesson that stayed as it was because the act can't be done to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BulkRefusal {
    /// The lesson's slug.
    pub slug: String,
    /// A stable code.
    pub code: ErrorCode,
    /// Why, and what to do.
    pub message: String,
}

/// The answer to `POST /v1/lessons/bulk`. All changes are stored together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BulkDone {
    /// Lessons that changed.
    pub changed: u32,
    /// Lessons that were so already.
    pub unchanged: u32,
    /// Lessons that the act can't be done to.
    pub refused: Vec<BulkRefusal>,
    /// Requests that bring back what was before, to be sent in this order.
    pub undo: Vec<Bulk>,
}
