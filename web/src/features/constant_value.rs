//! Values of constants as people type and read them.

use crate::format;
use lesson_types::ConstantKind;
use serde_json::Value;

/// A value as it is typed.
pub fn word(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(word) => word.clone(),
        Value::Array(words) => words.iter().map(word).collect::<Vec<_>>().join(", "),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| format::trim(number, 6)),
        other => other.to_string(),
    }
}

/// Reads what was typed as a value; a number that is none goes as it is, so that the engine says what is wrong with it.
pub fn parsed(kind: ConstantKind, typed: &str) -> Value {
    let typed = typed.trim();
    match kind {
        ConstantKind::Flag => Value::Bool(typed == "yes"),
        ConstantKind::Word => Value::from(typed),
        ConstantKind::Words => {
            let words = typed.split(',').map(str::trim);
            Value::from(words.filter(|word| !word.is_empty()).collect::<Vec<_>>())
        }
        ConstantKind::Count | ConstantKind::Number => match typed.parse::<f64>() {
            Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Value::from(number as i64)
            }
            Ok(number) => Value::from(number),
            Err(_) => Value::from(typed),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value_of;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn values_are_typed_and_read_back() {
        for (kind, value) in [
            (ConstantKind::Number, value_of!(0.25)),
            (ConstantKind::Count, value_of!(5)),
            (ConstantKind::Flag, value_of!(true)),
            (ConstantKind::Word, value_of!("seeds")),
            (ConstantKind::Words, value_of!(["a", "b-c"])),
            (ConstantKind::Words, value_of!([])),
        ] {
            assert_eq!(parsed(kind, &word(&value)), value);
        }
        assert_eq!(parsed(ConstantKind::Number, "much"), value_of!("much"));
    }
}
