//! Members of the connected space and invitations to it: the linked server keeps both. None is kept here.

use crate::handlers::manage;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::remote::network::Network;
use crate::remote::remote_error::of_remote;
use crate::state::service_struct::Service;
use lesson_sync::{Link, RemoteError, Store, Supabase};
use lesson_types::{
    ApiError, ErrorCode, Invite, InviteRevoked, MadeInvite, Member, MemberPatch, MemberRemoved,
    MemberRole, Members, NewInvite,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

// The server's answers. Not the interface's own types, so that a newer server may say more.

#[derive(Deserialize)]
struct WireMembers {
    members: Vec<WireMember>,
    invites: Vec<WireInvite>,
}

#[derive(Deserialize)]
struct WireMember {
    id: String,
    name: Option<String>,
    email: Option<String>,
    role: String,
    joined_at: String,
}

#[derive(Deserialize)]
struct WireInvite {
    id: String,
    name: String,
    role: String,
    created_at: String,
    expires_at: String,
}

#[derive(Deserialize)]
struct WireMade {
    id: String,
    code: String,
    expires_at: String,
}

// Remedies when the server did not say whether something was done.
const LIST: &str = "members are kept there; try again when it answers";
const CHANGE: &str = "whether the member was changed is not known; look at the list when it answers again, and repeat this, which does no harm";
const REMOVE: &str = "whether the member was removed is not known; look at the list when it answers again, and repeat this, which does no harm";
const INVITE: &str = "whether the invitation was made is not known; when it answers again, list the members and take back an invitation of this name that nobody saw";
const REVOKE: &str = "whether the invitation was taken back is not known; when it answers again, do it once more, which does no harm";

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn list_members(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Members>, ApiError> {
        validate::no_body(body)?;
        let told: WireMembers = self
            .manage("list_members", LIST, |space| json!({ "p_space": space }))
            .await?;
        Ok(Answer::json(read(told)))
    }

    pub(crate) async fn change_member(
        &self,
        _: &RequestContext,
        id: &str,
        asked: MemberPatch,
    ) -> Result<Answer<Members>, ApiError> {
        manage::uuid(id, "member", "GET /v1/members")?;
        let name = asked.name.as_deref().map(manage::name).transpose()?;
        if name.is_none() && asked.role.is_none() {
            return Err(ApiError::invalid(
                "name",
                "nothing is to be changed; give a name, a role or both",
            ));
        }
        let role = asked.role.map(word);
        let told: WireMembers = self
            .manage(
                "change_member",
                CHANGE,
                |space| json!({ "p_space": space, "p_user": id, "p_name": name, "p_role": role }),
            )
            .await?;
        Ok(Answer::json(read(told)))
    }

    pub(crate) async fn remove_member(
        &self,
        _: &RequestContext,
        id: &str,
        body: &Value,
    ) -> Result<Answer<MemberRemoved>, ApiError> {
        validate::no_body(body)?;
        manage::uuid(id, "member", "GET /v1/members")?;
        let removed = self
            .manage(
                "remove_member",
                REMOVE,
                |space| json!({ "p_space": space, "p_user": id }),
            )
            .await?;
        Ok(Answer::json(MemberRemoved { removed }))
    }

    pub(crate) async fn invite(
        &self,
        _: &RequestContext,
        asked: NewInvite,
    ) -> Result<Answer<MadeInvite>, ApiError> {
        let name = manage::name(&asked.name)?;
        let role = word(asked.role);
        let made: WireMade = self
            .manage(
                "invite_member",
                INVITE,
                |space| json!({ "p_space": space, "p_name": name, "p_role": role }),
            )
            .await?;
        Ok(Answer::json(MadeInvite {
            id: made.id,
            code: made.code,
            expires_at: made.expires_at,
        }))
    }

    pub(crate) async fn revoke_invite(
        &self,
        _: &RequestContext,
        id: &str,
        body: &Value,
    ) -> Result<Answer<InviteRevoked>, ApiError> {
        validate::no_body(body)?;
        manage::uuid(id, "invitation", "GET /v1/members")?;
        let revoked = self
            .manage(
                "revoke_invite",
                REVOKE,
                |space| json!({ "p_space": space, "p_invite": id }),
            )
            .await?;
        Ok(Answer::json(InviteRevoked { revoked }))
    }

    /// Calls a function about members.
    async fn manage<T: DeserializeOwned>(
        &self,
        function: &str,
        unknown: &str,
        arguments: impl Fn(&str) -> Value,
    ) -> Result<T, ApiError> {
        let link = self.linked_or_refuse()?;
        let answer = self
            .signed_in(&link, async |link: &Link| {
                let network = Network(&self.host);
                let remote = Supabase::new(&network);
                remote.rpc(link, function, &arguments(&link.space.id)).await
            })
            .await;
        answer.map_err(|error| refused(unknown, &error))
    }
}

/// Translates the server's refusals.
fn refused(unknown: &str, error: &RemoteError) -> ApiError {
    match error {
        RemoteError::ActorTaken => ApiError::new(
            ErrorCode::Forbidden,
            "only an owner of the space may do this; ask one, GET /v1/members names them",
        ),
        RemoteError::Refused(cause) if cause.contains("at least one owner") => ApiError::new(
            ErrorCode::Conflict,
            "a space keeps at least one owner; make somebody else an owner first, or delete the space",
        )
        .at("role"),
        RemoteError::Refused(cause) if cause.contains("(status 409") => ApiError::new(
            ErrorCode::Conflict,
            "there are 100 open invitations already; take some back first",
        ),
        RemoteError::NotFound => ApiError::new(
            ErrorCode::NotFound,
            "there is no such member, or you are none of this space any more; GET /v1/members lists them",
        ),
        other => of_remote(unknown, other),
    }
}

fn word(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Owner => "owner",
        MemberRole::Member => "member",
    }
}

/// A role of a newer server that is not known here may do no more than a member.
fn role(word: &str) -> MemberRole {
    match word {
        "owner" => MemberRole::Owner,
        _ => MemberRole::Member,
    }
}

fn read(told: WireMembers) -> Members {
    Members {
        members: told
            .members
            .into_iter()
            .map(|member| Member {
                id: member.id,
                name: member.name,
                email: member.email,
                role: role(&member.role),
                joined_at: member.joined_at,
            })
            .collect(),
        invites: told
            .invites
            .into_iter()
            .map(|invite| Invite {
                id: invite.id,
                name: invite.name,
                role: role(&invite.role),
                created_at: invite.created_at,
                expires_at: invite.expires_at,
            })
            .collect(),
    }
}
