//! Counts over all lessons, and the condition of the loop.

use crate::told::{Answer, Rows, Told, many, more};
use lesson_core::one_line;
use lesson_types::{
    Bands, DayActivity, Funnel, Health, HealthIssue, HealthStatus, LessonRank, LiftCounts,
    ModelHealth, RunCounts, Stats, StoreHealth, Supply,
};
use serde::Serialize;
use serde_json::Error;

/// Bytes of the counts beside the rows.
const BESIDE: usize = 1_200;

#[derive(Serialize)]
struct Rank<'a> {
    slug: &'a str,
    badge: &'a str,
    effectiveness_score: Option<f64>,
    ratings: u32,
    effectiveness: f64,
    times_surfaced: u32,
}

impl<'a> From<&'a LessonRank> for Rank<'a> {
    fn from(one: &'a LessonRank) -> Self {
        Self {
            slug: &one.slug,
            badge: &one.badge.text,
            effectiveness_score: one.effectiveness_score,
            ratings: one.ratings,
            effectiveness: one.effectiveness,
            times_surfaced: one.times_surfaced,
        }
    }
}

impl Rank<'_> {
    fn row(&self) -> String {
        let score = self.effectiveness_score.map_or_else(String::new, |score| {
            format!(
                ", score {score:.2} of {}",
                many(self.ratings as usize, "rating")
            )
        });
        format!(
            "- {}: {}{score}, effectiveness {:.2}, shown {}",
            self.slug, self.badge, self.effectiveness, self.times_surfaced
        )
    }
}

#[derive(Serialize)]
struct StatsData<'a> {
    lessons: u32,
    archived: u32,
    unreviewed: u32,
    quarantined: u32,
    proven: u32,
    total_surfaced: u32,
    total_rated: u32,
    lessons_surfaced: u32,
    lessons_rated: u32,
    top: Vec<Rank<'a>>,
    bottom: Vec<Rank<'a>>,
    pruning: Vec<Rank<'a>>,
    disqualified: u32,
    never_rated: Vec<Rank<'a>>,
    activity: Vec<&'a DayActivity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<&'a LiftCounts>,
}

/// Counts, the best and the worst.
pub(super) fn stats(stats: &Stats, room: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    told.say(format_args!(
        "{} in use, {} archived, {} unreviewed, {} quarantined, {} proven, {} kept from being recommended by their outcomes. Shown {} times ({} of them at least once), rated {} times ({}).",
        many(stats.lessons as usize, "lesson"),
        stats.archived,
        stats.unreviewed,
        stats.quarantined,
        stats.proven,
        stats.disqualified,
        stats.total_surfaced,
        stats.lessons_surfaced,
        stats.total_rated,
        stats.lessons_rated,
    ));
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let mut ranks = |title: &str, ranks: &'_ [LessonRank]| -> Result<usize, Error> {
        let all: Vec<Rank<'_>> = ranks.iter().map(Rank::from).collect();
        let (kept, lines) = rows.fit(all, Rank::row)?;
        if !lines.is_empty() {
            told.say(format_args!("{title}:\n{}", lines.join("\n")));
        }
        Ok(kept.len())
    };
    let top = ranks("Best by ratings", &stats.top)?;
    let bottom = ranks("Worst by ratings", &stats.bottom)?;
    let pruning = ranks("Candidates for pruning", &stats.pruning)?;
    let never_rated = ranks("Often shown, never rated", &stats.never_rated)?;
    // The latest days first, where there is no room for all.
    let (mut activity, mut days) = rows.fit(stats.activity.iter().rev().collect(), |day| {
        format!("{} {}", day.day, day.events)
    })?;
    activity.reverse();
    days.reverse();
    if !days.is_empty() {
        told.say(format_args!("Events by day: {}", days.join(", ")));
    }
    if let Some(counts) = &stats.measured {
        told.say(format_args!(
            "Measured by leaving lessons out at random: {} helping, {} hurting, {} with no difference seen, {} not known yet.",
            counts.helps, counts.hurts, counts.no_difference, counts.unknown
        ));
    }
    if let Some(count) = rows.left_out() {
        told.note(more(count, "row"));
    }
    told.with(StatsData {
        lessons: stats.lessons,
        archived: stats.archived,
        unreviewed: stats.unreviewed,
        quarantined: stats.quarantined,
        proven: stats.proven,
        total_surfaced: stats.total_surfaced,
        total_rated: stats.total_rated,
        lessons_surfaced: stats.lessons_surfaced,
        lessons_rated: stats.lessons_rated,
        top: first(&stats.top, top),
        bottom: first(&stats.bottom, bottom),
        pruning: first(&stats.pruning, pruning),
        disqualified: stats.disqualified,
        never_rated: first(&stats.never_rated, never_rated),
        activity,
        left_out: rows.left_out(),
        measured: stats.measured.as_ref(),
    })
}

fn first(ranks: &[LessonRank], count: usize) -> Vec<Rank<'_>> {
    ranks.iter().take(count).map(Rank::from).collect()
}

#[derive(Serialize)]
struct HealthData<'a> {
    status: HealthStatus,
    issues: Vec<&'a HealthIssue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    version: &'a str,
    runs: &'a RunCounts,
    supply: &'a Supply,
    feedback_last_7_days: u32,
    uses: u32,
    causal_ratio: Option<f64>,
    bands: Bands,
    funnel: Funnel,
    model: &'a ModelHealth,
    store: &'a StoreHealth,
    sync: &'a str,
}

/// The condition of the loop, and what should be looked at.
pub(super) fn health(health: &Health, room: usize) -> Result<Answer, Error> {
    let (funnel, bands) = (&health.funnel, &health.bands);
    let mut told = Told::default();
    told.say(format_args!(
        "Status: {}, version {}. Feedback in the last 7 days: {}. Recommended {}, applied {}, with an outcome {}, gone well {}.",
        health.status,
        health.version,
        health.feedback_last_7_days,
        funnel.surfaced,
        funnel.applied,
        funnel.outcome,
        funnel.success,
    ));
    let (runs, supply) = (&health.runs, &health.supply);
    told.say(format_args!(
        "Runs: {}: with an outcome {} of which {} went well, pending {}, control {}. Lessons to give: {}, left out for what came of them {}.",
        runs.runs,
        runs.with_outcome,
        runs.successes,
        runs.pending,
        runs.control,
        supply.lessons,
        supply.left_out,
    ));
    told.say(format_args!(
        "Lessons by effectiveness: {} consistently helpful, {} generally helpful, {} mixed or new, {} consistently unhelpful.{}",
        bands.consistently_helpful,
        bands.generally_helpful,
        bands.mixed_or_new,
        bands.consistently_unhelpful,
        health
            .causal_ratio
            .map_or_else(String::new, |ratio| format!(" A cause in {ratio:.2} of their {}.", many(health.uses as usize, "use"))),
    ));
    let model = match health.model.loaded {
        true => format!("lessons are found by meaning (model {})", health.model.id),
        false => "no model is loaded, lessons are found by keywords".to_owned(),
    };
    told.say(format_args!(
        "Search: {model}; {} with a vector, {} without. Store: {}, {}, {} not stored yet{}. Syncing: {}.",
        health.model.embedded,
        health.model.pending,
        health.store.kind,
        many(health.store.events as usize, "event"),
        health.store.unsaved,
        health
            .store
            .error
            .as_deref()
            .map_or_else(String::new, |error| format!(", failing: {}", one_line(error))),
        health.sync,
    ));
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let (issues, lines) = rows.fit(health.issues.iter().collect(), |issue| {
        format!(
            "- {} ({}): {} {}",
            issue.severity,
            issue.code,
            one_line(&issue.message),
            issue.remedy
        )
    })?;
    for line in lines {
        told.say(line);
    }
    if let Some(count) = rows.left_out() {
        told.note(more(count, "issue"));
    }
    told.with(HealthData {
        status: health.status,
        issues,
        left_out: rows.left_out(),
        version: &health.version,
        runs,
        supply,
        feedback_last_7_days: health.feedback_last_7_days,
        uses: health.uses,
        causal_ratio: health.causal_ratio,
        bands: *bands,
        funnel: *funnel,
        model: &health.model,
        store: &health.store,
        sync: &health.sync,
    })
}
