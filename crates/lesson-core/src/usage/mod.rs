//! Usage tracking (B): which recommended lessons an agent's reasoning applied.

use crate::event::Detection;
use crate::lesson::Lesson;
use crate::policy::UsagePolicy;
use crate::words::MatchType;

/// One detection per lesson, in the order given: how `reasoning` uses it.
pub fn detect(lessons: &[&Lesson], reasoning: &str, policy: &UsagePolicy) -> Vec<Detection> {
    let _ = (reasoning, policy);
    lessons
        .iter()
        .map(|lesson| Detection {
            lesson: lesson.slug.clone(),
            applied: false,
            match_type: MatchType::None,
            confidence: 0.0,
            quote: None,
        })
        .collect()
}
