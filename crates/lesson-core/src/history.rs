//! A lesson's history: the events that touched it, with its standing before and after.

use crate::event::{Event, EventKind};
use crate::fold::WhyUncounted;
use crate::instant::Millis;
use crate::lesson::{Lesson, Standing};
use crate::policy::Policy;
use crate::space::Space;
use lesson_types::{MatchType, Verdict};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

mod account;
pub use account::{
    Account, CoursePoint, Impression, Revision, account, course, revision, revisions,
};

/// An event that touched a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry<'a> {
    /// The event.
    pub event: &'a Event,
    /// In words, such as `Rated helpful`.
    pub summary: String,
    /// The standing before it; `None` for the event that added the lesson.
    pub before: Option<Standing>,
    /// The standing after it.
    pub after: Standing,
    /// The text's revision after it.
    pub rev: u32,
    /// Why what it says of the lesson is recorded, but does not count; `None` where it counts.
    pub uncounted: Option<WhyUncounted>,
}

impl HistoryEntry<'_> {
    /// True if it moved the standing, apart from how often the lesson was shown.
    pub fn moved(&self) -> bool {
        self.before.as_ref().is_some_and(|before| {
            let shown = Standing {
                times_surfaced: self.after.times_surfaced,
                ..before.clone()
            };
            shown != self.after
        })
    }
}

/// A voice that moved a lesson's standing, and how often it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mover {
    /// See [`Event::by`].
    pub by: String,
    /// Events that moved it.
    pub moved: usize,
    /// Events that are recorded, but do not count.
    pub uncounted: usize,
}

/// Lists who moved a standing: who did so most comes first.
pub fn movers(entries: &[HistoryEntry<'_>]) -> Vec<Mover> {
    let mut by: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for entry in entries {
        let (moved, uncounted) = (entry.moved(), entry.uncounted.is_some());
        if moved || uncounted {
            let counts = by.entry(&entry.event.by).or_default();
            counts.0 += usize::from(moved);
            counts.1 += usize::from(uncounted);
        }
    }
    let mut movers: Vec<Mover> = by
        .into_iter()
        .map(|(by, (moved, uncounted))| Mover {
            by: by.to_owned(),
            moved,
            uncounted,
        })
        .collect();
    movers.sort_by_key(|mover| Reverse((mover.moved, mover.uncounted)));
    movers
}

/// Replays a ledger and yields the events that touched the lesson `slug`, oldest first: those that
/// changed its standing, text or life, and those that saw it in an agent's reasoning. Duplicates
/// and refused events touch nothing. Costs one fold of the ledger.
pub fn history<'a>(
    events: impl IntoIterator<Item = &'a Event, IntoIter: Clone>,
    slug: &str,
    policy: &Policy,
) -> Vec<HistoryEntry<'a>> {
    account(events, slug, policy).entries
}

/// Events that touched the lessons `slugs`, cut down to what they say of these: enough for their
/// [`history`] without the rest of the ledger. A lesson's history needs the lessons that were
/// merged into it as well.
pub fn narrowed(events: impl IntoIterator<Item = Event>, slugs: &BTreeSet<String>) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::new();
    for event in events {
        if let EventKind::LessonsMerged { into, .. } = &event.event
            && !slugs.contains(into)
        {
            // Only that it is there matters of the one that took the lesson in.
            kept.push(stand_in(into, &event));
        }
        kept.extend(narrow(event, slugs));
    }
    kept
}

/// Stands for the first event of an agent's key where its events are left out, as in [`narrowed`] ledgers: what counts
/// depends on which keys had written before.
pub fn first_of_agent(by: &str, at: Millis) -> Event {
    Event {
        op_id: format!("first of {by}"),
        actor: String::new(),
        seq: 0,
        at,
        by: by.to_owned(),
        request: None,
        event: EventKind::ToolSucceeded {
            query: String::new(),
            server: String::new(),
        },
    }
}

/// The event without the lessons that are not among `slugs`.
fn narrow(mut event: Event, slugs: &BTreeSet<String>) -> Option<Event> {
    match &mut event.event {
        EventKind::Surfaced {
            items, measured, ..
        } => {
            items.retain(|item| slugs.contains(&item.lesson));
            if let Some(measured) = measured {
                measured.drawn.retain(|one| slugs.contains(&one.lesson));
            }
        }
        EventKind::UsageTracked { detections, .. } => {
            detections.retain(|seen| slugs.contains(&seen.lesson));
        }
        EventKind::FeedbackGiven {
            lessons, causal, ..
        } => {
            lessons.retain(|name| slugs.contains(name));
            causal.retain(|name| slugs.contains(name));
        }
        EventKind::LessonsMerged { from, .. } => {
            from.retain(|name| slugs.contains(name));
            if from.is_empty() {
                return None;
            }
        }
        _ => {}
    }
    Some(event)
}

fn stand_in(slug: &str, event: &Event) -> Event {
    let text = crate::text::Text {
        title: slug.to_owned(),
        ..crate::text::Text::default()
    };
    Event {
        op_id: format!("{} {slug}", event.op_id),
        event: EventKind::LessonAdded {
            lesson: Box::new(Lesson::new(slug, text, "", event.at)),
        },
        ..event.clone()
    }
}

fn is_seen(event: &EventKind, slug: &str) -> bool {
    matches!(event, EventKind::UsageTracked { detections, .. } if detections
        .iter()
        .any(|seen| seen.lesson == slug && seen.match_type != MatchType::None))
}

fn summary(
    event: &EventKind,
    slug: &str,
    before: Option<&Lesson>,
    after: &Lesson,
    space: &Space,
) -> String {
    match event {
        EventKind::LessonAdded { lesson } if lesson.source.is_empty() => "Added".to_owned(),
        EventKind::LessonAdded { lesson } => format!("Added by {}", lesson.source),
        EventKind::LessonEdited { changes, .. } if changes.is_empty() => {
            format!("Review taken back; now revision {}", after.rev)
        }
        EventKind::LessonEdited { changes, .. } => {
            format!(
                "Edited {}; now revision {}",
                changed_fields(changes),
                after.rev
            )
        }
        EventKind::LessonArchived { .. } => "Archived".to_owned(),
        EventKind::LessonRestored { .. } => "Restored".to_owned(),
        EventKind::LessonReviewed {
            verdict, reason, ..
        } if !reason.is_empty() => {
            let plain = match verdict {
                Verdict::Approve => "Approved",
                Verdict::Quarantine => "Quarantined",
            };
            format!("{plain}: {reason}")
        }
        EventKind::LessonReviewed { verdict, .. } => match verdict {
            Verdict::Approve if before.is_some_and(|lesson| lesson.pending_standing.is_some()) => {
                let released = after.pending_standing.is_none();
                let counts = if released {
                    "; what its writer said of it counts now"
                } else {
                    ""
                };
                format!("Approved{counts}")
            }
            Verdict::Approve => "Approved".to_owned(),
            Verdict::Quarantine => "Quarantined".to_owned(),
        },
        EventKind::LessonsMerged { into, from } if into == slug => {
            format!("Took in {}", from.join(", "))
        }
        EventKind::LessonsMerged { into, .. } => format!("Merged into {into}"),
        EventKind::Surfaced { items, purpose, .. } => {
            let rank = items
                .iter()
                .find(|item| item.lesson == slug)
                .map_or(0, |item| item.rank);
            format!("Surfaced at rank {rank} ({purpose})")
        }
        EventKind::UsageTracked {
            decision_id,
            detections,
        } => {
            let seen = detections.iter().find(|seen| seen.lesson == slug);
            let how = match seen {
                Some(seen) if seen.applied => {
                    format!("Applied, {} match", seen.match_type.as_str())
                }
                _ => "Mentioned, not applied".to_owned(),
            };
            let counted = if before.map(|lesson| &lesson.standing) == Some(&after.standing) {
                String::new()
            } else {
                format!("; {}", outcome_words(space, decision_id))
            };
            format!("{how} in decision {decision_id}{counted}")
        }
        EventKind::OutcomeRecorded { decision_id, .. } => {
            format!(
                "Decision {decision_id}: {}",
                outcome_words(space, decision_id)
            )
        }
        EventKind::FeedbackGiven {
            outcome, causal, ..
        } => {
            let part = if causal.iter().any(|name| name == slug) {
                "a cause"
            } else {
                "not a cause"
            };
            format!("Feedback {}, {part}", outcome.as_str())
        }
        EventKind::Rated { helpful: true, .. } => "Rated helpful".to_owned(),
        EventKind::Rated { helpful: false, .. } => "Rated not helpful".to_owned(),
        EventKind::Voted { up: true, .. } => "Voted up".to_owned(),
        EventKind::Voted { up: false, .. } => "Voted down".to_owned(),
        EventKind::ToolSucceeded { .. } => "Tool succeeded".to_owned(),
        EventKind::TrialGranted { .. } => "Given another trial".to_owned(),
        EventKind::ChangeProposed { archive: true, .. } => "Archiving proposed".to_owned(),
        EventKind::ChangeProposed { changes, .. } => {
            format!("Change of {} proposed", changed_fields(changes))
        }
        EventKind::ProposalSettled {
            accepted, reason, ..
        } => {
            let verdict = if *accepted {
                "Proposal accepted"
            } else {
                "Proposal rejected"
            };
            if reason.is_empty() {
                verdict.to_owned()
            } else {
                format!("{verdict}: {reason}")
            }
        }
        EventKind::VoiceWithdrawn { .. } => "Archived; its voice was withdrawn".to_owned(),
        EventKind::VoiceReinstated { .. } => "Its voice was reinstated".to_owned(),
        EventKind::PolicyChanged { .. } => "Settings changed".to_owned(),
    }
}

/// The decision's outcome as it was counted, such as `success (2.5 %)`.
fn outcome_words(space: &Space, decision_id: &str) -> String {
    let Some(decision) = space.decision(decision_id) else {
        return "no outcome".to_owned();
    };
    let outcome = decision
        .outcome
        .map_or("no outcome", |outcome| outcome.as_str());
    match decision.pnl_percent {
        Some(pnl) => format!("{outcome} ({pnl} %)"),
        None => outcome.to_owned(),
    }
}

fn changed_fields(changes: &crate::text::Changes) -> String {
    let fields = [
        ("title", changes.title.is_some()),
        ("description", changes.description.is_some()),
        ("context", changes.context.is_some()),
        ("recommendation", changes.recommendation.is_some()),
        ("category", changes.category.is_some()),
        ("domain", changes.domain.is_some()),
        ("project types", changes.project_types.is_some()),
        ("technologies", changes.tech_stacks.is_some()),
        ("tags", changes.tags.is_some()),
        ("other fields", changes.extra.is_some()),
    ];
    let named: Vec<&str> = fields
        .iter()
        .filter(|(_, changed)| *changed)
        .map(|(name, _)| *name)
        .collect();
    if named.is_empty() {
        "nothing".to_owned()
    } else {
        named.join(", ")
    }
}
