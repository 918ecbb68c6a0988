//! JSON from strangers: UTF-8, no key twice in an object, nested within bounds.

use lesson_api::ApiError;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The deepest nesting.
pub(crate) const DEPTH: usize = 64;

/// Reads a body. An empty one is `null`.
///
/// # Errors
/// Says where the text stops being JSON, or what is too deep or given twice.
pub(crate) fn read(body: &[u8]) -> Result<Value, ApiError> {
    let wrong = |message: String| Err(ApiError::invalid("body", message));
    let Ok(text) = std::str::from_utf8(body) else {
        return wrong("the body is not UTF-8; send JSON in UTF-8".to_owned());
    };
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = At(0).deserialize(&mut parser);
    match value.and_then(|value| parser.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(error) => wrong(format!("the body is no JSON that is taken here: {error}")),
    }
}

/// A value at a depth.
struct At(usize);

impl<'de> DeserializeSeed<'de> for At {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl At {
    fn inner<E: Error>(&self) -> Result<usize, E> {
        if self.0 >= DEPTH {
            return Err(E::custom(format!(
                "it is nested deeper than {DEPTH} levels"
            )));
        }
        Ok(self.0 + 1)
    }
}

impl<'de> Visitor<'de> for At {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let depth = self.inner()?;
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(At(depth))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let depth = self.inner()?;
        let mut fields = Map::new();
        while let Some(Name(name)) = from.next_key()? {
            if fields.contains_key(&name) {
                let shown = crate::fault::clip(&name);
                return Err(A::Error::custom(format!("`{shown}` is given twice")));
            }
            let value = from.next_value_seed(At(depth))?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

/// A field's name.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_read_as_it_stands() {
        let text =
            r#" {"a": [1, -2, 2.5, "x\u0000é", null, true, {}], "b": 18446744073709551615} "#;
        assert_eq!(
            read(text.as_bytes()).unwrap(),
            json!({"a": [1, -2, 2.5, "x\u{0}é", null, true, {}], "b": u64::MAX})
        );
        assert_eq!(read(b"").unwrap(), Value::Null);
        assert_eq!(read(b" \n").unwrap(), Value::Null);
    }

    #[test]
    fn what_others_read_in_two_ways_is_refused() {
        for body in [
            &b"{\"a\": 1, \"a\": 2}"[..],
            b"{\"a\": {\"b\": 1, \"b\": 1}}",
            b"{\"a\": NaN}",
            b"{\"a\": 1e999}",
            b"{\"a\": \"\\ud800\"}",
            b"\xff\xfe",
            b"{} {}",
            b"{\"a\":",
            b"{'a': 1}",
            b"[1,]",
        ] {
            let error = read(body).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("body"), "{body:?}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(nested(DEPTH).as_bytes()).is_ok());
        for levels in [DEPTH + 1, 10_000, 500_000] {
            assert!(read(nested(levels).as_bytes()).is_err(), "{levels}");
        }
    }
}
