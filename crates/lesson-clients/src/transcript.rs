//! Transcripts: what the agent itself said in a session, read piece by piece.
//!
//! Every client writes one JSON object a line. Text of tools, files and web pages is left out, because it could hold marker
//! lines that nobody meant. No client documents its format as stable, so an unknown shape is skipped and counted.

mod age;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod line;
mod opencode;
mod read;
mod reading;
mod shell;
mod shown;
mod sign;

pub use read::TranscriptRead;
pub use shell::SignKind;
pub use sign::{Running, Sign};

use crate::client::Client;
use reading::Reading;
use serde_json::Value;

/// Reads the whole lines of `bytes`, which begin at byte `from` of a transcript. Which client wrote it is a hint: the shape of
/// a line tells. Linear in the piece; never fails.
///
/// ```
/// let line = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"INSIGHT: pin it"}]}}"#;
/// let bytes = [line.as_slice(), b"\n{\"torn"].concat();
/// let read = lesson_clients::read_transcript("claude", &bytes, 0);
/// assert_eq!(read.said, "INSIGHT: pin it\n\n");
/// assert_eq!(read.next as usize, line.len() + 1);
/// ```
pub fn read_transcript(client: &str, bytes: &[u8], from: u64) -> TranscriptRead {
    let before = TranscriptRead {
        next: from,
        ..TranscriptRead::default()
    };
    read_transcript_after(client, bytes, &before)
}

/// Reads the piece at [`TranscriptRead::next`] of the piece before. Some lines speak of what follows: the session's beginning,
/// and calls of our tools. So pieces that are read with their forerunner say together what the whole says at once.
pub fn read_transcript_after(
    client: &str,
    bytes: &[u8],
    before: &TranscriptRead,
) -> TranscriptRead {
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let mut reading = Reading::after(before);
    reading.read.next = before.next.saturating_add(whole as u64);
    let client = Client::named(client);
    if reading.read.session.is_none() {
        let own = claude::own_session(&bytes[..whole]);
        if let Some(own) = &own {
            let end = claude::end_of_copy(&bytes[..whole], own);
            reading.read.copied_to = before.next.saturating_add(end as u64);
        }
        reading.read.session = own;
    }
    let mut at = before.next;
    for line in bytes[..whole].split(|byte| *byte == b'\n') {
        let copied = at < reading.read.copied_to;
        at = at.saturating_add(line.len() as u64 + 1);
        let line = line.trim_ascii();
        if line.is_empty() || copied {
            continue;
        }
        let known = line::parsed(line).is_some_and(|entry| take(client, &entry, &mut reading));
        if !known {
            reading.read.skipped = reading.read.skipped.saturating_add(1);
        }
    }
    reading.read
}

/// Reads the messages of a session that a plugin handed over (OpenCode, whose transcripts are in a database).
pub(crate) fn read_messages(messages: &[Value], session: &str, subagent: bool) -> TranscriptRead {
    let mut reading = Reading::after(&TranscriptRead {
        session: Some(session.to_owned()),
        subagent,
        ..TranscriptRead::default()
    });
    for message in messages {
        if !opencode::take(message, &mut reading) {
            reading.read.skipped = reading.read.skipped.saturating_add(1);
        }
    }
    reading.read
}

/// Hands a line to the reader that knows its shape; false when none does.
fn take(client: Client, entry: &Value, reading: &mut Reading) -> bool {
    // A hint where a shape is another's, too: a Cursor line may have a type.
    if client == Client::Cursor && cursor::take(entry, reading) {
        return true;
    }
    codex::take(entry, reading)
        || copilot::take(entry, reading)
        || gemini::take(entry, reading)
        || cursor::take(entry, reading)
        || opencode::take(entry, reading)
        || claude::take(entry, reading)
}
