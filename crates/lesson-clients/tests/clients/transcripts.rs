//! Transcripts of every client: what the agent itself said, at once and in pieces.

use crate::corpus::{data, differences, files, json};
use lesson_clients::{TranscriptRead, read_transcript, read_transcript_after};
use serde_json::Value;

#[test]
fn transcripts_read_as_expected() {
    let mut faults = Vec::new();
    for file in files("transcripts", "jsonl") {
        let bytes = std::fs::read(&file).unwrap();
        let case = json(&file.with_extension("json"));
        let at = file.file_stem().unwrap().to_str().unwrap();
        let read = read_transcript(case["client"].as_str().unwrap(), &bytes, 7);
        let said: String = case["said"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| format!("{}\n\n", one.as_str().unwrap()))
            .collect();
        differences(
            at,
            &Value::from(said),
            &Value::from(&*read.said),
            &mut faults,
        );
        let torn = case["torn"] == true;
        let whole = read.next == 7 + bytes.len() as u64;
        if torn == whole {
            faults.push(format!("{at}: next is {} of {}", read.next, bytes.len()));
        }
        let read = serde_json::to_value(read).unwrap();
        differences(at, &case["read"], &read, &mut faults);
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_clients_name_is_only_a_hint() {
    for file in files("transcripts", "jsonl") {
        let bytes = std::fs::read(&file).unwrap();
        let client = json(&file.with_extension("json"))["client"].clone();
        let own = read_transcript(client.as_str().unwrap(), &bytes, 0);
        for other in ["", "claude", "codex", "gemini", "copilot", "opencode"] {
            let read = read_transcript(other, &bytes, 0);
            assert_eq!(read, own, "{} as {other:?}", file.display());
        }
    }
}

/// Reads in pieces: what is left of a piece begins the next one, as a caller reads a file.
pub fn in_pieces(client: &str, bytes: &[u8], cuts: &[usize]) -> TranscriptRead {
    let mut all = TranscriptRead::default();
    // A piece of a fork that holds copied lines alone would take them for the session's own.
    let whole = read_transcript(client, bytes, 0);
    let mut before = TranscriptRead {
        session: whole.session,
        copied_to: whole.copied_to,
        ..TranscriptRead::default()
    };
    for end in cuts.iter().copied().chain([bytes.len()]) {
        let from = before.next as usize;
        if end <= from {
            continue;
        }
        let read = read_transcript_after(client, &bytes[from..end], &before);
        all.said.push_str(&read.said);
        for slug in &read.shown {
            if !all.shown.contains(slug) {
                all.shown.push(slug.clone());
            }
        }
        for slug in &read.prompted {
            if !all.prompted.contains(slug) {
                all.prompted.push(slug.clone());
            }
        }
        all.gave_feedback |= read.gave_feedback;
        all.outcome = read.outcome.or(all.outcome);
        all.skipped += read.skipped;
        for sign in &read.signs {
            all.signs.retain(|held| held.kind != sign.kind);
            all.signs.push(sign.clone());
        }
        before = read;
    }
    all.headless = before.headless;
    all.subagent = before.subagent;
    all.cwd = before.cwd;
    all.session = before.session;
    all.next = before.next;
    all.open = before.open;
    all.folders = before.folders;
    all.project_hash = before.project_hash;
    all.counted = before.counted;
    all.began = before.began;
    all.copying = before.copying;
    all.copied_to = before.copied_to;
    all.running = before.running;
    all
}

#[test]
fn pieces_say_together_what_the_whole_says() {
    for file in files("transcripts", "jsonl") {
        let bytes = std::fs::read(&file).unwrap();
        let whole = read_transcript("", &bytes, 0);
        for cut in 0..=bytes.len() {
            assert_eq!(
                in_pieces("", &bytes, &[cut]),
                whole,
                "{} at {cut}",
                file.display()
            );
        }
        let every: Vec<usize> = (0..bytes.len()).step_by(61).collect();
        assert_eq!(in_pieces("", &bytes, &every), whole, "{}", file.display());
    }
}

#[test]
fn an_answer_in_another_piece_is_found_by_its_call() {
    let bytes = std::fs::read(data("transcripts/copilot.jsonl")).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let end = text.find("{\"type\":\"tool.execution_complete\"").unwrap();
    let first = read_transcript("copilot", &text.as_bytes()[..end], 0);
    assert_eq!(first.open, ["c1"]);
    let second = read_transcript_after("copilot", &text.as_bytes()[end..], &first);
    assert_eq!(second.shown, ["uploads-share-a-port"]);
    assert_eq!(second.session.as_deref(), Some("cp1"));
}

#[test]
fn a_line_longer_than_the_piece_is_not_passed_over() {
    let read = read_transcript("claude", b"{\"type\":\"assistant\",\"mess", 40);
    assert_eq!((read.next, read.skipped), (40, 0));
}
