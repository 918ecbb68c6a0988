//! Redacts secrets in requests before anything else reads them: what an agent says of its work is stored, and other
//! agents may read it.

use crate::http::fault::clip;
use crate::http::router::Route;
use crate::http::validate;
use lesson_core::Detection;
use lesson_types::{ApiError, EndpointName};
use serde_json::Value;

/// Replaces a text that addresses its reader, such as a prompt injection.
const HELD_BACK: &str = "[held back: it speaks to its reader]";

/// Fields whose text is stored, or what is stored is made of.
const FIELDS: &[&str] = &[
    "decision_id",
    "query",
    "domain",
    "project_type",
    "tech_stack",
    "phase",
    "reasoning",
    "outcome_text",
    "transcript",
    "server",
];

/// Redacts the secrets of a body whose texts are stored. Lessons are screened where they are made,
/// which says what was found.
///
/// # Errors
/// When a name speaks to whoever reads it: names are not held back, since they have to tell things
/// apart.
pub(crate) fn body(route: &Route, body: &mut Value) -> Result<(), ApiError> {
    let Some(fields) = body.as_object_mut().filter(|_| route.endpoint.keeps_text) else {
        return Ok(());
    };
    for name in FIELDS {
        match fields.get_mut(*name) {
            Some(Value::String(text)) => redact(text),
            Some(Value::Array(words)) => {
                for word in words {
                    if let Value::String(text) = word {
                        redact(text);
                    }
                }
            }
            _ => {}
        }
    }
    for name in ["decision_id", "server"] {
        if let Some(Value::String(text)) = fields.get(name) {
            plain(name, text)?;
        }
    }
    if route.is(EndpointName::record_tool_success)
        && let Some(Value::String(query)) = fields.get("query")
    {
        plain("query", query)?;
    }
    Ok(())
}

fn redact(text: &mut String) {
    if let Some(clean) = lesson_screen::redacted(text) {
        *text = clean;
    }
}

/// A text that does not speak to whoever reads it.
pub(crate) fn plain(field: &str, text: &str) -> Result<(), ApiError> {
    match lesson_screen::speaks(text) {
        None => Ok(()),
        Some(why) => Err(ApiError::invalid(
            field,
            format!(
                "`{}` {why}; other agents read it, so say it otherwise",
                clip(text)
            ),
        )),
    }
}

/// A text that other agents may read, or what stands for it.
pub(crate) fn readable(text: String) -> String {
    match lesson_screen::speaks(&text) {
        None => text,
        Some(_) => HELD_BACK.to_owned(),
    }
}

/// Detections whose quotes other agents may read.
pub(crate) fn quotes(mut detections: Vec<Detection>) -> Vec<Detection> {
    for seen in &mut detections {
        seen.quote = seen.quote.take().map(readable);
    }
    detections
}

/// A new slug that a request gives: short, without secrets, and no sentence to whoever reads it.
pub(crate) fn new_slug(slug: &str) -> Result<(), ApiError> {
    validate::new_slug("slug", slug)?;
    if lesson_screen::hides_secret(slug) {
        return Err(ApiError::invalid(
            "slug",
            "the slug holds what looks like a secret; name the lesson by what it says",
        ));
    }
    plain("slug", &slug.replace('-', " "))
}
