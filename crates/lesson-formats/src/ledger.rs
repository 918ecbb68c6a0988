//! JSONL: this product's ledger (a header line, then one event a line), or one lesson a line.

use super::fields::Fields;
use super::limits::{LINE_BYTES, edit_out_of_bounds, out_of_bounds};
use super::node::{Node, Value, line_number, shown};
use super::sink::Sink;
use super::{json, json_tree};
use lesson_core::Millis;
use lesson_core::is_slug;
use lesson_core::{Event, EventKind, LEDGER_FORMAT, LEDGER_VERSION, OLD_LEDGER};

/// The first line of a ledger file, without its line break.
pub const LEDGER_HEADER: &str = r#"{"format":"lessonloop-ledger","version":1}"#;

/// An event as one line of a ledger file, without its line break; it reads back as an equal event.
pub fn ledger_line(event: &Event) -> String {
    // An event holds no map with foreign keys, which is all that can fail here.
    serde_json::to_string(event).unwrap_or_default()
}

/// The names of all events, for messages.
const NAMES: [&str; 19] = [
    "LessonAdded",
    "LessonEdited",
    "LessonArchived",
    "LessonRestored",
    "LessonReviewed",
    "LessonsMerged",
    "Surfaced",
    "UsageTracked",
    "OutcomeRecorded",
    "FeedbackGiven",
    "Rated",
    "Voted",
    "ToolSucceeded",
    "TrialGranted",
    "PolicyChanged",
    "ChangeProposed",
    "ProposalSettled",
    "VoiceWithdrawn",
    "VoiceReinstated",
];

/// Reads all lines of a file.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let mut ledger = false;
    for (number, line) in content.split('\n').enumerate() {
        let number = line_number(number + 1);
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if line.len() > LINE_BYTES {
            sink.reject(
                Some(number),
                "too_large",
                format!(
                    "the line has {} bytes, but at most {LINE_BYTES} are taken",
                    line.len()
                ),
            );
            continue;
        }
        // The way of nearly every line of a large file.
        if let Ok(event) = serde_json::from_str::<Event>(line) {
            take_event(line, number, event, sink);
            continue;
        }
        let node = match json_tree::read(line, number) {
            Ok(node) => node,
            Err(fault) => {
                sink.reject(
                    Some(number),
                    fault.code,
                    format!("not valid JSON: {}", fault.message),
                );
                continue;
            }
        };
        if is_header(&node) {
            if let Err(message) = header(&node) {
                return sink.reject(Some(number), "ledger_version", message);
            }
            ledger = true;
        } else if node.get("event").is_some() || node.get("op_id").is_some() {
            let (code, message) = refusal(&node, line);
            sink.reject(Some(number), code, message);
        } else if ledger {
            sink.reject(
                Some(number),
                "event",
                "a line of a ledger is an event with op_id, actor, seq, at and event",
            );
        } else {
            json::take(node, now, sink);
        }
    }
}

/// The mark of ledgers of 0.1.0-pre.
const OLD_MARK: &str = "lessonloop";

fn is(node: &Node, name: &str, wanted: &str) -> bool {
    let value = node.get(name).map(|node| &node.value);
    matches!(value, Some(Value::Plain(word) | Value::Text(word)) if word == wanted)
}

/// Tells the first line of a ledger from a lesson or an event.
fn is_header(node: &Node) -> bool {
    is(node, "format", LEDGER_FORMAT) || node.get(OLD_MARK).is_some()
}

fn header(node: &Node) -> Result<(), String> {
    if node.get(OLD_MARK).is_some() {
        return Err(format!("this is an old ledger: {OLD_LEDGER}"));
    }
    if is(node, "version", &LEDGER_VERSION.to_string()) {
        return Ok(());
    }
    Err(format!(
        "this is not a ledger of version {LEDGER_VERSION}; a newer version of Lessonloop made it, so update this one"
    ))
}

/// Takes an event whose texts are within bounds.
fn take_event(line: &str, number: u32, event: Event, sink: &mut Sink<'_>) {
    let refused = match &event.event {
        EventKind::LessonAdded { lesson } => {
            if is_slug(&lesson.slug) {
                out_of_bounds(lesson)
            } else {
                Some(format!(
                    "slug `{}` is not kebab-case of at most 128",
                    shown(&lesson.slug)
                ))
            }
        }
        EventKind::LessonEdited { changes, .. } | EventKind::ChangeProposed { changes, .. } => {
            edit_out_of_bounds(changes)
        }
        _ => None,
    };
    if let Some(message) = refused {
        return sink.reject(
            Some(number),
            "too_long",
            format!("{}: {message}", event.event.name()),
        );
    }
    if let EventKind::LessonAdded { .. } = &event.event {
        let unknown = unknown_fields(line, number, &event);
        if !unknown.is_empty() {
            let message = format!(
                "fields that lessons don't have were left out: {}",
                unknown.join(", ")
            );
            sink.warn(Some(number), "unknown_field", message);
        }
    }
    sink.event(number, event);
}

/// Names in the line's lesson that the event does not have.
fn unknown_fields(line: &str, number: u32, event: &Event) -> Vec<String> {
    let lesson = |text: &str| {
        let root = json_tree::read(text, number).ok()?;
        let lesson = root.get("event")?.get("LessonAdded")?.get("lesson")?;
        match &lesson.value {
            Value::Map(entries) => Some(
                entries
                    .iter()
                    .map(|(name, _)| name.clone())
                    .collect::<std::collections::BTreeSet<String>>(),
            ),
            _ => None,
        }
    };
    match (lesson(line), lesson(&ledger_line(event))) {
        (Some(written), Some(known)) => {
            written.difference(&known).map(|name| shown(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// Why a line that means to be an event is none.
fn refusal(node: &Node, line: &str) -> (&'static str, String) {
    if let Some(Node {
        value: Value::Map(entries),
        ..
    }) = node.get("event")
        && let [(name, _)] = entries.as_slice()
        && !NAMES.contains(&name.as_str())
    {
        return (
            "unknown_event",
            format!(
                "events of the kind `{}` are not known; known are {}",
                shown(name),
                NAMES.join(", ")
            ),
        );
    }
    let left = Fields::of(node.clone());
    let missing: Vec<&str> = ["op_id", "actor", "seq", "at", "event"]
        .into_iter()
        .filter(|name| !left.has(&[name]))
        .collect();
    if !missing.is_empty() {
        return ("event", format!("the event lacks {}", missing.join(", ")));
    }
    let reason = match serde_json::from_str::<Event>(line) {
        // Its line and column count within this one line, so they are cut off.
        Err(error) => error.to_string(),
        Ok(_) => String::new(),
    };
    let reason = reason.split(" at line ").next().unwrap_or_default();
    ("event", format!("not an event of this ledger: {reason}"))
}
