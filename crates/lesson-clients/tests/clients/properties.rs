//! Whatever comes in: nothing panics, pieces agree with the whole, bounds hold.

use crate::transcripts::in_pieces;
use lesson_clients::{
    HookInput, HookPlan, SessionInput, TranscriptRead, backfill, hook_output, plan_hook,
    read_transcript, read_transcript_after, record,
};
use proptest::prelude::*;

/// Pieces of transcripts, so that random lines are often nearly right.
const PARTS: &[&str] = &[
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"DELIVERED: it \"}]}}",
    "{\"type\":\"assistant\",\"isSidechain\":true,\"agentId\":\"a\",\"message\":{\"content\":\"INSIGHT: ö\\ud83d long enough to be one\"}}",
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"playbook_search_lessons\"}]}}",
    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"content\":\"### a-b\"}]}}",
    "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-20T10:00:01.000Z\",\"cwd\":\"/x\",\"message\":{\"content\":\"hi\"}}",
    "{\"type\":\"assistant\",\"uuid\":\"v\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-20T10:00:02.000Z\",\"message\":{\"content\":\"BLOCKED: no\"}}",
    "{\"type\":\"queue-operation\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-20T10:00:01.500Z\"}",
    "{\"type\":\"assistant\",\"forkedFrom\":{},\"sessionId\":\"s\",\"message\":{\"content\":\"DELIVERED: a copy\"}}",
    "{\"type\":\"session_meta\",\"timestamp\":\"2026-11-20T10:00:01.000Z\",\"payload\":{\"id\":\"01a2161b-15e9-7e81-a800-26a29c8a821e\"}}",
    "{\"type\":\"event_msg\",\"timestamp\":\"2026-11-20T10:00:04.000Z\",\"payload\":{\"type\":\"task_started\",\"turn_id\":\"01a21618-b64e-7a92-be82-d36c38758f75\"}}",
    "{\"info\":{\"role\":\"assistant\",\"sessionID\":\"s\"},\"parts\":[{\"type\":\"text\",\"text\":\"DELIVERED: x\"}]}",
    "{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\",\"source\":\"exec\"}}",
    "{\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"<private>a\"}}",
    "{\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}",
    "{\"type\":\"gemini\",\"content\":[{\"text\":\"é\"}]}",
    "{\"type\":\"assistant.message\",\"data\":{\"content\":\"BLOCKED: no\"}}",
    "\n",
    "\r\n",
    "{",
    "\\ud800",
    "\u{fffd}",
];

fn transcript() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        8 => prop::sample::select(PARTS).prop_map(|part| part.as_bytes().to_vec()),
        6 => Just(b"\n".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400), from in any::<u64>()) {
        let read = read_transcript("claude", &bytes, from);
        prop_assert!(read.next >= from);
    }

    #[test]
    fn pieces_agree_with_the_whole(bytes in transcript(), mut cuts in prop::collection::vec(0usize..2_000, 0..6)) {
        cuts.retain(|cut| *cut <= bytes.len());
        cuts.sort_unstable();
        // Lines of all clients, with several sessions' names: the first piece knows whose it is, as it mostly does.
        let whole = in_pieces("", &bytes, &[]);
        prop_assert_eq!(in_pieces("", &bytes, &cuts), whole);
    }

    #[test]
    fn any_payload_is_planned(payload in "\\PC*", event in "[a-zA-Z-]{0,14}", max_tokens in any::<u32>(), child in any::<bool>()) {
        let input = HookInput { client: "claude".into(), event, payload, max_tokens, child, ..HookInput::default() };
        let _ = plan_hook(&input);
    }

    #[test]
    fn a_query_is_never_longer_than_the_interface_takes(prompt in "\\PC{0,6000}") {
        let payload = serde_json::json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": prompt });
        let input = HookInput { payload: payload.to_string(), ..HookInput::default() };
        if let HookPlan::Recommend { request, .. } = plan_hook(&input) {
            let query = request.body["query"].as_str().unwrap();
            prop_assert!(query.chars().count() <= lesson_types::limits::QUERY);
            prop_assert!(!query.to_lowercase().contains("<private>"));
        }
    }

    #[test]
    fn a_transcript_read_twice_says_no_more(bytes in transcript()) {
        // A client that writes its history again, with ids, adds nothing.
        let text = String::from_utf8_lossy(&bytes);
        let kept = text.lines().filter(|line| line.contains("\"uuid\":\"v\""));
        let once: String = kept.map(|line| format!("{line}\n")).collect();
        let read = read_transcript("claude", once.as_bytes(), 0);
        let twice = read_transcript("claude", once.repeat(2).as_bytes(), 0);
        prop_assert_eq!(&twice.said, &read.said);
        prop_assert_eq!(&twice.counted, &read.counted);
        let again = TranscriptRead { next: 0, ..read };
        prop_assert_eq!(read_transcript_after("claude", once.as_bytes(), &again).said, "");
    }

    #[test]
    fn any_text_is_typed_or_not(text in "[</>a-z_ \\[\\]:/\"\\n-]{0,60}", tag in prop::sample::select(&["system-reminder", "user_query", "task-notification", "private", "x"][..])) {
        for prompt in [text.clone(), format!("<{tag}>{text}"), format!("<{tag}>{text}</{tag}>"), format!("{text}<{tag} a=\"b\">{text}</{tag}>{text}")] {
            let payload = serde_json::json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": prompt });
            let input = HookInput { payload: payload.to_string(), ..HookInput::default() };
            if let HookPlan::Recommend { request, .. } = plan_hook(&input) {
                let query = request.body["query"].as_str().unwrap();
                prop_assert!(query.trim() == query && !query.is_empty());
            }
        }
    }

    #[test]
    fn any_session_is_recorded(bytes in transcript(), done in any::<bool>(), last in prop::option::of("\\PC{0,80}")) {
        let read = read_transcript("", &bytes, 0);
        let _ = backfill(std::slice::from_ref(&read));
        let input = SessionInput {
            session: "s".into(),
            decision_id: "s".into(),
            done,
            last_message: last,
            reads: vec![read],
            ..SessionInput::default()
        };
        let recorded = record(&input);
        for request in &recorded.requests {
            prop_assert_eq!(request.headers["idempotency-key"].len(), 64);
            prop_assert!(!request.body.is_null());
        }
        prop_assert_eq!(record(&input), recorded);
    }

    #[test]
    fn any_text_is_printed_within_the_bound(text in "\\PC{0,200}", times in 1usize..200) {
        for shape in ["\"text\"", "\"additional_context\"", "\"bare_context\"", "{\"hook_specific_output\":\"X\"}", "{\"both\":\"X\"}"] {
            let both = shape.contains("both");
            let shape = serde_json::from_str(shape).unwrap();
            let output = hook_output(&shape, &text.repeat(times));
            // One output for two readers is as long as both of theirs.
            let most = if both { 20_000 } else { 10_000 };
            prop_assert!(output.encode_utf16().count() <= most);
        }
    }
}
