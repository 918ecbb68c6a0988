//! Every client's payloads, and what is planned for them.

use crate::corpus::{differences, files, json};
use lesson_clients::{HookInput, HookPlan, plan_hook};
use serde_json::{Value, json};

fn input(client: &str, case: &Value) -> HookInput {
    let text = |name: &str, other: &str| case[name].as_str().unwrap_or(other).to_owned();
    HookInput {
        client: text("client", client),
        event: text("event", ""),
        payload: match &case["payload"] {
            Value::String(raw) => raw.clone(),
            payload => payload.to_string(),
        },
        max_tokens: case["max_tokens"].as_u64().unwrap_or(0) as u32,
        environment: case["environment"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect(),
        child: case["child"] == true,
    }
}

#[test]
fn payloads_are_planned_as_expected() {
    let mut faults = Vec::new();
    for file in files("hooks", "json") {
        let client = file.file_stem().unwrap().to_str().unwrap();
        for case in json(&file).as_array().unwrap() {
            let plan = plan_hook(&input(client, case));
            let at = format!("{client}: {}", case["name"]);
            let plan = serde_json::to_value(plan).unwrap();
            differences(&at, &case["expect"], &plan, &mut faults);
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn plans_come_back_from_json() {
    for file in files("hooks", "json") {
        for case in json(&file).as_array().unwrap() {
            let plan = plan_hook(&input("claude", case));
            let there = serde_json::to_string(&plan).unwrap();
            assert_eq!(serde_json::from_str::<HookPlan>(&there).unwrap(), plan);
        }
    }
}

fn key(client: &str, payload: Value) -> String {
    let input = HookInput {
        client: client.to_owned(),
        payload: payload.to_string(),
        ..HookInput::default()
    };
    match plan_hook(&input) {
        HookPlan::Recommend { key, .. } | HookPlan::Record { key, .. } => key,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_double_firing_has_one_key_whichever_client_calls() {
    let stop = json!({ "session_id": "s", "hook_event_name": "Stop", "transcript_path": "t", "last_assistant_message": "done" });
    let prompt = json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "Bound the queue" });
    assert_eq!(key("claude", stop.clone()), key("cursor", stop.clone()));
    assert_eq!(key("claude", prompt.clone()), key("codex", prompt.clone()));
    let mut keys = vec![key("claude", stop.clone()), key("claude", prompt.clone())];
    for (of, field, value) in [
        (&stop, "session_id", "t"),
        (&stop, "last_assistant_message", "more"),
        (&stop, "hook_event_name", "SessionEnd"),
        (&prompt, "prompt", "Bound the queue again"),
        (&prompt, "session_id", "t"),
    ] {
        let mut other = of.clone();
        other[field] = value.into();
        keys.push(key("claude", other));
    }
    let count = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn a_long_prompt_keeps_its_beginning_and_its_end() {
    let prompt = format!("Why this? {} Fix it.", "log line ".repeat(2_000));
    let payload =
        json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": prompt });
    let input = HookInput {
        payload: payload.to_string(),
        ..HookInput::default()
    };
    let HookPlan::Recommend { request, .. } = plan_hook(&input) else {
        panic!("nothing is asked")
    };
    let query = request.body["query"].as_str().unwrap();
    assert!(query.starts_with("Why this? ") && query.ends_with(" Fix it."));
    assert!(query.chars().count() <= lesson_types::limits::QUERY);
}
