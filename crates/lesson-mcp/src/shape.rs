//! The structured part of a tool's result: the answer of its request, shorter where an agent needs
//! less, with what others wrote under `untrusted`.

use super::tools::Tool;
use lesson_types::EndpointName;
use serde_json::{Map, Value};

/// The part of a lesson's text that an agent reads.
const TEXT: [&str; 5] = [
    "title",
    "description",
    "context",
    "recommendation",
    "source",
];

/// The structured part of a result.
pub(super) fn of(tool: Tool, mut answer: Value) -> Value {
    match tool.endpoint.name {
        EndpointName::search | EndpointName::patterns => {
            each(&mut answer, "results", lesson);
            answer
        }
        EndpointName::recommend => {
            each(&mut answer, "recommended", |one| {
                lesson(one);
                if one["tokens"] == 0 {
                    without(one, &["untrusted"]);
                }
            });
            without(&mut answer, &["prompt", "trace", "left_out"]);
            answer
        }
        EndpointName::add_lesson => {
            let kept = ["slug", "trust", "findings", "rev", "content_hash"];
            take(&mut answer, &kept).into()
        }
        EndpointName::record_session => {
            each(&mut answer, "insights", |one| untrusted(one, &["text"]));
            answer
        }
        EndpointName::suggest_tools => {
            each(&mut answer, "servers", |server| {
                each(server, "because", |reason| untrusted(reason, &["query"]));
            });
            without(&mut answer, &["decay"]);
            answer
        }
        EndpointName::stats => {
            for list in ["top", "bottom", "pruning", "never_rated"] {
                each(&mut answer, list, |one| {
                    badge(one);
                    untrusted(one, &["title"]);
                });
            }
            answer
        }
        EndpointName::get_decision => {
            untrusted(&mut answer, &["query"]);
            each(&mut answer, "lessons", |one| untrusted(one, &["quote"]));
            let kept = [
                "id",
                "at",
                "domain",
                "lessons",
                "outcome",
                "pnl_percent",
                "under_measurement",
                "untrusted",
            ];
            take(&mut answer, &kept).into()
        }
        _ => answer,
    }
}

/// A found or recommended lesson.
fn lesson(found: &mut Value) {
    badge(found);
    let mut view = found.get_mut("lesson").map(Value::take).unwrap_or_default();
    let text = take(&mut view, &TEXT);
    let known = take(&mut view, &["trust", "category"]);
    without(found, &["lesson", "title", "factors"]);
    if let Some(fields) = found.as_object_mut() {
        fields.extend(known);
        fields.insert("untrusted".to_owned(), text.into());
    }
}

/// A badge is its words.
fn badge(one: &mut Value) {
    if let Some(badge) = one.get_mut("badge") {
        let words = badge.get_mut("text").map(Value::take);
        *badge = words.unwrap_or_default();
    }
}

/// Puts these fields, which others wrote, into a field of their own that says so.
fn untrusted(one: &mut Value, names: &[&str]) {
    let text = take(one, names);
    if let Some(fields) = one.as_object_mut() {
        fields.insert("untrusted".to_owned(), text.into());
    }
}

fn each(answer: &mut Value, list: &str, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(items)) = answer.get_mut(list) {
        items.iter_mut().for_each(change);
    }
}

/// Takes fields out of an object.
fn take(from: &mut Value, names: &[&str]) -> Map<String, Value> {
    let Some(fields) = from.as_object_mut() else {
        return Map::new();
    };
    names
        .iter()
        .filter_map(|name| fields.remove_entry(*name))
        .collect()
}

fn without(answer: &mut Value, names: &[&str]) {
    take(answer, names);
}
