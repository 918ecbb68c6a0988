//! Schemas as clients like them: words as `enum`, no formats that only Rust knows, and for tools
//! no references.

use super::schemas::Side;
use serde_json::{Map, Value, json};

/// Numbers that the engine refuses as `null`, since that is how NaN is written in JSON.
const NUMBERS: [&str; 4] = ["pnl_percent", "limit", "base_rev", "recent_loss_count"];

/// Rewrites what schemars derives.
pub(super) fn plain(schema: &mut Value, side: Side) {
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        schema["description"] = text.replace('\n', " ").into();
    }
    as_words(schema);
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    let format = fields.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| format.starts_with("uint")) {
        fields.remove("format");
    }
    if side == Side::Answer && fields.get("additionalProperties") == Some(&json!(false)) {
        // A client should bear a field that a later version adds.
        fields.remove("additionalProperties");
    }
    if fields.get("minItems") == Some(&json!(0)) {
        fields.remove("minItems");
    }
    let required = fields.get("required").cloned().unwrap_or_default();
    let required = |name: &str| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|one| one == name)
    };
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(inner)) => {
                for (name, value) in inner {
                    plain(value, side);
                    // What an answer may leave out is never `null` in it.
                    let never = match side {
                        Side::Request => NUMBERS.contains(&name.as_str()),
                        Side::Answer => !required(name),
                    };
                    if never {
                        without_null(value);
                    }
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(inner)) => {
                for value in inner {
                    plain(value, side);
                }
            }
            ("items", value) => plain(value, side),
            _ => {}
        }
    }
}

/// A choice of constants with a description each becomes an `enum` whose description has them all.
fn as_words(schema: &mut Value) {
    let Some(choices) = schema.get("oneOf").and_then(Value::as_array) else {
        return;
    };
    let words: Option<Vec<(&str, &str)>> = choices
        .iter()
        .map(|choice| {
            let word = choice.get("const")?.as_str()?;
            let about = choice.get("description").and_then(Value::as_str);
            Some((word, about.unwrap_or_default()))
        })
        .collect();
    let Some(words) = words else { return };
    let about: Vec<String> = words
        .iter()
        .map(|(word, about)| {
            format!(
                "`{word}`: {}",
                about.replace('\n', " ").trim_end_matches('.')
            )
        })
        .collect();
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let title = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .replace('\n', " ");
    *schema = json!({
        "type": "string",
        "description": format!("{title} {}.", about.join("; ")),
        "enum": names,
    });
}

/// The schema without `null`.
pub(super) fn without_null(schema: &mut Value) {
    if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|one| one.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            if let Some(fields) = schema.as_object_mut() {
                fields.remove("anyOf");
                for (name, value) in only {
                    fields.entry(name).or_insert(value);
                }
            }
        }
    }
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            schema["type"] = only.clone();
        }
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.retain(|one| !one.is_null());
    }
}

/// Writes every definition where it is referred to. Types of the interface don't contain
/// themselves, so this ends.
pub(super) fn inline(schema: &mut Value, all: &Map<String, Value>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        let mut target = all
            .get(name)
            .cloned()
            .unwrap_or_else(|| panic!("no `{name}`"));
        inline(&mut target, all);
        describe(&mut target, schema.get("description"));
        *schema = target;
        return;
    }
    if let Some(nullable) = nullable(schema, all) {
        *schema = nullable;
        return;
    }
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(inner)) => {
                for value in inner.values_mut() {
                    inline(value, all);
                }
            }
            ("items", value) => inline(value, all),
            _ => {}
        }
    }
}

/// `anyOf` a type or `null` as that type with `null` among its types and words.
fn nullable(schema: &Value, all: &Map<String, Value>) -> Option<Value> {
    let [one, null] = schema.get("anyOf")?.as_array()?.as_slice() else {
        return None;
    };
    if null.get("type") != Some(&json!("null")) {
        return None;
    }
    let mut one = one.clone();
    inline(&mut one, all);
    describe(&mut one, schema.get("description"));
    let held = one.get("type").cloned().unwrap_or_default();
    one["type"] = json!([held, "null"]);
    if let Some(words) = one.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
    Some(one)
}

/// What a field says of itself stands for what its type says; of words, their meanings stay.
fn describe(schema: &mut Value, outer: Option<&Value>) {
    let Some(outer) = outer.and_then(Value::as_str) else {
        return;
    };
    let meanings = schema
        .get("description")
        .and_then(Value::as_str)
        .filter(|_| schema.get("enum").is_some())
        .and_then(|inner| inner.find('`').map(|at| &inner[at..]));
    let text = match meanings {
        Some(meanings) => format!("{outer} {meanings}"),
        None => outer.to_owned(),
    };
    schema["description"] = text.into();
}

/// Leaves the meanings of words out of their descriptions.
pub(super) fn without_meanings(schema: &mut Value) {
    let words = schema.get("enum").is_some();
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    if words
        && let Some(Value::String(text)) = fields.get_mut("description")
        && let Some(at) = text.find(" `")
    {
        text.truncate(at);
    }
    for value in fields.values_mut() {
        without_meanings(value);
    }
}
