//! The structured part of a tool's result: the answer of its request, shorter where an agent needs
//! less, with what others wrote under `untrusted`.

use super::tools::Tool;
use lesson_types::{
    Badge, DecisionLesson, DecisionView, EndpointName, Found, Insight, LessonRank, LessonView,
    Recommendations, Recommended, SearchResults, SessionRecorded, Stats, SuggestedServer,
    ToolReason, ToolSuggestions,
};
use serde_json::{Map, Value};

/// The JSON names of a type's fields. A field that is renamed or taken away does not compile here, in place of leaving the
/// result without a word.
macro_rules! fields {
    ($type:ident: $($field:ident),+) => {{
        const _: fn(&$type) = |one| { $(let _ = &one.$field;)+ };
        &[$(stringify!($field)),+]
    }};
}

/// The part of a lesson's text that an agent reads.
const TEXT: &[&str] = fields!(LessonView: title, description, context, recommendation, source);

/// The field of a result that holds what others wrote.
const UNTRUSTED: &str = "untrusted";

/// The structured part of a result.
pub(super) fn of(tool: Tool, mut answer: Value) -> Value {
    match tool.endpoint.name {
        EndpointName::search | EndpointName::patterns => {
            each(&mut answer, fields!(SearchResults: results), |one| {
                lesson(one, fields!(Found: lesson, title, factors));
            });
            answer
        }
        EndpointName::recommend => {
            each(&mut answer, fields!(Recommendations: recommended), |one| {
                lesson(one, fields!(Recommended: lesson, title));
                if fields!(Recommended: tokens)
                    .iter()
                    .all(|tokens| one[*tokens] == 0)
                {
                    without(one, &[UNTRUSTED]);
                }
            });
            without(
                &mut answer,
                fields!(Recommendations: prompt, trace, left_out),
            );
            answer
        }
        EndpointName::add_lesson => {
            let kept = fields!(LessonView: slug, trust, findings, rev, content_hash);
            take(&mut answer, kept).into()
        }
        EndpointName::record_session => {
            each(&mut answer, fields!(SessionRecorded: insights), |one| {
                untrusted(one, fields!(Insight: text));
            });
            answer
        }
        EndpointName::suggest_tools => {
            each(&mut answer, fields!(ToolSuggestions: servers), |server| {
                each(server, fields!(SuggestedServer: because), |reason| {
                    untrusted(reason, fields!(ToolReason: query));
                });
            });
            without(&mut answer, fields!(ToolSuggestions: decay));
            answer
        }
        EndpointName::stats => {
            let lists = fields!(Stats: top, bottom, pruning, never_rated);
            each(&mut answer, lists, |one| {
                badge(one, fields!(LessonRank: badge));
                untrusted(one, fields!(LessonRank: title));
            });
            answer
        }
        EndpointName::get_decision => {
            untrusted(&mut answer, fields!(DecisionView: query));
            each(&mut answer, fields!(DecisionView: lessons), |one| {
                untrusted(one, fields!(DecisionLesson: quote));
            });
            let mut kept = take(
                &mut answer,
                fields!(DecisionView: id, at, domain, lessons, outcome, pnl_percent, under_measurement),
            );
            kept.extend(take(&mut answer, &[UNTRUSTED]));
            kept.into()
        }
        _ => answer,
    }
}

/// A found or recommended lesson. `dropped` are the fields that hold the lesson itself and what led to its score.
fn lesson(found: &mut Value, dropped: &[&str]) {
    badge(found, fields!(Found: badge));
    let mut known = Map::new();
    let mut text = Map::new();
    for name in fields!(Found: lesson) {
        let mut view = found.get_mut(*name).map(Value::take).unwrap_or_default();
        text = take(&mut view, TEXT);
        known = take(&mut view, fields!(LessonView: trust, category));
    }
    without(found, dropped);
    if let Some(fields) = found.as_object_mut() {
        fields.extend(known);
        fields.insert(UNTRUSTED.to_owned(), text.into());
    }
}

/// A badge is its words.
fn badge(one: &mut Value, names: &[&str]) {
    let [words] = fields!(Badge: text);
    for name in names {
        if let Some(badge) = one.get_mut(*name) {
            *badge = badge.get_mut(*words).map(Value::take).unwrap_or_default();
        }
    }
}

/// Puts these fields, which others wrote, into a field of their own that says so.
fn untrusted(one: &mut Value, names: &[&str]) {
    let text = take(one, names);
    if let Some(fields) = one.as_object_mut() {
        fields.insert(UNTRUSTED.to_owned(), text.into());
    }
}

fn each(answer: &mut Value, lists: &[&str], change: impl Fn(&mut Value)) {
    for list in lists {
        if let Some(Value::Array(items)) = answer.get_mut(*list) {
            items.iter_mut().for_each(&change);
        }
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
