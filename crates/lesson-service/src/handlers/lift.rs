//! `GET /v1/lift`: what lessons do, as far as it is known.

use crate::handlers::lift_view::{counts, of_lesson, of_loop};
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_core::LiftVerdict;
use lesson_core::learning::{GroupLift, LessonEffect};
use lesson_sync::Store;
use lesson_types::{ApiError, LiftGroup, LiftQuery, LiftReport, limits};
use serde_json::Value;

/// Lessons in the answer when the request does not say.
const PAGE: u32 = 50;
/// Domains, and askers, in the answer.
const GROUPS: usize = 50;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn lift(
        &self,
        _: &RequestContext,
        asked: &LiftQuery,
        body: &Value,
    ) -> Result<Answer<LiftReport>, ApiError> {
        validate::no_body(body)?;
        validate::optional("lesson", asked.lesson.as_ref(), limits::SLUG)?;
        let limit = match asked.limit {
            Some(0) => 0,
            limit => validate::limit(limit, PAGE, limits::PAGE).map_err(|error| {
                ApiError::invalid("limit", error.message.replace("1 to", "0 to"))
            })?,
        };
        let state = self.state.borrow();
        let reading = self.reading(&state);
        let measure = &reading.policy.measure;
        let report = state.with_effects(|effects| {
            let mut found: Vec<&LessonEffect> = effects
                .lessons
                .iter()
                .filter(|held| {
                    asked
                        .lesson
                        .as_deref()
                        .is_none_or(|slug| *slug == *held.slug)
                })
                .filter(|held| asked.verdict.is_none_or(|verdict| verdict == held.verdict))
                .collect();
            let total = count(found.len());
            let order = |a: &&LessonEffect, b: &&LessonEffect| {
                let by = |held: &LessonEffect| (weight_of(held.verdict), held.running.terms.t);
                by(b).cmp(&by(a)).then_with(|| a.slug.cmp(&b.slug))
            };
            if limit < found.len() {
                if limit > 0 {
                    found.select_nth_unstable_by(limit - 1, order);
                }
                found.truncate(limit);
            }
            found.sort_unstable_by(order);
            LiftReport {
                control_runs: measure.control_runs,
                withhold: measure.withhold,
                whole: of_loop(&effects.whole),
                by_domain: groups(&effects.by_domain),
                by_agent: groups(&effects.by_agent),
                lessons: found
                    .into_iter()
                    .map(|held| {
                        let lesson = state.space.lesson(&held.slug);
                        of_lesson(held, lesson, &reading)
                    })
                    .collect(),
                total,
                counts: counts(effects),
            }
        });
        Ok(Answer::json(report))
    }
}

/// Weighs a verdict for the order of lessons: those that a person has to act on come first.
fn weight_of(verdict: LiftVerdict) -> u8 {
    match verdict {
        LiftVerdict::Hurts => 3,
        LiftVerdict::Helps => 2,
        LiftVerdict::NoDifference => 1,
        LiftVerdict::Unknown => 0,
    }
}

fn groups(held: &[GroupLift]) -> Vec<LiftGroup> {
    let mut held: Vec<&GroupLift> = held.iter().collect();
    // Stable: those with as many decisions stay in the order of their names.
    held.sort_by_key(|group| {
        let lift = &group.lift;
        let open = lift.shown_open.saturating_add(lift.control_open);
        std::cmp::Reverse((lift.runs(), open))
    });
    held.truncate(GROUPS);
    held.into_iter()
        .map(|group| LiftGroup {
            name: group.name.clone(),
            lift: of_loop(&group.lift),
        })
        .collect()
}
