//! Syncing with a server.

use crate::lesson::LessonView;
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// Where syncing stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SyncPhase {
    /// No server is connected.
    #[default]
    Off,
    /// Nothing is under way; the next look at the server is planned.
    Idle,
    /// Events are being sent.
    Pushing,
    /// Rows are coming in.
    Pulling,
    /// The server can't be reached; it is tried again by itself.
    Offline,
    /// The server answers, but not as it should; it is tried again by itself.
    Trouble,
    /// A person has to sign in again.
    SignedOut,
    /// Nothing that trying again would mend; `message` says what to do.
    Blocked,
}

/// `GET /v1/sync`: where syncing stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncStatus {
    /// Where it stands.
    pub phase: SyncPhase,
    /// The problem and its remedy, in one sentence for a person; `null` when all is well.
    pub message: Option<String>,
    /// The server's address; empty when off.
    pub url: String,
    /// The email address that is signed in; empty when off.
    pub email: String,
    /// The id of that account; empty when off. What is done here stands in the ledger as by `person:` and this id.
    pub account: String,
    /// The name of the space; empty when off.
    pub space: String,
    /// The id of the space; empty when off.
    pub space_id: String,
    /// Events made here that the server has not acknowledged.
    pub unsent: u32,
    /// Progress of the first or a long sync; `null` when there is nothing to show.
    pub progress: Option<SyncProgress>,
    /// When both sides were last the same; `null` when never.
    pub synced_at: Option<String>,
    /// When the server is looked at next; `null` when nothing is planned.
    pub next_at: Option<String>,
    /// Edits that came too late, for a person to decide.
    pub conflicts: u32,
    /// Other events that the server did not take.
    pub set_aside: u32,
    /// True if the space is worked on on the server: no copy of it is kept here, and each request reads what it needs.
    #[serde(default)]
    pub on_server: bool,
}

/// The progress of a long sync.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncProgress {
    /// Events sent, or versions read.
    pub done: u32,
    /// Of how many.
    pub total: u32,
}

/// `POST /v1/sync/connect`. Local lessons go to the space, its lessons come here.
#[derive(Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Connect {
    /// The project's address, such as `https://abc.supabase.co`; `http` only for this machine.
    #[field(verbatim)]
    pub url: String,
    /// The publishable (anon) key.
    #[field(verbatim)]
    pub key: String,
    /// The email address to sign in with.
    #[field(verbatim)]
    pub email: String,
    /// The password; it is not kept.
    #[field(verbatim)]
    pub password: String,
    /// The id of the space to join.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(verbatim)]
    pub space: Option<String>,
    /// The name of a space to be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(verbatim)]
    pub create: Option<String>,
    /// The code of an invitation to a space; this person becomes a member of it and joins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(verbatim)]
    pub invite: Option<String>,
    /// Where the space is to be had. Without it a space that is not large is copied, and one that is large is not connected
    /// yet: the answer says how large it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// With more lessons than this a space is large; 100,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large_above: Option<u32>,
}

/// The `field` of errors that say: this needs all lessons, and the space is worked on on the server.
pub const ON_SERVER: &str = "on_server";

/// Where a space is had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Hold {
    /// On the server: each request reads what it needs. Nothing is answered while the server can't be reached.
    Server,
    /// A copy of all of it is kept here.
    Copy,
}

/// `POST /v1/sync/hold`: has the connected space elsewhere from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HoldSpace {
    /// Where.
    pub hold: Hold,
}

/// The answer to [`Connect`]: connected, or spaces to choose from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Connected {
    /// True if the link is made; syncing begins by itself.
    pub connected: bool,
    /// When neither `space` nor `create` was given: the spaces of this person. Repeat the request
    /// with one of them, or with `create`. With `large`: the space that was chosen.
    pub spaces: Vec<SpaceChoice>,
    /// The size of the space, where nothing was connected because a copy would take much. Repeat the request with its id as
    /// `space` and with `hold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub large: Option<LargeSpace>,
}

/// The size of a copy of a large space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargeSpace {
    /// Its lessons, archived ones too.
    pub lessons: u32,
    /// Megabytes of memory that a copy takes while the page is open, about.
    pub megabytes: u32,
}

/// A space to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpaceChoice {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// `POST /v1/sync/sign-in`: the same person again, after the session ended.
#[derive(Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignIn {
    /// The password; it is not kept.
    #[field(verbatim)]
    pub password: String,
}

/// `POST /v1/sync/sign-out`: removes every lesson from this device; the server keeps them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SignOut {
    /// Set if events that the server does not have may be lost. Without it such a request is
    /// refused with `conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard_unsent: Option<bool>,
}

/// `POST /v1/space/delete`: deletes the connected space on the server with everything in it, and what is kept of it here.
/// Its owner alone does so, in two steps: the first answers with a code, the second sends it back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct DeleteSpace {
    /// The space's name, as it is written.
    #[field(verbatim)]
    pub name: String,
    /// The code of the first step's answer; without it nothing is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(verbatim)]
    pub code: Option<String>,
}

/// The answer to [`DeleteSpace`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SpaceDeletion {
    /// True if the space is gone.
    pub deleted: bool,
    /// The deletion that has to be confirmed, as long as it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<ConfirmDeletion>,
}

/// The data that would be deleted, and the code that confirms it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfirmDeletion {
    /// To be sent with the second request.
    pub code: String,
    /// When the code ceases to hold.
    pub expires_at: String,
    /// Lessons in the space.
    pub lessons: u32,
    /// Events in its ledger.
    pub events: u32,
    /// People in it.
    pub members: u32,
    /// Keys of agents that are in force.
    pub agent_keys: u32,
}

/// `GET /v1/sync/set-aside`: what the server did not take, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetAsideList {
    /// Edits that came too late.
    pub conflicts: Vec<EditConflict>,
    /// All other events.
    pub others: Vec<SetAsideEvent>,
}

/// An edit that started from a revision which the server has moved on from. The server's text is
/// in force; this one is kept for a person to decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditConflict {
    /// Names it; for `settle`.
    pub id: String,
    /// When the edit was made.
    pub at: String,
    /// The lesson as it is now; `null` when it is not there.
    pub now: Option<LessonView>,
    /// The lesson's slug.
    pub slug: String,
    /// The fields that the edit changed, as they would read with it.
    pub fields: Vec<ConflictField>,
}

/// A field of an edit that came too late.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConflictField {
    /// Its name, such as `recommendation`.
    pub name: String,
    /// The lesson's value now; lists are joined by a comma.
    pub theirs: String,
    /// The edit's value.
    pub mine: String,
}

/// An event that the server did not take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetAsideEvent {
    /// Names it; for `settle`.
    pub id: String,
    /// When it was made.
    pub at: String,
    /// The event's name, such as `LessonAdded`.
    pub kind: String,
    /// The lesson or decision it is about; empty when it has none.
    pub subject: String,
    /// The field at fault.
    pub field: String,
    /// Why the server did not take it.
    pub reason: String,
}

/// A person's decision about events that were set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Settlement {
    /// Edits: make them again on top of the text that is in force.
    Mine,
    /// Leave things as they are on the server.
    Theirs,
}

/// `POST /v1/sync/settle`: deals with events that were set aside. Answers [`SetAsideList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settle {
    /// Their ids.
    #[field(sought)]
    pub ids: Vec<String>,
    /// The decision; `mine` is for edits only.
    pub keep: Settlement,
}
