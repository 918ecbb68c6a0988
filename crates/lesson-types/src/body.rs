//! The body of an answer: the value that the endpoint answers with, until a host asks for its text.

use crate::{ApiError, ErrorBody, ErrorCode};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::any::Any;
use std::cell::OnceCell;
use std::rc::Rc;

/// A response's body. Whoever needs a field of an answer takes the value itself; it is written as JSON when its text is
/// asked for, and once. A copy shares both.
#[derive(Clone)]
pub struct Body(Held);

#[derive(Clone)]
enum Held {
    Json(Rc<Json>),
    Text(String),
}

struct Json {
    value: Box<dyn Written>,
    text: OnceCell<Box<RawValue>>,
}

/// A value of any type that can be written.
trait Written: Any {
    fn write(&self) -> Result<Box<RawValue>, serde_json::Error>;
}

impl<T: Serialize + 'static> Written for T {
    fn write(&self) -> Result<Box<RawValue>, serde_json::Error> {
        to_raw_value(self)
    }
}

impl Json {
    fn text(&self) -> &RawValue {
        self.text.get_or_init(|| {
            self.value.write().unwrap_or_else(|error| {
                let error = ApiError::new(
                    ErrorCode::Unavailable,
                    format!("the answer could not be written ({error}); please report this"),
                );
                // An error holds strings only, which always become JSON.
                to_raw_value(&ErrorBody { error }).unwrap_or_default()
            })
        })
    }
}

impl Body {
    /// JSON of a value. One that can't be JSON, such as a map whose keys are no strings, is written as the body of an error;
    /// no answer of the API has such a map.
    pub fn json(value: impl Serialize + 'static) -> Self {
        Self(Held::Json(Rc::new(Json {
            value: Box::new(value),
            text: OnceCell::new(),
        })))
    }

    /// Text of another media type, such as an export.
    pub fn text(text: String) -> Self {
        Self(Held::Text(text))
    }

    /// True if it is JSON; else it is text of another media type.
    pub fn is_json(&self) -> bool {
        matches!(self.0, Held::Json(_))
    }

    /// The value that it was made of; `None` where that is of another type, and for text. Cost: none.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        match &self.0 {
            Held::Json(json) => (&*json.value as &dyn Any).downcast_ref(),
            Held::Text(_) => None,
        }
    }

    /// As a value that any field can be asked of; text is a string. Cost: writes and parses all of it.
    pub fn value(&self) -> serde_json::Value {
        match &self.0 {
            // A raw value is JSON.
            Held::Json(json) => serde_json::from_str(json.text().get()).unwrap_or_default(),
            Held::Text(text) => text.as_str().into(),
        }
    }

    /// Reads it as a client does, which has its text alone; text of another media type is a string. Cost: writes and parses
    /// all of it.
    ///
    /// # Errors
    /// Where it is of another type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match &self.0 {
            Held::Json(json) => serde_json::from_str(json.text().get()),
            Held::Text(text) => T::deserialize(text.as_str().into_deserializer()),
        }
    }

    /// As HTTP carries it. Cost: writes it, the first time.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Held::Json(json) => json.text().get(),
            Held::Text(text) => text,
        }
    }

    /// As HTTP carries it, without a copy unless it is kept elsewhere. Cost: writes it, the first time.
    pub fn into_string(self) -> String {
        match self.0 {
            Held::Json(json) => {
                json.text();
                let text = match Rc::try_unwrap(json) {
                    Ok(alone) => alone.text.into_inner(),
                    Err(shared) => shared.text.get().cloned(),
                };
                // It was written above.
                text.map_or_else(String::new, |text| Box::<str>::from(text).into_string())
            }
            Held::Text(text) => text,
        }
    }
}

/// No text.
impl Default for Body {
    fn default() -> Self {
        Self::text(String::new())
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl std::fmt::Display for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Equal to the byte.
impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.is_json() == other.is_json() && self.as_str() == other.as_str()
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Held::Json(json) => json.text().serialize(serializer),
            Held::Text(text) => serializer.serialize_str(text),
        }
    }
}
