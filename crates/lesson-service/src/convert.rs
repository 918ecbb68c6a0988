//! Domain types into the types of the interface, where the two differ.

use lesson_core as core;
use lesson_core::{Millis, Policy, to_rfc3339};
use lesson_types as api;
use std::rc::Rc;

/// The constants and the time by which standings are read.
pub(crate) struct Reading {
    /// The constants in force.
    pub policy: Rc<Policy>,
    /// The time that lifts are brought to.
    pub now: Millis,
}

impl Reading {
    pub fn badge(&self, held: &core::Standing) -> api::Badge {
        held.badge_at(&self.policy.rank, self.now)
    }

    pub fn qualification(&self, held: &core::Standing) -> api::Qualification {
        held.qualification_at(&self.policy.rank, self.now)
    }

    pub fn lift(&self, held: &core::Standing) -> api::LiftBelief {
        core::lift_view(held, self.now)
    }
}

/// A lesson with its standing and what is derived from it.
pub(crate) fn lesson(lesson: &core::Lesson, reading: &Reading) -> api::LessonView {
    let text = &lesson.text;
    api::LessonView {
        slug: lesson.slug.clone(),
        title: text.title.clone(),
        description: text.description.clone(),
        context: text.context.clone(),
        recommendation: text.recommendation.clone(),
        kind: lesson.kind(),
        category: text.category,
        domain: text.domain.clone(),
        project_types: text.project_types.clone(),
        tech_stacks: text.tech_stacks.clone(),
        tags: text.tags.clone(),
        source: lesson.source.clone(),
        by: lesson.by.clone(),
        trust: lesson.trust,
        findings: lesson.findings.clone(),
        archived: lesson.archived,
        merged_into: lesson.merged_into.clone(),
        rev: lesson.rev,
        created_at: to_rfc3339(lesson.created_at),
        updated_at: to_rfc3339(lesson.updated_at),
        standing: standing(&lesson.standing),
        lift: reading.lift(&lesson.standing),
        derived: derived(&lesson.standing, reading),
        content_hash: text.content_hash(),
        measured: None,
        store: None,
        proposals: Vec::new(),
        proposed: None,
        extra: String::new(),
    }
}

/// The stored numbers.
pub(crate) fn standing(held: &core::Standing) -> api::StandingView {
    api::StandingView {
        confidence: held.confidence,
        frequency: held.frequency,
        upvotes: held.upvotes,
        downvotes: held.downvotes,
        times_surfaced: held.times_surfaced,
        times_helpful: held.times_helpful,
        times_not_helpful: held.times_not_helpful,
        effectiveness: held.effectiveness,
        use_count: held.use_count,
        causal_hits: held.causal_hits,
        times_applied: held.times_applied,
        success_count: held.success_count,
        consecutive_failures: held.consecutive_failures,
        proven_effective: held.proven_effective,
        qualified_at: held.qualified_at.map(to_rfc3339),
        last_used_at: held.last_used_at.map(to_rfc3339),
        last_feedback_at: held.last_feedback_at.map(to_rfc3339),
    }
}

fn derived(held: &core::Standing, reading: &Reading) -> api::DerivedView {
    let policy = &reading.policy.rank;
    api::DerivedView {
        effectiveness_score: held.effectiveness_score(),
        success_rate: held.success_rate(),
        causal_adjusted: held.causal_adjusted(policy),
        effective_confidence: held.effective_confidence(policy),
        badge: reading.badge(held),
        qualification: reading.qualification(held),
    }
}

/// Why something is recorded only, in words.
pub(crate) fn reason(why: core::WhyUncounted) -> String {
    why.words().to_owned()
}

/// A lesson's numbers after a rating or a vote.
pub(crate) fn rated(
    lesson: &core::Lesson,
    repeated: bool,
    uncounted: Option<core::WhyUncounted>,
) -> api::Rated {
    let held = &lesson.standing;
    api::Rated {
        slug: lesson.slug.clone(),
        confidence: held.confidence,
        times_helpful: held.times_helpful,
        times_not_helpful: held.times_not_helpful,
        upvotes: held.upvotes,
        downvotes: held.downvotes,
        effectiveness_score: held.effectiveness_score(),
        repeated,
        counted: uncounted.is_none(),
        reason: uncounted.map(reason),
    }
}

/// A lesson's numbers after feedback.
pub(crate) fn feedback_update(
    lesson: &core::Lesson,
    uncounted: Option<core::WhyUncounted>,
) -> api::FeedbackUpdate {
    api::FeedbackUpdate {
        slug: lesson.slug.clone(),
        effectiveness: lesson.standing.effectiveness,
        use_count: lesson.standing.use_count,
        causal_hits: lesson.standing.causal_hits,
        counted: uncounted.is_none(),
        reason: uncounted.map(reason),
    }
}

/// Converts the ranking's trace of one lesson. An agent does not read how many decisions drew a lesson and what came of
/// them: of numbers that move with each outcome it could tell where it was withheld.
pub(crate) fn trace(mut trace: core::Trace, is_for_agent: bool) -> api::TraceEntry {
    let (excluded, mut reason) = match trace.exclusion {
        Some(why) => (Some(why.code.as_str().to_owned()), Some(why.words)),
        None => (None, None),
    };
    if is_for_agent {
        if excluded.as_deref() == Some(core::ExclusionCode::Harms.as_str()) {
            reason = Some("runs go well less often with it, as far as seen".to_owned());
        }
        for factor in &mut trace.factors {
            if factor.name == "lift" {
                "by how much more often runs go well with it".clone_into(&mut factor.note);
            }
        }
    }
    api::TraceEntry {
        slug: trace.slug,
        title: trace.title,
        rank: trace.rank,
        relevance: trace.relevance,
        likelihood: trace.likelihood.as_ref().map(|(value, _)| *value),
        likelihood_formula: trace.likelihood.map(|(_, formula)| formula),
        score: trace.score,
        factors: trace.factors,
        excluded,
        reason,
    }
}
