//! Members of a space, their roles, and invitations.

use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// A member's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum MemberRole {
    /// Everything, managing members and deleting the space too.
    Owner,
    /// Reading and writing lessons, and managing keys of agents.
    Member,
}

/// `GET /v1/members`: who is in the connected space, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Members {
    /// The members.
    pub members: Vec<Member>,
    /// Invitations that hold; empty for who is no owner.
    pub invites: Vec<Invite>,
}

/// A member of the space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Member {
    /// The account, as events name it: `by` of what they do is `person:` and this.
    pub id: String,
    /// The name that others read; `null` until somebody gave one.
    pub name: Option<String>,
    /// The address they sign in with; `null` where the server does not tell.
    pub email: Option<String>,
    /// Their rights in the space.
    pub role: MemberRole,
    /// Since when.
    pub joined_at: String,
}

/// An invitation that nobody has used yet. Its code is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Invite {
    /// Names it; for taking it back.
    pub id: String,
    /// The name that the invited person will have.
    pub name: String,
    /// The role it gives.
    pub role: MemberRole,
    /// When it was made.
    pub created_at: String,
    /// Until when its code holds.
    pub expires_at: String,
}

/// `PATCH /v1/members/{id}`: what is given is changed. A role is an owner's to change; a name also that of its bearer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct MemberPatch {
    /// The name that others read in place of the account's id; 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(verbatim)]
    pub name: Option<String>,
    /// The role; the last owner of a space stays one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<MemberRole>,
}

/// The answer to `POST /v1/members/{id}/remove`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemberRemoved {
    /// True if they were a member until now.
    pub removed: bool,
}

/// `POST /v1/invites`: invites one person, by a code that holds for seven days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewInvite {
    /// The name that the person will have; 1 to 100 characters.
    #[field(verbatim)]
    pub name: String,
    /// The role it gives.
    pub role: MemberRole,
}

/// The answer to [`NewInvite`], given once: nobody can look the code up afterwards.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MadeInvite {
    /// Names it; for taking it back.
    pub id: String,
    /// The code: `lli_` and 64 hex digits. The person gives it when connecting, as `invite` of `POST /v1/sync/connect`.
    pub code: String,
    /// Until when it holds.
    pub expires_at: String,
}

impl std::fmt::Debug for MadeInvite {
    /// The code stays out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MadeInvite")
            .field("id", &self.id)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// The answer to `POST /v1/invites/{id}/revoke`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InviteRevoked {
    /// True if its code held until now.
    pub revoked: bool,
}
