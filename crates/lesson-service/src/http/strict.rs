//! JSON as strangers send it: read strictly and within bounds.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Number, Value};
use std::fmt;

/// Deepest nesting that is read; no message needs more than ten.
const DEPTH: usize = 64;
/// The greatest whole number up to which a double has all of them.
const WHOLE: f64 = 9_007_199_254_740_991.0;

/// Why a text was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// It is no JSON: NaN, half a surrogate pair and bytes that are no UTF-8 among others.
    Syntax(String),
    /// It is JSON, but a field is given twice or it is nested too deep.
    Shape(String),
}

/// Reads a text of JSON. Unlike the usual reader it refuses a field that is given twice, which two
/// readers would understand differently, and more than 64 levels of nesting.
pub fn parse(bytes: &[u8]) -> Result<Value, Unread> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Level(0)
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| match error.classify() {
        Category::Data => Unread::Shape(error.to_string()),
        Category::Syntax | Category::Eof | Category::Io => Unread::Syntax(error.to_string()),
    })
}

/// Reads a value this many levels deep.
#[derive(Clone, Copy)]
struct Level(usize);

impl Level {
    fn below<E: Error>(self) -> Result<Self, E> {
        if self.0 == DEPTH {
            return Err(E::custom(format!(
                "nested deeper than {DEPTH} levels; send a flatter one"
            )));
        }
        Ok(Self(self.0 + 1))
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    /// In JSON, 5.0 is a whole number like 5 is. A negative zero is left as it is.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.trunc() == value
            && value.abs() <= WHOLE
            && (value != 0.0 || value.is_sign_positive())
        {
            // In range and whole, so the cast is exact.
            return Ok((value as i64).into());
        }
        let number = Number::from_f64(value);
        number
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(below)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(below)?;
            if object.contains_key(&name) {
                let name = crate::http::fault::clip(&name);
                return Err(A::Error::custom(format!(
                    "the field `{name}` is given twice; give it once"
                )));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sound_is_read_as_it_stands() {
        for text in [
            "null",
            " [1, -2, 2.5, \"\\ud83d\\ude00\", true, {}] ",
            r#"{"a":{"a":{"a":[]}},"b":1.5e-3,"c":18446744073709551615}"#,
        ] {
            let usual: Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse(text.as_bytes()), Ok(usual), "{text}");
        }
        let deepest = format!("{}{}", "[".repeat(64), "]".repeat(64));
        assert!(parse(deepest.as_bytes()).is_ok());
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        for (text, whole) in [
            ("5.0", Some(5)),
            ("5e2", Some(500)),
            ("-3.0", Some(-3)),
            ("0.0", Some(0)),
            ("9007199254740991.0", Some(9_007_199_254_740_991)),
            ("-0.0", None),
            ("5.5", None),
            ("1e300", None),
        ] {
            let value = parse(text.as_bytes()).unwrap();
            assert_eq!(value.as_i64(), whole, "{text}");
            assert_eq!(value.as_f64(), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_a_fault_of_syntax() {
        for text in [
            "",
            "{",
            "NaN",
            "[1,]",
            "{}{}",
            "'a'",
            "1e999",
            "\"\\ud800\"",
            "\"\\udc00x\"",
            "\"a\nb\"",
        ] {
            assert!(
                matches!(parse(text.as_bytes()), Err(Unread::Syntax(_))),
                "{text}"
            );
        }
        assert!(matches!(parse(b"\"\xff\""), Err(Unread::Syntax(_))));
        assert!(matches!(parse(b"\"\xed\xa0\x80\""), Err(Unread::Syntax(_))));
    }

    #[test]
    fn repeated_fields_and_deep_nesting_are_faults_of_shape() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        for text in [
            r#"{"a":1,"a":1}"#.to_owned(),
            r#"{"x":[{"\u0061":1,"a":2}]}"#.to_owned(),
            deep(65),
            deep(10_000),
            "{\"a\":".repeat(65) + "1" + &"}".repeat(65),
        ] {
            assert!(
                matches!(parse(text.as_bytes()), Err(Unread::Shape(_))),
                "{text}"
            );
        }
    }
}
