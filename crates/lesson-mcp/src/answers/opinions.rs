//! Feedback, ratings, votes and sessions.

use crate::told::{Answer, Rows, Told, many, names};
use lesson_core::{beginning, fenced, one_line};
use lesson_types::{
    FeedbackGiven, FeedbackOutcome, FeedbackUpdate, Insight, Rated, SessionRecorded,
};
use serde::Serialize;
use serde_json::Error;

/// Bytes of what is said beside the rows.
const BESIDE: usize = 700;
/// The longest insight that an answer repeats.
const INSIGHT: usize = 240;

/// Says whether something was recorded, or had been.
fn recorded(repeated: bool, counted: bool) -> &'static str {
    match (repeated, counted) {
        (true, false) => "This was recorded before.",
        (true, true) => "This was recorded before, and counts once.",
        (false, _) => "Recorded.",
    }
}

/// The reason why it does not count, where it is recorded only.
fn uncounted(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!(" It does not count: {reason}."),
        None => String::new(),
    }
}

#[derive(Serialize)]
struct FeedbackData<'a> {
    updated: Vec<&'a FeedbackUpdate>,
    repeated: bool,
}

/// Tells what feedback moved.
pub(super) fn feedback(answer: &FeedbackGiven, room: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    told.note(recorded(answer.repeated, true));
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let updated = updates(&mut told, &mut rows, answer)?;
    told.with(FeedbackData {
        updated,
        repeated: answer.repeated,
    })
}

fn updates<'a>(
    told: &mut Told,
    rows: &mut Rows,
    answer: &'a FeedbackGiven,
) -> Result<Vec<&'a FeedbackUpdate>, Error> {
    let (updated, lines) = rows.fit(answer.updated.iter().collect(), |one| {
        format!(
            "- {}: effectiveness {:.2}, a cause in {} of {}{}",
            one.slug,
            one.effectiveness,
            one.causal_hits,
            many(one.use_count as usize, "feedback"),
            uncounted(one.reason.as_deref()),
        )
    })?;
    for line in lines {
        told.say(line);
    }
    match answer.updated.len() - updated.len() {
        0 => {}
        1 => told.note("1 more lesson was recorded likewise."),
        count => told.note(format_args!("{count} more lessons were recorded likewise.")),
    }
    Ok(updated)
}

/// Tells what a rating or a vote moved.
pub(super) fn rated(answer: &Rated, _: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    told.say(format_args!(
        "{} {}: confidence {:.2}; ratings {} helpful, {} not{}; votes {} up, {} down.{}",
        recorded(answer.repeated, answer.counted),
        answer.slug,
        answer.confidence,
        answer.times_helpful,
        answer.times_not_helpful,
        answer
            .effectiveness_score
            .map_or_else(String::new, |score| format!(" (score {score:.2})")),
        answer.upvotes,
        answer.downvotes,
        uncounted(answer.reason.as_deref()),
    ));
    told.with(answer)
}

#[derive(Serialize)]
struct InsightText {
    text: String,
}

#[derive(Serialize)]
struct InsightData<'a> {
    slug: &'a str,
    added: bool,
    untrusted: InsightText,
}

impl<'a> From<&'a Insight> for InsightData<'a> {
    fn from(one: &'a Insight) -> Self {
        Self {
            slug: &one.slug,
            added: one.added,
            untrusted: InsightText {
                text: beginning(&one_line(&one.text), INSIGHT),
            },
        }
    }
}

#[derive(Serialize)]
struct SessionData<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<FeedbackOutcome>,
    injected: Vec<&'a String>,
    unknown: Vec<&'a String>,
    insights: Vec<InsightData<'a>>,
    causal: Vec<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<FeedbackData<'a>>,
}

/// Tells what was learned in a session, and what came of it.
pub(super) fn session(answer: &SessionRecorded, room: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let insights: Vec<InsightData<'_>> = answer.insights.iter().map(InsightData::from).collect();
    let new = insights.iter().filter(|one| one.added).count();
    told.say(format_args!(
        "{} read, {new} new.",
        many(insights.len(), "insight")
    ));
    let all = insights.len();
    let (insights, lines) = rows.fit(insights, |one| {
        let new = if one.added { "new" } else { "known" };
        format!("{} ({new}): {}", one.slug, one.untrusted.text)
    })?;
    if !lines.is_empty() {
        told.say(fenced(&lines.join("\n")).trim_end());
    }
    if insights.len() < all {
        told.note(format_args!(
            "{} more were kept likewise.",
            many(all - insights.len(), "insight")
        ));
    }
    let feedback = match &answer.feedback {
        Some(feedback) => {
            let came = answer.outcome.map_or("", FeedbackOutcome::as_str);
            told.note(format_args!("Outcome {came}; feedback recorded."));
            Some(FeedbackData {
                updated: updates(&mut told, &mut rows, feedback)?,
                repeated: feedback.repeated,
            })
        }
        None => {
            told.note("No feedback was recorded: that takes an INJECTED: line with lessons that are known here, and a DELIVERED: or BLOCKED: line.");
            if let Some(outcome) = answer.outcome {
                told.say(format_args!("Outcome: {}.", outcome.as_str()));
            }
            None
        }
    };
    let mut listed = |title: &str, slugs: &'_ [String]| -> Result<usize, Error> {
        let (kept, _) = rows.fit(slugs.iter().collect(), |slug| format!("{slug}, "))?;
        let count = kept.len();
        let rest = slugs.len() - count;
        if !slugs.is_empty() {
            let more = match rest {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            told.say(format_args!("{title}: {}{more}", names(&slugs[..count])));
        }
        Ok(count)
    };
    let injected = listed("Shown in it", &answer.injected)?;
    let causal = listed("Causes", &answer.causal)?;
    let unknown = listed("No lessons here", &answer.unknown)?;
    told.with(SessionData {
        outcome: answer.outcome,
        injected: answer.injected.iter().take(injected).collect(),
        unknown: answer.unknown.iter().take(unknown).collect(),
        insights,
        causal: answer.causal.iter().take(causal).collect(),
        feedback,
    })
}
