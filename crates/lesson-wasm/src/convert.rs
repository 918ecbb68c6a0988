//! JavaScript values to and from the types of the interface.

use js_sys::Reflect;
use lesson_types::{ApiError, Method, Request, Response};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A request as it comes from JavaScript; the body goes by way of JSON.
#[derive(Deserialize)]
struct Envelope {
    method: Method,
    path: String,
    headers: Option<Headers>,
}

/// Headers as JavaScript has them: `undefined`, which an optional property may be, is as if it were not there.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Headers(BTreeMap<String, Option<String>>);

impl Headers {
    /// Those that have a value.
    pub fn given(self) -> BTreeMap<String, String> {
        self.0
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// Reads `{method, path, headers?, body?}`.
///
/// # Errors
/// Names what is missing, unknown, not JSON or not finite.
pub fn request_of(value: &JsValue) -> Result<Request, ApiError> {
    request_with(value, body_of)
}

/// The same, where the body is JSON as a text.
///
/// # Errors
/// As [`request_of`]; that the body is no JSON.
pub fn text_request_of(value: &JsValue) -> Result<Request, ApiError> {
    request_with(value, |body| match body.as_string() {
        Some(text) => serde_json::from_str(&text).map_err(|cause| not_json(&cause.to_string())),
        None => body_of(body),
    })
}

fn request_with(
    value: &JsValue,
    body_of: fn(&JsValue) -> Result<serde_json::Value, ApiError>,
) -> Result<Request, ApiError> {
    let object: &js_sys::Object = value.dyn_ref().ok_or_else(|| {
        ApiError::invalid(
            "request",
            "a request is an object with method, path, headers and body",
        )
    })?;
    // serde-wasm-bindgen looks up the fields it knows and never sees the others.
    for key in js_sys::Object::keys(object) {
        let key = key.as_string().unwrap_or_default();
        if !["method", "path", "headers", "body"].contains(&key.as_str()) {
            return Err(ApiError::invalid(
                key.clone(),
                format!(
                    "`{key}` is no part of a request; there are method, path, headers and body"
                ),
            ));
        }
    }
    let envelope = js_sys::Object::assign(&js_sys::Object::new(), object);
    let body = Reflect::get(&envelope, &"body".into()).unwrap_or(JsValue::UNDEFINED);
    // A fresh object, so deleting from it can't fail.
    let _ = Reflect::delete_property(&envelope, &"body".into());
    let Envelope {
        method,
        path,
        headers,
    } = serde_wasm_bindgen::from_value(envelope.into()).map_err(|error| {
        ApiError::invalid("request", format!("the request can't be read: {error}"))
    })?;
    Ok(Request {
        method,
        path,
        headers: headers.map(Headers::given).unwrap_or_default(),
        body: body_of(&body)?,
    })
}

/// The body as JSON. `JSON.stringify` would turn NaN and infinities into null, so they are
/// refused on the way.
fn body_of(body: &JsValue) -> Result<serde_json::Value, ApiError> {
    if body.is_undefined() || body.is_null() {
        return Ok(serde_json::Value::Null);
    }
    let odd = Rc::new(RefCell::new(None::<String>));
    let seen = Rc::clone(&odd);
    let watch = Closure::<dyn FnMut(JsValue, JsValue) -> JsValue>::new(
        move |key: JsValue, value: JsValue| {
            if value.as_f64().is_some_and(|number| !number.is_finite()) {
                seen.borrow_mut()
                    .get_or_insert(key.as_string().unwrap_or_default());
            }
            value
        },
    );
    let text = js_sys::JSON::stringify_with_replacer(body, watch.as_ref());
    drop(watch);
    if let Some(key) = odd.take() {
        return Err(ApiError::invalid(
            key.clone(),
            format!("`{key}` is not a finite number; send a finite one, or leave it out"),
        ));
    }
    let text = text.map_err(|cause| not_json(&describe(&cause)))?;
    let text = text
        .as_string()
        .ok_or_else(|| not_json("nothing to send"))?;
    serde_json::from_str(&text).map_err(|cause| not_json(&cause.to_string()))
}

fn not_json(cause: &str) -> ApiError {
    ApiError::invalid(
        "body",
        format!("the body is not JSON ({cause}); send plain data without cycles"),
    )
}

/// Returns the message of a thrown error; any other value in its debug form.
pub(crate) fn describe(thrown: &JsValue) -> String {
    thrown
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{thrown:?}"), |error| error.message().into())
}

/// The answer as a plain object.
pub fn response_to(response: &Response) -> JsValue {
    let text = response.body.as_str();
    let body = match response.body.is_json() {
        // Several times faster than making the objects one by one from here.
        true => js_sys::JSON::parse(text).unwrap_or(JsValue::NULL),
        false => text.into(),
    };
    answer(response, body)
}

/// The answer as a plain object, with its body as the text that it is.
pub fn text_response_to(response: &Response) -> JsValue {
    answer(response, response.body.as_str().into())
}

fn answer(response: &Response, body: JsValue) -> JsValue {
    let answer = js_sys::Object::new();
    let fields = [
        ("status", response.status.into()),
        ("headers", to_js(&response.headers)),
        ("body", body),
    ];
    for (name, value) in fields {
        // A fresh, extensible object.
        let _ = Reflect::set(&answer, &name.into(), &value);
    }
    answer.into()
}

/// Any of our answers as plain objects, as `JSON.parse` would give them.
pub fn to_js(value: &impl Serialize) -> JsValue {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or(JsValue::NULL)
}

/// The error to throw: an `Error` with `code` and, where there is one, `field`.
pub fn thrown(error: &ApiError) -> JsValue {
    let thrown = js_sys::Error::new(&error.message);
    let set = |name: &str, value: &str| {
        // A fresh, extensible object.
        let _ = Reflect::set(&thrown, &name.into(), &value.into());
    };
    set("code", error.code.as_str());
    if let Some(field) = &error.field {
        set("field", field);
    }
    thrown.into()
}
