//! Bodies into types, and fields within their bounds. Every refusal names its field and a remedy.

use lesson_core::is_slug;
use lesson_types::{ApiError, ErrorCode, Field, FieldType, Fields, limits};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::http::fault::clip;

/// Deepest nesting of a body that is looked at; no request needs more than six.
const DEPTH: usize = 32;

/// Reads a body as a request type.
pub(crate) fn body<T: DeserializeOwned + Fields>(body: Value) -> Result<T, ApiError> {
    if !body.is_object() {
        return Err(ApiError::invalid(
            "body",
            "the body has to be a JSON object; see the request's fields in the documentation",
        ));
    }
    finite(T::FIELDS, "", &body)?;
    read(body)
}

/// A request that takes no body.
pub(crate) fn no_body(body: &Value) -> Result<(), ApiError> {
    match body {
        Value::Null => Ok(()),
        Value::Object(fields) => match fields.keys().next() {
            None => Ok(()),
            Some(name) => Err(ApiError::invalid(
                clip(name),
                format!("this request takes no field; leave `{}` out", clip(name)),
            )),
        },
        _ => Err(ApiError::invalid(
            "body",
            "this request takes no body; leave it out",
        )),
    }
}

/// A number of days that numbers over time are of.
pub(crate) fn days(days: u32) -> Result<(), ApiError> {
    if (1..=limits::INSIGHT_DAYS).contains(&usize::try_from(days).unwrap_or(usize::MAX)) {
        return Ok(());
    }
    Err(ApiError::invalid(
        "days",
        format!(
            "days is {days}; give 1 to {}, or leave it out",
            limits::INSIGHT_DAYS
        ),
    ))
}

/// Reads a value as a type, naming the field at fault.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.inner().to_string();
        // The parser names an unknown or missing field in its message; its path is the parent's.
        let named = |prefix: &str| {
            let rest = cause.strip_prefix(prefix)?;
            rest.split('`').next().map(clip)
        };
        let (named, remedy) = match (named("unknown field `"), named("missing field `")) {
            (Some(name), _) => (Some(name), "leave it out"),
            (_, Some(name)) => (Some(name), "add it"),
            _ => (None, "correct it"),
        };
        let parent = if path == "." { String::new() } else { path };
        let field = match named {
            // An unknown field's path ends in its own name already.
            Some(name) if parent == name || parent.ends_with(&format!(".{name}")) => parent,
            Some(name) if parent.is_empty() => name,
            Some(name) => format!("{parent}.{name}"),
            None if parent.is_empty() => "body".to_owned(),
            None => parent,
        };
        let field = clip(&field);
        ApiError::invalid(&field, format!("`{field}`: {}; {remedy}", clip(&cause)))
    })
}

/// A body that can be walked without running out of stack.
pub(crate) fn bounded_depth(body: &Value) -> Result<(), ApiError> {
    let mut level: Vec<&Value> = vec![body];
    for _ in 0..DEPTH {
        let mut next: Vec<&Value> = Vec::new();
        for value in level {
            match value {
                Value::Array(items) => next.extend(items.iter().filter(|v| nests(v))),
                Value::Object(fields) => next.extend(fields.values().filter(|v| nests(v))),
                _ => {}
            }
        }
        if next.is_empty() {
            return Ok(());
        }
        level = next;
    }
    Err(ApiError::invalid(
        "body",
        format!("the body is nested deeper than {DEPTH} levels; send a flatter one"),
    ))
}

fn nests(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// Refuses a number that is `null`: JSON writes NaN and the infinities so, which is not leaving it out.
fn finite(table: &[Field], prefix: &str, value: &Value) -> Result<(), ApiError> {
    for field in table {
        let Some(value) = value.get(field.name) else {
            continue;
        };
        let name = || format!("{prefix}{}", field.name);
        match field.of {
            FieldType::Number if value.is_null() => {
                let name = name();
                return Err(ApiError::invalid(
                    &name,
                    format!(
                        "{name} is null, as NaN and infinities are in JSON; give a finite number or leave it out"
                    ),
                ));
            }
            FieldType::Fields(inner) => finite(inner, &format!("{}.", name()), value)?,
            FieldType::Number
            | FieldType::Flag
            | FieldType::Word
            | FieldType::Text(_)
            | FieldType::Open => {}
        }
    }
    Ok(())
}

/// At most `max` characters.
pub(crate) fn chars(field: &str, text: &str, max: usize) -> Result<(), ApiError> {
    // A character has at least one byte, so short texts need no count.
    if text.len() <= max {
        return Ok(());
    }
    let count = text.chars().count();
    if count <= max {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!("{field} is {count} characters long; shorten it to at most {max}"),
    ))
}

/// At most `max` characters, and not only blanks.
pub(crate) fn filled(field: &str, text: &str, max: usize) -> Result<(), ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::invalid(
            field,
            format!("{field} is empty; fill it in"),
        ));
    }
    chars(field, text, max)
}

/// An optional field of at most `max` characters.
pub(crate) fn optional(field: &str, text: Option<&String>, max: usize) -> Result<(), ApiError> {
    text.map_or(Ok(()), |text| chars(field, text, max))
}

/// A list of short words.
pub(crate) fn words(field: &str, list: Option<&Vec<String>>) -> Result<(), ApiError> {
    let Some(list) = list else { return Ok(()) };
    if list.len() > limits::WORDS {
        return Err(ApiError::invalid(
            field,
            format!(
                "{field} has {} entries; keep at most {}",
                list.len(),
                limits::WORDS
            ),
        ));
    }
    for (at, word) in list.iter().enumerate() {
        filled(&format!("{field}[{at}]"), word, limits::WORD)?;
    }
    Ok(())
}

/// A slug, as it is written.
pub(crate) fn slug(field: &str, slug: &str) -> Result<(), ApiError> {
    if is_slug(slug) {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!(
            "`{}` is not a slug; use lower-case letters, digits and single hyphens, at most {}",
            clip(slug),
            limits::SLUG
        ),
    ))
}

/// A slug that a request gives to a new lesson.
pub(crate) fn new_slug(field: &str, name: &str) -> Result<(), ApiError> {
    slug(field, name)?;
    if name.len() <= limits::NEW_SLUG {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!(
            "{field} is {} characters long; shorten it to at most {}",
            name.len(),
            limits::NEW_SLUG
        ),
    ))
}

/// A list of slugs, at least `min` of them.
pub(crate) fn slugs(field: &str, list: &[String], min: usize) -> Result<(), ApiError> {
    if list.len() < min {
        return Err(ApiError::invalid(
            field,
            format!("{field} is empty; name at least {min} lesson by its slug"),
        ));
    }
    if list.len() > limits::SLUGS {
        return Err(ApiError::invalid(
            field,
            format!(
                "{field} has {} entries; send at most {} at a time",
                list.len(),
                limits::SLUGS
            ),
        ));
    }
    for (at, name) in list.iter().enumerate() {
        slug(&format!("{field}[{at}]"), name)?;
    }
    Ok(())
}

/// A `limit` from 1 to `max`.
pub(crate) fn limit(limit: Option<u32>, absent: u32, max: usize) -> Result<usize, ApiError> {
    let limit = limit.unwrap_or(absent) as usize;
    if (1..=max).contains(&limit) {
        return Ok(limit);
    }
    Err(ApiError::invalid(
        "limit",
        format!("limit is {limit}; use 1 to {max}"),
    ))
}

/// Over a limit of bytes or entries that is not a field's length.
pub(crate) fn too_large(field: impl Into<String>, message: impl Into<String>) -> ApiError {
    ApiError::new(ErrorCode::TooLarge, message).at(field)
}
