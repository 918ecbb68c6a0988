//! The part of a trace that is asked for: a space has many lessons, and a page shows few.

use crate::convert;
use crate::fault::clip;
use crate::report::count;
use crate::validate;
use lesson_api::{ApiError, LeftOut, TraceEntry, TracePart, limits};
use lesson_core::{ExclusionCode, Trace};
use std::collections::BTreeMap;

/// Lessons of each reason when the request does not say.
const PAGE: u32 = 50;

/// A part of a trace, with what was asked for in bounds.
#[derive(Debug)]
pub(crate) struct Part {
    reason: Option<ExclusionCode>,
    /// Lower-cased.
    text: String,
    offset: usize,
    limit: usize,
}

impl Part {
    pub fn of(asked: &TracePart) -> Result<Self, ApiError> {
        validate::optional("trace_part.text", asked.text.as_ref(), limits::TITLE)?;
        let limit = validate::limit(asked.limit, PAGE, limits::PAGE).map_err(|error| {
            let message = format!("trace_part.{}", error.message);
            ApiError::invalid("trace_part.limit", message)
        })?;
        Ok(Self {
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

    fn fits(&self, trace: &Trace) -> bool {
        self.text.is_empty()
            || trace.slug.contains(&self.text)
            || trace.title.to_lowercase().contains(&self.text)
    }
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

/// The entries of a trace; with a part the answer's lessons and those of the part, and how many were left out for each
/// reason.
pub(crate) fn trace_of(
    trace: &[Trace],
    part: Option<&Part>,
) -> (Vec<TraceEntry>, Option<Vec<LeftOut>>) {
    let Some(part) = part else {
        return (trace.iter().map(convert::trace).collect(), None);
    };
    // Traces come with the best score first, and so do those of each reason.
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut entries = Vec::new();
    for one in trace {
        let Some(exclusion) = &one.exclusion else {
            entries.push(convert::trace(one));
            continue;
        };
        if !part.fits(one) {
            continue;
        }
        let before = counts.entry(exclusion.code.as_str()).or_default();
        let wanted = part.reason.is_none_or(|reason| reason == exclusion.code);
        if wanted && (part.offset..part.offset.saturating_add(part.limit)).contains(before) {
            entries.push(convert::trace(one));
        }
        *before += 1;
    }
    // In the order of the pipeline.
    let left_out = ExclusionCode::ALL
        .into_iter()
        .filter_map(|code| {
            let n = counts.get(code.as_str())?;
            Some(LeftOut {
                reason: code.as_str().to_owned(),
                count: count(*n),
            })
        })
        .collect();
    (entries, Some(left_out))
}
