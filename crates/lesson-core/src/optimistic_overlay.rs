//! A replica of a space that is kept elsewhere: rows of its projections, and events on top of them
//! that the other side may not know yet.
//!
//! The rows already hold what their ledger folded into. Events that were made here are folded over
//! them, and can be taken off again when newer rows come, so that nothing is counted twice.

use crate::event::Event;
use crate::fold::{Folded, Withdrawal};
use crate::fold_error::FoldError;
use crate::instant::{Millis, serde_rfc3339};
use crate::lesson::Lesson;
use crate::policy::Policy;
use crate::space::{Decision, DomainBase, Recommendation, Space};
use crate::tools::{ToolBook, ToolRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A row of a space's projections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// A lesson.
    Lesson(Box<Lesson>),
    /// That a lesson was recommended for a decision.
    Recommendation {
        /// The decision.
        decision_id: String,
        /// Place within the decision, from 1.
        position: u32,
        /// The record; its outcome is the decision's.
        record: Box<Recommendation>,
    },
    /// A decision, without its records, which are rows of their own.
    Decision {
        /// Its id.
        decision_id: String,
        /// The decision.
        decision: Box<Decision>,
    },
    /// A setting of the space.
    Setting {
        /// Its name.
        name: String,
        /// Its value; null when it was taken back to the default.
        value: Value,
    },
    /// A tool server that did what was asked.
    Tool {
        /// The record.
        record: ToolRecord,
        /// Order of arrival.
        position: u64,
        /// True if it fell out of the book.
        dropped: bool,
    },
    /// The base rate of a domain: how often its runs go well.
    Base {
        /// The domain; see [`crate::domain_key`].
        domain: String,
        /// The rate, its variance and the runs behind it.
        base: DomainBase,
    },
    /// The first agents' keys that wrote; see [`Space::agents`].
    Agents {
        /// The keys, in the order in which they came.
        keys: Vec<String>,
        /// Voices that count for nothing.
        #[serde(default)]
        withdrawn: BTreeMap<String, Withdrawal>,
    },
    /// A time of feedback.
    Feedback {
        /// Its place in the ledger; names the row.
        position: u64,
        /// When.
        #[serde(with = "serde_rfc3339")]
        at: Millis,
    },
    /// The number of events on a UTC day.
    Day {
        /// Days since the Unix epoch.
        day: i64,
        /// Events.
        events: u32,
    },
}

impl Row {
    /// Returns the key of the row in its space; a row with the same key replaces it.
    pub fn key(&self) -> String {
        match self {
            Self::Lesson(lesson) => format!("lesson|{}", lesson.slug),
            Self::Recommendation {
                decision_id,
                record,
                ..
            } => format!("recommendation|{}|{decision_id}", record.lesson),
            Self::Decision { decision_id, .. } => format!("decision|{decision_id}"),
            Self::Setting { name, .. } => format!("setting|{name}"),
            Self::Tool { record, .. } => format!("tool|{}", record.query_hash),
            Self::Base { domain, .. } => format!("base|{domain}"),
            Self::Agents { .. } => "agents".to_owned(),
            Self::Feedback { position, .. } => format!("feedback|{position}"),
            Self::Day { day, .. } => format!("day|{day}"),
        }
    }
}

/// The part of a replica beside its space: the state before the events on top, and the order of the rows.
#[derive(Debug, Default)]
pub struct OptimisticOverlay {
    lessons: BTreeMap<String, Option<Lesson>>,
    decisions: BTreeMap<String, Option<Decision>>,
    retrievals: BTreeMap<String, Option<BTreeSet<String>>>,
    tools: Option<ToolBook>,
    feedback: Option<usize>,
    settings: BTreeMap<String, Option<Value>>,
    activity: BTreeMap<i64, Option<u32>>,
    seen: Vec<String>,
    last_seq: BTreeMap<String, Option<u64>>,
    agents: Option<usize>,
    bases: BTreeMap<String, Option<DomainBase>>,
    withdrawn: Option<BTreeMap<String, Withdrawal>>,
    /// Places of each decision's records, in the order of the records.
    pub(crate) places: BTreeMap<String, Vec<u32>>,
    /// Tool records that rows gave, by order of arrival.
    pub(crate) tool_rows: BTreeMap<u64, ToolRecord>,
    /// The place of each tool record, by its hash.
    pub(crate) tool_places: BTreeMap<String, u64>,
    /// Times of feedback that rows gave, by place in the ledger.
    pub(crate) feedback_rows: BTreeMap<u64, Millis>,
}

impl OptimisticOverlay {
    /// A replica with no rows and nothing on top; `space` has to be empty too.
    pub fn new() -> Self {
        Self::default()
    }

    /// True if nothing is on top of the rows.
    pub fn is_bare(&self) -> bool {
        // Every event that is folded, applied or not, is remembered by its day.
        self.activity.is_empty()
    }

    /// The decisions that events on top of the rows touched.
    pub fn decisions(&self) -> impl Iterator<Item = &str> {
        self.decisions.keys().map(String::as_str)
    }

    /// Folds an event on top of `space`, so that [`OptimisticOverlay::take_off`] can undo it.
    ///
    /// # Errors
    /// As [`Space::fold`]; nothing has changed then.
    pub fn fold(
        &mut self,
        space: &mut Space,
        event: &Event,
        policy: &Policy,
    ) -> Result<Folded, FoldError> {
        self.remember(space, event);
        let folded = space.fold(event, policy)?;
        if folded == Folded::Applied {
            self.seen.push(event.op_id.clone());
        }
        Ok(folded)
    }

    fn remember(&mut self, space: &Space, event: &Event) {
        let touched = space.touched(&event.event);
        for slug in touched.slugs {
            if !self.lessons.contains_key(slug) {
                let held = space.lessons.get(slug).cloned();
                self.lessons.insert(slug.to_owned(), held);
            }
        }
        if let Some(id) = touched.decision
            && !self.decisions.contains_key(id)
        {
            let held = space.decisions.get(id).cloned();
            self.decisions.insert(id.to_owned(), held);
        }
        if let Some(id) = touched.retrieval
            && !self.retrievals.contains_key(id)
        {
            let held = space.retrievals.get(id).cloned();
            self.retrievals.insert(id.to_owned(), held);
        }
        if touched.tools && self.tools.is_none() {
            self.tools = Some(space.tools.clone());
        }
        if touched.feedback && self.feedback.is_none() {
            self.feedback = Some(space.feedback_at.len());
        }
        if let Some(domain) = touched.domain
            && !self.bases.contains_key(&domain)
        {
            let held = space.bases.get(&domain).copied();
            self.bases.insert(domain, held);
        }
        for name in touched.settings {
            if !self.settings.contains_key(name) {
                let held = space.settings.get(name).cloned();
                self.settings.insert(name.to_owned(), held);
            }
        }
        self.agents.get_or_insert(space.agents.len());
        if event.event.refolds() && self.withdrawn.is_none() {
            self.withdrawn = Some(space.withdrawn.clone());
        }
        let day = event.at.div_euclid(crate::instant::DAY);
        self.activity
            .entry(day)
            .or_insert_with(|| space.activity.get(&day).copied());
        if !self.last_seq.contains_key(&event.actor) {
            let held = space.last_seq.get(&event.actor).copied();
            self.last_seq.insert(event.actor.clone(), held);
        }
    }

    /// Takes all events off again: `space` is what its rows say. Gives the slugs of the lessons
    /// that have another text for it, or are gone.
    pub fn take_off(&mut self, space: &mut Space) -> BTreeSet<String> {
        let touched = self
            .lessons
            .iter()
            .filter(|(slug, before)| {
                before.as_ref().map(|before| &before.text)
                    != space.lesson(slug).map(|lesson| &lesson.text)
            })
            .map(|(slug, _)| slug.clone())
            .collect();
        for (slug, before) in std::mem::take(&mut self.lessons) {
            match before {
                Some(lesson) => space.lessons.insert(lesson),
                None => space.lessons.remove(&slug),
            }
        }
        restore(&mut space.decisions, &mut self.decisions);
        restore(&mut space.retrievals, &mut self.retrievals);
        restore(&mut space.settings, &mut self.settings);
        restore(&mut space.bases, &mut self.bases);
        restore(&mut space.activity, &mut self.activity);
        restore(&mut space.last_seq, &mut self.last_seq);
        if let Some(length) = self.agents.take() {
            space.agents.truncate(length);
        }
        if let Some(withdrawn) = self.withdrawn.take() {
            space.withdrawn = withdrawn;
        }
        if let Some(tools) = self.tools.take() {
            space.tools = tools;
        }
        if let Some(length) = self.feedback.take() {
            space.feedback_at.truncate(length);
        }
        for op_id in self.seen.drain(..) {
            space.seen.remove(&op_id);
        }
        touched
    }

    /// Puts rows in place of those with the same keys; nothing may be on top meanwhile. Gives the
    /// slugs of the lessons among them that have another text, or are new.
    pub fn put(
        &mut self,
        space: &mut Space,
        rows: impl IntoIterator<Item = Row>,
    ) -> BTreeSet<String> {
        let mut slugs = BTreeSet::new();
        let (mut tools, mut feedback) = (false, false);
        for row in rows {
            match row {
                Row::Lesson(lesson) => {
                    let held = space.lessons.get(&lesson.slug);
                    if held.is_none_or(|held| held.text != lesson.text) {
                        slugs.insert(lesson.slug.clone());
                    }
                    space.lessons.insert(*lesson);
                }
                Row::Recommendation {
                    decision_id,
                    position,
                    record,
                } => self.put_record(space, decision_id, position, *record),
                Row::Decision {
                    decision_id,
                    decision,
                } => {
                    let held = space.decisions.entry(decision_id).or_default();
                    let records = std::mem::take(&mut held.records);
                    *held = Decision {
                        records,
                        ..*decision
                    };
                }
                Row::Setting { name, value } => {
                    if value.is_null() {
                        space.settings.remove(&name);
                    } else {
                        space.settings.insert(name, value);
                    }
                }
                Row::Tool {
                    record,
                    position,
                    dropped,
                } => {
                    tools = true;
                    // One that fell out and came again has another place.
                    if let Some(place) = self.tool_places.remove(&record.query_hash) {
                        self.tool_rows.remove(&place);
                    }
                    if !dropped {
                        self.tool_places.insert(record.query_hash.clone(), position);
                        self.tool_rows.insert(position, record);
                    }
                }
                Row::Base { domain, base } => {
                    space.bases.insert(domain, base);
                }
                Row::Agents { keys, withdrawn } => {
                    space.agents = keys;
                    space.withdrawn = withdrawn;
                }
                Row::Feedback { position, at } => {
                    feedback = true;
                    self.feedback_rows.insert(position, at);
                }
                Row::Day { day, events } => {
                    space.activity.insert(day, events);
                }
            }
        }
        if tools {
            let records: Vec<ToolRecord> = self.tool_rows.values().cloned().collect();
            space.tools = ToolBook::from(records);
        }
        if feedback {
            space.feedback_at = self.feedback_rows.values().copied().collect();
        }
        slugs
    }

    fn put_record(
        &mut self,
        space: &mut Space,
        decision_id: String,
        position: u32,
        record: Recommendation,
    ) {
        let places = self.places.entry(decision_id.clone()).or_default();
        let decision = space.decisions.entry(decision_id).or_default();
        match places.binary_search(&position) {
            Ok(at) => {
                if let Some(held) = decision.records.get_mut(at) {
                    *held = record;
                }
            }
            Err(at) => {
                places.insert(at, position);
                decision
                    .records
                    .insert(at.min(decision.records.len()), record);
            }
        }
    }
}

/// Puts back what was remembered.
fn restore<K: Ord, V>(map: &mut BTreeMap<K, V>, before: &mut BTreeMap<K, Option<V>>) {
    for (key, held) in std::mem::take(before) {
        match held {
            Some(value) => {
                map.insert(key, value);
            }
            None => {
                map.remove(&key);
            }
        }
    }
}
