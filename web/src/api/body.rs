//! Bodies of requests and answers, and plain objects, as JavaScript has them.

use js_sys::{Object, Reflect};
use lesson_types::{ApiError, ErrorCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// Converts an answer's body into the type it is declared to have.
pub fn read<T: DeserializeOwned>(body: JsValue) -> Result<T, ApiError> {
    serde_wasm_bindgen::from_value(body).map_err(|error| {
        ApiError::new(
            ErrorCode::Unavailable,
            format!("The engine's answer does not fit this page ({error}). Reload the page to get matching versions."),
        )
    })
}

/// A value as the body of a request; the API's types always have such a form.
pub fn json(value: &impl Serialize) -> JsValue {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or_default()
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
