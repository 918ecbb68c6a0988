//! The `Edge` class that a Worker's shim sees.

use crate::convert::{Headers, thrown, to_js};
use crate::host::JsHost;
use crate::options::{function, known_keys, property};
use crate::pack::gather;
use crate::store::AnyStore;
use js_sys::{Array, Function, Promise, Uint8Array};
use lesson_edge::{CountRequest, Edge as Inner, EdgeConfig, EdgeRequest};
use lesson_sync::MemoryStore;
use lesson_types::ApiError;
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Options of `new Edge`. */
export interface EdgeOptions {
  /** The Supabase project's address. */
  url: string;
  /** Its publishable key. */
  key: string;
  /** The origin of a dashboard that may call from elsewhere. */
  dashboard_origin?: string;
  /** The values of `Host` that are answered; any, when there are none. */
  hosts?: string[];
  /** Requests a second that a key may make in the long run (50), and at once (four seconds' worth). */
  requests_per_second?: number;
  burst?: number;
  /** Bytes that a key may send a second in the long run (65536), and milliseconds of the engine's time it may ask for (250). */
  bytes_per_second?: number;
  work_per_second?: number;
  /** Bytes that spaces may take in memory (48 million); larger ones are read from the server by each request. */
  replica_bytes?: number;
  /** Milliseconds since the Unix epoch; the host's clock when absent. */
  now?: () => number;
  /** Fills the bytes with randomness; the host's when absent. */
  random?: (bytes: Uint8Array) => void;
  /** Keeps the pieces as one under a name, in place of what had it, where later isolates find it; may lose it. */
  keep?: (name: string, pieces: Uint8Array[]) => Promise<void>;
  /** Reads what is kept under a name, if it still is. */
  recall?: (name: string) => Promise<Uint8Array | null>;
}
/** A request as it came; header names in lower case. */
export interface EdgeRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Uint8Array;
  /** The address that it came from, as the platform says; keys that are not known are counted by it. */
  client?: string;
  /** Has the host fetch the model pack beside the request, for `load_model`, or say by `no_model` that it can't. */
  fetch_model?: () => void;
  /** Counts a request of a key, by the key's id, where all isolates count together; whether the key may go on. */
  count?: (id: string) => Promise<boolean>;
}
/** Its answer. */
export interface EdgeAnswer { status: number; headers: Record<string, string>; body: string }
"#;

const OPTIONS: [&str; 13] = [
    "url",
    "key",
    "dashboard_origin",
    "hosts",
    "requests_per_second",
    "burst",
    "bytes_per_second",
    "work_per_second",
    "replica_bytes",
    "now",
    "random",
    "keep",
    "recall",
];

/// HTTP and MCP for agents, over spaces on a server. One for each isolate.
#[wasm_bindgen]
pub struct Edge {
    inner: Rc<Inner<AnyStore, JsHost>>,
}

#[wasm_bindgen]
impl Edge {
    /// Takes `EdgeOptions`. Nothing is asked of the network yet.
    ///
    /// # Errors
    /// Throws an `EngineError` that names the option that is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "EdgeOptions")] options: JsValue,
    ) -> Result<Edge, JsValue> {
        console_error_panic_hook::set_once();
        let edge = make(&options).map_err(|error| thrown(&error))?;
        Ok(Edge {
            inner: Rc::new(edge),
        })
    }

    /// Answers a request. Never throws for a bad one: that is an answer with its status. Call
    /// `settle` once the answer is on its way.
    #[wasm_bindgen(unchecked_return_type = "EdgeAnswer")]
    pub async fn handle(
        &self,
        #[wasm_bindgen(unchecked_param_type = "EdgeRequest")] request: JsValue,
    ) -> JsValue {
        let request = EdgeRequest {
            method: text(&request, "method").unwrap_or_default(),
            path: text(&request, "path").unwrap_or_default(),
            headers: serde_wasm_bindgen::from_value::<Headers>(property(&request, "headers"))
                .map(Headers::given)
                .unwrap_or_default(),
            client: text(&request, "client").unwrap_or_default(),
            body: property(&request, "body")
                .dyn_into::<Uint8Array>()
                .map(|bytes| bytes.to_vec())
                .unwrap_or_default(),
            fetch_model: property(&request, "fetch_model")
                .dyn_into::<Function>()
                .ok()
                .map(|fetch| -> Rc<dyn Fn()> {
                    Rc::new(move || {
                        // The outcome is told by `load_model` or `no_model`.
                        let _ = fetch.call0(&JsValue::UNDEFINED);
                    })
                }),
            count: property(&request, "count")
                .dyn_into::<Function>()
                .ok()
                .map(counter),
        };
        let answer = self.inner.handle(request).await;
        to_js(&Answer {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
        })
    }

    /// Does the work that is left once an answer is out: sends what waits, reads what others made. For
    /// `ctx.waitUntil`. Returns when nothing waits or after some 25 seconds; never throws.
    pub async fn settle(&self) {
        self.inner.settle().await;
    }

    /// Notes that the host has no model pack to hand over: `missing` where there is none at all, else
    /// it could not be had this time. Lessons are ranked by their words, and answers say so.
    pub fn no_model(&self, missing: bool) {
        self.inner.no_model(missing);
    }

    /// Checks and loads a model pack, which comes in pieces of any length; `null` after the last. Returns the model's id.
    /// Lessons are found by meaning from then on.
    ///
    /// # Errors
    /// Throws what `next` throws, and an `EngineError` when the pack is refused; the edge goes on without it.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub async fn load_model(
        &self,
        #[wasm_bindgen(unchecked_param_type = "() => Promise<Uint8Array | null>")] next: Function,
    ) -> Result<String, JsValue> {
        let (pack, hash) = gather(&next).await?;
        self.inner
            .load_model(pack, hash)
            .await
            .map_err(|error| thrown(&error))
    }
}

/// The platform's counter. One that fails lets everybody go on.
fn counter(count: Function) -> CountRequest {
    Rc::new(move |id| {
        let asked = count.call1(&JsValue::UNDEFINED, &JsValue::from_str(id));
        Box::pin(async move {
            let Ok(told) = asked else { return true };
            let told = JsFuture::from(Promise::resolve(&told)).await;
            told.map_or(true, |goes_on| goes_on.as_bool() != Some(false))
        })
    })
}

#[derive(Serialize)]
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

fn make(options: &JsValue) -> Result<Inner<AnyStore, JsHost>, ApiError> {
    known_keys(options, &OPTIONS)?;
    let number = |name: &str| {
        let value = property(options, name);
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        let number = value
            .as_f64()
            .ok_or_else(|| ApiError::invalid(name, format!("`{name}` has to be a number")))?;
        Ok(Some(number))
    };
    let config = EdgeConfig {
        url: text(options, "url").unwrap_or_default(),
        key: text(options, "key").unwrap_or_default(),
        dashboard_origin: text(options, "dashboard_origin"),
        hosts: hosts(&property(options, "hosts"))?,
        requests_per_second: number("requests_per_second")?,
        burst: number("burst")?,
        bytes_per_second: number("bytes_per_second")?,
        work_per_second: number("work_per_second")?,
        replica_bytes: number("replica_bytes")?,
    };
    let host = JsHost {
        now: function(options, "now")?,
        random: function(options, "random")?,
        keep: function(options, "keep")?,
        recall: function(options, "recall")?,
    };
    Inner::new(config, host, || {
        AnyStore::Memory(MemoryStore::passing_rows_on())
    })
}

fn text(object: &JsValue, name: &str) -> Option<String> {
    property(object, name).as_string()
}

fn hosts(value: &JsValue) -> Result<Vec<String>, ApiError> {
    if value.is_undefined() || value.is_null() {
        return Ok(Vec::new());
    }
    let wrong = || ApiError::invalid("hosts", "`hosts` has to be a list of host names");
    let list: &Array = value.dyn_ref().ok_or_else(wrong)?;
    list.iter()
        .map(|host| host.as_string().ok_or_else(wrong))
        .collect()
}
