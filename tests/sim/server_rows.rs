//! The server's rows, and which of them an event changes.

use lesson_core::{
    Decision, DomainBase, EventKind, Lesson, Recommendation, Row, Space, Withdrawal,
};
use lesson_sync::VersionedRow;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Returns a row's part in the hash over all rows: its key, and its version or, for a day, its count.
pub fn row_hash(key: &str, row: &VersionedRow) -> u64 {
    match &row.row {
        Row::Day { events, .. } => hash_of(key, u64::from(*events)),
        _ => hash_of(key, row.version),
    }
}

pub fn hash_of(key: &str, word: u64) -> u64 {
    let mut trace = crate::trace::Trace::new();
    trace.text(key);
    trace.word(word);
    trace.hash()
}

/// The state that an event may change, as it was.
pub struct Before {
    lessons: Vec<(String, Option<Lesson>)>,
    decision: Option<(String, Option<Decision>)>,
    settings: Vec<(String, Option<Value>)>,
    feedback: usize,
    agents: usize,
    withdrawn: BTreeMap<String, Withdrawal>,
    bases: BTreeMap<String, DomainBase>,
}

impl Before {
    pub fn of(space: &Space, event: &EventKind) -> Self {
        let mut slugs: BTreeSet<&str> = BTreeSet::new();
        let mut decision = None;
        let mut settings = Vec::new();
        match event {
            EventKind::LessonAdded { lesson } => slugs.extend([&*lesson.slug]),
            EventKind::LessonEdited { lesson, .. }
            | EventKind::LessonArchived { lesson }
            | EventKind::LessonRestored { lesson }
            | EventKind::LessonReviewed { lesson, .. }
            | EventKind::ChangeProposed { lesson, .. }
            | EventKind::ProposalSettled { lesson, .. }
            | EventKind::TrialGranted { lesson } => slugs.extend([&**lesson]),
            EventKind::Rated {
                lesson,
                decision_id,
                ..
            }
            | EventKind::Voted {
                lesson,
                decision_id,
                ..
            } => {
                slugs.extend([&**lesson]);
                decision = decision_id.as_ref();
            }
            EventKind::LessonsMerged { into, from } => {
                slugs.extend([&**into]);
                slugs.extend(from.iter().map(|slug| &**slug));
            }
            EventKind::Surfaced { context, items, .. } => {
                slugs.extend(items.iter().map(|item| &*item.lesson));
                decision = context.decision_id.as_ref();
            }
            EventKind::UsageTracked { decision_id, .. }
            | EventKind::OutcomeRecorded { decision_id, .. } => decision = Some(decision_id),
            EventKind::FeedbackGiven {
                lessons,
                decision_id,
                ..
            } => {
                slugs.extend(lessons.iter().map(|slug| &**slug));
                decision = decision_id.as_ref();
            }
            EventKind::PolicyChanged { changes } => {
                for name in changes.keys() {
                    settings.push((name.clone(), space.setting(name).cloned()));
                }
            }
            EventKind::VoiceWithdrawn { .. } => {
                slugs.extend(space.lessons().map(|held| &*held.slug))
            }
            EventKind::ToolSucceeded { .. } | EventKind::VoiceReinstated { .. } => {}
        }
        let decision = decision.map(|id| (id.clone(), space.decision(id).cloned()));
        if let Some((_, Some(held))) = &decision {
            slugs.extend(held.records.iter().map(|record| &*record.lesson));
        }
        let lessons = slugs
            .into_iter()
            .map(|slug| (slug.to_owned(), space.lesson(slug).cloned()))
            .collect();
        Self {
            lessons,
            decision,
            settings,
            feedback: space.feedback_times().len(),
            agents: space.agents().len(),
            withdrawn: withdrawn(space),
            bases: bases(space),
        }
    }

    /// True if the event counts as feedback: the same again on a decision does not.
    pub fn is_feedback(&self, space: &Space) -> bool {
        space.feedback_times().len() > self.feedback
    }

    pub fn changed(self, space: &Space) -> Vec<Row> {
        let mut rows = Vec::new();
        if let Some((id, before)) = self.decision
            && let Some(held) = space.decision(&id)
        {
            let records = before.as_ref().map_or(&[][..], |before| &before.records);
            for (place, record) in held.records.iter().enumerate() {
                if records.get(place) != Some(record) {
                    rows.push(record_row(&id, place, record));
                }
            }
            let alone = without_records(held);
            if before.as_ref().map(without_records).as_ref() != Some(&alone) {
                rows.push(decision_row(&id, alone));
            }
        }
        for (slug, before) in self.lessons {
            let held = space.lesson(&slug);
            if let Some(held) = held
                && before.as_ref() != Some(held)
            {
                rows.push(Row::Lesson(Box::new(held.clone())));
            }
        }
        let silent = withdrawn(space);
        if space.agents().len() > self.agents || silent != self.withdrawn {
            rows.push(Row::Agents {
                keys: space.agents().to_vec(),
                withdrawn: silent,
            });
        }
        for (domain, base) in bases(space) {
            if self.bases.get(&domain) != Some(&base) {
                rows.push(Row::Base { domain, base });
            }
        }
        for (name, before) in self.settings {
            let held = space.setting(&name);
            if before.as_ref() != held {
                rows.push(Row::Setting {
                    value: held.cloned().unwrap_or(Value::Null),
                    name,
                });
            }
        }
        rows
    }
}

fn withdrawn(space: &Space) -> BTreeMap<String, Withdrawal> {
    let held = space.withdrawn();
    held.map(|(voice, from)| (voice.to_owned(), *from))
        .collect()
}

fn bases(space: &Space) -> BTreeMap<String, DomainBase> {
    let held = space.bases();
    held.map(|(domain, base)| (domain.to_owned(), *base))
        .collect()
}

fn record_row(id: &str, place: usize, record: &Recommendation) -> Row {
    Row::Recommendation {
        decision_id: id.to_owned(),
        position: place as u32 + 1,
        record: Box::new(record.clone()),
    }
}

fn decision_row(id: &str, alone: Decision) -> Row {
    Row::Decision {
        decision_id: id.to_owned(),
        decision: Box::new(alone),
    }
}

/// A decision as its row has it.
fn without_records(decision: &Decision) -> Decision {
    Decision {
        records: Vec::new(),
        ..decision.clone()
    }
}
