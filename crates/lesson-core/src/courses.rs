//! The recent use of lessons: when each was last used, and its success week by week.

use crate::instant::{DAY, Millis};
use crate::space::Space;
use std::collections::HashMap;

/// Weeks of a course: about a quarter, as far back as a list shows.
pub const WEEKS: usize = 13;
/// Weeks that one point stands for: a lesson is applied a few times a week at most, and a share of so few jumps.
const SPAN: usize = 4;
const WEEK: Millis = 7 * DAY;

/// A lesson's recent use: its last time, and its success week by week.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// When it was last applied, or named in feedback.
    pub last_used_at: Option<Millis>,
    /// For each of the last 13 weeks before `now`, oldest first: of the decisions of that week and the three before
    /// in which it was applied and that have an outcome, the share that went well; `None` without any.
    pub success: Vec<Option<f64>>,
}

/// The courses of these lessons, in their order. Costs one pass over all decisions.
pub fn courses(space: &Space, slugs: &[&str], now: Millis) -> Vec<Course> {
    let places: HashMap<&str, usize> = slugs.iter().copied().zip(0..).collect();
    // (went well, all) of each week, with those that only the first points reach back to.
    let mut weeks = vec![[(0_u32, 0_u32); WEEKS + SPAN - 1]; slugs.len()];
    let mut used: Vec<Option<Millis>> = slugs
        .iter()
        .map(|slug| space.lesson(slug)?.standing.last_used_at)
        .collect();
    for (_, decision) in space.decisions() {
        for record in decision.records.iter().filter(|record| record.was_applied) {
            let Some(place) = places.get(record.lesson.as_str()).copied() else {
                continue;
            };
            if let Some(held) = used.get_mut(place) {
                *held = (*held).max(Some(record.at));
            }
            let ago = now.saturating_sub(record.at).max(0) / WEEK;
            let week = usize::try_from(ago)
                .ok()
                .and_then(|ago| (WEEKS + SPAN - 2).checked_sub(ago));
            if let (Some(week), true) = (week, decision.is_final())
                && let Some((well, all)) = weeks.get_mut(place).and_then(|held| held.get_mut(week))
            {
                *well += u32::from(record.contributed_to_success);
                *all += 1;
            }
        }
    }
    let points = |weeks: [(u32, u32); WEEKS + SPAN - 1]| {
        let spans = weeks.windows(SPAN).map(|span| {
            let (well, all) = span
                .iter()
                .fold((0, 0), |sum, week| (sum.0 + week.0, sum.1 + week.1));
            (all > 0).then(|| f64::from(well) / f64::from(all))
        });
        spans.collect()
    };
    used.into_iter()
        .zip(weeks)
        .map(|(last_used_at, weeks)| Course {
            last_used_at,
            success: points(weeks),
        })
        .collect()
}

/// When each lesson was last applied, or named in feedback; lessons that never were are not in it. Costs one pass over
/// lessons and decisions.
pub fn last_used(space: &Space) -> HashMap<&str, Millis> {
    let mut used: HashMap<&str, Millis> = space
        .lessons()
        .filter_map(|lesson| Some((lesson.slug.as_str(), lesson.standing.last_used_at?)))
        .collect();
    for (_, decision) in space.decisions() {
        for record in decision.records.iter().filter(|record| record.was_applied) {
            let held = used.entry(&record.lesson).or_insert(record.at);
            *held = record.at.max(*held);
        }
    }
    used
}
