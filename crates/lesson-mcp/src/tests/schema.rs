//! A check of values against the schemas that tools declare. It knows the keywords that are used
//! there, and fails on any other, so that none is passed over.

use serde_json::Value;

/// Fails unless the value fits the schema; `at` names the place.
#[track_caller]
pub(super) fn fits(value: &Value, schema: &Value, at: &str) {
    let schema = schema.as_object().expect("a schema is an object");
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "description" | "title" => {}
            "type" => assert!(typed(value, rule), "{at}: {value} is no {rule}"),
            "enum" => assert!(
                rule.as_array().expect("words").contains(value),
                "{at}: {value} is none of {rule}"
            ),
            "minimum" => assert!(
                value.is_null() || value.as_f64() >= rule.as_f64(),
                "{at}: {value} is below {rule}"
            ),
            "maximum" => assert!(
                value.is_null() || value.as_f64() <= rule.as_f64(),
                "{at}: {value} is above {rule}"
            ),
            "required" => {
                for name in rule.as_array().expect("names") {
                    let name = name.as_str().expect("a name");
                    assert!(value.get(name).is_some(), "{at}: no `{name}` in {value}");
                }
            }
            "properties" => {
                // Stricter than the schema: an answer has no field that is not declared.
                for (name, field) in value.as_object().into_iter().flatten() {
                    let rule = rule.get(name);
                    let rule = rule.unwrap_or_else(|| panic!("{at}: `{name}` is not declared"));
                    fits(field, rule, &format!("{at}.{name}"));
                }
            }
            "items" => {
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(item, rule, &format!("{at}[{place}]"));
                }
            }
            other => panic!("{at}: the keyword `{other}` is not known to this check"),
        }
    }
}

fn typed(value: &Value, rule: &Value) -> bool {
    match rule {
        Value::Array(types) => types.iter().any(|one| typed(value, one)),
        Value::String(name) => match name.as_str() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        },
        _ => false,
    }
}
