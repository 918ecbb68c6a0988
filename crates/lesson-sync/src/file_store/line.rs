//! Lines of a ledger file: its header, batches, and one event a line.
//!
//! A line is an [`Event`] as it is exported, too. What was made elsewhere, or before what is in the store already, is
//! kept as it is with the place that it has in the order: `{"placed":"…","event":{…}}`. Several events that were
//! written at once follow a line that says how many they are, so that a part of them is never read.

use lesson_core::{Event, LEDGER_FORMAT, LEDGER_VERSION, Millis, OLD_LEDGER, serde_rfc3339};
use serde::{Deserialize, Serialize};

/// Content of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// The version of the ledger that is written from here on.
    Header,
    /// So many events were written at once.
    Batch(usize),
    /// An event, and its place in time.
    Event(Millis, Box<Event>),
    /// Nothing.
    Blank,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    events: Option<usize>,
}

#[derive(Serialize)]
struct Placed<'a> {
    #[serde(with = "serde_rfc3339")]
    placed: Millis,
    event: &'a Event,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacedBack {
    #[serde(with = "serde_rfc3339")]
    placed: Millis,
    event: Box<Event>,
}

/// True if a line holds an event. Does not take it apart.
pub(super) fn is_event(line: &[u8]) -> bool {
    !line.starts_with(MARK.as_bytes()) && !line.iter().all(u8::is_ascii_whitespace)
}

const MARK: &str = r#"{"format":"#;
/// Beginning of the first line of a ledger of 0.1.0-pre.
const OLD_MARK: &str = r#"{"lessonloop":"#;
/// The `format` of a line before events that were written at once.
const BATCH_FORMAT: &str = "lessonloop-batch";

/// Reads a line without its line break.
pub(super) fn read(line: &[u8]) -> Result<Line, String> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(Line::Blank);
    }
    if line.starts_with(OLD_MARK.as_bytes()) {
        return Err(format!("begins an old ledger: {OLD_LEDGER}"));
    }
    if line.starts_with(MARK.as_bytes()) {
        let mark: Mark = serde_json::from_slice(line).map_err(|error| no_event(&error))?;
        return match (mark.format.as_str(), mark.version, mark.events) {
            (LEDGER_FORMAT, Some(LEDGER_VERSION), _) => Ok(Line::Header),
            (LEDGER_FORMAT, Some(version), _) => Err(format!(
                "was written by a newer version of Lessonloop (ledger version {version}; this one reads version {LEDGER_VERSION}); update this one"
            )),
            (BATCH_FORMAT, _, Some(events)) => Ok(Line::Batch(events)),
            _ => Err("is no line of a ledger".to_owned()),
        };
    }
    for marker in ["<<<<<<<", "=======", ">>>>>>>", "|||||||"] {
        if line.starts_with(marker.as_bytes()) {
            return Err(format!(
                "is a mark of a merge conflict (`{marker}`); keep both sides' lines, each once, and remove the marks"
            ));
        }
    }
    if line.starts_with(br#"{"placed":"#) {
        let back: PlacedBack = serde_json::from_slice(line).map_err(|error| no_event(&error))?;
        return Ok(Line::Event(back.placed, back.event));
    }
    let event: Box<Event> = serde_json::from_slice(line).map_err(|error| no_event(&error))?;
    Ok(Line::Event(event.at, event))
}

fn no_event(error: &serde_json::Error) -> String {
    format!(
        "is no event ({error}); if a newer version of Lessonloop wrote it, update this one, else take the file back from before the change"
    )
}

/// The first line of a file, with its line break.
pub(super) fn header() -> String {
    format!("{{\"format\":\"{LEDGER_FORMAT}\",\"version\":{LEDGER_VERSION}}}\n")
}

/// The line before so many events that are written at once, with its line break.
pub(super) fn batch(events: usize) -> String {
    format!("{{\"format\":\"{BATCH_FORMAT}\",\"events\":{events}}}\n")
}

/// An event at its place in time, with its line break. `is_own`: the file is its actor's.
pub(super) fn written(
    event: &Event,
    placed: Millis,
    is_own: bool,
) -> Result<String, serde_json::Error> {
    let mut line = if is_own && event.at == placed {
        serde_json::to_string(event)?
    } else {
        serde_json::to_string(&Placed { placed, event })?
    };
    line.push('\n');
    Ok(line)
}
