//! Settings of a space, and another trial for a lesson: what people decide for everybody.

use crate::handlers::lessons::known;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use lesson_core::{EventKind, Qualification, Space, ToolPolicy};
use lesson_sync::Store;
use lesson_types::{ApiError, ErrorCode, LessonView, PolicyPatch};
use serde_json::Value;
use std::collections::BTreeMap;

/// The setting of further core servers.
const CORE_SERVERS: &str = "tools.core_servers";

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn change_policy(
        &self,
        context: &RequestContext,
        patch: PolicyPatch,
    ) -> Result<Answer, ApiError> {
        let mut changes: BTreeMap<String, Value> = BTreeMap::new();
        if let Some(servers) = patch.tools.and_then(|tools| tools.core_servers) {
            validate::words("tools.core_servers", Some(&servers))?;
            let mut named: Vec<String> = Vec::new();
            for server in servers {
                let server = server.trim().to_owned();
                let is_named = named
                    .iter()
                    .any(|one| one.to_lowercase() == server.to_lowercase());
                // Those that are core anyway would come back when the list is emptied.
                if !is_named && !self.tools.is_core(&server) {
                    named.push(server);
                }
            }
            let value = if named.is_empty() {
                Value::Null
            } else {
                Value::from(named)
            };
            changes.insert(CORE_SERVERS.to_owned(), value);
        }
        if changes.is_empty() {
            return Err(ApiError::invalid(
                "tools",
                "nothing is changed; name a setting, such as tools.core_servers",
            ));
        }
        self.commit(context, |state, _| {
            let is_so = changes
                .iter()
                .all(|(name, value)| state.space.setting(name).unwrap_or(&Value::Null) == value);
            let plan = if is_so {
                Plan::default()
            } else {
                Plan::one(EventKind::PolicyChanged {
                    changes: changes.clone(),
                })
            };
            Ok((plan, ()))
        })
        .await?;
        self.policy(context, &Value::Null)
    }

    /// How tools are suggested in this space: the constants, with the host's and the space's own core servers. The fold
    /// goes by the constants alone, so that a ledger means the same everywhere.
    pub(crate) fn tool_policy(&self, space: &Space) -> ToolPolicy {
        let mut policy = self.tools.clone();
        let own = space.setting(CORE_SERVERS).and_then(Value::as_array);
        policy.core_servers.extend(
            own.into_iter()
                .flatten()
                .filter_map(|server| server.as_str().map(str::to_owned)),
        );
        policy
    }

    pub(crate) async fn grant_trial(
        &self,
        context: &RequestContext,
        slug: &str,
        body: &Value,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::no_body(body)?;
        self.commit(context, |state, _| {
            let held = known(state, slug)?;
            let qualification = held.standing.qualification(&self.policy.rank);
            if qualification == Qualification::Qualified {
                return Err(ApiError::new(
                    ErrorCode::Conflict,
                    format!("outcomes don't keep `{slug}` out, so there is nothing to forgive"),
                ));
            }
            let lesson = slug.to_owned();
            Ok((Plan::one(EventKind::TrialGranted { lesson }), ()))
        })
        .await?;
        self.get_lesson(context, slug, &Value::Null)
    }
}
