//! Sessions of the past: what their transcripts would add, before anything is sent.

use crate::plan::decision_of;
use crate::session::{keyed, pieces};
use crate::transcript::TranscriptRead;
use lesson_core::{Policy, extract, without_shown};
use lesson_types::{Category, FeedbackOutcome, Request, Session};
use serde::{Deserialize, Serialize};

/// Insights and outcome of a session of the past.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSummary {
    /// The session, as its transcript names it; empty when it does not.
    pub session: String,
    /// The folder that it began in.
    pub cwd: Option<String>,
    /// All folders that it worked in: what was learned in one store's project is none of another's.
    pub folders: Vec<String>,
    /// SHA-256 of the project's folder, where the transcript says no more of it.
    pub project_hash: Option<String>,
    /// Insights that it would add.
    pub insights: Vec<FoundInsight>,
    /// Outcome of the session, where it tells one.
    pub outcome: Option<FeedbackOutcome>,
    /// Lines that could not be read.
    pub skipped: u32,
    /// The agent's words that both were read from, to be sent by [`backfill_requests`].
    pub said: String,
}

/// An insight in a session of the past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundInsight {
    /// The slug that it would get; another one if a different lesson has it.
    pub slug: String,
    /// One line.
    pub title: String,
    /// The whole text.
    pub text: String,
    /// By the words in the text.
    pub category: Category,
    /// True if it was made of what blocked the session instead of being said.
    pub from_failure: bool,
}

/// Summarises the transcripts of one session, its subagents' first. `None` for a session in which no person took part or
/// nothing was told. Lessons that were shown then get no feedback: hooks have given it, or nobody had them.
pub fn backfill(reads: &[TranscriptRead]) -> Option<SessionSummary> {
    if reads.iter().any(|read| read.headless) {
        return None;
    }
    let all: String = reads.iter().map(|read| read.said.as_str()).collect();
    let said = without_shown(&all);
    let said = pieces::end_of(&said);
    let extracted = extract(said, &Policy::default().session);
    if extracted.insights.is_empty() && extracted.outcome.is_none() {
        return None;
    }
    let mut folders: Vec<String> = Vec::new();
    for folder in reads.iter().flat_map(|read| &read.folders) {
        if !folders.contains(folder) {
            folders.push(folder.clone());
        }
    }
    let first = |of: fn(&TranscriptRead) -> Option<&String>| reads.iter().find_map(of).cloned();
    let insights = extracted.insights.into_iter();
    Some(SessionSummary {
        session: first(|read| read.session.as_ref()).unwrap_or_default(),
        cwd: first(|read| read.cwd.as_ref()),
        folders,
        project_hash: first(|read| read.project_hash.as_ref()),
        insights: insights
            .map(|insight| FoundInsight {
                slug: insight.slug,
                title: insight.title,
                text: insight.text,
                category: insight.category,
                from_failure: insight.from_failure,
            })
            .collect(),
        outcome: extracted.outcome,
        skipped: reads
            .iter()
            .map(|read| read.skipped)
            .fold(0, u32::saturating_add),
        said: said.to_owned(),
    })
}

/// Makes the requests that send a session's insights; none where it has none. Sent twice, they count once.
pub fn backfill_requests(summary: &SessionSummary) -> Vec<Request> {
    if summary.insights.is_empty() {
        return Vec::new();
    }
    let transcript = summary.said.clone();
    let session = Session {
        transcript: transcript.clone(),
        // As the hooks send it, so that both count once.
        decision_id: Some(decision_of(&summary.session)).filter(|id| !id.is_empty()),
    };
    vec![keyed(
        &summary.session,
        "/v1/sessions",
        &transcript,
        &session,
    )]
}
