//! Schemas that schemars derives, rewritten as clients like them: words as `enum`, nothing that only Rust knows.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Value, json};

/// Numbers that the engine refuses as `null`, since that is how NaN is written in JSON.
const NUMBERS: [&str; 4] = ["pnl_percent", "limit", "base_rev", "recent_loss_count"];

/// The writer of a value, who decides what may be left out, or be `null`.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// A client, in a request: unknown fields are refused.
    Request,
    /// The engine, in an answer: every field that is declared as required is there.
    Answer,
}

/// Rewrites a schema and those within it, for whoever writes the value.
#[derive(Clone)]
pub(super) struct Plain(pub Side);

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        let nullable = take_nullable(schema);
        as_words(schema);
        if nullable {
            or_null(schema);
        }
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        let format = schema.get("format").and_then(Value::as_str);
        if format.is_some_and(|format| format.starts_with("uint")) {
            schema.remove("format");
        }
        // A client should bear a field that a later version adds.
        if self.0 == Side::Answer && schema.get("additionalProperties") == Some(&json!(false)) {
            schema.remove("additionalProperties");
        }
        if schema.get("minItems") == Some(&json!(0)) {
            schema.remove("minItems");
        }
        transform_subschemas(self, schema);
        let required = schema.get("required").cloned().unwrap_or_default();
        let required = required.as_array().map_or(&[][..], Vec::as_slice);
        for (name, field) in properties(schema) {
            // A field that an answer may leave out is never `null` in it.
            let never = match self.0 {
                Side::Request => NUMBERS.contains(&name.as_str()),
                Side::Answer => !required.iter().any(|one| one == name),
            };
            if never && let Ok(field) = field.try_into() {
                without_null(field);
            }
        }
    }
}

/// Takes `null` away, here and within.
pub(super) fn without_nulls(schema: &mut Schema) {
    without_null(schema);
    transform_subschemas(&mut without_nulls, schema);
}

/// Takes formats away, here and within.
pub(super) fn without_formats(schema: &mut Schema) {
    schema.remove("format");
    transform_subschemas(&mut without_formats, schema);
}

/// Leaves the meanings of words out of their descriptions, here and within.
pub(super) fn without_meanings(schema: &mut Schema) {
    if schema.get("enum").is_some()
        && let Some(Value::String(text)) = schema.get_mut("description")
        && let Some(at) = text.find(" `")
    {
        text.truncate(at);
    }
    transform_subschemas(&mut without_meanings, schema);
}

fn properties(schema: &mut Schema) -> impl Iterator<Item = (&String, &mut Value)> {
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    fields.into_iter().flatten()
}

/// Turns `anyOf` of a type, written here, and `null` into that type, described as before; true if it was one.
fn take_nullable(schema: &mut Schema) -> bool {
    let Some([one, null]) = schema
        .get("anyOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    else {
        return false;
    };
    if null.get("type") != Some(&json!("null")) || one.get("$ref").is_some() {
        return false;
    }
    take_only_choice(schema);
    true
}

/// Puts the first choice of `anyOf` in its place; what is said of the field stands for what is said of its type.
fn take_only_choice(schema: &mut Schema) {
    let Some(Value::Array(mut choices)) = schema.remove("anyOf") else {
        return;
    };
    let Value::Object(only) = choices.swap_remove(0) else {
        return;
    };
    for (name, value) in only {
        schema.ensure_object().entry(name).or_insert(value);
    }
}

fn or_null(schema: &mut Schema) {
    let held = schema.get("type").cloned().unwrap_or_default();
    schema.insert("type".to_owned(), json!([held, "null"]));
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
}

/// The schema without `null`.
pub(super) fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|one| one.get("type") != Some(&json!("null")));
        if choices.len() == 1 {
            take_only_choice(schema);
        }
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|one| !one.is_null());
    }
}

/// A choice of constants with a description each becomes an `enum` whose description has them all.
fn as_words(schema: &mut Schema) {
    let Some(Value::Array(choices)) = schema.get("oneOf") else {
        return;
    };
    let words: Option<Vec<(&str, &str)>> = choices
        .iter()
        .map(|choice| {
            let about = choice.get("description").and_then(Value::as_str);
            Some((choice.get("const")?.as_str()?, about.unwrap_or_default()))
        })
        .collect();
    let Some(words) = words else { return };
    let meanings: Vec<String> = words
        .iter()
        .map(|(word, about)| format!("`{word}`: {}", about.trim_end_matches('.')))
        .collect();
    let about = schema.get("description").and_then(Value::as_str);
    *schema = schemars::json_schema!({
        "type": "string",
        "description": format!("{} {}.", about.unwrap_or_default(), meanings.join("; ")),
        "enum": words.iter().map(|(word, _)| word).collect::<Vec<_>>(),
    });
}
