//! The part of a trace that is asked for: a space has many lessons, and a page shows few.

use crate::handlers::stats::count;
use crate::http::fault::clip;
use crate::http::validate;
use lesson_core::{ExclusionCode, Ranking, TracePart};
use lesson_types::{ApiError, LeftOut, limits};

/// Lessons of each reason when the request does not say.
const PAGE: u32 = 50;

/// Checks the bounds of the part that was asked for.
pub(crate) fn part(asked: &lesson_types::TracePart) -> Result<TracePart, ApiError> {
    validate::optional("trace_part.text", asked.text.as_ref(), limits::TITLE)?;
    let limit = validate::limit(asked.limit, PAGE, limits::PAGE).map_err(|error| {
        let message = format!("trace_part.{}", error.message);
        ApiError::invalid("trace_part.limit", message)
    })?;
    Ok(TracePart {
        reason: asked.reason.as_deref().map(reason).transpose()?,
        text: asked
            .text
            .as_deref()
            .unwrap_or_default()
            .trim()
            .to_lowercase(),
        offset: asked.offset.unwrap_or(0) as usize,
        limit,
    })
}

fn reason(word: &str) -> Result<ExclusionCode, ApiError> {
    ExclusionCode::ALL
        .into_iter()
        .find(|code| code.as_str() == word)
        .ok_or_else(|| {
            ApiError::invalid(
                "trace_part.reason",
                format!(
                    "`{}` is no reason; use one of {}",
                    clip(word),
                    ExclusionCode::ALL.map(ExclusionCode::as_str).join(", ")
                ),
            )
        })
}

/// Counts the lessons that were left out for each reason, in the order of the pipeline.
pub(crate) fn left_out(ranking: &Ranking) -> Vec<LeftOut> {
    ranking
        .left_out
        .iter()
        .map(|(code, n)| LeftOut {
            reason: code.as_str().to_owned(),
            count: count(*n as usize),
        })
        .collect()
}
