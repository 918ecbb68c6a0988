//! Parting what one request says between two stores.

use lesson_types::{Body, Bulk, BulkItem, Feedback, Merge, SessionRecorded, limits};
use serde_json::Value;

/// Feedback on the lessons of each store; `None` for one that it is not about. A lesson that nobody has is the first
/// store's to refuse. Both are `None` when the body can't be read, which the first store says, too.
pub(crate) fn feedback(
    body: &Value,
    is_second: impl Fn(&str) -> bool,
) -> (Option<Value>, Option<Value>) {
    let Ok(whole) = serde_json::from_value::<Feedback>(body.clone()) else {
        return (None, None);
    };
    let part = |of_second: bool| {
        let keep = |slugs: &[String]| -> Vec<String> {
            let kept = slugs.iter().filter(|slug| is_second(slug) == of_second);
            kept.cloned().collect()
        };
        let lessons = keep(&whole.lessons);
        if lessons.is_empty() {
            return None;
        }
        let part = Feedback {
            causal: whole.causal.as_deref().map(keep),
            lessons,
            ..whole.clone()
        };
        serde_json::to_value(part).ok()
    };
    (part(false), part(true))
}

/// One act on the lessons of each store; `None` for one that it is not about. A lesson that nobody has is the first store's
/// to refuse, and so is a body that can't be read.
pub(crate) fn bulk(
    body: &Value,
    is_second: impl Fn(&str) -> bool,
) -> (Option<Value>, Option<Value>) {
    let Ok(whole) = serde_json::from_value::<Bulk>(body.clone()) else {
        return (None, None);
    };
    let part = |of_second: bool| {
        let lessons: Vec<BulkItem> = whole
            .lessons
            .iter()
            .filter(|item| is_second(&item.slug) == of_second)
            .cloned()
            .collect();
        if lessons.is_empty() {
            return None;
        }
        let part = Bulk {
            lessons,
            ..whole.clone()
        };
        serde_json::to_value(part).ok()
    };
    (part(false), part(true))
}

/// Finds the store that merges lessons: true if it is the second one. `Err` names two lessons that lie in different stores.
pub(crate) fn merge(
    body: &Value,
    is_second: impl Fn(&str) -> bool,
) -> Result<bool, (String, String)> {
    let Ok(merge) = serde_json::from_value::<Merge>(body.clone()) else {
        return Ok(false);
    };
    let side = is_second(&merge.into);
    match merge.from.into_iter().find(|slug| is_second(slug) != side) {
        Some(other) => Err((merge.into, other)),
        None => Ok(side),
    }
}

/// Feedback on the lessons that a session was shown and that the first store did not know; `None` without any, or when
/// the session did not say what came of it. `about` is the decision that it is, where the second store takes feedback on it.
pub(crate) fn rest_of_session(
    answer: &Body,
    transcript: &str,
    known: impl Fn(&str) -> bool,
    about: Option<String>,
) -> Option<Value> {
    let recorded: &SessionRecorded = answer.get()?;
    let lessons: Vec<String> = recorded
        .unknown
        .iter()
        .filter(|slug| known(slug))
        .cloned()
        .collect();
    if lessons.is_empty() {
        return None;
    }
    // Naming a lesson in the list of what was shown is not using it.
    let said = lesson_core::without_shown(transcript);
    let end = said.floor_char_boundary(limits::TEXT);
    let feedback = Feedback {
        lessons,
        outcome: recorded.outcome?,
        causal: None,
        outcome_text: said.get(..end).map(str::to_owned),
        decision_id: about,
    };
    serde_json::to_value(feedback).ok()
}
