//! Keys of agents: the linked server makes, lists and revokes them. None is kept here.

use crate::handlers::manage;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::remote::network::Network;
use crate::state::service_struct::Service;
use lesson_sync::{Link, Store, Supabase};
use lesson_types::{
    AgentKey, AgentKeyRevoked, AgentKeys, ApiError, ErrorCode, MadeAgentKey, NewAgentKey,
};
use serde::Deserialize;
use serde_json::Value;

/// A key as the server lists it.
#[derive(Deserialize)]
struct WireKey {
    id: String,
    name: String,
    created_at: String,
    last_used_at: Option<String>,
    revoked_at: Option<String>,
}

/// A key as it was made. Not the interface's own type, so that a newer server may say more.
#[derive(Deserialize)]
struct WireMade {
    id: String,
    name: String,
    key: String,
}

// Remedies when the server did not say whether something was done.
const LIST: &str = "the keys are kept there and go on working; try again when it answers";
const MAKE: &str = "whether the key was made is not known; when it answers again, list the keys and revoke one of this name that nobody saw";
const REVOKE: &str = "whether the key was revoked is not known; when it answers again, revoke it once more, which does no harm";

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn list_agent_keys(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<AgentKeys>, ApiError> {
        validate::no_body(body)?;
        let keys: Vec<WireKey> = self
            .of_server(LIST, async |link: &Link| {
                let network = Network(&self.host);
                Supabase::new(&network).agent_keys(link).await
            })
            .await?;
        Ok(Answer::json(AgentKeys {
            keys: keys
                .into_iter()
                .map(|key| AgentKey {
                    id: key.id,
                    name: key.name,
                    created_at: key.created_at,
                    last_used_at: key.last_used_at,
                    revoked_at: key.revoked_at,
                })
                .collect(),
        }))
    }

    pub(crate) async fn make_agent_key(
        &self,
        _: &RequestContext,
        asked: NewAgentKey,
    ) -> Result<Answer<MadeAgentKey>, ApiError> {
        let name = manage::name(&asked.name)?;
        let made: WireMade = self
            .of_server(MAKE, async |link: &Link| {
                let network = Network(&self.host);
                Supabase::new(&network).create_agent_key(link, name).await
            })
            .await?;
        Ok(Answer::json(MadeAgentKey {
            id: made.id,
            name: made.name,
            key: made.key,
        }))
    }

    pub(crate) async fn revoke_agent_key(
        &self,
        _: &RequestContext,
        id: &str,
        body: &Value,
    ) -> Result<Answer<AgentKeyRevoked>, ApiError> {
        validate::no_body(body)?;
        manage::uuid(id, "key", "GET /v1/agent-keys")?;
        let revoked = self
            .of_server(REVOKE, async |link: &Link| {
                let network = Network(&self.host);
                Supabase::new(&network).revoke_agent_key(link, id).await
            })
            .await
            .map_err(|error| match error.code {
                ErrorCode::NotFound => ApiError::new(
                    ErrorCode::NotFound,
                    format!("there is no key `{id}`; GET /v1/agent-keys lists them"),
                )
                .at("id"),
                _ => error,
            })?;
        Ok(Answer::json(AgentKeyRevoked { revoked }))
    }
}
