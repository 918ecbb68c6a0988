//! The lessons that are still to be asked about.

use super::review_state::ReviewState;
use lesson_types::{ReviewItem, ReviewReason, Trust};
use std::collections::BTreeSet;

/// The lessons that are dealt with or put off.
pub(super) struct Sight {
    pub(super) memory: ReviewState,
    /// Lessons with an act on its way.
    pub(super) gone: BTreeSet<String>,
}

impl Sight {
    /// True if nothing more is to be asked about a lesson.
    pub(super) fn is_gone(&self, item: &ReviewItem) -> bool {
        let only_pairs = item.reasons == [ReviewReason::NearDuplicate]
            && self.memory.knows_pairs(pairs_of(item));
        let settled =
            self.memory.is_kept(&item.key) || self.memory.is_answered(&item.slug) || only_pairs;
        // A text that nobody stands behind is asked about until somebody does.
        self.gone.contains(&item.slug) || (settled && item.trust == Trust::Approved)
    }

    pub(super) fn is_skipped(&self, item: &ReviewItem) -> bool {
        self.memory.is_skipped(&item.key)
    }

    /// The lesson without the question that was answered from the other side of the pair.
    pub(super) fn open_questions(&self, mut item: ReviewItem) -> ReviewItem {
        if item.reasons.len() > 1 && self.memory.knows_pairs(pairs_of(&item)) {
            item.reasons
                .retain(|reason| *reason != ReviewReason::NearDuplicate);
        }
        item
    }
}

pub(super) fn pairs_of(item: &ReviewItem) -> impl Iterator<Item = &String> {
    item.duplicates.iter().map(|other| &other.pair)
}
