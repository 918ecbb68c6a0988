//! A coding agent's session, from its first prompt to its end: what `lesson-clients` makes of hooks and transcripts is what
//! the service takes.

use crate::common;

use common::{TestService, block_on};
use lesson_clients::{
    HookInput, HookPlan, Kept, Recorded, SessionInput, backfill, backfill_requests, hook_output,
    plan_hook, read_transcript, record,
};
use lesson_types::{LessonView, Recommendations, Request};
use serde_json::{Value, json};

fn plan(payload: Value) -> HookPlan {
    plan_hook(&HookInput {
        client: "claude".to_owned(),
        payload: payload.to_string(),
        ..HookInput::default()
    })
}

fn send(fixture: &TestService, request: &Request) -> u16 {
    let answer = block_on(fixture.service.handle(request.clone()));
    let _ = block_on(fixture.service.flush());
    answer.status
}

/// Returns what Claude Code prints of a prompt's hook.
fn prompted(fixture: &TestService, prompt: &str) -> String {
    let payload =
        json!({ "session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt": prompt });
    let HookPlan::Recommend { request, shape, .. } = plan(payload) else {
        panic!("{prompt} asks for nothing")
    };
    let answer = block_on(fixture.service.handle(request));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let _ = block_on(fixture.service.flush());
    let answer: Recommendations = answer.body.read().unwrap();
    hook_output(&shape, &answer.prompt)
}

/// Records a turn whose transcript has these lines.
fn recorded(payload: Value, lines: &[Value], kept: Kept) -> Recorded {
    let HookPlan::Record {
        session,
        decision_id,
        last_message,
        subagent,
        done,
        ..
    } = plan(payload)
    else {
        panic!("nothing is recorded")
    };
    let bytes: String = lines.iter().map(|line| format!("{line}\n")).collect();
    record(&SessionInput {
        session,
        decision_id,
        done,
        last_message,
        subagent,
        reads: vec![read_transcript("claude", bytes.as_bytes(), 0)],
        kept,
        ..SessionInput::default()
    })
}

fn said(text: &str) -> Value {
    json!({ "type": "assistant", "sessionId": "s-1", "message": { "content": [{ "type": "text", "text": text }] } })
}

fn context(text: &str) -> Value {
    json!({ "type": "attachment", "sessionId": "s-1", "attachment": { "type": "hook_additional_context", "hookEvent": "UserPromptSubmit", "content": [text] } })
}

fn stop() -> Value {
    json!({ "session_id": "s-1", "hook_event_name": "Stop", "transcript_path": "t.jsonl" })
}

fn end() -> Value {
    json!({ "session_id": "s-1", "hook_event_name": "SessionEnd", "transcript_path": "t.jsonl" })
}

const APPLYING: &str = "Applying 'bound-the-queue': the queue holds a thousand.\n\nINSIGHT: A queue without a bound hides the slow consumer behind it.";

#[test]
fn a_session_counts_once_however_often_it_is_told() {
    let fixture = TestService::with(&[(
        "bound-the-queue",
        "Bound the queue",
        "Give every queue a bound and name it in its metrics.",
    )]);
    let printed = prompted(&fixture, "The queue grows without a bound");
    assert!(printed.contains("### bound-the-queue"), "{printed}");

    let first = recorded(
        stop(),
        &[context(&printed), said(APPLYING)],
        Kept::default(),
    );
    let last = recorded(
        end(),
        &[said("DELIVERED: the queue has a bound")],
        first.keep.clone(),
    );
    for _ in 0..2 {
        for request in first.requests.iter().chain(&last.requests) {
            assert_eq!(send(&fixture, request), 200, "{}", request.path);
        }
    }
    let lesson: LessonView = fixture.get("/v1/lessons/bound-the-queue");
    assert_eq!(
        (lesson.standing.times_applied, lesson.standing.success_count),
        (1, 1)
    );
    assert_eq!(
        (lesson.standing.use_count, lesson.standing.causal_hits),
        (1, 1)
    );
    assert_eq!(fixture.store.space().lessons().count(), 2);

    // The session goes on and ends again: what was told stands.
    let again = recorded(end(), &[said("BLOCKED: the consumer is gone")], last.keep);
    let statuses: Vec<(&str, u16)> = again
        .requests
        .iter()
        .map(|request| (&*request.path, send(&fixture, request)))
        .collect();
    assert_eq!(
        statuses,
        [
            ("/v1/track", 200),
            ("/v1/sessions", 200),
            ("/v1/outcome", 409)
        ]
    );
    let lesson: LessonView = fixture.get("/v1/lessons/bound-the-queue");
    assert_eq!(
        (lesson.standing.times_applied, lesson.standing.use_count),
        (1, 1)
    );
}

#[test]
fn a_session_without_lessons_is_refused_gently() {
    let fixture = TestService::new();
    let told = recorded(end(), &[said("DELIVERED: by itself")], Kept::default());
    let statuses: Vec<(&str, u16)> = told
        .requests
        .iter()
        .map(|request| (&*request.path, send(&fixture, request)))
        .collect();
    assert_eq!(
        statuses,
        [
            ("/v1/track", 404),
            ("/v1/sessions", 200),
            ("/v1/outcome", 404)
        ]
    );
    assert_eq!(prompted(&fixture, "The queue grows without a bound"), "");
}

#[test]
fn the_past_is_taken_once() {
    let fixture = TestService::new();
    let lines = format!("{}\n", said(APPLYING));
    let reads = [read_transcript("claude", lines.as_bytes(), 0)];
    let summary = backfill(&reads).unwrap();
    for _ in 0..2 {
        for request in backfill_requests(&summary) {
            assert_eq!(send(&fixture, &request), 200);
        }
    }
    let space = fixture.store.space();
    let slugs: Vec<&str> = space.lessons().map(|lesson| &*lesson.slug).collect();
    assert_eq!(slugs, [&*summary.insights[0].slug]);
}
