//! Bodies of requests and answers, which go as texts of JSON, and plain objects, as JavaScript has them.

use js_sys::{JSON, Object, Reflect};
use lesson_types::{ApiError, ErrorCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The browser's own, of a string that stays there: with serde_json's parser the pages would be 35 kB larger.
    #[wasm_bindgen(js_namespace = JSON, js_name = parse, catch)]
    fn parse(text: &JsValue) -> Result<JsValue, JsValue>;
}

/// Reads an answer's body, a text of JSON, as the type it is declared to have.
pub fn read<T: DeserializeOwned>(body: JsValue) -> Result<T, ApiError> {
    let body = parse(&body).map_err(|_| misfit("it is no JSON"))?;
    serde_wasm_bindgen::from_value(body).map_err(|error| misfit(&error.to_string()))
}

fn misfit(why: &str) -> ApiError {
    ApiError::new(
        ErrorCode::Unavailable,
        format!(
            "The engine's answer does not fit this page ({why}). Reload the page to get matching versions."
        ),
    )
}

/// A value as the body of a request, a text of JSON; the API's types always have such a form.
pub fn json(value: &impl Serialize) -> JsValue {
    written(value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()))
}

fn written(value: Result<JsValue, serde_wasm_bindgen::Error>) -> JsValue {
    let text = JSON::stringify(&value.unwrap_or_default());
    text.map_or(JsValue::NULL, JsValue::from)
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
