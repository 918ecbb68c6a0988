//! Parting what one request says between two stores.

use lesson_service::without_shown;
use lesson_types::{Feedback, SessionRecorded, limits};
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

/// The first lesson that a request for several names.
pub(crate) fn first_slug(body: &Value) -> String {
    let named = body.get("into").or_else(|| {
        let first = body.get("lessons").and_then(|lessons| lessons.get(0))?;
        first.get("slug").or(Some(first))
    });
    let slug = named.and_then(Value::as_str);
    slug.unwrap_or_default().to_owned()
}

/// Feedback on the lessons that a session was shown and that the first store did not know; `None` without any, or when
/// the session did not say what came of it.
pub(crate) fn rest_of_session(
    answer: &Value,
    transcript: &str,
    known: impl Fn(&str) -> bool,
) -> Option<Value> {
    let recorded: SessionRecorded = serde_json::from_value(answer.clone()).ok()?;
    let lessons: Vec<String> = recorded
        .unknown
        .into_iter()
        .filter(|slug| known(slug))
        .collect();
    if lessons.is_empty() {
        return None;
    }
    // Naming a lesson in the list of what was shown is not using it.
    let said = without_shown(transcript);
    let end = said.floor_char_boundary(limits::TEXT);
    let feedback = Feedback {
        lessons,
        outcome: recorded.outcome?,
        causal: None,
        outcome_text: said.get(..end).map(str::to_owned),
        decision_id: None,
    };
    serde_json::to_value(feedback).ok()
}
