//! Payloads and transcripts of real clients, as the suite `clients` recorded them, and what comes of them.

use crate::corpus::json;
use lesson_clients::{HookInput, HookPlan, plan_hook, read_transcript};
use serde_json::Value;
use std::path::{Path, PathBuf};

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

/// Of these the hooks are called by the client itself; OpenCode's are called by a plugin of ours.
const CLIENTS: [&str; 4] = ["claude", "codex", "copilot", "gemini"];

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/corpus/clients")
        .join(name)
}

struct Seen {
    /// The kind of run, and which session of it.
    run: String,
    event: String,
    payload: Value,
    plan: HookPlan,
}

/// The recorded hooks of a client, each planned as the host has it planned: by the event that the payload names.
fn seen(client: &str) -> Vec<Seen> {
    let file = json(&corpus(&format!("{client}.json")));
    let hooks = file["hooks"].as_array().unwrap();
    assert!(hooks.len() > 20, "{client}: {} hooks", hooks.len());
    hooks
        .iter()
        .map(|hook| {
            let variables = hook["environment"].as_object().unwrap();
            let plan = plan_hook(&HookInput {
                client: client.to_owned(),
                payload: hook["payload"].to_string(),
                environment: variables
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
                    .collect(),
                ..HookInput::default()
            });
            Seen {
                run: hook["run"].as_str().unwrap().to_owned(),
                event: hook["event"].as_str().unwrap().to_owned(),
                payload: hook["payload"].clone(),
                plan,
            }
        })
        .collect()
}

fn is_of_subagent(payload: &Value) -> bool {
    payload.get("agent_id").is_some() || payload.get("agentId").is_some()
}

#[test]
fn a_run_that_an_agent_started_is_left_alone() {
    for client in CLIENTS {
        let nested: Vec<Seen> = seen(client)
            .into_iter()
            .filter(|seen| seen.run.starts_with("nested, session"))
            .collect();
        assert!(!nested.is_empty(), "{client}: nothing is nested");
        for Seen { event, plan, .. } in nested {
            assert!(
                matches!(plan, HookPlan::Skip { .. }),
                "{client}, {event}: {plan:?}"
            );
        }
    }
}

#[test]
fn a_persons_prompts_ask_headless_and_at_a_terminal() {
    for client in CLIENTS {
        for kind in ["headless", "interactive", "resumed"] {
            let asked = seen(client).into_iter().any(|seen| {
                seen.run == kind
                    && matches!(&*seen.event, "UserPromptSubmit" | "BeforeAgent")
                    && !is_of_subagent(&seen.payload)
                    && matches!(&seen.plan, HookPlan::Recommend { request, .. }
                        if request.body["query"].as_str().is_some_and(|query| query.starts_with("Look at the statement")))
            });
            assert!(
                asked,
                "{client}, {kind}: no prompt asks with what was typed"
            );
        }
    }
}

#[test]
fn stops_and_ends_are_recorded_and_a_subagents_is_told_from_the_sessions() {
    for client in CLIENTS {
        for Seen {
            run,
            event,
            payload,
            plan,
        } in seen(client)
        {
            if run.starts_with("nested, session") {
                continue;
            }
            let at = format!("{client}, {run}, {event}: {plan:?}");
            match (&*event, plan) {
                ("Stop" | "AfterAgent", HookPlan::Record { done, subagent, .. }) => {
                    assert!(!done, "{at}");
                    assert_eq!(subagent, is_of_subagent(&payload), "{at}");
                }
                ("Stop" | "AfterAgent", _) => assert!(is_of_subagent(&payload), "{at}"),
                ("SubagentStop", HookPlan::Record { subagent, .. }) => assert!(subagent, "{at}"),
                ("SessionEnd", HookPlan::Record { done, .. }) => assert!(done, "{at}"),
                ("SessionEnd", _) => panic!("{at}"),
                _ => {}
            }
        }
    }
}

#[test]
fn a_subagents_events_are_of_its_parents_session() {
    for client in CLIENTS {
        let mut sessions: Vec<String> = seen(client)
            .into_iter()
            .filter(|seen| seen.run.starts_with("agent"))
            .filter_map(|seen| match seen.plan {
                HookPlan::Recommend { session, .. }
                | HookPlan::Record { session, .. }
                | HookPlan::Forget { session, .. } => Some(session),
                HookPlan::Skip { .. } => None,
            })
            .collect();
        sessions.sort();
        sessions.dedup();
        assert_eq!(sessions.len(), 1, "{client}: {sessions:?}");
    }
}

#[test]
fn a_failed_command_is_told_from_one_that_went_well() {
    for client in CLIENTS {
        let moments: Vec<bool> = seen(client)
            .into_iter()
            .filter(|seen| {
                seen.run == "headless"
                    && matches!(
                        &*seen.event,
                        "PostToolUse" | "PostToolUseFailure" | "AfterTool"
                    )
            })
            .map(|seen| matches!(seen.plan, HookPlan::Recommend { moment: true, .. }))
            .collect();
        // `echo fine`, then `echo oops >&2; exit 3`; where the payload has no exit code, `oops` alone tells nothing.
        let expected: &[bool] = if client == "codex" {
            &[false, false]
        } else {
            &[false, true]
        };
        assert_eq!(moments, expected, "{client}");
    }
}

#[test]
fn transcripts_hold_no_line_of_unknown_shape() {
    for client in CLIENTS {
        let bytes = std::fs::read(corpus(&format!("{client}.jsonl"))).unwrap();
        let read = read_transcript(client, &bytes, 0);
        assert!(
            read.said.contains("All is recorded."),
            "{client}: {}",
            read.said
        );
        assert!(
            !read.said.contains("Look at the statement"),
            "{client}: {}",
            read.said
        );
        assert_eq!(read.skipped, 0, "{client}");
    }
}
