//! The bounds here and those of a server's push are the same, and lie where the limits say.

use super::event;
use lesson_core::{Event, Lesson, Text};
use serde_json::{Map, Value, json};
use std::path::Path;

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

/// Fields whose bound is another rule's here: a slug has its own form, words and times theirs, and other fields are JSON.
const FORMS: [&str; 2] = ["slug", "extra"];

/// The fields that a push takes, by kind, as the migrations define them.
fn fields() -> Map<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../supabase/migrations");
    let text = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .find(|text| text.contains("function lessonloop.fields("))
        .unwrap();
    let (_, body) = text.split_once("function lessonloop.fields(").unwrap();
    let (body, _) = body.split_once("$$;").unwrap();
    let mut found = Map::new();
    for part in body.split("when '").skip(1) {
        let (kind, rest) = part.split_once("' then '").unwrap();
        let (fields, _) = rest.split_once('\'').unwrap();
        found.insert(kind.to_owned(), serde_json::from_str(fields).unwrap());
    }
    assert!(found.len() >= 18, "{found:?}");
    found
}

/// An event of a kind, as JSON, that is within all bounds.
fn sample(kind: &str) -> Value {
    let text = Text {
        title: "A title".to_owned(),
        ..Text::default()
    };
    match kind {
        "LessonAdded" => json!({"lesson": Lesson::new("a-lesson", text, "a source", 0)}),
        "LessonEdited" => {
            json!({"lesson": "a", "base_rev": 1, "changes": {}, "trust": "unreviewed", "findings": []})
        }
        "LessonArchived" | "LessonRestored" => json!({"lesson": "a"}),
        "LessonReviewed" => json!({"lesson": "a", "verdict": "approve", "content_hash": "h"}),
        "LessonsMerged" => json!({"into": "a", "from": ["b"]}),
        "Surfaced" => {
            json!({"retrieval_id": "r", "purpose": "recommend", "context": {"tech_stack": []}, "items": [item()], "policy": "p", "measured": {"drawn": [drawn()]}})
        }
        "UsageTracked" => json!({"decision_id": "d", "detections": [detection()]}),
        "OutcomeRecorded" => json!({"decision_id": "d", "outcome": "success"}),
        "FeedbackGiven" => json!({"outcome": "delivered", "lessons": ["a"], "causal": []}),
        "Rated" => json!({"lesson": "a", "helpful": true}),
        "Voted" => json!({"lesson": "a", "up": true}),
        "ToolSucceeded" => json!({"query": "q", "server": "s"}),
        "ChangeProposed" => {
            json!({"lesson": "a", "proposal": "p", "base_rev": 1, "changes": {"title": "Another"}, "archive": false, "trust": "unreviewed", "findings": []})
        }
        "ProposalSettled" => json!({"lesson": "a", "proposal": "p", "accepted": true}),
        "VoiceWithdrawn" | "VoiceReinstated" => json!({"voice": "agent:a"}),
        "TrialGranted" => json!({"lesson": "a"}),
        "PolicyChanged" => json!({"changes": {"tools.core_servers": ["s"]}}),
        other => panic!("a new kind: {other}"),
    }
}

fn item() -> Value {
    json!({"lesson": "a", "rank": 1, "score": 0.5, "relevance": 0.5})
}

fn drawn() -> Value {
    json!({"lesson": "a", "q": 0.5, "withheld": false})
}

fn detection() -> Value {
    json!({"lesson": "a", "applied": true, "match_type": "explicit", "confidence": 0.5, "quote": "q"})
}

/// The kind that has these fields, and where in it they are.
fn place(of: &str) -> (&str, &'static str) {
    match of {
        "lesson" => ("LessonAdded", "/lesson"),
        "changes" => ("LessonEdited", "/changes"),
        "context" => ("Surfaced", "/context"),
        "item" => ("Surfaced", "/items/0"),
        "measured" => ("Surfaced", "/measured"),
        "drawn" => ("Surfaced", "/measured/drawn/0"),
        "detection" => ("UsageTracked", "/detections/0"),
        kind => (kind, ""),
    }
}

/// The field that is refused when this one has this value.
fn refused(of: &str, field: &str, value: Value) -> Option<String> {
    let (kind, at) = place(of);
    let mut happening = sample(kind);
    let fields = happening.pointer_mut(at).unwrap();
    match field {
        "success_count" => fields["times_applied"] = value.clone(),
        "causal_hits" => fields["use_count"] = value.clone(),
        _ => {}
    }
    fields[field] = value;
    let made: Event = serde_json::from_value(json!({
        "op_id": "o", "actor": "a", "seq": 1, "at": "2026-01-01T00:00:00.000Z", "event": {kind: happening},
    }))
    .unwrap();
    event(&made).err().and_then(|error| error.field)
}

/// Asserts that `inside` is taken, and `outside` refused by the field's name.
fn between(of: &str, field: &str, inside: Value, outside: Value) {
    assert_eq!(refused(of, field, inside), None, "{of}.{field}");
    let named = refused(of, field, outside).unwrap_or_default();
    let whole = match field {
        "success_count" => "times_applied",
        "causal_hits" => "use_count",
        other => other,
    };
    let is_named = |name: &str| named == name || named.starts_with(&format!("{name}["));
    assert!(is_named(field) || is_named(whole), "{of}.{field}: {named}");
}

#[test]
fn a_push_has_the_same_bounds() {
    let mut seen = 0;
    for (of, fields) in fields() {
        for (field, spec) in fields.as_object().unwrap() {
            let number = |at: usize| usize::try_from(spec[at].as_u64().unwrap()).unwrap();
            let texts = |most: usize, length: usize| json!(vec!["x".repeat(length); most]);
            match spec[0].as_str().unwrap() {
                _ if FORMS.contains(&field.as_str()) => continue,
                "text" => {
                    let text = |length: usize| json!("é".repeat(length));
                    between(&of, field, text(number(2)), text(number(2) + 1));
                }
                "texts" => {
                    let (length, most) = (number(2), number(3));
                    between(&of, field, texts(most, 1), texts(most + 1, 1));
                    between(&of, field, texts(1, length), texts(1, length + 1));
                }
                "objects" => {
                    let one = match field.as_str() {
                        "items" => item(),
                        "drawn" => drawn(),
                        _ => detection(),
                    };
                    let list = |count: usize| json!(vec![one.clone(); count]);
                    between(&of, field, list(number(3)), list(number(3) + 1));
                }
                "count" => between(&of, field, json!(number(2)), json!(number(2) + 1)),
                "one" | "bool" | "time" | "float" | "u32" | "object" => continue,
                other => panic!("a new type: {other}"),
            }
            seen += 1;
        }
    }
    assert!(seen >= 60, "{seen} bounds were compared");
}

#[test]
fn a_part_is_no_more_than_its_whole() {
    for (part, whole) in [
        ("success_count", "times_applied"),
        ("causal_hits", "use_count"),
    ] {
        let mut happening = sample("LessonAdded");
        happening["lesson"][part] = json!(8);
        happening["lesson"][whole] = json!(7);
        let made: Event = serde_json::from_value(json!({
            "op_id": "o", "actor": "a", "seq": 1, "at": "2026-01-01T00:00:00.000Z",
            "event": {"LessonAdded": happening},
        }))
        .unwrap();
        let error = event(&made).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(part));
        assert!(error.message.contains(whole), "{}", error.message);
    }
}
