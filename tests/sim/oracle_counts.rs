//! Counters told from the events alone, without the core's fold.

use lesson_core::{DecisionOutcome, Event, Happening, Space};
use serde_json::Value;
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
    applied: u32,
    successes: u32,
    failures_in_a_row: u32,
    trial_from: u32,
}

/// What was told so far.
#[derive(Default)]
struct Told<'a> {
    lessons: BTreeMap<&'a str, Counted>,
    merged: BTreeSet<&'a str>,
    decisions: BTreeMap<&'a str, Decided<'a>>,
    /// Who said what of which lesson in which decision: once each.
    opinions: BTreeSet<(&'a str, &'a str, &'a str, bool)>,
    feedback: BTreeSet<(&'a str, &'a str)>,
    settings: BTreeMap<&'a str, &'a Value>,
}

#[derive(Default)]
struct Decided<'a> {
    outcome: Option<DecisionOutcome>,
    /// In the order in which they were first recommended, and whether they were applied and counted.
    lessons: Vec<(&'a str, bool, bool)>,
}

/// Whether every lesson's counters are the number of the events that moved them, and only those
/// are archived that somebody archived, or merged, last. Counters that a merge added up are left
/// out.
///
/// # Errors
/// Names the lesson.
pub fn hold(space: &Space, ledger: &[Event]) -> Result<(), String> {
    let mut told = Told::default();
    for event in ledger {
        told.count(event);
    }
    if !told.settings.into_iter().eq(space.settings()) {
        return Err("the settings are not what was set last".to_owned());
    }
    let (mut lessons, merged) = (told.lessons, told.merged);
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
            applied: held.times_applied,
            successes: held.success_count,
            failures_in_a_row: held.consecutive_failures,
            trial_from: held.trial_from,
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

impl<'a> Told<'a> {
    fn lesson(&mut self, slug: &'a str) -> &mut Counted {
        self.lessons.entry(slug).or_default()
    }

    fn count(&mut self, event: &'a Event) {
        let by = &*event.by;
        match &event.event {
            Happening::LessonAdded { lesson } => {
                self.lessons.insert(&lesson.slug, Counted::default());
            }
            Happening::LessonEdited { lesson, .. } => self.lesson(lesson).edits += 1,
            Happening::LessonArchived { lesson } => self.lesson(lesson).archived = true,
            Happening::LessonRestored { lesson } => self.lesson(lesson).archived = false,
            Happening::LessonsMerged { into, from } => {
                self.merged.insert(into);
                for slug in from {
                    self.merged.insert(slug);
                    self.lesson(slug).archived = true;
                }
            }
            Happening::Surfaced { items, context, .. } => {
                let slugs: BTreeSet<&str> = items.iter().map(|item| &*item.lesson).collect();
                for slug in slugs {
                    self.lesson(slug).surfaced += 1;
                }
                if let Some(id) = &context.decision_id {
                    let decided = self.decisions.entry(id).or_default();
                    for item in items {
                        if !decided
                            .lessons
                            .iter()
                            .any(|(slug, ..)| *slug == item.lesson)
                        {
                            decided.lessons.push((&item.lesson, false, false));
                        }
                    }
                }
            }
            Happening::UsageTracked {
                decision_id,
                detections,
            } => {
                let decided = self.decisions.entry(decision_id).or_default();
                for (slug, applied, _) in &mut decided.lessons {
                    *applied |= detections
                        .iter()
                        .any(|seen| seen.applied && seen.lesson == *slug);
                }
                self.settle(decision_id);
            }
            Happening::OutcomeRecorded {
                decision_id,
                outcome,
                ..
            } => {
                let decided = self.decisions.entry(decision_id).or_default();
                if decided.outcome.is_none() && outcome.is_final() {
                    decided.outcome = Some(*outcome);
                }
                self.settle(decision_id);
            }
            Happening::FeedbackGiven {
                lessons,
                causal,
                decision_id,
                ..
            } => {
                if let Some(id) = decision_id
                    && !self.feedback.insert((id, by))
                {
                    return;
                }
                let named: BTreeSet<&str> = lessons.iter().map(|slug| &**slug).collect();
                for slug in named {
                    let counted = self.lesson(slug);
                    counted.uses += 1;
                    counted.causal += u32::from(causal.iter().any(|one| one == slug));
                }
            }
            Happening::Rated {
                lesson,
                helpful,
                decision_id,
            } => {
                if self.is_new(decision_id.as_deref(), by, lesson, false) {
                    let counted = self.lesson(lesson);
                    counted.helpful += u32::from(*helpful);
                    counted.not_helpful += u32::from(!*helpful);
                }
            }
            Happening::Voted {
                lesson,
                up,
                decision_id,
            } => {
                if self.is_new(decision_id.as_deref(), by, lesson, true) {
                    let counted = self.lesson(lesson);
                    counted.upvotes += u32::from(*up);
                    counted.downvotes += u32::from(!*up);
                }
            }
            Happening::TrialGranted { lesson } => {
                let counted = self.lesson(lesson);
                counted.failures_in_a_row = 0;
                counted.trial_from = counted.applied;
            }
            Happening::PolicyChanged { changes } => {
                for (name, value) in changes {
                    match value {
                        Value::Null => self.settings.remove(&**name),
                        value => self.settings.insert(name, value),
                    };
                }
            }
            Happening::LessonReviewed { .. } | Happening::ToolSucceeded { .. } => {}
        }
    }

    fn is_new(&mut self, id: Option<&'a str>, by: &'a str, lesson: &'a str, vote: bool) -> bool {
        id.is_none_or(|id| self.opinions.insert((id, by, lesson, vote)))
    }

    /// Counts a final outcome in the lessons that were applied.
    fn settle(&mut self, id: &str) {
        let Some(decided) = self.decisions.get_mut(id) else {
            return;
        };
        let Some(outcome) = decided.outcome else {
            return;
        };
        for (slug, applied, counted) in &mut decided.lessons {
            if !*applied || std::mem::replace(counted, true) {
                continue;
            }
            let lesson = self.lessons.entry(slug).or_default();
            lesson.applied += 1;
            if outcome == DecisionOutcome::Success {
                lesson.successes += 1;
                lesson.failures_in_a_row = 0;
            } else {
                lesson.failures_in_a_row += 1;
            }
        }
    }
}
