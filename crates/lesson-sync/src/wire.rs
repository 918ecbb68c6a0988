//! The server's JSON: what `push_events` and `pull_changes` say.

use crate::link::VersionedRow;
use crate::remote::{Page, PushStatus, Pushed, Rejected};
use lesson_core::{
    Decision, DomainBase, Lesson, Millis, Recommendation, Row, ToolRecord, Withdrawal,
    parse_rfc3339,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub(crate) struct WirePushed {
    status: String,
    acked_seq: u64,
    #[serde(default)]
    rejected: Vec<WireRejected>,
}

#[derive(Deserialize)]
struct WireRejected {
    seq: u64,
    field: String,
    reason: String,
}

impl WirePushed {
    /// `None` for a status that this version does not know.
    pub fn read(self) -> Option<Pushed> {
        Some(Pushed {
            status: match self.status.as_str() {
                "ok" => PushStatus::Ok,
                "gap" => PushStatus::Gap,
                "cloned" => PushStatus::Cloned,
                _ => return None,
            },
            acked_seq: self.acked_seq,
            rejected: self
                .rejected
                .into_iter()
                .map(|one| Rejected {
                    seq: one.seq,
                    field: one.field,
                    reason: one.reason,
                })
                .collect(),
        })
    }
}

/// Rows stay text until each is read as what it is: `serde(flatten)` would take every field apart
/// twice, at a third of the speed.
#[derive(Deserialize)]
pub(crate) struct WirePage {
    lessons: Vec<Box<RawValue>>,
    recommendations: Vec<Box<RawValue>>,
    decisions: Vec<Box<RawValue>>,
    settings: Vec<WireSetting>,
    agents: Vec<WireAgents>,
    bases: Vec<WireBase>,
    tools: Vec<Box<RawValue>>,
    feedback: Vec<WireFeedback>,
    days: Vec<WireDay>,
    next_cursor: u64,
    version: u64,
    has_more: bool,
    acked_seq: BTreeMap<String, u64>,
    epoch: String,
    /// Servers of 0.1.0-pre don't say.
    #[serde(default)]
    schema_version: u32,
}

/// Version, which every row has beside its own fields.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

#[derive(Deserialize)]
struct Place {
    decision_id: String,
    position: u32,
    version: u64,
}

#[derive(Deserialize)]
struct DecisionPlace {
    decision_id: String,
    version: u64,
}

#[derive(Deserialize)]
struct WireSetting {
    name: String,
    value: Value,
    version: u64,
}

#[derive(Deserialize)]
struct WireAgents {
    keys: Vec<String>,
    #[serde(default)]
    withdrawn: BTreeMap<String, Withdrawal>,
    version: u64,
}

#[derive(Deserialize)]
struct WireBase {
    domain: String,
    #[serde(flatten)]
    base: DomainBase,
    version: u64,
}

#[derive(Deserialize)]
struct Arrival {
    position: u64,
    dropped: bool,
    version: u64,
}

#[derive(Deserialize)]
struct WireFeedback {
    at: String,
    version: u64,
}

#[derive(Deserialize)]
struct WireDay {
    day: String,
    events: u32,
}

fn part<T: DeserializeOwned>(row: &RawValue) -> Result<T, String> {
    serde_json::from_str(row.get()).map_err(|error| error.to_string())
}

fn instant(text: &str) -> Result<Millis, String> {
    parse_rfc3339(text).ok_or_else(|| "a time can't be read".to_owned())
}

impl WirePage {
    /// The page as it is for `actor`.
    ///
    /// # Errors
    /// What can't be read.
    pub fn read(self, actor: &str) -> Result<Page, String> {
        let mut rows: Vec<VersionedRow> =
            Vec::with_capacity(self.lessons.len() + self.recommendations.len());
        for row in &self.lessons {
            let lesson: Lesson = part(row)?;
            rows.push(VersionedRow {
                version: part::<Versioned>(row)?.version,
                row: Row::Lesson(Box::new(lesson)),
            });
        }
        for row in &self.recommendations {
            let record: Recommendation = part(row)?;
            let place: Place = part(row)?;
            rows.push(VersionedRow {
                version: place.version,
                row: Row::Recommendation {
                    decision_id: place.decision_id,
                    position: place.position,
                    record: Box::new(record),
                },
            });
        }
        for row in &self.decisions {
            let decision: Decision = part(row)?;
            let place: DecisionPlace = part(row)?;
            rows.push(VersionedRow {
                version: place.version,
                row: Row::Decision {
                    decision_id: place.decision_id,
                    decision: Box::new(decision),
                },
            });
        }
        rows.extend(self.settings.into_iter().map(|wire| VersionedRow {
            version: wire.version,
            row: Row::Setting {
                name: wire.name,
                value: wire.value,
            },
        }));
        rows.extend(self.agents.into_iter().map(|wire| VersionedRow {
            version: wire.version,
            row: Row::Agents {
                keys: wire.keys,
                withdrawn: wire.withdrawn,
            },
        }));
        rows.extend(self.bases.into_iter().map(|wire| VersionedRow {
            version: wire.version,
            row: Row::Base {
                domain: wire.domain,
                base: wire.base,
            },
        }));
        for row in &self.tools {
            let record: ToolRecord = part(row)?;
            let arrival: Arrival = part(row)?;
            rows.push(VersionedRow {
                version: arrival.version,
                row: Row::Tool {
                    record,
                    position: arrival.position,
                    dropped: arrival.dropped,
                },
            });
        }
        for wire in self.feedback {
            rows.push(VersionedRow {
                version: wire.version,
                row: Row::Feedback {
                    position: wire.version,
                    at: instant(&wire.at)?,
                },
            });
        }
        for wire in self.days {
            let at = instant(&format!("{}T00:00:00Z", wire.day))?;
            rows.push(VersionedRow {
                // Days come whole, apart from the pages.
                version: self.next_cursor,
                row: Row::Day {
                    day: at.div_euclid(lesson_core::DAY),
                    events: wire.events,
                },
            });
        }
        rows.sort_by_key(|row| row.version);
        Ok(Page {
            rows,
            next_cursor: self.next_cursor,
            version: self.version,
            has_more: self.has_more,
            acked_seq: self.acked_seq.get(actor).copied().unwrap_or(0),
            epoch: self.epoch,
            schema_version: self.schema_version,
        })
    }
}
