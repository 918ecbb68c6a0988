//! Voices: who speaks in a space, and what it would undo to count nothing of one.

use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `POST /v1/voices/{id}/withdraw`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct WithdrawVoice {
    /// The time of the first event that does not count, by RFC 3339; absent for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::ID)))]
    #[field(sought)]
    pub since: Option<String>,
    /// `true` takes an earlier withdrawal back.
    #[serde(default)]
    pub undo: bool,
    /// `true` writes it; without, the answer is a preview and nothing changes.
    #[serde(default)]
    pub confirm: bool,
}

/// Changes that a withdrawal makes, or that taking it back does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VoiceWithdrawal {
    /// The voice: `agent:` and the id of a key, or `person:` and an account.
    pub voice: String,
    /// From when on it counts for nothing; `null` for all of it.
    pub since: Option<String>,
    /// True if it counts for nothing after this.
    pub withdrawn: bool,
    /// True if this was written; `false` for a preview.
    pub done: bool,
    /// Lessons that go out of use, or come back: the first 1,000 slugs.
    pub lessons: Vec<String>,
    /// Such lessons in all.
    pub lessons_total: u32,
    /// Open proposals that go, or come back.
    pub proposals: u32,
    /// Ratings and votes that are not counted any more, or are again.
    pub opinions: u32,
    /// The same of outcomes.
    pub outcomes: u32,
    /// The same of feedback.
    pub feedback: u32,
    /// Other lessons whose standing moves by it: the first 1,000 slugs.
    pub moved: Vec<String>,
    /// Such lessons in all.
    pub moved_total: u32,
}

/// A voice that has written in the space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VoiceView {
    /// `agent:` and the id of a key, or `person:` and an account.
    pub voice: String,
    /// Its lessons in use.
    pub lessons: u32,
    /// Those of them that no person stands behind: from 200 on a key adds no more.
    pub unreviewed: u32,
    /// Its open proposals.
    pub proposals: u32,
    /// Approved lessons that it alone says fail.
    pub fails_alone: Vec<String>,
    /// True if it was withdrawn.
    pub withdrawn: bool,
    /// From when on; `null` for all of it.
    pub since: Option<String>,
}

/// `GET /v1/voices`: who has lessons or proposals in the space, or was withdrawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Voices {
    /// Those with the most lessons first: at most 1,000.
    pub voices: Vec<VoiceView>,
}
