//! Stats and health: what a space says of itself.

use crate::instant::{DAY, Millis, day};
use crate::learning::Run;
use crate::lesson::Lesson;
use crate::policy::Policy;
use crate::space::{Decision, Space};
use lesson_types::{
    BadgeKind, Bands, DayActivity, DecisionOutcome, Funnel, LessonRank, Qualification, RunCounts,
    SessionFeedback, Stats, Supply, Trust,
};
use std::cmp::Ordering;

/// Lessons in a list of the best or the worst.
const LISTED: usize = 5;
/// Lessons in the list of those never rated: what a person may look through.
const NEVER_RATED_LISTED: usize = 50;
/// Candidates for pruning in the list.
const PRUNING_LISTED: usize = 50;
/// A session that began so long ago and told nothing is silent: half an hour, in milliseconds.
const SILENT_AFTER: Millis = 30 * 60 * 1_000;
/// Days of activity that are shown.
const ACTIVITY_DAYS: i64 = 30;

/// Signs that learning goes on (causal feedback).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Health {
    /// Feedback in the last seven days.
    pub feedback_last_7_days: u32,
    /// Uses that feedback names: Σ use_count.
    pub uses: u32,
    /// Σ causal_hits / Σ use_count; `None` without uses.
    pub causal_ratio: Option<f64>,
    /// Lessons per band.
    pub bands: Bands,
    /// Counts of runs, by outcome.
    pub runs: RunCounts,
    /// The lessons that there are to give to agents; without a remedy.
    pub supply: Supply,
    /// Surfaced → applied → outcome.
    pub funnel: Funnel,
    /// The sessions of the last seven days; `None` where they are not known one by one.
    pub sessions: Option<SessionFeedback>,
}

/// Stats as of `now` (effectiveness tracking). Archived lessons count only in `archived`.
pub fn stats(space: &Space, now: Millis, policy: &Policy) -> Stats {
    let mut stats = Stats::default();
    let mut rated = rated(space);
    let mut never_rated: Vec<&Lesson> = Vec::new();
    for lesson in space.lessons() {
        if lesson.archived {
            stats.archived += 1;
            continue;
        }
        let held = &lesson.standing;
        let ratings = held.times_helpful.saturating_add(held.times_not_helpful);
        stats.lessons += 1;
        stats.unreviewed += u32::from(lesson.trust == Trust::Unreviewed);
        stats.quarantined += u32::from(lesson.trust == Trust::Quarantined);
        let badge = held.badge_at(&policy.rank, now);
        stats.proven += u32::from(badge.kind == BadgeKind::Proven);
        let qualification = held.qualification_at(&policy.rank, now);
        stats.disqualified += u32::from(qualification != Qualification::Qualified);
        stats.total_surfaced = stats.total_surfaced.saturating_add(held.times_surfaced);
        stats.total_rated = stats.total_rated.saturating_add(ratings);
        stats.lessons_surfaced += u32::from(held.times_surfaced > 0);
        stats.lessons_rated += u32::from(ratings > 0);
        if is_never_rated(lesson, policy) {
            never_rated.push(lesson);
        }
    }
    rated.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| by_ratings(a.0, b.0)));
    // One that is rated below neutral is none of the best, however few are rated.
    let best = rated
        .iter()
        .filter(|(_, score)| *score >= policy.review.bottom_below);
    stats.top = best
        .take(LISTED)
        .map(|(l, _)| listed(l, (policy, now)))
        .collect();
    let bottom = worst(space, policy);
    stats.bottom = bottom
        .into_iter()
        .map(|(l, _)| listed(l, (policy, now)))
        .collect();
    let pruning = prunable(space, policy).into_iter();
    stats.pruning = pruning
        .take(PRUNING_LISTED)
        .map(|l| listed(l, (policy, now)))
        .collect();
    never_rated.sort_by(|a, b| {
        b.standing
            .times_surfaced
            .cmp(&a.standing.times_surfaced)
            .then_with(|| a.slug.cmp(&b.slug))
    });
    stats.never_rated = never_rated
        .into_iter()
        .take(NEVER_RATED_LISTED)
        .map(|l| listed(l, (policy, now)))
        .collect();
    let today = now.div_euclid(DAY);
    stats.activity = space
        .activity()
        .filter(|(day, _)| (today - ACTIVITY_DAYS + 1..=today).contains(day))
        .map(|(at, events)| DayActivity {
            day: day(at * DAY),
            events,
        })
        .collect();
    stats
}

/// True if a lesson was shown so often that a rating is missed.
pub(crate) fn is_never_rated(lesson: &Lesson, policy: &Policy) -> bool {
    let held = &lesson.standing;
    held.times_helpful == 0
        && held.times_not_helpful == 0
        && held.times_surfaced >= policy.rank.unhelpful_from_surfaced
}

/// The five worst lessons in use by effectiveness score, with it, worst first. A score that is
/// neutral or better is none of the worst.
pub(crate) fn worst<'a>(space: &'a Space, policy: &Policy) -> Vec<(&'a Lesson, f64)> {
    let mut rated = rated(space);
    rated.retain(|(_, score)| *score < policy.review.bottom_below);
    rated.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| by_ratings(a.0, b.0)));
    rated.truncate(LISTED);
    rated
}

/// The lessons in use that feedback speaks against so often that they are better archived, the
/// least effective first.
pub(crate) fn prunable<'a>(space: &'a Space, policy: &Policy) -> Vec<&'a Lesson> {
    let review = &policy.review;
    let mut lessons: Vec<&Lesson> = space
        .lessons()
        .filter(|lesson| {
            let held = &lesson.standing;
            !lesson.archived
                && held.effectiveness < review.prune_below
                && held.causal_hits >= review.prune_min_causal
        })
        .collect();
    lessons.sort_by(|a, b| {
        let (held, other) = (a.standing.effectiveness, b.standing.effectiveness);
        held.total_cmp(&other).then_with(|| a.slug.cmp(&b.slug))
    });
    lessons
}

/// The lessons in use that have an effectiveness score.
fn rated(space: &Space) -> Vec<(&Lesson, f64)> {
    space
        .lessons()
        .filter(|lesson| !lesson.archived)
        .filter_map(|lesson| Some((lesson, lesson.standing.effectiveness_score()?)))
        .collect()
}

/// Equal scores: the one with more ratings says more, either way.
fn by_ratings(a: &Lesson, b: &Lesson) -> Ordering {
    let ratings = |lesson: &Lesson| {
        u64::from(lesson.standing.times_helpful) + u64::from(lesson.standing.times_not_helpful)
    };
    ratings(b)
        .cmp(&ratings(a))
        .then_with(|| a.slug.cmp(&b.slug))
}

fn listed(lesson: &Lesson, (policy, now): (&Policy, Millis)) -> LessonRank {
    LessonRank {
        slug: lesson.slug.clone(),
        title: lesson.text.title.clone(),
        badge: lesson.standing.badge_at(&policy.rank, now),
        effectiveness_score: lesson.standing.effectiveness_score(),
        ratings: lesson
            .standing
            .times_helpful
            .saturating_add(lesson.standing.times_not_helpful),
        effectiveness: lesson.standing.effectiveness,
        times_surfaced: lesson.standing.times_surfaced,
    }
}

/// Health as of `now`. Feedback dated after `now` counts too: clocks differ.
pub fn health(space: &Space, now: Millis, policy: &Policy) -> Health {
    let since = now - i64::from(policy.session.health_days) * DAY;
    let mut health = Health {
        feedback_last_7_days: count(
            space
                .feedback_times()
                .iter()
                .filter(|at| **at >= since)
                .count(),
        ),
        sessions: Some(sessions(space, since, now)),
        runs: runs(space),
        supply: Supply {
            empty_runs: empty_runs(space),
            ..Supply::default()
        },
        ..Health::default()
    };
    let (mut hits, mut uses) = (0u64, 0u64);
    for lesson in space.lessons().filter(|lesson| !lesson.archived) {
        let held = &lesson.standing;
        if lesson.trust != Trust::Quarantined {
            let is_out = held.qualification_at(&policy.rank, now) != Qualification::Qualified;
            health.supply.lessons += 1;
            health.supply.left_out += u32::from(is_out);
        }
        hits += u64::from(held.causal_hits);
        uses += u64::from(held.use_count);
        let bands = &mut health.bands;
        let band = if held.effectiveness <= 0.25 {
            &mut bands.consistently_unhelpful
        } else if held.effectiveness <= 0.5 {
            &mut bands.mixed_or_new
        } else if held.effectiveness <= 0.75 {
            &mut bands.generally_helpful
        } else {
            &mut bands.consistently_helpful
        };
        *band += 1;
    }
    health.uses = u32::try_from(uses).unwrap_or(u32::MAX);
    health.causal_ratio = (uses > 0).then(|| hits as f64 / uses as f64);
    for record in space
        .decisions()
        .flat_map(|(_, decision)| &decision.records)
    {
        let funnel = &mut health.funnel;
        funnel.surfaced = funnel.surfaced.saturating_add(1);
        if !record.was_applied {
            continue;
        }
        funnel.applied += 1;
        if record.trade_outcome.is_some_and(DecisionOutcome::is_final) {
            funnel.outcome += 1;
            funnel.success += u32::from(record.contributed_to_success);
        }
    }
    health
}

/// Counts the runs of a space, by outcome. Costs a pass over its decisions.
fn runs(space: &Space) -> RunCounts {
    let mut told = RunCounts::default();
    for (_, decision, run) in Run::all(space) {
        told.runs += 1;
        if decision.is_control() {
            told.control += 1;
        } else if let Some((_, success)) = run.outcome {
            told.with_outcome += 1;
            told.successes += u32::from(success);
        } else {
            told.pending += 1;
        }
    }
    told
}

/// The runs since the newest that was given a lesson; 0 where none ever was.
fn empty_runs(space: &Space) -> u32 {
    let given = |decision: &&Decision| !decision.records.is_empty();
    let all = || space.decisions().map(|(_, decision)| decision);
    let Some(last) = all().filter(given).filter_map(|one| one.at).max() else {
        return 0;
    };
    let is_empty =
        |one: &&Decision| one.records.is_empty() && !one.is_control() && one.at > Some(last);
    count(all().filter(is_empty).count())
}

/// The sessions since a moment that were given lessons, and those of them that nothing was heard of. One that began a
/// moment ago may still go on. Sessions dated after `now` are heard later.
fn sessions(space: &Space, since: Millis, now: Millis) -> SessionFeedback {
    let mut told = SessionFeedback::default();
    let mut last: Option<(Millis, &str)> = None;
    for (id, decision) in space.decisions() {
        let Some(at) = decision.at.filter(|at| *at >= since) else {
            continue;
        };
        if decision.records.is_empty() {
            continue;
        }
        told.in_last_7_days += 1;
        let heard =
            decision.is_final() || !decision.feedback.is_empty() || !decision.opinions.is_empty();
        if heard || at > now - SILENT_AFTER {
            continue;
        }
        told.silent += 1;
        if last.is_none_or(|last| (at, id) > last) {
            last = Some((at, id));
        }
    }
    told.last_silent = last.map(|(_, id)| id.to_owned());
    told
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
