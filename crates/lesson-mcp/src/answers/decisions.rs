//! Decisions: what was applied in them, and what came of them.

use super::lessons::UNDER_MEASUREMENT;
use crate::told::{Answer, Rows, Told, many, more, names};
use lesson_core::{beginning, fenced, one_line, visible};
use lesson_types::{
    DecisionLesson, DecisionOutcome, DecisionView, DetectionView, MatchType, OutcomeRecorded,
    Tracked, Uncounted,
};
use serde::Serialize;
use serde_json::Error;

/// Bytes of what is said beside the rows.
const BESIDE: usize = 500;
/// The longest quotation that an answer tells.
const QUOTE: usize = 240;
/// The longest query that an answer tells.
const QUERY: usize = 600;

#[derive(Serialize)]
struct Seen<'a> {
    slug: &'a str,
    applied: bool,
    match_type: MatchType,
    confidence: f64,
}

impl<'a> From<&'a DetectionView> for Seen<'a> {
    fn from(seen: &'a DetectionView) -> Self {
        Self {
            slug: &seen.slug,
            applied: seen.applied,
            match_type: seen.match_type,
            confidence: seen.confidence,
        }
    }
}

#[derive(Serialize)]
struct TrackedData<'a> {
    detections: Vec<Seen<'a>>,
    recorded: bool,
}

/// Tells which lessons a reasoning applied.
pub(super) fn tracked(answer: &Tracked, room: usize) -> Result<Answer, Error> {
    let seen = &answer.detections;
    let mut told = Told::default();
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    // Applied lessons come first, as they matter most.
    let mut ordered: Vec<Seen<'_>> = seen.iter().map(Seen::from).collect();
    ordered.sort_by_key(|one| !one.applied);
    let (detections, lines) = rows.fit(ordered, |one| {
        format!(
            "- {}: {} ({}, {:.2})",
            one.slug,
            how(one.applied),
            one.match_type,
            one.confidence
        )
    })?;
    if seen.is_empty() {
        told.note("No lesson was recommended for this decision, so there was nothing to record.");
    } else {
        let applied = seen.iter().filter(|one| one.applied).count();
        told.note(format_args!(
            "{}: {applied} of {} recommended for this decision applied.",
            if answer.recorded { "Recorded" } else { "Seen" },
            many(seen.len(), "lesson"),
        ));
        for line in lines {
            told.say(line);
        }
        if let Some(count) = rows.left_out() {
            told.note(format_args!(
                "{} recorded likewise; playbook_get_decision with max_tokens lists all.",
                were(count)
            ));
        }
        told.note("When you know what came of the decision, call playbook_record_outcome.");
    }
    told.with(TrackedData {
        detections,
        recorded: answer.recorded,
    })
}

fn how(applied: bool) -> &'static str {
    if applied { "applied" } else { "not applied" }
}

fn were(count: usize) -> String {
    match count {
        1 => "1 more lesson was".to_owned(),
        count => format!("{count} more lessons were"),
    }
}

#[derive(Serialize)]
struct OutcomeData<'a> {
    lessons_updated: u32,
    effectiveness_recalculated: Vec<&'a String>,
    uncounted: Vec<&'a Uncounted>,
    repeated: bool,
}

/// Tells what an outcome moved.
pub(super) fn outcome(answer: &OutcomeRecorded, room: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let (waiting, lines) = rows.fit(answer.uncounted.iter().collect(), |one| {
        format!("- {}: {}", one.slug, one.reason)
    })?;
    let (moved, _) = rows.fit(answer.effectiveness_recalculated.iter().collect(), |slug| {
        format!("{slug}, ")
    })?;
    let slugs: Vec<String> = moved.iter().map(|slug| (*slug).clone()).collect();
    let slugs = names(&slugs);
    if answer.repeated && answer.uncounted.is_empty() {
        told.note("This was recorded before, and counts once.");
    } else if !slugs.is_empty() {
        told.note(format_args!("Recorded. Counters moved for: {slugs}."));
    } else if answer.uncounted.is_empty() {
        told.note("Recorded. No lesson's counters moved: the outcome is pending or was known already, or no lesson was tracked as applied (playbook_track_usage does that).");
    } else {
        told.note("Recorded.");
    }
    for line in lines {
        told.say(line);
    }
    told.say(format_args!(
        "{} of the decision with this outcome.",
        many(answer.lessons_updated as usize, "lesson")
    ));
    if let Some(count) = rows.left_out() {
        told.note(format_args!(
            "{} recorded likewise; playbook_get_decision with max_tokens lists all.",
            were(count)
        ));
    }
    told.with(OutcomeData {
        lessons_updated: answer.lessons_updated,
        effectiveness_recalculated: moved,
        uncounted: waiting,
        repeated: answer.repeated,
    })
}

#[derive(Serialize)]
struct Quoted {
    quote: Option<String>,
}

#[derive(Serialize)]
struct InDecision<'a> {
    slug: &'a str,
    relevance: f64,
    applied: bool,
    match_type: MatchType,
    confidence: f64,
    counted: bool,
    untrusted: Quoted,
}

impl<'a> From<&'a DecisionLesson> for InDecision<'a> {
    fn from(one: &'a DecisionLesson) -> Self {
        let quote = one.quote.as_deref();
        Self {
            slug: &one.slug,
            relevance: one.relevance,
            applied: one.applied,
            match_type: one.match_type,
            confidence: one.confidence,
            counted: one.counted,
            untrusted: Quoted {
                quote: quote.map(|quote| beginning(&one_line(quote), QUOTE)),
            },
        }
    }
}

#[derive(Serialize)]
struct Asked {
    query: Option<String>,
}

#[derive(Serialize)]
struct DecisionData<'a> {
    id: &'a str,
    at: Option<&'a str>,
    domain: Option<&'a str>,
    lessons: Vec<InDecision<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    outcome: Option<DecisionOutcome>,
    pnl_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    under_measurement: Option<bool>,
    untrusted: Asked,
}

/// A decision, what was recommended for it, and what came of it.
pub(super) fn decision(answer: &DecisionView, room: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    told.say(format_args!(
        "Decision `{}`{}{}. Outcome: {}{}. {} recommended.",
        one_line(&answer.id),
        answer
            .at
            .as_deref()
            .map_or_else(String::new, |at| format!(" of {at}")),
        answer
            .domain
            .as_deref()
            .map_or_else(String::new, |domain| format!(
                ", domain `{}`",
                one_line(domain)
            )),
        answer
            .outcome
            .map_or("not known yet", DecisionOutcome::as_str),
        answer
            .pnl_percent
            .map_or_else(String::new, |percent| format!(" ({percent} %)")),
        many(answer.lessons.len(), "lesson"),
    ));
    let query = answer.query.as_deref();
    let query = query.map(|query| beginning(visible(query).trim(), QUERY.min(room)));
    if let Some(query) = query.as_deref().filter(|query| !query.is_empty()) {
        told.say(format_args!("Asked for:\n{}", fenced(query).trim_end()));
    }
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let lessons = answer.lessons.iter().map(InDecision::from).collect();
    let (lessons, lines) = rows.fit(lessons, |one| {
        let counted = if one.counted {
            ", its outcome counted"
        } else {
            ""
        };
        let quote = one.untrusted.quote.as_deref();
        let quote = quote.map_or_else(String::new, |quote| {
            format!("\n{}", fenced(quote).trim_end())
        });
        format!(
            "- {}: {} ({}, {:.2}), relevance {:.2}{counted}{quote}",
            one.slug,
            how(one.applied),
            one.match_type,
            one.confidence,
            one.relevance
        )
    })?;
    for line in lines {
        told.say(line);
    }
    if let Some(count) = rows.left_out() {
        told.note(more(count, "lesson"));
    }
    if answer.under_measurement == Some(true) {
        told.note(UNDER_MEASUREMENT);
    }
    told.with(DecisionData {
        id: &answer.id,
        at: answer.at.as_deref(),
        domain: answer.domain.as_deref(),
        lessons,
        left_out: rows.left_out(),
        outcome: answer.outcome,
        pnl_percent: answer.pnl_percent,
        under_measurement: answer.under_measurement,
        untrusted: Asked { query },
    })
}
