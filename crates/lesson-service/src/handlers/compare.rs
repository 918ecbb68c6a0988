//! One situation ranked twice: by the space's constants and by those of the request.

use crate::handlers::override_policy::rank_policy;
use crate::handlers::recommend_request::{check, situation};
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::state::service_struct::Service;
use lesson_core as core;
use lesson_sync::Store;
use lesson_types::{ApiError, Compared, Comparison, Recommend};
use std::collections::BTreeSet;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn compare(
        &self,
        _: &RequestContext,
        asked: Recommend,
    ) -> Result<Answer<Comparison>, ApiError> {
        check(&asked)?;
        for (field, given) in [
            ("decision_id", asked.decision_id.is_some()),
            ("explain", asked.explain.is_some()),
            ("dry_run", asked.dry_run.is_some()),
            ("trace_part", asked.trace_part.is_some()),
            ("max_tokens", asked.max_tokens.is_some()),
        ] {
            if given {
                return Err(ApiError::invalid(
                    field,
                    format!("a comparison explains itself and records nothing; leave {field} out"),
                ));
            }
        }
        let Some(changes) = &asked.policy else {
            return Err(ApiError::invalid(
                "policy",
                "policy is missing; name the constants to compare with, as GET /v1/policy shows them under rank",
            ));
        };
        let held = &self.state.borrow().in_force(&self.policy).rank;
        let changed = rank_policy(held, changes)?;
        let situation = situation(&asked);
        let vector = self.situation_vector(&situation);
        let state = self.state.borrow();
        let rank = |policy: &core::RankPolicy, explain: core::Explain<'_>| {
            self.rank(&state, &situation, vector.as_deref(), (policy, explain))
        };
        // Only lessons of either answer are told of: which they are is known when both have been made.
        let answers = [
            rank(held, core::Explain::Nothing)?,
            rank(&changed, core::Explain::Nothing)?,
        ];
        let told: BTreeSet<String> = answers
            .iter()
            .flat_map(|ranking| &ranking.items)
            .map(|item| item.slug.clone())
            .collect();
        let told = core::Explain::Only(&told);
        let (before, after) = (rank(held, told)?, rank(&changed, told)?);
        let lessons: Vec<Compared> = core::compare(&before, &after);
        let moved = |lesson: &&Compared| lesson.before.rank != lesson.after.rank;
        Ok(Answer::json(Comparison {
            semantic: before.semantic || after.semantic,
            moved: count(lessons.iter().filter(moved).count()),
            lessons,
        }))
    }
}
