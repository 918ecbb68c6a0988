//! Arguments as models send them: for each tool, argument and spelling, by the schema that is published.

use super::*;
use crate::tools::{self, Tool};
use serde_json::Map;

/// A value that a schema takes.
fn sample(rule: &Value) -> Value {
    if let Some(words) = rule["enum"].as_array() {
        return words[0].clone();
    }
    match rule["type"].as_str().unwrap() {
        "integer" => rule["minimum"].as_u64().unwrap_or(1).max(5).into(),
        "number" => json!(-2.5),
        "boolean" => true.into(),
        "string" => "some-words".into(),
        "array" => json!([sample(&rule["items"]), "more"]),
        "object" => {
            let fields = rule["properties"].as_object().unwrap();
            fields
                .iter()
                .map(|(name, rule)| (name.clone(), sample(rule)))
                .collect::<Map<_, _>>()
                .into()
        }
        other => panic!("an argument of the type {other} has no sample here"),
    }
}

/// Other spellings of a value of this type, each with what it means.
fn spellings(rule: &Value, value: &Value) -> Vec<(Value, Value)> {
    let text = value.to_string();
    let mut all = match rule["type"].as_str().unwrap() {
        "integer" => vec![
            (json!(format!(" {text} ")), value.clone()),
            (json!(format!("{text}.0")), value.clone()),
            (
                // As it comes in a message.
                lesson_service::strict::parse(format!("{text}.0").as_bytes()).unwrap(),
                value.clone(),
            ),
        ],
        "number" => vec![(json!("7"), json!(7)), (json!("1e1"), json!(10))],
        "boolean" => vec![
            (json!("True"), json!(true)),
            (json!(" false "), json!(false)),
        ],
        "array" => {
            let word = &value[0];
            vec![(word.clone(), json!([word])), (json!("[]"), json!([]))]
        }
        "object" => vec![(json!("{}"), json!({}))],
        // No coercion inside of texts.
        "string" if rule.get("enum").is_none() => ["5", "true", "[\"a\"]", " a ", "5px"]
            .map(|text| (json!(text), json!(text)))
            .to_vec(),
        _ => Vec::new(),
    };
    if rule["type"] != "string" {
        all.push((json!(text), value.clone()));
    }
    all
}

/// Values that spell none of this type.
fn wrong(rule: &Value) -> Vec<Value> {
    match rule["type"].as_str().unwrap() {
        "integer" => vec![
            json!("5px"),
            json!(""),
            json!("five"),
            json!(true),
            json!([5]),
            json!(5.5),
            json!("5.5"),
            json!("+5"),
        ],
        "number" => vec![
            json!("5 %"),
            json!(""),
            json!("NaN"),
            json!(false),
            json!({ "a": 1 }),
        ],
        "boolean" => vec![
            json!("yes please"),
            json!("1"),
            json!(1),
            json!(""),
            json!([true]),
        ],
        "array" => vec![
            json!({ "a": 1 }),
            json!(5),
            json!(true),
            json!("[\"a\""),
            json!([["a"]]),
            json!([5]),
        ],
        "object" => vec![json!("bullish"), json!([1]), json!(5), json!("[]")],
        "string" => vec![json!(5), json!(true), json!({ "a": 1 }), json!(["a"])],
        other => panic!("no wrong {other} here"),
    }
}

/// The arguments that a tool requires.
fn required(tool: Tool) -> Map<String, Value> {
    let schema = tool.schema();
    let names = schema["required"].as_array().into_iter().flatten();
    let mut given: Map<String, Value> = names
        .map(|name| name.as_str().unwrap())
        .map(|name| (name.to_owned(), sample(&schema["properties"][name])))
        .collect();
    if tool.arguments.contains(&"title") && tool.arguments.contains(&"lesson") {
        given.insert("lesson".to_owned(), "some-words".into());
    }
    given
}

/// Puts a value at a path of arguments.
fn put(given: &Map<String, Value>, path: &[&str], value: Value) -> Map<String, Value> {
    let mut given = given.clone();
    match path {
        [name] => drop(given.insert((*name).to_owned(), value)),
        [first, rest @ ..] => {
            let inner = given.get(*first).and_then(Value::as_object).cloned();
            let inner = put(&inner.unwrap_or_default(), rest, value);
            given.insert((*first).to_owned(), inner.into());
        }
        [] => {}
    }
    given
}

/// Every argument of a tool, and every field of one.
fn arguments(tool: Tool) -> Vec<(Vec<&'static str>, &'static Value, bool)> {
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), tool.schema())];
    while let Some((path, schema)) = waiting.pop() {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, rule) in schema["properties"].as_object().into_iter().flatten() {
            let mut path: Vec<&'static str> = path.clone();
            path.push(name);
            found.push((path.clone(), rule, required.iter().any(|one| one == name)));
            if rule["type"] == "object" {
                waiting.push((path, rule));
            }
        }
    }
    found
}

#[test]
fn every_argument_of_every_tool_is_read_in_each_of_its_spellings() {
    let mut tried = 0;
    for name in tools::names() {
        let tool = tools::named(name).unwrap();
        let base = required(tool);
        for (path, rule, is_required) in arguments(tool) {
            // `lesson` and `title` stand for each other, and a key is no field of the body.
            let base = match path[0] {
                "title" if base.contains_key("lesson") => base
                    .iter()
                    .filter(|(name, _)| *name != "lesson")
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
                "idempotency_key" => continue,
                _ => base.clone(),
            };
            let at = path.join(".");
            let value = sample(rule);
            for (spelled, meant) in spellings(rule, &value) {
                let read = tool.request(put(&base, &path, spelled.clone()));
                let wanted = tool.request(put(&base, &path, meant));
                assert_eq!(read, wanted, "{name}.{at}: {spelled}");
                tried += 1;
            }
            for wrong in wrong(rule) {
                let refused = tool
                    .request(put(&base, &path, wrong.clone()))
                    .expect_err(&format!("{name}.{at}: {wrong}"));
                let field = refused.field.unwrap();
                assert!(
                    field == at || field.starts_with(&format!("{at}[")),
                    "{name}.{at}: {wrong}: {field}"
                );
                assert!(
                    refused.message.contains(&at) && refused.message.contains("give "),
                    "{}",
                    refused.message
                );
                tried += 1;
            }
            let nulls = [
                json!(null),
                json!("null"),
                json!(["null"]),
                json!([null]),
                json!(" null "),
            ];
            for null in nulls {
                let read = tool.request(put(&base, &path, null.clone()));
                if !is_required {
                    let parent = match &path[..path.len() - 1] {
                        [] => base
                            .iter()
                            .filter(|(name, _)| *name != path[0])
                            .map(|(name, value)| (name.clone(), value.clone()))
                            .collect(),
                        parent => put(&base, parent, json!({})),
                    };
                    assert_eq!(read, tool.request(parent), "{name}.{at}: {null}");
                } else if rule["type"] != "string" && rule["type"] != "array" || null.is_null() {
                    assert_eq!(
                        read.expect_err(&at).field.as_deref(),
                        Some(at.as_str()),
                        "{name}.{at}: {null}"
                    );
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn a_key_is_a_text_or_absent() {
    let tool = tools::named("playbook_vote_lesson").unwrap();
    let with = |key: Value| {
        let given = json!({ "lesson": "a", "up": "true", "idempotency_key": key });
        tool.request(given.as_object().unwrap().clone())
    };
    let keys = |key: Value| {
        with(key)
            .unwrap()
            .0
            .headers
            .into_values()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(json!("5")), ["5"]);
    assert!(keys(json!(null)).is_empty() && keys(json!("null")).is_empty());
    assert_eq!(
        with(json!(5)).unwrap_err().field.as_deref(),
        Some("idempotency_key")
    );
}
