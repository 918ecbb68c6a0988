//! Proposals: what an agent's key would change of a lesson that is not its own unapproved one.

use crate::words::Trust;
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// A change that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProposalView {
    /// Its id.
    pub id: String,
    /// The proposer: `agent:` and the id of a key, or who brought the file that it came with.
    pub by: String,
    /// When.
    pub at: String,
    /// The revision that it started from.
    pub base_rev: u32,
    /// True if the text in force has changed since that revision; `fields` are against the text now in force.
    pub moved_on: bool,
    /// True if it would take the lesson out of use.
    pub archive: bool,
    /// The fields that it would change: as they are in force, and as they would be.
    pub fields: Vec<RevisionField>,
    /// Screening's verdict on the text as it would be: unreviewed, or quarantined.
    pub trust: Trust,
    /// Findings of screening in it.
    pub findings: Vec<String>,
}

/// A lesson with a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenProposal {
    /// The lesson.
    pub slug: String,
    /// Its title in force.
    pub title: String,
    /// State of the approval of the text in force by a person.
    pub trust: Trust,
    /// Hash of the text in force, which an approval names.
    pub content_hash: String,
    /// The proposal.
    pub proposal: ProposalView,
}

/// `GET /v1/proposals`: open proposals, the oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposals {
    /// The first 1,000.
    pub proposals: Vec<OpenProposal>,
    /// Open proposals in all.
    pub total: u32,
}

/// `POST /v1/lessons/{slug}/proposals/{id}`: a person's word on a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SettleProposal {
    /// True if the change is to be made, to the text now in force. An approved lesson stays approved, by whoever accepts.
    pub accept: bool,
    /// The text in force that the proposal was seen against; when given and no longer current, accepting is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::ID)))]
    #[field(sought)]
    pub content_hash: Option<String>,
    /// Why; kept in the lesson's history. A change in which screening found an attack is accepted only with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::DESCRIPTION)))]
    #[field(stored)]
    pub reason: Option<String>,
}

/// A field of a text. Lists are written with commas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RevisionField {
    /// Its name, such as `title`.
    pub name: String,
    /// Its value in the revision before; `null` in the first one.
    pub before: Option<String>,
    /// Its value in this one.
    pub after: String,
    /// True if this revision changed it.
    pub changed: bool,
}
