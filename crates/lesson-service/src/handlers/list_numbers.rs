//! Orders of lists that take more than the lesson itself: how its success moved, and what stands out.

use crate::convert::Reading;
use crate::state::snapshot::State;
use lesson_core::{BadgeKind, LiftVerdict, Millis, Qualification, SALT_SETTING, Space, Trust};
use std::collections::HashMap;

/// A number for each lesson that has one, by its slug.
pub(crate) type Numbers = HashMap<String, f64>;

/// Computes how far the success of lessons moved over the last 13 weeks, from the first week that is known to the last,
/// −1 to 1. Costs one pass over lessons and decisions.
pub(crate) fn trends(space: &Space, now: Millis) -> Numbers {
    let slugs: Vec<&str> = space.lessons().map(|lesson| lesson.slug.as_str()).collect();
    let courses = lesson_core::courses(space, &slugs, now);
    let moved = slugs.iter().zip(courses).filter_map(|(slug, course)| {
        let mut known = course.success.into_iter().flatten();
        let first = known.next()?;
        let last = known.next_back()?;
        Some(((*slug).to_owned(), last - first))
    });
    moved.collect()
}

/// Weighs what stands out of lessons, weightiest highest: what needs a person, then what is known to work, then what
/// nobody has looked at.
pub(crate) fn standouts(state: &State, reading: &Reading) -> Numbers {
    let mut numbers: Numbers = state
        .space
        .lessons()
        .filter_map(|lesson| {
            let number = match (lesson.trust, reading.qualification(&lesson.standing)) {
                (Trust::Quarantined, _) => 6.0,
                (_, Qualification::Pending | Qualification::Excluded) => 4.0,
                _ if reading.badge(&lesson.standing).kind == BadgeKind::Proven => 2.0,
                (Trust::Unreviewed, _) => 1.0,
                _ => return None,
            };
            Some((lesson.slug.clone(), number))
        })
        .collect();
    // Where nothing was ever measured there is nothing to read of it.
    if state.space.setting(SALT_SETTING).is_some() {
        state.with_effects(|effects| {
            for held in &effects.lessons {
                let number: f64 = match held.verdict {
                    LiftVerdict::Hurts => 5.0,
                    LiftVerdict::Helps => 3.0,
                    _ => continue,
                };
                // A lesson held back stays first: nobody is given it.
                if let Some(lesson) = state.space.lesson(&held.slug)
                    && lesson.trust != Trust::Quarantined
                {
                    numbers.insert(lesson.slug.clone(), number);
                }
            }
        });
    }
    numbers
}
