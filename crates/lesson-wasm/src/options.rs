//! Reading the options that JavaScript gives.

use js_sys::{Function, Object, Reflect};
use lesson_types::ApiError;
use wasm_bindgen::{JsCast, JsValue};

/// Refuses options that there are not.
pub(crate) fn known_keys(options: &JsValue, known: &[&str]) -> Result<(), ApiError> {
    if !options.is_object() {
        return Err(ApiError::invalid(
            "options",
            "the options have to be an object",
        ));
    }
    for key in Object::keys(options.unchecked_ref::<Object>()) {
        let key = key.as_string().unwrap_or_default();
        if !known.contains(&key.as_str()) {
            return Err(ApiError::invalid(
                key.clone(),
                format!("`{key}` is no option; there are {}", listed(known)),
            ));
        }
    }
    Ok(())
}

/// `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A property; undefined of what is no object.
pub(crate) fn property(object: &JsValue, name: &str) -> JsValue {
    if object.is_object() {
        Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
    } else {
        JsValue::UNDEFINED
    }
}

/// A list of strings; empty when it is absent.
pub(crate) fn strings(object: &JsValue, name: &str) -> Result<Vec<String>, ApiError> {
    let value = property(object, name);
    if value.is_undefined() || value.is_null() {
        return Ok(Vec::new());
    }
    serde_wasm_bindgen::from_value(value)
        .map_err(|_| ApiError::invalid(name, format!("`{name}` has to be a list of strings")))
}

/// A function that may be absent.
pub(crate) fn function(object: &JsValue, name: &str) -> Result<Option<Function>, ApiError> {
    let value = property(object, name);
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    value
        .dyn_into()
        .map(Some)
        .map_err(|_| ApiError::invalid(name, format!("`{name}` has to be a function")))
}
