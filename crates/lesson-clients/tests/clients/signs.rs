//! Outcomes that test runs and commits in a transcript suggest where nobody told one.

use lesson_clients::{
    Kept, Recorded, SessionInput, TranscriptRead, read_transcript, read_transcript_after, record,
};
use lesson_types::DecisionOutcome;
use serde_json::{Value, json};

fn lines(lines: &[Value]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.into_bytes()
}

/// Claude Code's lines of a command and its end.
fn ran(id: &str, command: &str, failed: Option<i64>) -> [Value; 2] {
    let call =
        json!({ "type": "tool_use", "name": "Bash", "id": id, "input": { "command": command } });
    let content = failed.map_or("ok".to_owned(), |code| format!("Exit code {code}\nboom"));
    let end = json!({ "type": "tool_result", "tool_use_id": id, "is_error": failed.is_some(), "content": content });
    [
        json!({ "type": "assistant", "message": { "content": [call] } }),
        json!({ "type": "user", "message": { "content": [end] } }),
    ]
}

fn ended(reads: Vec<TranscriptRead>, kept: Kept) -> Recorded {
    record(&SessionInput {
        session: "s".to_owned(),
        decision_id: "s".to_owned(),
        done: true,
        reads,
        kept,
        ..SessionInput::default()
    })
}

#[track_caller]
fn suggests(commands: &[(&str, Option<i64>)], expected: Option<(DecisionOutcome, &str)>) {
    let all: Vec<Value> = (0..)
        .zip(commands)
        .flat_map(|(at, (command, failed))| ran(&format!("t{at}"), command, *failed))
        .collect();
    let whole = ended(
        vec![read_transcript("claude", &lines(&all), 0)],
        Kept::default(),
    );
    let found = whole.suggested.as_ref();
    assert_eq!(
        found.map(|it| (it.outcome, it.because.as_str())),
        expected,
        "{commands:?}"
    );
    assert!(
        !whole.requests.iter().any(|one| one.path == "/v1/outcome"),
        "nothing counts unasked"
    );
    // The same, line by line over several hooks.
    let mut before = TranscriptRead::default();
    let mut kept = Kept::default();
    for line in &all {
        let read = read_transcript_after("claude", &lines(std::slice::from_ref(line)), &before);
        let turn = record(&SessionInput {
            session: "s".to_owned(),
            decision_id: "s".to_owned(),
            reads: vec![read.clone()],
            kept,
            ..SessionInput::default()
        });
        assert_eq!(turn.suggested, None, "only an end suggests");
        kept = turn.keep;
        before = read;
    }
    assert_eq!(ended(Vec::new(), kept).suggested, whole.suggested);
}

#[test]
fn the_last_test_run_or_else_a_commit_suggests() {
    use DecisionOutcome::{Failure, Success};
    suggests(&[], None);
    suggests(&[("cargo build", None), ("ls", Some(2))], None);
    suggests(
        &[("cargo test", Some(101)), ("cargo test -p x", None)],
        Some((Success, "The last test run passed: `cargo test -p x`")),
    );
    suggests(
        &[("cargo test", None), ("cd web && npm test", Some(1))],
        Some((Failure, "The last test run failed: `cd web && npm test`")),
    );
    suggests(
        &[("git add -A && git commit -m 'Retry'", None)],
        Some((
            Success,
            "The work was committed: `git add -A && git commit -m 'Retry'`",
        )),
    );
    suggests(&[("git commit -m x", Some(1))], None);
    suggests(&[("pytest", Some(1)), ("git commit -m x", None)], None);
    suggests(
        &[("git commit -m x", None), ("pytest", Some(1))],
        Some((Failure, "The last test run failed: `pytest`")),
    );
    suggests(&[("cargo test | tail", None)], None);
}

#[test]
fn what_was_told_needs_no_suggestion() {
    let mut all = ran("t", "cargo test", None).to_vec();
    let said = "DELIVERED: the retry has a deadline";
    all.push(json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": said }] } }));
    let whole = ended(
        vec![read_transcript("claude", &lines(&all), 0)],
        Kept::default(),
    );
    assert_eq!(whole.suggested, None);
    assert!(whole.requests.iter().any(|one| one.path == "/v1/outcome"));
}

#[test]
fn a_command_that_did_not_end_and_a_subagents_suggest_nothing() {
    let [call, _] = ran("t", "cargo test", None);
    let refused = |content: &str, is_error: bool| {
        let end = json!({ "type": "tool_result", "tool_use_id": "t", "is_error": is_error, "content": content });
        json!({ "type": "user", "message": { "content": [end] } })
    };
    let mut sidechain = ran("t", "cargo test", None);
    for line in &mut sidechain {
        line["isSidechain"] = json!(true);
    }
    for all in [
        vec![call.clone()],
        vec![
            call.clone(),
            refused("The user doesn't want to proceed", true),
        ],
        vec![
            call,
            refused("Command running in background with ID: x", false),
        ],
        sidechain.to_vec(),
    ] {
        let read = read_transcript("claude", &lines(&all), 0);
        assert_eq!(
            ended(vec![read], Kept::default()).suggested,
            None,
            "{all:?}"
        );
    }
}

#[test]
fn codex_and_gemini_tell_exit_codes_in_their_ways() {
    let call = |arguments: Value| {
        let arguments = arguments.to_string();
        json!({ "type": "response_item", "payload": { "type": "function_call", "name": "shell", "call_id": "c", "arguments": arguments } })
    };
    let end = |output: &str| json!({ "type": "response_item", "payload": { "type": "function_call_output", "call_id": "c", "output": output } });
    let event = json!({ "type": "event_msg", "payload": { "type": "exec_command_end", "command": ["bash", "-lc", "go test ./..."], "exit_code": 1 } });
    let gemini = |code: u8| {
        let output = format!("Command: make test\nOutput: x\nExit Code: {code}");
        let result = json!([{ "functionResponse": { "response": { "output": output } } }]);
        json!({ "type": "gemini", "content": "", "toolCalls": [{ "name": "run_shell_command", "args": { "command": "make test" }, "result": result }] })
    };
    let listed = json!({ "command": ["bash", "-lc", "cargo test"] });
    for (client, all, passed) in [
        (
            "codex",
            vec![
                call(listed.clone()),
                end(r#"{"output":"ok","metadata":{"exit_code":0}}"#),
            ],
            true,
        ),
        (
            "codex",
            vec![
                call(listed),
                end("Exit code: 101\nWall time: 2 seconds\nOutput:\nboom"),
            ],
            false,
        ),
        (
            "codex",
            vec![
                call(json!({ "cmd": "cargo test" })),
                end("Chunk ID: 1\nProcess exited with code 0\nOutput:\nok"),
            ],
            true,
        ),
        ("codex", vec![event], false),
        ("gemini", vec![gemini(0)], true),
        ("gemini", vec![gemini(2)], false),
    ] {
        let read = read_transcript(client, &lines(&all), 0);
        assert_eq!(read.signs.len(), 1, "{all:?}");
        assert_eq!(read.signs[0].passed, passed, "{all:?}");
        assert_eq!(read.skipped, 0);
    }
}
