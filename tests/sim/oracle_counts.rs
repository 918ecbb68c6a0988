//! Counters told from the events alone, without the core's fold.

use lesson_core::{Event, Happening, Space};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, PartialEq, Eq, Debug)]
struct Counted {
    helpful: u32,
    not_helpful: u32,
    upvotes: u32,
    downvotes: u32,
    uses: u32,
    causal: u32,
    surfaced: u32,
    edits: u32,
    archived: bool,
}

/// Whether every lesson's counters are the number of the events that moved them, and only those
/// are archived that somebody archived, or merged, last. Counters that a merge added up are left
/// out.
///
/// # Errors
/// Names the lesson.
pub fn hold(space: &Space, ledger: &[Event]) -> Result<(), String> {
    let mut lessons: BTreeMap<&str, Counted> = BTreeMap::new();
    let mut merged: BTreeSet<&str> = BTreeSet::new();
    for event in ledger {
        count(&event.event, &mut lessons, &mut merged);
    }
    for lesson in space.lessons() {
        let Some(counted) = lessons.get_mut(&*lesson.slug) else {
            return Err(format!("`{}` came from nowhere", lesson.slug));
        };
        let held = &lesson.standing;
        let mut found = Counted {
            helpful: held.times_helpful,
            not_helpful: held.times_not_helpful,
            upvotes: held.upvotes,
            downvotes: held.downvotes,
            uses: held.use_count,
            causal: held.causal_hits,
            surfaced: held.times_surfaced,
            edits: lesson.rev - 1,
            archived: lesson.archived,
        };
        if merged.contains(&*lesson.slug) {
            found = Counted {
                edits: found.edits,
                archived: found.archived,
                ..Counted::default()
            };
            *counted = Counted {
                edits: counted.edits,
                archived: counted.archived,
                ..Counted::default()
            };
        }
        if found != *counted {
            return Err(format!(
                "`{}` has {found:?}, but its events say {counted:?}",
                lesson.slug
            ));
        }
    }
    Ok(())
}

fn count<'a>(
    event: &'a Happening,
    lessons: &mut BTreeMap<&'a str, Counted>,
    merged: &mut BTreeSet<&'a str>,
) {
    match event {
        Happening::LessonAdded { lesson } => {
            lessons.insert(&lesson.slug, Counted::default());
        }
        Happening::LessonEdited { lesson, .. } => lessons.entry(lesson).or_default().edits += 1,
        Happening::LessonArchived { lesson } => lessons.entry(lesson).or_default().archived = true,
        Happening::LessonRestored { lesson } => {
            lessons.entry(lesson).or_default().archived = false;
        }
        Happening::LessonsMerged { into, from } => {
            merged.insert(into);
            for slug in from {
                merged.insert(slug);
                lessons.entry(slug).or_default().archived = true;
            }
        }
        Happening::Surfaced { items, .. } => {
            let slugs: BTreeSet<&str> = items.iter().map(|item| &*item.lesson).collect();
            for slug in slugs {
                lessons.entry(slug).or_default().surfaced += 1;
            }
        }
        Happening::FeedbackGiven {
            lessons: named,
            causal,
            ..
        } => {
            let named: BTreeSet<&str> = named.iter().map(|slug| &**slug).collect();
            for slug in named {
                let counted = lessons.entry(slug).or_default();
                counted.uses += 1;
                counted.causal += u32::from(causal.iter().any(|one| one == slug));
            }
        }
        Happening::Rated { lesson, helpful } => {
            let counted = lessons.entry(lesson).or_default();
            counted.helpful += u32::from(*helpful);
            counted.not_helpful += u32::from(!*helpful);
        }
        Happening::Voted { lesson, up } => {
            let counted = lessons.entry(lesson).or_default();
            counted.upvotes += u32::from(*up);
            counted.downvotes += u32::from(!*up);
        }
        Happening::LessonReviewed { .. }
        | Happening::UsageTracked { .. }
        | Happening::OutcomeRecorded { .. }
        | Happening::ToolSucceeded { .. } => {}
    }
}
