//! The counts that a record brings, each part within its whole.

use super::fields::{FieldError, Fields};
use lesson_core::Standing;
use lesson_core::learning::FIRST_VARIANCE;

/// Reads the counts of a record that stood at `line`.
pub(super) fn standing(fields: &mut Fields, line: u32) -> Result<Standing, FieldError> {
    let old = Standing::default();
    let mut standing = Standing {
        confidence: fields.share(&["confidence"], old.confidence)?,
        frequency: fields.count(&["frequency", "occurrences"], old.frequency)?,
        upvotes: fields.count(&["upvotes"], 0)?,
        downvotes: fields.count(&["downvotes"], 0)?,
        times_surfaced: fields.count(&["times_surfaced", "surfaced_count"], 0)?,
        times_helpful: fields.count(&["times_helpful", "helpful_count", "helpful"], 0)?,
        times_not_helpful: fields.count(
            &[
                "times_not_helpful",
                "not_helpful_count",
                "times_harmful",
                "harmful_count",
                "harmful",
            ],
            0,
        )?,
        effectiveness: fields.share(&["effectiveness"], old.effectiveness)?,
        use_count: fields.count(&["use_count", "uses"], 0)?,
        causal_hits: fields.count(&["causal_hits"], 0)?,
        last_used_at: fields.time(&["last_used_at", "last_used"])?,
        last_feedback_at: fields.time(&["last_feedback_at", "last_feedback"])?,
        times_applied: fields.count(&["times_applied", "applied_count"], 0)?,
        success_count: fields.count(&["success_count", "successes"], 0)?,
        consecutive_failures: fields.count(&["consecutive_failures"], 0)?,
        trial_from: fields.count(&["trial_from"], 0)?,
        proven_effective: fields.flag(&["proven_effective"])?.unwrap_or(false),
        qualified_at: fields.time(&["qualified_at"])?,
        lift_mean: fields.within(&["lift_mean"], old.lift_mean, (-1.0, 1.0))?,
        lift_variance: fields.within(
            &["lift_variance"],
            old.lift_variance,
            (0.0, FIRST_VARIANCE),
        )?,
        lift_at: fields.time(&["lift_at"])?,
    };
    for (part, count, whole, total) in [
        (
            "success_count",
            standing.success_count,
            "times_applied",
            standing.times_applied,
        ),
        (
            "causal_hits",
            standing.causal_hits,
            "use_count",
            standing.use_count,
        ),
    ] {
        if count > total && fields.is_lenient() {
            // A part that is more than its whole says nothing.
            standing.success_count = standing.success_count.min(standing.times_applied);
            standing.causal_hits = standing.causal_hits.min(standing.use_count);
            continue;
        }
        if count > total {
            return Err(FieldError {
                line,
                code: "invalid_field",
                message: format!(
                    "{part} is {count}, but {whole} is only {total}; correct one of them"
                ),
            });
        }
    }
    Ok(standing)
}
