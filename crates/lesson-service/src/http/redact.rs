//! Redacts secrets in requests before anything else reads them: what an agent says of its work is stored, and other
//! agents may read it.

use crate::http::fault::clip;
use crate::http::router::Route;
use crate::http::validate;
use lesson_core::{Detection, is_common_word, slug_of};
use lesson_types::{ApiError, Field, FieldType, TextUse};
use serde_json::Value;

/// Replaces a text that addresses its reader, such as a prompt injection.
const HELD_BACK: &str = "[withheld: possible prompt injection]";

/// Redacts the secrets of a body's texts that are stored. Lessons are screened where they are made,
/// which says what was found.
///
/// # Errors
/// When a name addresses whoever reads it: names are not held back, since they have to tell things
/// apart.
pub(crate) fn body(route: &Route, body: &mut Value) -> Result<(), ApiError> {
    fields(route.endpoint.body, "", body)
}

fn fields(table: &[Field], prefix: &str, value: &mut Value) -> Result<(), ApiError> {
    match value {
        Value::Array(entries) => entries
            .iter_mut()
            .try_for_each(|entry| fields(table, prefix, entry)),
        Value::Object(held) => table.iter().try_for_each(|field| {
            let Some(value) = held.get_mut(field.name) else {
                return Ok(());
            };
            let name = format!("{prefix}{}", field.name);
            match field.of {
                FieldType::Text(TextUse::Stored) => texts(value, &mut |text| {
                    redact(text);
                    Ok(())
                }),
                FieldType::Text(TextUse::Name) => texts(value, &mut |text| {
                    redact(text);
                    plain(&name, text)
                }),
                FieldType::Text(TextUse::Lesson | TextUse::Sought | TextUse::Verbatim)
                | FieldType::Number
                | FieldType::Flag
                | FieldType::Word
                | FieldType::Open => Ok(()),
                FieldType::Fields(inner) => fields(inner, &format!("{name}."), value),
            }
        }),
        // Values other than objects have no fields; their type refuses them.
        _ => Ok(()),
    }
}

/// Calls `each` with a text, or with each text of a list.
fn texts(
    value: &mut Value,
    each: &mut impl FnMut(&mut String) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    match value {
        Value::String(text) => each(text),
        Value::Array(entries) => entries.iter_mut().try_for_each(|entry| match entry {
            Value::String(text) => each(text),
            _ => Ok(()),
        }),
        _ => Ok(()),
    }
}

fn redact(text: &mut String) {
    if let Some(clean) = lesson_screen::redacted(text) {
        *text = clean;
    }
}

/// A text that does not speak to whoever reads it.
pub(crate) fn plain(field: &str, text: &str) -> Result<(), ApiError> {
    match lesson_screen::speaks(text) {
        None => Ok(()),
        Some(why) => Err(ApiError::invalid(
            field,
            format!(
                "`{}` {why}; other agents read it, so say it otherwise",
                clip(text)
            ),
        )),
    }
}

/// A text that other agents may read, or what stands for it.
pub(crate) fn readable(text: String) -> String {
    match lesson_screen::speaks(&text) {
        None => text,
        Some(_) => HELD_BACK.to_owned(),
    }
}

/// Detections whose quotes other agents may read.
pub(crate) fn quotes(mut detections: Vec<Detection>) -> Vec<Detection> {
    for seen in &mut detections {
        seen.quote = seen.quote.take().map(readable);
    }
    detections
}

/// A new slug that a request gives: short, without secrets, and no sentence to whoever reads it.
pub(crate) fn new_slug(slug: &str, title: &str) -> Result<(), ApiError> {
    validate::new_slug("slug", slug)?;
    if is_common_word(slug) {
        let better =
            Some(slug_of(title)).filter(|slug| slug.contains('-') && plain("", slug).is_ok());
        let better = better.unwrap_or_else(|| format!("lesson-{slug}"));
        return Err(ApiError::invalid(
            "slug",
            format!("`{slug}` is a common word, which texts hold by chance; use `{better}`"),
        ));
    }
    if lesson_screen::hides_secret(slug) {
        return Err(ApiError::invalid(
            "slug",
            "the slug holds what looks like a secret; name the lesson by what it says",
        ));
    }
    plain("slug", &slug.replace('-', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lesson_types::ENDPOINTS;
    use serde_json::json;

    const SECRET: &str = concat!("AKIA", "IOSFODNN7EXAMPLE");

    /// The texts of a table with their uses, by JSON pointer, and a body that fills each with a secret.
    fn filled(table: &[Field], at: &str, texts: &mut Vec<(String, TextUse)>) -> Value {
        let fields = table.iter().map(|field| {
            let at = format!("{at}/{}", field.name);
            let value = match field.of {
                FieldType::Text(used) => {
                    texts.push((at, used));
                    json!(format!("deploy with {SECRET}"))
                }
                FieldType::Fields(inner) => filled(inner, &at, texts),
                FieldType::Number | FieldType::Flag | FieldType::Word | FieldType::Open => json!(1),
            };
            (field.name.to_owned(), value)
        });
        Value::Object(fields.collect())
    }

    #[test]
    fn every_text_that_is_stored_is_redacted_in_every_request() {
        let (mut redacted, mut left) = (0, 0);
        for endpoint in ENDPOINTS {
            let mut texts = Vec::new();
            let mut body = filled(endpoint.body, "", &mut texts);
            fields(endpoint.body, "", &mut body).unwrap();
            for (at, used) in texts {
                let text = body.pointer(&at).and_then(Value::as_str).unwrap();
                let holds = text.contains(SECRET);
                match used {
                    TextUse::Stored | TextUse::Name => redacted += usize::from(!holds),
                    TextUse::Lesson | TextUse::Sought | TextUse::Verbatim => {
                        left += usize::from(holds);
                        continue;
                    }
                }
                assert!(!holds, "{}: {at}", endpoint.name.as_str());
            }
        }
        assert!(redacted > 15 && left > 15, "{redacted} {left}");
    }

    #[test]
    fn lists_and_fields_of_fields_are_redacted_too() {
        const INNER: &[Field] = &[Field {
            name: "words",
            of: FieldType::Text(TextUse::Stored),
        }];
        const OUTER: &[Field] = &[Field {
            name: "items",
            of: FieldType::Fields(INNER),
        }];
        let mut body = json!({ "items": [{ "words": ["plain", SECRET] }, 7], "words": SECRET });
        fields(OUTER, "", &mut body).unwrap();
        assert_eq!(body["items"][0]["words"][0], "plain");
        assert!(
            !body["items"][0]["words"][1]
                .as_str()
                .unwrap()
                .contains(SECRET)
        );
        assert_eq!(body["words"], SECRET);
    }
}
