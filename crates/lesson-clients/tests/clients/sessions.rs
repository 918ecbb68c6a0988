//! The requests for what was said, over the turns of a session.

use crate::corpus::data;
use lesson_clients::{
    Kept, Recorded, SessionInput, TranscriptRead, backfill, backfill_requests, read_transcript,
    read_transcript_after, record, session_requests,
};
use lesson_types::{FeedbackOutcome, Request};
use serde_json::{Value, json};

fn said(text: &str) -> TranscriptRead {
    let line = json!({ "type": "assistant", "message": { "content": text } });
    read_transcript("claude", format!("{line}\n").as_bytes(), 0)
}

fn by_subagent(text: &str) -> TranscriptRead {
    let line = json!({ "type": "assistant", "isSidechain": true, "agentId": "a", "message": { "content": text } });
    read_transcript("claude", format!("{line}\n").as_bytes(), 0)
}

fn turn(done: bool, reads: Vec<TranscriptRead>, kept: Kept) -> Recorded {
    record(&SessionInput {
        session: "s".to_owned(),
        decision_id: "d".to_owned(),
        done,
        reads,
        kept,
        ..SessionInput::default()
    })
}

/// The requests as `path body`.
fn sent(requests: &[Request]) -> Vec<(&str, &Value)> {
    requests
        .iter()
        .map(|request| (&*request.path, &request.body))
        .collect()
}

fn body<'a>(recorded: &'a Recorded, path: &str) -> Option<&'a Value> {
    let request = recorded.requests.iter().find(|one| one.path == path);
    request.map(|request| &request.body)
}

const INSIGHT: &str = "INSIGHT: A retry without a deadline holds the connection.";

#[test]
fn a_turn_tracks_what_was_applied_and_adds_what_was_learned() {
    let recorded = turn(
        false,
        vec![said(&format!("{INSIGHT}\nDELIVERED: done"))],
        Kept::default(),
    );
    let content = INSIGHT.strip_prefix("INSIGHT: ").unwrap();
    assert_eq!(
        sent(&recorded.requests),
        [
            (
                "/v1/track",
                &json!({ "decision_id": "d", "reasoning": format!("{INSIGHT}\nDELIVERED: done\n\n") })
            ),
            (
                "/v1/sessions",
                &json!({ "decision_id": "d", "transcript": format!("INSIGHT: {{\"content\":\"{content}\",\"tags\":[]}}\n") })
            ),
        ]
    );
    assert_eq!(recorded.keep.outcome, Some(FeedbackOutcome::Delivered));
}

#[test]
fn the_outcome_waits_for_the_end_and_is_the_last_one() {
    let first = turn(
        false,
        vec![said("BLOCKED: the token is refused everywhere")],
        Kept::default(),
    );
    assert_eq!(body(&first, "/v1/outcome"), None);
    assert_eq!(
        body(&first, "/v1/sessions"),
        None,
        "a failure is a lesson at the end only"
    );
    let second = turn(false, vec![said("DELIVERED: with a new token")], first.keep);
    let end = turn(true, vec![], second.keep);
    assert_eq!(
        body(&end, "/v1/outcome"),
        Some(&json!({ "decision_id": "d", "outcome": "success" }))
    );
    let transcript = &body(&end, "/v1/sessions").unwrap()["transcript"];
    assert_eq!(
        transcript,
        "BLOCKED: the token is refused everywhere\n\nDELIVERED: with a new token\n\n"
    );
    let told = Kept {
        told: Some(FeedbackOutcome::Delivered),
        ..Kept::default()
    };
    assert_eq!(end.keep, told);
}

#[test]
fn an_outcome_that_is_told_again_is_the_last_one() {
    let mut kept = Kept::default();
    for text in [
        "BLOCKED: no access",
        "DELIVERED: with access",
        "BLOCKED: no access",
    ] {
        kept = turn(false, vec![said(text)], kept).keep;
    }
    let end = turn(true, vec![], kept);
    assert_eq!(body(&end, "/v1/outcome").unwrap()["outcome"], "failure");
    let transcript = &body(&end, "/v1/sessions").unwrap()["transcript"];
    assert_eq!(
        transcript,
        "DELIVERED: with access\n\nBLOCKED: no access\n\n"
    );
}

#[test]
fn each_outcome_line_has_its_outcome() {
    for (line, outcome) in [
        ("DELIVERED: x y z", Some("success")),
        ("- **plan complete**: all steps", Some("success")),
        ("BLOCKED: no access", Some("failure")),
        ("BLOCKED: none", None),
        ("We talked.", None),
    ] {
        let end = turn(true, vec![said(line)], Kept::default());
        let told = body(&end, "/v1/outcome").map(|body| body["outcome"].as_str().unwrap());
        assert_eq!(told, outcome, "{line}");
    }
}

#[test]
fn a_subagents_outcome_is_not_the_sessions() {
    let reads = vec![
        said("BLOCKED: no access"),
        by_subagent("DELIVERED: listed the callers"),
    ];
    let end = turn(true, reads, Kept::default());
    assert_eq!(body(&end, "/v1/outcome").unwrap()["outcome"], "failure");
    let transcript = body(&end, "/v1/sessions").unwrap()["transcript"]
        .as_str()
        .unwrap();
    assert!(
        transcript.ends_with("BLOCKED: no access\n\n"),
        "{transcript}"
    );
    let mut input = SessionInput {
        session: "s".to_owned(),
        decision_id: "d".to_owned(),
        last_message: Some("DELIVERED: listed the callers".to_owned()),
        ..SessionInput::default()
    };
    assert_eq!(
        record(&input).keep.outcome,
        Some(FeedbackOutcome::Delivered)
    );
    input.subagent = true;
    assert_eq!(record(&input).keep.outcome, None);
}

#[test]
fn lessons_shown_in_any_turn_get_feedback_at_the_end() {
    let bytes = std::fs::read(data("transcripts/claude_main.jsonl")).unwrap();
    let first = turn(
        false,
        vec![read_transcript("claude", &bytes, 0)],
        Kept::default(),
    );
    let end = turn(true, vec![said("DELIVERED: at last")], first.keep);
    let transcript = body(&end, "/v1/sessions").unwrap()["transcript"]
        .as_str()
        .unwrap();
    assert!(
        transcript.starts_with("INJECTED: retry-with-a-deadline, bound-the-queue, uploads-share-a-port\nApplying 'retry-with-a-deadline'"),
        "{transcript}"
    );
    assert!(!transcript.contains("sk-not-to-be-told"));
}

/// A lesson that a prompt to a subagent names was shown in the session, whatever else was.
#[test]
fn lessons_that_a_prompt_to_a_subagent_names_were_shown() {
    let task = |prompt: &str| {
        json!({
            "type": "assistant", "uuid": "u-1", "sessionId": "s", "cwd": "/w",
            "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t-1", "name": "Task", "input": {"prompt": prompt}}
            ]}
        })
        .to_string()
    };
    let own = |prompt: &str| {
        json!({
            "type": "user", "uuid": "u-2", "sessionId": "s", "cwd": "/w", "isSidechain": true, "agentId": "a",
            "message": {"role": "user", "content": prompt}
        })
        .to_string()
    };
    let prompt =
        "Write the parser.\nINJECTED: bound-the-queue, keep-the-lock-short\nReport at the end.";
    for line in [task(prompt), own(prompt)] {
        let read = read_transcript("claude", format!("{line}\n").as_bytes(), 0);
        assert_eq!(
            read.prompted,
            ["bound-the-queue", "keep-the-lock-short"],
            "{line}"
        );
        let mut ends = said("DELIVERED: the parser reads all files");
        ends.shown = vec!["bound-the-queue".to_owned(), "from-a-hook".to_owned()];
        let input = SessionInput {
            session: "s".to_owned(),
            decision_id: "d".to_owned(),
            done: true,
            reads: vec![read, ends],
            ..SessionInput::default()
        };
        let recorded = record(&input);
        let session = body(&recorded, "/v1/sessions").unwrap();
        let transcript = session["transcript"].as_str().unwrap();
        assert!(
            transcript.starts_with("INJECTED: bound-the-queue, from-a-hook, keep-the-lock-short\n"),
            "{transcript}"
        );
        assert_eq!(session["decision_id"], "d");
    }
    assert!(
        read_transcript(
            "claude",
            format!("{}\n", task("Look at what was injected: the lessons")).as_bytes(),
            0
        )
        .prompted
        .is_empty()
    );
}

#[test]
fn an_agent_that_gave_feedback_or_named_its_lessons_has_said_it_all() {
    let mut read = said("DELIVERED: done");
    read.shown = vec!["bound-the-queue".to_owned()];
    let named = SessionInput {
        session: "s".to_owned(),
        decision_id: "d".to_owned(),
        done: true,
        reads: vec![read.clone()],
        shown: vec!["from-the-host".to_owned(), "Not A Slug".to_owned()],
        ..SessionInput::default()
    };
    let transcript = |input: &SessionInput| {
        let recorded = record(input);
        body(&recorded, "/v1/sessions").unwrap()["transcript"].clone()
    };
    assert_eq!(
        transcript(&named),
        "INJECTED: bound-the-queue, from-the-host\nDELIVERED: done\n\n"
    );
    let mut gave = named.clone();
    gave.reads[0].gave_feedback = true;
    assert_eq!(transcript(&gave), "DELIVERED: done\n\n");
    let mut own = named.clone();
    own.reads.push(said("INJECTED: none-of-those"));
    assert_eq!(
        transcript(&own),
        "DELIVERED: done\n\nINJECTED: none-of-those\n\n"
    );
}

#[test]
fn a_headless_session_is_recorded_like_another() {
    let bytes = std::fs::read(data("transcripts/codex_exec.jsonl")).unwrap();
    let read = read_transcript("codex", &bytes, 0);
    assert!(read.headless);
    let end = turn(true, vec![read, said("DELIVERED: done")], Kept::default());
    assert_eq!(body(&end, "/v1/outcome").unwrap()["outcome"], "success");
}

#[test]
fn a_fork_neither_credits_nor_blames_what_it_inherited() {
    for name in [
        "claude_fork",
        "claude_fork_by_hand",
        "claude_branch",
        "claude_fork_of_old",
        "codex_fork_copied",
    ] {
        let bytes = std::fs::read(data(&format!("transcripts/{name}.jsonl"))).unwrap();
        let end = turn(true, vec![read_transcript("", &bytes, 0)], Kept::default());
        assert_eq!(
            body(&end, "/v1/outcome").unwrap()["outcome"],
            "failure",
            "{name}"
        );
        let sent = serde_json::to_string(&end.requests).unwrap();
        for inherited in ["INJECTED", "Applying", "DELIVERED"] {
            assert!(!sent.contains(inherited), "{name}: {inherited} in {sent}");
        }
    }
}

#[test]
fn lines_of_another_session_are_known_by_their_ids() {
    let line = |session: &str, text: &str| {
        let line = json!({
            "type": "assistant", "uuid": "u-7", "sessionId": session, "message": { "content": text }
        });
        format!("{line}\n")
    };
    let first = read_transcript("claude", line("one", INSIGHT).as_bytes(), 0);
    let known = TranscriptRead {
        known: first.counted.clone(),
        ..TranscriptRead::default()
    };
    let copy = line("two", INSIGHT);
    assert_eq!(
        read_transcript_after("claude", copy.as_bytes(), &known).said,
        ""
    );
    // The same id with other words is another line.
    let other = line("two", "DELIVERED: at last");
    assert_eq!(
        read_transcript_after("claude", other.as_bytes(), &known).said,
        "DELIVERED: at last\n\n"
    );
}

#[test]
fn a_session_that_ends_again_in_the_same_way_rates_its_lessons_once() {
    let shown = |text: &str| TranscriptRead {
        shown: vec!["bound-the-queue".to_owned()],
        ..said(text)
    };
    let names = |recorded: &Recorded| {
        let transcript = &body(recorded, "/v1/sessions").unwrap()["transcript"];
        transcript
            .as_str()
            .unwrap()
            .contains("INJECTED: bound-the-queue")
    };
    let first = turn(true, vec![shown("DELIVERED: one half")], Kept::default());
    assert!(names(&first));
    let again = turn(true, vec![shown("DELIVERED: the other half")], first.keep);
    assert!(!names(&again));
    let blocked = turn(true, vec![shown("BLOCKED: no access")], again.keep);
    assert!(names(&blocked));
}

#[test]
fn a_subagents_outcome_is_none_of_a_session_that_told_none() {
    let reads = vec![
        by_subagent("INSIGHT: Callers in the batch job bypass the wrapper.\nDELIVERED: listed"),
        said("I go on."),
    ];
    let end = turn(true, reads, Kept::default());
    assert_eq!(body(&end, "/v1/outcome"), None);
    let transcript = body(&end, "/v1/sessions").unwrap()["transcript"]
        .as_str()
        .unwrap();
    assert!(
        transcript.contains("INSIGHT") && !transcript.contains("DELIVERED"),
        "{transcript}"
    );
}

#[test]
fn the_last_message_counts_once_whether_or_not_it_was_written() {
    let mut input = SessionInput {
        session: "s".to_owned(),
        decision_id: "d".to_owned(),
        done: true,
        last_message: Some(" DELIVERED: done \n".to_owned()),
        ..SessionInput::default()
    };
    let late = session_requests(&input);
    input.reads = vec![said("DELIVERED: done")];
    assert_eq!(session_requests(&input), late);
}

#[test]
fn the_same_pieces_make_the_same_keys_and_other_ones_others() {
    let keys = |session: &str, text: &str| -> Vec<String> {
        let recorded = record(&SessionInput {
            session: session.to_owned(),
            decision_id: session.to_owned(),
            done: true,
            reads: vec![said(text)],
            ..SessionInput::default()
        });
        let requests = recorded.requests.iter();
        requests
            .map(|one| one.headers["idempotency-key"].clone())
            .collect()
    };
    let text = format!("{INSIGHT}\nDELIVERED: done");
    assert_eq!(keys("s", &text), keys("s", &text));
    let mut all = [keys("s", &text), keys("t", &text)].concat();
    assert_eq!(all.len(), 6);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
    // Another ending of a resumed session tells the same outcome under the same key.
    assert_eq!(keys("s", &text)[2], keys("s", "DELIVERED: again")[2]);
}

#[test]
fn a_session_that_is_too_long_is_tracked_in_pieces_and_keeps_its_end() {
    let line = "Words of an agent that go on.\n";
    let text = format!("{}DELIVERED: at last", line.repeat(60_000));
    let end = turn(true, vec![said(&text)], Kept::default());
    let tracked: Vec<&str> = end
        .requests
        .iter()
        .filter(|request| request.path == "/v1/track")
        .map(|request| request.body["reasoning"].as_str().unwrap())
        .collect();
    assert_eq!(tracked.len(), 3);
    assert!(tracked[1].starts_with("Words") && tracked[1].len() <= 800_000);
    assert_eq!(tracked.concat(), format!("{text}\n\n"));
    let transcript = body(&end, "/v1/sessions").unwrap()["transcript"]
        .as_str()
        .unwrap();
    assert!(transcript.starts_with("Words") && transcript.ends_with("at last\n\n"));
    assert!(transcript.chars().count() <= lesson_types::limits::TEXT);
}

#[test]
fn a_session_of_the_past_is_told_before_anything_is_sent() {
    let bytes = std::fs::read(data("transcripts/claude_main.jsonl")).unwrap();
    let reads = [
        by_subagent("INSIGHT: Callers in the batch job bypass the wrapper."),
        read_transcript("claude", &bytes, 0),
        said("INJECTED: lesson-of-then"),
    ];
    let summary = backfill(&reads).unwrap();
    assert_eq!(summary.session, "s-1");
    assert_eq!(summary.cwd.as_deref(), Some("/src/payments-api"));
    assert_eq!(summary.outcome, Some(FeedbackOutcome::Blocked));
    assert_eq!(summary.skipped, 2);
    let titles: Vec<&str> = summary.insights.iter().map(|one| &*one.title).collect();
    assert_eq!(
        titles,
        [
            "Callers in the batch job bypass the wrapper",
            "A retry without a deadline holds the connection until the pool is empty",
        ]
    );
    let requests = backfill_requests(&summary);
    assert_eq!(requests.len(), 1);
    let transcript = requests[0].body["transcript"].as_str().unwrap();
    assert!(!transcript.to_lowercase().contains("injected"));
    assert_eq!(backfill_requests(&summary), requests);
}

#[test]
fn a_session_that_taught_nothing_is_left_out() {
    assert_eq!(backfill(&[said("We talked.")]), None);
    assert_eq!(backfill(&[]), None);
    let headless = std::fs::read(data("transcripts/claude_headless.jsonl")).unwrap();
    assert_eq!(backfill(&[read_transcript("claude", &headless, 0)]), None);
    let delivered = backfill(&[said("DELIVERED: without an insight")]).unwrap();
    assert_eq!(backfill_requests(&delivered), []);
}
