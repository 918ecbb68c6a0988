//! Requests for what was said in a session: the shown lessons that were applied, the lessons learned, and the outcome.

mod input;
mod keep;
pub(crate) mod pieces;

pub use input::{Kept, SessionInput};

use crate::fingerprint::fingerprint;
use crate::plan::post;
use crate::transcript::Sign;
use lesson_core::{Extracted, Policy, extract, without_shown};
use lesson_types::{DecisionOutcome, FeedbackOutcome, Outcome, Request, Session, Track};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Requests to send for a session, and the state to keep of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Send these in order. 404 from track and outcome says that nothing was recommended in the session, 409 that its
    /// outcome is settled; both are no faults.
    pub requests: Vec<Request>,
    /// Outcome that the session suggests where nobody told one; it counts once a person says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<Suggested>,
    /// Keep this until the session is recorded again, once the requests were answered.
    pub keep: Kept,
}

/// An outcome that a session's last test run or its commit points to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggested {
    /// The session's decision.
    pub decision_id: String,
    /// The outcome that it points to.
    pub outcome: DecisionOutcome,
    /// Why, in one sentence.
    pub because: String,
}

/// The requests alone: see [`record`].
pub fn session_requests(input: &SessionInput) -> Vec<Request> {
    record(input).requests
}

/// Makes the requests for what was said, and the state to keep for the session's end.
///
/// The keys of the requests are made of the session and of what is sent: the same pieces read twice count once. A headless
/// session is a session: whether a person or a tool started it, [`crate::plan_hook`] has told.
pub fn record(input: &SessionInput) -> Recorded {
    let policy = Policy::default().session;
    let heard = keep::heard(input);
    let mut requests = Vec::new();
    for reasoning in pieces::pieces(&without_shown(&heard.now)) {
        requests.push(keyed(
            &input.session,
            "/v1/track",
            reasoning,
            &Track {
                decision_id: input.decision_id.clone(),
                reasoning: reasoning.to_owned(),
            },
        ));
    }
    if !input.done {
        let learned = insights(&extract(&heard.now, &policy));
        requests.extend(session(input, learned));
        return Recorded {
            requests,
            keep: heard.all,
            ..Recorded::default()
        };
    }
    let said = format!("{}{}", input.kept.said, heard.now);
    let extracted = extract(&said, &policy);
    if extracted.outcome.is_some() || !extracted.insights.is_empty() {
        let transcript = with_shown(&said, &extracted, &heard.all);
        requests.extend(session(input, transcript));
    }
    if let Some(outcome) = heard.all.outcome {
        let outcome = match outcome {
            FeedbackOutcome::Blocked => DecisionOutcome::Failure,
            FeedbackOutcome::Delivered | FeedbackOutcome::PlanComplete => DecisionOutcome::Success,
        };
        requests.push(keyed(
            &input.session,
            "/v1/outcome",
            outcome.as_str(),
            &Outcome {
                decision_id: input.decision_id.clone(),
                outcome,
                pnl_percent: None,
            },
        ));
    }
    let all = &heard.all;
    let told = all.outcome.is_some() || all.gave_feedback;
    let keep = Kept {
        told: all.outcome.or(all.told),
        rated: if all.outcome.is_some() {
            let prompted = all.prompted.iter().filter(|slug| !all.shown.contains(slug));
            all.shown.iter().chain(prompted).cloned().collect()
        } else {
            all.rated.clone()
        },
        ..Kept::default()
    };
    let suggested = Sign::suggests(&heard.all.signs).filter(|_| !told);
    Recorded {
        requests,
        suggested: suggested.map(|(outcome, because)| Suggested {
            decision_id: input.decision_id.clone(),
            outcome,
            because,
        }),
        keep,
    }
}

/// A request that counts once for the same session and content.
pub(crate) fn keyed<T: Serialize>(session: &str, path: &str, content: &str, body: &T) -> Request {
    post(path, body, Some(fingerprint(&[session, path, content])))
}

fn session(input: &SessionInput, transcript: String) -> Option<Request> {
    (!transcript.trim().is_empty()).then(|| {
        let content = transcript.clone();
        let body = Session {
            transcript,
            decision_id: Some(input.decision_id.clone()).filter(|id| !id.is_empty()),
        };
        keyed(&input.session, "/v1/sessions", &content, &body)
    })
}

/// The insights alone, a line each: an outcome among them would count before the session is over.
fn insights(extracted: &Extracted) -> String {
    extracted
        .insights
        .iter()
        .filter(|insight| !insight.from_failure)
        .map(|insight| {
            let object = json!({ "content": insight.text, "tags": insight.tags });
            format!("INSIGHT: {object}\n")
        })
        .collect()
}

/// The transcript of a whole session, with a line that names the lessons shown. An agent that gave feedback itself has said
/// it all; one that named its lessons, all but those of its prompts to subagents.
fn with_shown(said: &str, extracted: &Extracted, all: &Kept) -> String {
    let said = pieces::end_of(said);
    if all.gave_feedback {
        return said.to_owned();
    }
    let own = &extracted.injected;
    let by_hooks = all.shown.iter().filter(|_| own.is_empty());
    let again = all.outcome.is_some() && all.outcome == all.told;
    let mut shown: Vec<&str> = Vec::new();
    for slug in by_hooks.chain(&all.prompted) {
        let rated = again && all.rated.contains(slug);
        if !rated && !own.contains(slug) && !shown.contains(&slug.as_str()) {
            shown.push(slug);
        }
    }
    if shown.is_empty() {
        return said.to_owned();
    }
    format!("INJECTED: {}\n{said}", shown.join(", "))
}
