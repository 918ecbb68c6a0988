//! Bodies of requests and answers, which go as texts of JSON, and plain objects, as JavaScript has them.

use js_sys::{Object, Reflect};
use lesson_types::{ApiError, ErrorCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// Reads an answer's body, a text of JSON, as the type it is declared to have.
pub fn read<T: DeserializeOwned>(body: JsValue) -> Result<T, ApiError> {
    // A string is what the worker sends; anything else reads as no JSON.
    let text = body.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| {
        ApiError::new(
            ErrorCode::Unavailable,
            format!("The engine's answer does not fit this page ({error}). Reload the page to get matching versions."),
        )
    })
}

/// A value as the body of a request, a text of JSON; the API's types always have such a form.
pub fn json(value: &impl Serialize) -> JsValue {
    serde_json::to_string(value).unwrap_or_default().into()
}

/// A plain object.
pub fn object(fields: &[(&str, &JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A plain object takes any field.
        let _ = Reflect::set(&object, &JsValue::from_str(name), value);
    }
    object.into()
}
