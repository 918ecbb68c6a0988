//! Deleting the connected space: the server does it in two steps, and what is kept here goes with it.

use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::remote::network::Network;
use crate::remote::remote_error::of_remote;
use crate::state::service_struct::Service;
use lesson_sync::{Link, RemoteError, Store, Supabase};
use lesson_types::{ApiError, ConfirmDeletion, DeleteSpace, ErrorCode, SpaceDeletion, limits};
use serde::Deserialize;
use serde_json::json;

/// Remedy when the server did not say whether the space was deleted.
const UNKNOWN: &str = "whether the space was deleted is not known; look at it again when the server answers, and delete it once more if it is there";

/// The most requests to go on with a space that is too large to be deleted at once: some two minutes. Nobody sees
/// the space any more by then, and the rest is the server's to do.
const PIECES: usize = 60;

/// The server's answer. Not the interface's own type, so that a newer server may say more.
#[derive(Deserialize)]
struct WireDeletion {
    deleted: bool,
    /// True if rows of it are left, to be deleted by asking again.
    #[serde(default)]
    more: bool,
    #[serde(default)]
    code: String,
    #[serde(default)]
    expires_at: String,
    #[serde(default)]
    lessons: u32,
    #[serde(default)]
    events: u32,
    #[serde(default)]
    members: u32,
    #[serde(default)]
    agent_keys: u32,
}

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn delete_space(
        &self,
        _: &RequestContext,
        asked: DeleteSpace,
    ) -> Result<Answer<SpaceDeletion>, ApiError> {
        validate::filled("name", &asked.name, limits::ID)?;
        if let Some(code) = &asked.code {
            validate::filled("code", code, limits::ID)?;
        }
        let link = self.linked_or_refuse()?;
        let answer: Result<WireDeletion, RemoteError> = self
            .signed_in(&link, async |link: &Link| {
                let arguments = json!({
                    "p_space": link.space.id, "p_name": asked.name, "p_code": asked.code,
                });
                let network = Network(&self.host);
                let remote = Supabase::new(&network);
                let mut told: WireDeletion = remote.rpc(link, "delete_space", &arguments).await?;
                for _ in 0..PIECES {
                    if !told.more {
                        break;
                    }
                    // It is deleted, whatever becomes of the rest.
                    match remote.rpc(link, "delete_space", &arguments).await {
                        Ok(more) => told = more,
                        Err(_) => break,
                    }
                }
                Ok(told)
            })
            .await;
        let told = answer.map_err(|error| refused(&error))?;
        if told.deleted {
            // The session was of an account, which stays; of the space nothing is left to sign out of.
            self.forget_all().await?;
            lesson_sync::sign_out(&Network(&self.host), &link).await;
        }
        Ok(Answer::json(SpaceDeletion {
            deleted: told.deleted,
            confirm: (!told.deleted).then_some(ConfirmDeletion {
                code: told.code,
                expires_at: told.expires_at,
                lessons: told.lessons,
                events: told.events,
                members: told.members,
                agent_keys: told.agent_keys,
            }),
        }))
    }
}

/// Translates the server's refusals; see `delete_space` of the migrations.
fn refused(error: &RemoteError) -> ApiError {
    match error {
        RemoteError::ActorTaken => ApiError::new(
            ErrorCode::Forbidden,
            "only an owner of a space may delete it; sign out to remove the lessons from this browser alone",
        ),
        RemoteError::Refused(cause) if cause.contains("(status 400") => ApiError::invalid(
            "name",
            "the name is not that of the connected space; type it as it is written",
        ),
        RemoteError::Refused(cause) if cause.contains("(status 409") => ApiError::new(
            ErrorCode::Conflict,
            "the code is invalid or has expired: it is valid for ten minutes; leave it out to get another",
        )
        .at("code"),
        other => of_remote(UNKNOWN, other),
    }
}
