//! A ledger's account of one lesson, in one pass: the events that touched it, where it was shown and what followed;
//! and from these the course of its numbers and its texts.

use super::{HistoryEntry, is_seen, summary};
use crate::event::{Event, EventKind, SurfacedContext, SurfacedItem};
use crate::fold::Folded;
use crate::instant::Millis;
use crate::lesson::{Lesson, Standing};
use crate::policy::{Policy, RankPolicy};
use crate::space::{Recommendation, Space};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that a ledger says of one lesson.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account<'a> {
    /// The events that touched it, oldest first.
    pub entries: Vec<HistoryEntry<'a>>,
    /// The retrievals that returned it, oldest first.
    pub shown: Vec<Impression<'a>>,
}

/// A retrieval that returned a lesson, and what followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Impression<'a> {
    /// When.
    pub at: Millis,
    /// Names the retrieval.
    pub retrieval_id: &'a str,
    /// Purpose of the retrieval, such as `recommend`.
    pub purpose: &'a str,
    /// The situation.
    pub context: &'a SurfacedContext,
    /// Rank and score of the lesson.
    pub item: &'a SurfacedItem,
    /// The decision's record of what became of the lesson, when the retrieval was for a decision.
    pub record: Option<Recommendation>,
    /// True if the outcome of that decision is counted in the lesson's standing.
    pub is_counted: bool,
}

/// Replays a ledger; see [`super::history`]. Costs one fold of the ledger.
pub fn account<'a>(
    events: impl IntoIterator<Item = &'a Event, IntoIter: Clone>,
    slug: &str,
    policy: &Policy,
) -> Account<'a> {
    let events = events.into_iter();
    let mut space = Space::for_ledger(events.clone(), policy);
    let mut held: Option<Lesson> = None;
    let mut account = Account::default();
    let mut counted: BTreeSet<&str> = BTreeSet::new();
    // Decisions whose outcome waits for a person's approval.
    let mut waiting: BTreeSet<&str> = BTreeSet::new();
    for event in events {
        // A tool's success says nothing of a lesson; that its key has written may.
        if matches!(event.event, EventKind::ToolSucceeded { .. }) {
            space.note_writer(&event.by, &policy.fold);
            continue;
        }
        let Ok((Folded::Applied, uncounted)) = space.fold_telling(event, policy) else {
            continue;
        };
        let uncounted = uncounted.into_iter().find(|one| one.lesson == slug);
        if let (
            Some(_),
            EventKind::UsageTracked { decision_id, .. }
            | EventKind::OutcomeRecorded { decision_id, .. },
        ) = (&uncounted, &event.event)
        {
            waiting.insert(decision_id);
        }
        if let Some(showing) = showing(event, slug)
            && counted.insert(showing.retrieval_id)
        {
            account.shown.push(showing);
        }
        let Some(now) = space.lesson(slug) else {
            continue;
        };
        if now.pending_standing.is_none() {
            waiting.clear();
        }
        let changed = held.as_ref() != Some(now);
        if !changed && uncounted.is_none() && !is_seen(&event.event, slug) {
            continue;
        }
        account.entries.push(HistoryEntry {
            event,
            summary: summary(&event.event, slug, held.as_ref(), now, &space),
            before: held.as_ref().map(|lesson| lesson.standing.clone()),
            after: now.standing.clone(),
            rev: now.rev,
            uncounted: uncounted.map(|one| one.why),
        });
        if changed {
            held = Some(now.clone());
        }
    }
    for showing in &mut account.shown {
        showing.record = showing
            .context
            .decision_id
            .as_deref()
            .and_then(|id| space.decision(id)?.record(slug).cloned());
        showing.is_counted = showing.record.as_ref().is_some_and(|record| record.settled)
            && !showing
                .context
                .decision_id
                .as_deref()
                .is_some_and(|id| waiting.contains(id));
    }
    account
}

fn showing<'a>(event: &'a Event, slug: &str) -> Option<Impression<'a>> {
    let EventKind::Surfaced {
        retrieval_id,
        purpose,
        context,
        items,
        ..
    } = &event.event
    else {
        return None;
    };
    Some(Impression {
        at: event.at,
        retrieval_id,
        purpose,
        context,
        item: items.iter().find(|item| item.lesson == slug)?,
        record: None,
        is_counted: false,
    })
}

/// A lesson's numbers at a point of its life, and the event that brought them there.
#[derive(Debug, Clone, PartialEq)]
pub struct CoursePoint<'e, 'a> {
    /// The event; the last one, when the point stands for several.
    pub entry: &'e HistoryEntry<'a>,
    /// Number of events that it stands for, of those that moved a number.
    pub events: usize,
}

/// The events that moved lift, confidence, effectiveness, success rate or what is derived from them, oldest first: at most
/// `most` points, at least 2. Where there are more events, neighbours share a point; the first and the last event always
/// have one of their own.
pub fn course<'e, 'a>(
    entries: &'e [HistoryEntry<'a>],
    policy: &RankPolicy,
    most: usize,
) -> Vec<CoursePoint<'e, 'a>> {
    let moves: Vec<&HistoryEntry<'a>> = entries
        .iter()
        .filter(|entry| {
            entry
                .before
                .as_ref()
                .is_none_or(|before| numbers(before, policy) != numbers(&entry.after, policy))
        })
        .collect();
    let most = most.max(2);
    if moves.len() <= most {
        let alone = |entry| CoursePoint { entry, events: 1 };
        return moves.into_iter().map(alone).collect();
    }
    let (inner, shares) = (moves.len() - 2, most - 2);
    let mut points = Vec::with_capacity(most);
    let mut from = 0;
    // The ends stand alone; between them each share takes its part of the others.
    let ends = std::iter::once(1)
        .chain((1..=shares).map(|share| 1 + inner * share / shares))
        .chain(std::iter::once(moves.len()));
    for to in ends {
        if let Some(entry) = to.checked_sub(1).and_then(|last| moves.get(last))
            && to > from
        {
            points.push(CoursePoint {
                entry,
                events: to - from,
            });
            from = to;
        }
    }
    points
}

/// The numbers of the course.
fn numbers(held: &Standing, policy: &RankPolicy) -> [Option<f64>; 8] {
    [
        Some(held.confidence),
        Some(held.effectiveness),
        Some(held.causal_adjusted(policy)),
        held.success_rate(),
        held.effectiveness_score(),
        Some(f64::from(u8::from(held.proven_effective))),
        Some(held.lift_mean),
        Some(held.lift_variance),
    ]
}

/// A revision of a lesson's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// The event that made it.
    pub op_id: String,
    /// When.
    pub at: Millis,
    /// By which device or agent.
    pub actor: String,
    /// By whom: see [`Event::by`].
    pub by: String,
    /// The text.
    pub text: Text,
    /// The text of the revision before; `None` for the first one.
    pub before: Option<Text>,
}

/// The revision `rev` of the lesson `slug`; `None` when the ledger has no such revision. Costs one fold of the ledger
/// up to it.
pub fn revision<'a>(
    events: impl IntoIterator<Item = &'a Event, IntoIter: Clone>,
    slug: &str,
    rev: u32,
    policy: &Policy,
) -> Option<Revision> {
    revisions(events, &BTreeMap::from([(slug, rev)]), policy).remove(slug)
}

/// One revision each of several lessons, by slug; those that the ledger has not are left out. Costs one fold of the ledger up
/// to the last of them.
pub fn revisions<'a>(
    events: impl IntoIterator<Item = &'a Event, IntoIter: Clone>,
    wanted: &BTreeMap<&str, u32>,
    policy: &Policy,
) -> BTreeMap<String, Revision> {
    let events = events.into_iter();
    let mut space = Space::for_ledger(events.clone(), policy);
    let mut found = BTreeMap::new();
    for event in events {
        if found.len() == wanted.len() {
            break;
        }
        let slug = match &event.event {
            EventKind::LessonAdded { lesson } => Some(&lesson.slug),
            EventKind::LessonEdited { lesson, .. } => Some(lesson),
            _ => None,
        };
        let asked = slug.and_then(|slug| Some((slug, *wanted.get(slug.as_str())?)));
        let before = asked.and_then(|(slug, _)| space.lesson(slug).map(|held| held.text.clone()));
        if !matches!(space.fold(event, policy), Ok(crate::Folded::Applied)) {
            continue;
        }
        if let Some((slug, rev)) = asked
            && let Some(now) = space.lesson(slug)
            && now.rev == rev
            && !found.contains_key(slug)
        {
            let revision = Revision {
                op_id: event.op_id.clone(),
                at: event.at,
                actor: event.actor.clone(),
                by: event.by.clone(),
                text: now.text.clone(),
                before,
            };
            found.insert(slug.clone(), revision);
        }
    }
    found
}
