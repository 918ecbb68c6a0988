//! The ledger as JSONL: a header line, then one event a line.

use crate::event::Event;

/// The first line of a ledger file, without its line break.
pub const LEDGER_HEADER: &str = r#"{"lessonloop":"ledger","version":1}"#;

/// An event as one line of a ledger file, without its line break; it reads back as an equal event.
pub fn ledger_line(event: &Event) -> String {
    // An event holds no map with foreign keys, which is all that can fail here.
    serde_json::to_string(event).unwrap_or_default()
}
