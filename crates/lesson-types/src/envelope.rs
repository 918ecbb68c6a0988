//! One request and one answer, whatever carries them: HTTP, `postMessage` or a test.

use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The methods that the engine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Method {
    /// Read.
    Get,
    /// Act.
    Post,
    /// Change part of a lesson.
    Patch,
}

impl Method {
    /// The method as HTTP spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
        }
    }
}

/// A request to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "EngineRequest"))]
pub struct Request {
    /// The HTTP method.
    pub method: Method,
    /// Path and query, such as `/v1/lessons?q=sql&limit=20`.
    pub path: String,
    /// Header names in lower case.
    #[serde(default)]
    #[cfg_attr(
        feature = "typescript",
        ts(optional, as = "Option<BTreeMap<String, String>>")
    )]
    pub headers: BTreeMap<String, String>,
    /// The JSON body; `null` where a request has none.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<serde_json::Value>"))]
    pub body: serde_json::Value,
}

/// The engine's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "EngineResponse"))]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case; always has `content-type`.
    pub headers: BTreeMap<String, String>,
    /// JSON; a plain string for exports.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub body: Body,
}

/// A response's body, written out where the answer is made: hosts pass the text on, and whoever needs a field of it reads
/// it as its type.
#[derive(Debug, Clone)]
pub enum Body {
    /// JSON.
    Json(Box<RawValue>),
    /// Text of another media type, such as an export.
    Text(String),
}

impl Body {
    /// JSON of a value.
    ///
    /// # Errors
    /// Where the value can't be JSON, such as a map whose keys are no strings.
    pub fn json(value: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::Json)
    }

    /// The JSON read as a type; text is a string. Cost: parses all of it.
    ///
    /// # Errors
    /// Where it is of another type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        match self {
            Self::Json(json) => serde_json::from_str(json.get()),
            Self::Text(text) => T::deserialize(text.as_str().into_deserializer()),
        }
    }

    /// As a value that any field can be asked of; text is a string. Cost: parses all of it.
    pub fn value(&self) -> serde_json::Value {
        match self {
            // A raw value is JSON.
            Self::Json(json) => serde_json::from_str(json.get()).unwrap_or_default(),
            Self::Text(text) => text.as_str().into(),
        }
    }

    /// As HTTP carries it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Json(json) => json.get(),
            Self::Text(text) => text,
        }
    }

    /// As HTTP carries it, without a copy.
    pub fn into_string(self) -> String {
        match self {
            Self::Json(json) => Box::<str>::from(json).into_string(),
            Self::Text(text) => text,
        }
    }
}

/// No text.
impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
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
        match (self, other) {
            (Self::Json(one), Self::Json(other)) => one.get() == other.get(),
            (Self::Text(one), Self::Text(other)) => one == other,
            _ => false,
        }
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(json) => json.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Ok(match serde_json::from_str(json.get()) {
            Ok(text) => Self::Text(text),
            Err(_) => Self::Json(json),
        })
    }
}
