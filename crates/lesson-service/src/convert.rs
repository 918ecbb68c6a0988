//! Domain types into the types of the interface, and its words into the domain's.

use lesson_core as core;
use lesson_core::{RankPolicy, to_rfc3339};
use lesson_types as api;

/// A vocabulary's word on the other side of the interface.
pub(crate) trait Convert<T> {
    /// The same word.
    fn convert(self) -> T;
}

macro_rules! same_words {
    ($($name:ident { $($variant:ident),+ })+) => {$(
        impl Convert<api::$name> for core::$name {
            fn convert(self) -> api::$name {
                match self { $(core::$name::$variant => api::$name::$variant),+ }
            }
        }
        impl Convert<core::$name> for api::$name {
            fn convert(self) -> core::$name {
                match self { $(api::$name::$variant => core::$name::$variant),+ }
            }
        }
    )+};
}

same_words! {
    Category { Architecture, Workflow, Security, Performance, Testing, Tooling, Communication, Domain }
    Kind { Strategy, Warning, Pattern, Evolved }
    Trust { Unreviewed, Approved, Quarantined }
    Verdict { Approve, Quarantine }
    BadgeKind { Proven, Testing, New }
    Qualification { Qualified, Pending, Excluded }
    MatchType { Explicit, Implicit, Mentioned, None }
    DecisionOutcome { Success, Failure, Pending }
    FeedbackOutcome { Delivered, PlanComplete, Blocked }
    ReviewReason { Quarantined, NearDuplicate, Disqualified, Pruning, BottomFive, NeverRated, Unreviewed }
    Measure { Meaning, Words }
}

/// A badge.
pub(crate) fn badge(badge: core::Badge) -> api::Badge {
    api::Badge {
        kind: badge.kind.convert(),
        text: badge.text,
    }
}

/// A lesson with its standing and what is derived from it.
pub(crate) fn lesson(lesson: &core::Lesson, policy: &RankPolicy) -> api::LessonView {
    let text = &lesson.text;
    api::LessonView {
        slug: lesson.slug.clone(),
        title: text.title.clone(),
        description: text.description.clone(),
        context: text.context.clone(),
        recommendation: text.recommendation.clone(),
        kind: lesson.kind().convert(),
        category: text.category.convert(),
        domain: text.domain.clone(),
        project_types: text.project_types.clone(),
        tech_stacks: text.tech_stacks.clone(),
        tags: text.tags.clone(),
        source: lesson.source.clone(),
        by: lesson.by.clone(),
        trust: lesson.trust.convert(),
        findings: lesson.findings.clone(),
        archived: lesson.archived,
        merged_into: lesson.merged_into.clone(),
        rev: lesson.rev,
        created_at: to_rfc3339(lesson.created_at),
        updated_at: to_rfc3339(lesson.updated_at),
        standing: standing(&lesson.standing),
        derived: derived(&lesson.standing, policy),
        content_hash: text.content_hash(),
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

fn derived(held: &core::Standing, policy: &RankPolicy) -> api::DerivedView {
    api::DerivedView {
        effectiveness_score: held.effectiveness_score(),
        success_rate: held.success_rate(),
        causal_adjusted: held.causal_adjusted(policy),
        effective_confidence: held.effective_confidence(policy),
        badge: badge(held.badge()),
        qualification: held.qualification(policy).convert(),
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

/// A market as the ranking reads it.
pub(crate) fn market(market: &api::Market) -> core::Market {
    core::Market {
        volatility: market.volatility.map(|volatility| match volatility {
            api::Volatility::Low => core::Volatility::Low,
            api::Volatility::Normal => core::Volatility::Normal,
            api::Volatility::High => core::Volatility::High,
        }),
        trend: market.trend.map(|trend| match trend {
            api::Trend::Bullish => core::Trend::Bullish,
            api::Trend::Bearish => core::Trend::Bearish,
            api::Trend::Sideways => core::Trend::Sideways,
        }),
        has_open_positions: market.has_open_positions,
        recent_loss_count: market.recent_loss_count,
    }
}

/// Relevance in words.
pub(crate) fn relevance(word: core::RelevanceWord) -> api::RelevanceWord {
    match word {
        core::RelevanceWord::Low => api::RelevanceWord::Low,
        core::RelevanceWord::Medium => api::RelevanceWord::Medium,
        core::RelevanceWord::High => api::RelevanceWord::High,
        core::RelevanceWord::VeryHigh => api::RelevanceWord::VeryHigh,
    }
}

/// One factor of a score.
pub(crate) fn factor(factor: &core::Factor) -> api::Factor {
    api::Factor {
        name: factor.name.to_owned(),
        kind: match factor.kind {
            core::FactorKind::Add => api::FactorKind::Add,
            core::FactorKind::Multiply => api::FactorKind::Multiply,
            core::FactorKind::Cap => api::FactorKind::Cap,
        },
        input: factor.input,
        weight: factor.weight,
        contribution: factor.contribution,
        running: factor.running,
        note: factor.note.clone(),
    }
}

/// What the ranking did with one lesson.
pub(crate) fn trace(trace: &core::Trace) -> api::TraceEntry {
    api::TraceEntry {
        slug: trace.slug.clone(),
        title: trace.title.clone(),
        rank: trace.rank,
        relevance: trace.relevance,
        score: trace.score,
        factors: trace.factors.iter().map(factor).collect(),
        excluded: trace
            .exclusion
            .as_ref()
            .map(|exclusion| exclusion.code.as_str().to_owned()),
        reason: trace
            .exclusion
            .as_ref()
            .map(|exclusion| exclusion.words.clone()),
    }
}

/// Numbers over all lessons.
pub(crate) fn stats(stats: core::Stats) -> api::Stats {
    let ranks = |list: Vec<core::LessonRank>| {
        list.into_iter()
            .map(|rank| api::LessonRank {
                slug: rank.slug,
                title: rank.title,
                badge: badge(rank.badge),
                effectiveness_score: rank.effectiveness_score,
                effectiveness: rank.effectiveness,
                times_surfaced: rank.times_surfaced,
            })
            .collect()
    };
    api::Stats {
        lessons: stats.lessons,
        archived: stats.archived,
        unreviewed: stats.unreviewed,
        quarantined: stats.quarantined,
        proven: stats.proven,
        total_surfaced: stats.total_surfaced,
        total_rated: stats.total_rated,
        lessons_surfaced: stats.lessons_surfaced,
        lessons_rated: stats.lessons_rated,
        top: ranks(stats.top),
        bottom: ranks(stats.bottom),
        pruning: ranks(stats.pruning),
        disqualified: stats.disqualified,
        never_rated: ranks(stats.never_rated),
        activity: stats
            .activity
            .into_iter()
            .map(|day| api::DayActivity {
                day: day.day,
                events: day.events,
            })
            .collect(),
    }
}
