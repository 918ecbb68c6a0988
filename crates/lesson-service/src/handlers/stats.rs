//! Stats, health and policy.

use crate::handlers::issues;
use crate::handlers::lift_view::counted;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::held::Embedded;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use crate::state::vectors::Vectors;
use lesson_core::{Policy, constants};
use lesson_sync::Store;
use lesson_types::{ApiError, Constant, Health, ModelHealth, Stats, StoreHealth};
use serde::Serialize;
use serde_json::Value;

/// The policy in force, and what may be changed of it.
#[derive(Serialize)]
struct PolicyTold {
    #[serde(flatten)]
    policy: Policy,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Vec<Constant>>,
}

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn stats(
        &self,
        context: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Stats>, ApiError> {
        validate::no_body(body)?;
        let state = self.state.borrow();
        let policy = state.in_force(&self.policy);
        let mut stats = self.counted_stats(&state, &policy);
        for ranks in [
            &mut stats.top,
            &mut stats.bottom,
            &mut stats.pruning,
            &mut stats.never_rated,
        ] {
            ranks.retain(|rank| !self.withheld(context, &rank.slug));
        }
        stats.measured = self.held.measured(|| counted(&state));
        Ok(Answer::json(stats))
    }

    pub(crate) fn health(
        &self,
        context: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Health>, ApiError> {
        validate::no_body(body)?;
        let state = self.state.borrow();
        let policy = state.in_force(&self.policy);
        let health = self.counted_health(&state, &policy);
        let stats = self.counted_stats(&state, &policy);
        let trouble = self.writer.trouble.borrow().clone();
        let left_out = left_out(&state);
        let sync = self.status();
        let model = self.embedding.model.borrow().clone();
        let mut issues = issues::of(&issues::Known {
            reads_english_alone: model.is_some_and(|model| !model.is_multilingual()),
            state: &state,
            health: &health,
            stats: &stats,
            sync: &sync,
            trouble: trouble.as_deref(),
            left_out: left_out.as_deref(),
        });
        if context.is_agent() {
            for issue in &mut issues {
                "A person sees to it in the dashboard; go on as you are."
                    .clone_into(&mut issue.remedy);
            }
        }
        Ok(Answer::json(Health {
            status: issues::status(&issues),
            issues,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            runs: health.runs,
            supply: health.supply,
            feedback_last_7_days: health.feedback_last_7_days,
            sessions: health.sessions,
            uses: health.uses,
            causal_ratio: health.causal_ratio,
            bands: health.bands,
            funnel: health.funnel,
            model: self.model_health(&state),
            store: StoreHealth {
                kind: self.store.kind().to_owned(),
                events: count(state.events),
                unsaved: count(self.writer.queue.borrow().len()),
                error: trouble.or(left_out),
            },
            sync: self.sync_word(),
        }))
    }

    /// The stats of the space, whether it is here or on the server.
    pub(crate) fn counted_stats(&self, state: &State, policy: &Policy) -> Stats {
        let here = lesson_core::stats(&state.space, self.host.now(), policy);
        self.held.stats(here)
    }

    /// The health of the space, whether it is here or on the server.
    pub(crate) fn counted_health(&self, state: &State, policy: &Policy) -> lesson_core::Health {
        let mut health = self
            .held
            .health(|| lesson_core::health(&state.space, self.host.now(), policy));
        health.supply.remedy = issues::supply_remedy(&health.supply, policy.rank.standing);
        health
    }

    fn model_health(&self, state: &State) -> ModelHealth {
        let vectors = state.vectors.as_ref();
        let here = Embedded {
            with: vectors.map_or(0, Vectors::embedded),
            without: vectors.map_or_else(|| state.space.lessons().len(), Vectors::pending),
        };
        let embedded = self.held.embedded(here);
        ModelHealth {
            loaded: vectors.is_some(),
            id: vectors.map_or_else(String::new, |vectors| vectors.model.clone()),
            embedded: count(embedded.with),
            pending: count(embedded.without),
        }
    }

    pub(crate) fn policy(
        &self,
        context: &RequestContext,
        body: &Value,
    ) -> Result<Answer, ApiError> {
        validate::no_body(body)?;
        let state = self.state.borrow();
        let policy = Policy {
            tools: self.tool_policy(&state.space),
            ..state.in_force(&self.policy).as_ref().clone()
        };
        // Agents change nothing, and pay for what they read.
        let constants = (!context.is_agent()).then(|| constants(&self.policy));
        Ok(Answer::any(PolicyTold { policy, constants }))
    }
}

/// Says which events take no part, if any.
fn left_out(state: &State) -> Option<String> {
    let first = state.notes.first()?;
    Some(format!(
        "{} of the ledger's events take no part, they are kept as they are; the first: {first}",
        state.left_out
    ))
}

/// A count as the interface has it.
pub(crate) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
