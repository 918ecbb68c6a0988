//! The server's JSON: what `push_events` and `pull_changes` say.

use crate::link::VersionedRow;
use crate::remote::{Page, PushStatus, Pushed, Rejected};
use lesson_core::{Lesson, Millis, Recommendation, Row, ToolRecord, parse_rfc3339};
use serde::Deserialize;
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

#[derive(Deserialize)]
pub(crate) struct WirePage {
    lessons: Vec<WireLesson>,
    recommendations: Vec<WireRecommendation>,
    tools: Vec<WireTool>,
    feedback: Vec<WireFeedback>,
    days: Vec<WireDay>,
    next_cursor: u64,
    version: u64,
    has_more: bool,
    acked_seq: BTreeMap<String, u64>,
    epoch: String,
}

#[derive(Deserialize)]
struct WireLesson {
    #[serde(flatten)]
    lesson: Lesson,
    version: u64,
}

#[derive(Deserialize)]
struct WireRecommendation {
    decision_id: String,
    position: u32,
    #[serde(flatten)]
    record: Recommendation,
    version: u64,
}

#[derive(Deserialize)]
struct WireTool {
    #[serde(flatten)]
    record: ToolRecord,
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

impl WirePage {
    /// The page as it is for `actor`; `None` when a time can't be read.
    pub fn read(self, actor: &str) -> Option<Page> {
        let mut rows: Vec<VersionedRow> = Vec::new();
        rows.extend(self.lessons.into_iter().map(|wire| VersionedRow {
            version: wire.version,
            row: Row::Lesson(Box::new(wire.lesson)),
        }));
        rows.extend(self.recommendations.into_iter().map(|wire| VersionedRow {
            version: wire.version,
            row: Row::Recommendation {
                decision_id: wire.decision_id,
                position: wire.position,
                record: Box::new(wire.record),
            },
        }));
        rows.extend(self.tools.into_iter().map(|wire| VersionedRow {
            version: wire.version,
            row: Row::Tool {
                record: wire.record,
                position: wire.position,
                dropped: wire.dropped,
            },
        }));
        for wire in self.feedback {
            rows.push(VersionedRow {
                version: wire.version,
                row: Row::Feedback {
                    position: wire.version,
                    at: parse_rfc3339(&wire.at)?,
                },
            });
        }
        for wire in self.days {
            let at: Millis = parse_rfc3339(&format!("{}T00:00:00Z", wire.day))?;
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
        Some(Page {
            rows,
            next_cursor: self.next_cursor,
            version: self.version,
            has_more: self.has_more,
            acked_seq: self.acked_seq.get(actor).copied().unwrap_or(0),
            epoch: self.epoch,
        })
    }
}
