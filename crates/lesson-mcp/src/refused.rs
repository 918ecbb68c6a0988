//! The result of a call that was refused: what was wrong, and what to do.

use super::told::line;
use super::tools::KEY;
use lesson_core::one_line;
use lesson_types::{ApiError, ErrorBody, Response};
use serde_json::{Value, json};

/// A result that says what was wrong with a call, and what to do.
pub(super) fn refused(error: &ApiError, retry_after: Option<&str>) -> Value {
    // The header of HTTP is an argument here.
    let field = error.field.as_deref().map(|field| match field {
        "idempotency-key" => KEY,
        field => field,
    });
    let mut text = format!("{}: {}", error.code.as_str(), error.message);
    if let Some(field) = field {
        line(&mut text, format_args!("Argument: {}", one_line(field)));
    }
    if !error.candidates.is_empty() {
        line(
            &mut text,
            format_args!("Call again with one of: {}", error.candidates.join(", ")),
        );
    }
    if let Some(seconds) = retry_after {
        line(
            &mut text,
            format_args!(
                "Nothing is half-done. Call again in {} s with the same arguments and {KEY}.",
                one_line(seconds)
            ),
        );
    }
    let mut data = json!({ "code": error.code.as_str(), "message": error.message });
    if let Some(field) = field {
        data["field"] = field.into();
    }
    if !error.candidates.is_empty() {
        data["candidates"] = error.candidates.clone().into();
    }
    if let Some(seconds) = retry_after.and_then(|after| after.trim().parse::<u32>().ok()) {
        data["retry_after_seconds"] = seconds.into();
    }
    json!({
        "content": [
            { "type": "text", "text": text },
            { "type": "text", "text": json!({ "error": data }).to_string() },
        ],
        "isError": true,
    })
}

/// The result for an answer that is a refusal.
pub(super) fn failed(answer: &Response) -> Value {
    let retry_after = answer.headers.get("retry-after").map(String::as_str);
    match answer.body.get::<ErrorBody>() {
        Some(body) => refused(&body.error, retry_after),
        None => plain(&format!(
            "The request failed with status {}; try again later.",
            answer.status
        )),
    }
}

/// The result for an answer that is none of its type.
pub(super) fn unreadable(error: &serde_json::Error) -> Value {
    plain(&format!(
        "It was done, but the answer can't be told ({error}); please report this."
    ))
}

fn plain(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}
