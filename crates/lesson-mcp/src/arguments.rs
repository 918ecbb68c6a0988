//! Arguments as models send them, read by the schema that is published.
//!
//! Taken is what spells a value of the declared type and no other: `"5"` for a number, `"true"` for true or false, a list or
//! an object of JSON in a text, one word for a list of words. `null` stands for an argument that is left out, and so does
//! what clients make of it. A text stays as it is; what spells nothing is refused by the argument's name.

use lesson_service::clip;
use lesson_service::strict;
use lesson_types::ApiError;
use serde_json::{Map, Value};

/// Reads a call's arguments. Those that the schema doesn't name stay, to be refused by who knows the tool.
pub(super) fn read(
    arguments: Map<String, Value>,
    schema: &Value,
) -> Result<Map<String, Value>, ApiError> {
    fields(arguments, schema, "")
}

fn fields(
    given: Map<String, Value>,
    schema: &Value,
    parent: &str,
) -> Result<Map<String, Value>, ApiError> {
    let required = schema["required"].as_array();
    let mut read = Map::new();
    for (name, value) in given {
        let Some(rule) = schema["properties"].get(&name) else {
            read.insert(name, value);
            continue;
        };
        let is_required =
            required.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(&name)));
        let at = match parent {
            "" => name.clone(),
            parent => format!("{parent}.{name}"),
        };
        if is_required {
            read.insert(name, one(value, rule, &at)?);
            continue;
        }
        let Some(value) = present(value, rule) else {
            continue;
        };
        let value = one(value, rule, &at)?;
        // A text may hold a list of no more than null.
        if !is_null(&value) {
            read.insert(name, value);
        }
    }
    Ok(read)
}

/// The value of an optional argument; `None` where it says that there is none: null, as clients write it, and a blank text
/// where a number or true and false are not meant.
fn present(value: Value, rule: &Value) -> Option<Value> {
    let is_blank = |text: &str| text.trim().is_empty();
    let is_absent = match (&value, kind(rule)) {
        (Value::String(text), Kind::Text | Kind::List | Kind::Object) => {
            is_blank(text) || is_null(&value)
        }
        _ => is_null(&value),
    };
    (!is_absent).then_some(value)
}

/// Tells whether this is null, or one of the forms that clients give it: `"null"` and `["null"]`.
pub(super) fn is_null(value: &Value) -> bool {
    let is_word = |value: &Value| {
        let word = value.as_str().map(str::trim);
        value.is_null() || word == Some("null")
    };
    match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(is_word),
        value => is_word(value),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Truth,
    List,
    Object,
}

/// The type that a schema declares.
fn kind(rule: &Value) -> Kind {
    match rule["type"].as_str() {
        Some("integer" | "number") => Kind::Number,
        Some("boolean") => Kind::Truth,
        Some("array") => Kind::List,
        Some("object") => Kind::Object,
        _ => Kind::Text,
    }
}

/// A value of the declared type.
fn one(value: Value, rule: &Value, at: &str) -> Result<Value, ApiError> {
    let kind = kind(rule);
    match (kind, value) {
        (Kind::Text, value @ Value::String(_)) | (Kind::Truth, value @ Value::Bool(_)) => Ok(value),
        (Kind::Number, Value::Number(number)) => numeric(Value::Number(number), rule, at),
        (Kind::Number, Value::String(text)) => match strict::parse(text.trim().as_bytes()) {
            Ok(number @ Value::Number(_)) => numeric(number, rule, at),
            _ => Err(refused(at, &text, wanted(rule))),
        },
        (Kind::Truth, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            _ => Err(refused(at, &text, wanted(rule))),
        },
        (Kind::List, Value::Array(items)) => list(items, rule, at),
        (Kind::List, Value::String(text)) => {
            let inner = text.trim();
            match strict::parse(inner.as_bytes()) {
                Ok(Value::Array(items)) => list(items, rule, at),
                _ if inner.is_empty() || inner.starts_with(['[', '{']) => {
                    Err(refused(at, &text, wanted(rule)))
                }
                _ => list(vec![inner.into()], rule, at),
            }
        }
        (Kind::Object, Value::Object(given)) => Ok(fields(given, rule, at)?.into()),
        (Kind::Object, Value::String(text)) => match strict::parse(text.trim().as_bytes()) {
            Ok(Value::Object(given)) => Ok(fields(given, rule, at)?.into()),
            _ => Err(refused(at, &text, wanted(rule))),
        },
        (_, other) => Err(refused(at, &other.to_string(), wanted(rule))),
    }
}

fn numeric(number: Value, rule: &Value, at: &str) -> Result<Value, ApiError> {
    let is_whole = number.is_i64() || number.is_u64();
    match rule["type"] == "integer" && !is_whole {
        true => Err(refused(at, &number.to_string(), wanted(rule))),
        false => Ok(number),
    }
}

fn list(items: Vec<Value>, rule: &Value, at: &str) -> Result<Value, ApiError> {
    let items = items
        .into_iter()
        .enumerate()
        .map(|(place, item)| one(item, &rule["items"], &format!("{at}[{place}]")));
    Ok(Value::Array(items.collect::<Result<_, _>>()?))
}

/// The remedy: the form that the declared type takes.
fn wanted(rule: &Value) -> &'static str {
    match (kind(rule), rule["type"] == "integer") {
        (Kind::Text, _) => "give a text in quotes",
        (Kind::Number, true) => "give a whole number, such as 5",
        (Kind::Number, false) => "give a finite number, such as 2.5",
        (Kind::Truth, _) => "give true or false",
        (Kind::List, _) => "give a list of texts, such as [\"a\", \"b\"]",
        (Kind::Object, _) => "give an object of the fields that the schema names",
    }
}

fn refused(at: &str, given: &str, wanted: &str) -> ApiError {
    let at = clip(at);
    let given = match given.trim() {
        "" => "empty".to_owned(),
        given => format!("`{}`", clip(given)),
    };
    ApiError::invalid(&at, format!("{at} is {given}; correct it: {wanted}"))
}
