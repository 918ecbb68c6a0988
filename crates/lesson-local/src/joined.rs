//! Making one answer of two stores' answers. Where one of them refuses, its refusal is the answer.

use lesson_types::{
    DecisionView, FeedbackGiven, OutcomeRecorded, Response, SessionRecorded, ToolSuggestions,
    Tracked,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Joins two answers of one type.
fn join<T: Serialize + DeserializeOwned>(
    mut first: Response,
    second: Response,
    with: impl FnOnce(&mut T, T),
) -> Response {
    if first.status != 200 {
        return first;
    }
    if second.status != 200 {
        return second;
    }
    let read = |response: &Response| serde_json::from_value::<T>(response.body.clone()).ok();
    if let (Some(mut one), Some(two)) = (read(&first), read(&second)) {
        with(&mut one, two);
        // What was made of JSON becomes JSON.
        first.body = serde_json::to_value(one).unwrap_or_default();
    }
    first
}

/// What was seen in both.
pub(crate) fn tracked(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut Tracked, two| {
        one.recorded |= two.recorded;
        one.detections.extend(two.detections);
    })
}

/// What an outcome moved in both.
pub(crate) fn outcomes(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut OutcomeRecorded, two| {
        one.lessons_updated += two.lessons_updated;
        one.effectiveness_recalculated
            .extend(two.effectiveness_recalculated);
        one.uncounted.extend(two.uncounted);
        one.repeated &= two.repeated;
    })
}

/// The lessons of a decision in both.
pub(crate) fn decisions(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut DecisionView, two| {
        one.lessons.extend(two.lessons);
        one.feedback.extend(two.feedback);
        one.opinions.extend(two.opinions);
        one.outcome = one.outcome.or(two.outcome);
    })
}

/// What feedback moved in both.
pub(crate) fn feedback(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut FeedbackGiven, two| {
        one.updated.extend(two.updated);
        one.repeated &= two.repeated;
    })
}

/// The servers that worked, by the records of both; the best first.
pub(crate) fn suggestions(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut ToolSuggestions, two| {
        let most = one.servers.len().max(two.servers.len());
        for server in two.servers {
            let same = |held: &&mut lesson_types::SuggestedServer| held.server == server.server;
            match one.servers.iter_mut().find(same) {
                Some(held) => {
                    held.score += server.score;
                    held.because.extend(server.because);
                }
                None => one.servers.push(server),
            }
        }
        one.servers
            .sort_by(|one, two| two.score.total_cmp(&one.score));
        one.servers.truncate(most);
        one.records += two.records;
    })
}

/// Puts feedback that the second store took into a session's answer.
pub(crate) fn session(answer: &mut Response, given: &Response) {
    let recorded = serde_json::from_value::<SessionRecorded>(answer.body.clone());
    let given = serde_json::from_value::<FeedbackGiven>(given.body.clone());
    let (Ok(mut recorded), Ok(given)) = (recorded, given) else {
        return;
    };
    let slugs: Vec<String> = given.updated.iter().map(|one| one.slug.clone()).collect();
    recorded.unknown.retain(|slug| !slugs.contains(slug));
    recorded.injected.extend(slugs);
    match &mut recorded.feedback {
        Some(feedback) => feedback.updated.extend(given.updated),
        None => recorded.feedback = Some(given),
    }
    answer.body = serde_json::to_value(recorded).unwrap_or_default();
}
