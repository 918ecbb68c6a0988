//! How much room the browser still gives this origin.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Bytes left by `navigator.storage.estimate()`; `None` where the host does not say.
pub async fn bytes_left() -> Option<f64> {
    let get = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let storage = get(&get(&js_sys::global(), "navigator")?, "storage")?;
    let estimate: Function = get(&storage, "estimate")?.dyn_into().ok()?;
    let promise: Promise = estimate.call0(&storage).ok()?.dyn_into().ok()?;
    let estimate = JsFuture::from(promise).await.ok()?;
    Some(get(&estimate, "quota")?.as_f64()? - get(&estimate, "usage")?.as_f64()?)
}
