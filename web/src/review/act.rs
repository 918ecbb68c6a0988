//! Answers that a person can give to a lesson in the review queue, and the requests that tell the engine.

use crate::format;
use lesson_types::{Merge, Rate, Review, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An answer to a lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// The text with this hash is approved.
    Approve {
        /// Hash of the text that the person saw.
        content_hash: String,
        /// Why, where the text was held back.
        #[serde(default)]
        reason: Option<String>,
    },
    /// It helped, or not.
    Rate {
        /// True if it helped.
        helpful: bool,
    },
    /// Its run of failures is forgiven.
    Trial,
    /// Out of use.
    Archive,
    /// One lesson takes in another that says the same.
    Merge {
        /// The one that stays.
        into: String,
        /// The one that is archived.
        from: String,
    },
    /// It may stay as it is. Pairs of near duplicates are kept apart in the space, the rest is remembered in this browser.
    Keep,
    /// Later.
    Skip,
}

impl Act {
    /// Names the act as done, as the beginning of a sentence.
    pub fn done(&self) -> &'static str {
        match self {
            Self::Approve { .. } => "Approved",
            Self::Rate { helpful: true } => "Rated helpful:",
            Self::Rate { helpful: false } => "Rated not helpful:",
            Self::Trial => "Another trial for",
            Self::Archive => "Archived",
            Self::Merge { .. } => "Merged",
            Self::Keep => "Kept",
            Self::Skip => "Skipped",
        }
    }

    /// The request that carries it out; `None` where the engine is not told.
    pub fn request(&self, slug: &str) -> Option<(String, Value)> {
        let path = |act| format!("/v1/lessons/{}/{act}", format::encode(slug));
        Some(match self {
            Self::Approve {
                content_hash,
                reason,
            } => (
                path("review"),
                json(&Review {
                    verdict: Verdict::Approve,
                    content_hash: Some(content_hash.clone()),
                    reason: reason.clone(),
                }),
            ),
            Self::Rate { helpful } => (
                "/v1/rate".to_owned(),
                json(&Rate {
                    lesson: slug.to_owned(),
                    helpful: *helpful,
                    decision_id: None,
                }),
            ),
            Self::Trial => (path("trial"), Value::Null),
            Self::Archive => (path("archive"), Value::Null),
            Self::Merge { into, from } => (
                "/v1/lessons/merge".to_owned(),
                json(&Merge {
                    into: into.clone(),
                    from: vec![from.clone()],
                }),
            ),
            Self::Keep | Self::Skip => return None,
        })
    }

    /// True if another request undoes it, so that it need not wait.
    pub fn has_inverse(&self) -> bool {
        matches!(self, Self::Archive)
    }
}

/// A body; the API's types always have such a form.
fn json(body: &impl Serialize) -> Value {
    serde_json::to_value(body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn acts_are_told_by_their_requests() {
        let path = |act: Act| act.request("a-lesson").map(|(path, _)| path);
        let approve = Act::Approve {
            content_hash: "h".into(),
            reason: None,
        };
        assert_eq!(
            approve.request("a-lesson"),
            Some((
                "/v1/lessons/a-lesson/review".into(),
                serde_json::json!({"verdict": "approve", "content_hash": "h"})
            ))
        );
        assert_eq!(
            path(Act::Archive),
            Some("/v1/lessons/a-lesson/archive".into())
        );
        assert_eq!(path(Act::Trial), Some("/v1/lessons/a-lesson/trial".into()));
        assert!(
            !Act::Trial.has_inverse(),
            "it waits, so that it can be undone"
        );
        assert_eq!(path(Act::Keep), None);
        assert_eq!(path(Act::Skip), None);
    }
}
