//! Lessons once in a context, and at the moment of need.

use lesson_clients::{
    Given, HookInput, HookPlan, Needed, OutputShape, helps_now, hook_output_once, plan_hook,
};
use lesson_core::{Lesson, RelevanceWord, Text, prompt_text};
use serde_json::{Value, json};

fn prompt(lessons: &[(&str, &str, RelevanceWord)]) -> String {
    let made: Vec<(Lesson, RelevanceWord)> = lessons
        .iter()
        .map(|(slug, body, relevance)| {
            let text = Text {
                title: format!("About {slug}"),
                recommendation: (*body).to_owned(),
                ..Text::default()
            };
            (Lesson::new((*slug).to_owned(), text, "test", 0), *relevance)
        })
        .collect();
    let items: Vec<(&Lesson, RelevanceWord)> =
        made.iter().map(|(one, word)| (one, *word)).collect();
    prompt_text(&items, None).text
}

fn slugs(given: &[Given]) -> Vec<&str> {
    given.iter().map(|one| one.slug.as_str()).collect()
}

#[test]
fn a_text_is_given_once_and_again_when_it_changed() {
    let high = RelevanceWord::High;
    let first = prompt(&[
        ("one", "Use a digest.", high),
        ("two", "### one\nBound it.", high),
    ]);
    let told = hook_output_once(&OutputShape::Text, &first, &[]);
    assert_eq!(slugs(&told.given), ["one", "two"]);

    // Its relevance is another one, its text is not.
    let low = prompt(&[("one", "Use a digest.", RelevanceWord::Low)]);
    let again = hook_output_once(&OutputShape::Text, &low, &told.given);
    assert_eq!(again.given, []);
    assert!(again.output.contains("'one'") && !again.output.contains("digest"));
    assert!(
        !again.output.contains("###"),
        "a name is no text that was shown"
    );

    let changed = prompt(&[
        ("one", "Use two digests.", high),
        ("two", "### one\nBound it.", high),
    ]);
    let new = hook_output_once(&OutputShape::Text, &changed, &told.given);
    assert_eq!(slugs(&new.given), ["one"]);
    assert!(new.output.contains("two digests") && !new.output.contains("Bound it."));
    assert!(new.output.contains("'two'"));
}

#[test]
fn what_did_not_fit_was_not_given() {
    let long = "word ".repeat(1_500);
    let text = prompt(&[
        ("one", &long, RelevanceWord::High),
        ("two", &long, RelevanceWord::High),
    ]);
    for shape in [OutputShape::Text, OutputShape::BareContext] {
        let told = hook_output_once(&shape, &text, &[]);
        assert_eq!(slugs(&told.given), ["one"]);
        assert!(told.output.encode_utf16().count() <= 10_000);
        let rest = hook_output_once(&shape, &text, &told.given);
        assert_eq!(slugs(&rest.given), ["two"]);
    }
    let none = hook_output_once(&OutputShape::Text, &prompt_text(&[], None).text, &[]);
    assert_eq!(none.output, "");
}

/// The query that a tool's result asks with, or why it asks nothing.
fn asked(client: &str, payload: Value) -> Result<String, String> {
    let input = HookInput {
        client: client.to_owned(),
        payload: payload.to_string(),
        ..HookInput::default()
    };
    match plan_hook(&input) {
        HookPlan::Recommend {
            request, moment, ..
        } => {
            assert!(moment);
            assert_eq!(request.body["limit"], 1);
            Ok(request.body["query"].as_str().unwrap().to_owned())
        }
        HookPlan::Skip { reason } => Err(reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn failed_commands_ask_with_their_error_in_each_client() {
    let error = "error: the upload timed out after two seconds";
    let input = json!({ "command": "npm run upload" });
    for (client, payload) in [
        (
            "claude",
            json!({ "hook_event_name": "PostToolUseFailure", "error": format!("Exit code 3\n{error}"), "is_interrupt": false }),
        ),
        (
            "codex",
            json!({ "hook_event_name": "PostToolUse", "tool_response": format!("Exit code: 1\nWall time: 1 s\nOutput:\n{error}") }),
        ),
        (
            "gemini",
            json!({ "hook_event_name": "AfterTool", "tool_response": { "llmContent": format!("Command: x\nOutput: {error}\nExit Code: 3"), "returnDisplay": error } }),
        ),
        (
            "copilot",
            json!({ "hook_event_name": "PostToolUse", "tool_result": { "result_type": "success", "text_result_for_llm": format!("{error}\n<shellId: 0 completed with exit code 3>") } }),
        ),
        (
            "other",
            json!({ "hook_event_name": "PostToolUse", "tool_response": { "stderr": error, "exit_code": 101 } }),
        ),
    ] {
        let mut payload = payload;
        payload["session_id"] = "s".into();
        payload["tool_input"] = input.clone();
        let query = asked(client, payload).unwrap();
        assert!(
            query.starts_with("npm run upload\n") && query.contains(error),
            "{client}: {query}"
        );
    }
}

#[test]
fn what_went_well_or_says_nothing_asks_nothing() {
    for payload in [
        json!({ "hook_event_name": "PostToolUse", "tool_response": { "stdout": "the exit code 3 is documented here", "exit_code": 0 } }),
        json!({ "hook_event_name": "PostToolUse", "tool_response": "Exit code: 0\nOutput:\nall of the tests passed" }),
        json!({ "hook_event_name": "PostToolUse", "tool_response": "Exit code: 0\nOutput:\nerror: printed by a test that passed" }),
        json!({ "hook_event_name": "PostToolUse", "tool_response": "12 tests passed, none with an error\nthread 'main' is named" }),
        json!({ "hook_event_name": "PostToolUse" }),
        json!({ "hook_event_name": "PostToolUseFailure", "error": "Exit code 1" }),
        json!({ "hook_event_name": "PostToolUseFailure", "error": "Exit code 137\nthe command was stopped", "is_interrupt": true }),
        json!({ "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n<private>the key of the customer</private>" }),
    ] {
        let mut payload = payload;
        payload["session_id"] = "s".into();
        assert!(asked("claude", payload.clone()).is_err(), "{payload}");
    }
}

#[test]
fn an_interruption_is_worth_it_for_high_relevance_and_once_an_hour() {
    let now = 1e12;
    let hour = 3_600_000.0;
    for (relevance, last, helps) in [
        (RelevanceWord::VeryHigh, None, true),
        (RelevanceWord::High, None, true),
        (RelevanceWord::Medium, None, false),
        (RelevanceWord::Low, None, false),
        (RelevanceWord::High, Some(now - hour + 1.0), false),
        (RelevanceWord::High, Some(now - hour), true),
        // The clock was set back.
        (RelevanceWord::High, Some(now + 2.0 * hour), true),
    ] {
        let needed = Needed {
            relevance,
            last,
            now,
        };
        assert_eq!(helps_now(&needed), helps, "{needed:?}");
    }
}

#[test]
fn a_compaction_forgets_in_its_context_only() {
    let plan = |payload: Value| {
        plan_hook(&HookInput {
            client: "claude".into(),
            payload: payload.to_string(),
            ..HookInput::default()
        })
    };
    let compact = json!({ "session_id": "s", "hook_event_name": "PreCompact", "trigger": "auto" });
    let HookPlan::Forget { session, agent } = plan(compact) else {
        panic!("nothing is forgotten")
    };
    assert_eq!((session.as_str(), agent), ("s", None));
    for (source, is_fresh) in [("startup", false), ("compact", true)] {
        let start = json!({ "session_id": "s", "hook_event_name": "SessionStart", "source": source, "cwd": "/srv/web-shop" });
        let HookPlan::Recommend { fresh, .. } = plan(start) else {
            panic!("nothing is asked")
        };
        assert_eq!(fresh, is_fresh);
    }
    // A folder whose name says nothing asks nothing, but the context is shortened.
    let start = json!({ "session_id": "s", "hook_event_name": "SessionStart", "source": "compact", "cwd": "/work" });
    assert!(matches!(plan(start), HookPlan::Forget { agent: None, .. }));
}
