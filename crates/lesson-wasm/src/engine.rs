//! The `Engine` class that JavaScript sees.

use crate::convert::{request_of, response_to, text_request_of, text_response_to, thrown, to_js};
use crate::host::JsHost;
use crate::indexed_db::IndexedDbStore;
use crate::options::{function, known_keys, property, strings};
use crate::pack::{WARM_UP, WARM_UPS, sha256};
use crate::progress::{Progress, Round};
use crate::store::AnyStore;
use js_sys::{Float32Array, Function, Uint8Array};
use lesson_edge::WithKeys;
use lesson_service::refusal;
use lesson_service::{Service, Wanted};
use lesson_sync::MemoryStore;
use lesson_types::{ApiError, ErrorCode, Request, Response};
use serde::Serialize;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const OPTIONS: &str = r#"
/** Options of `Engine.open`. */
export interface EngineOptions {
  /** Where lessons are kept: in memory, or in this browser. */
  store: { kind: "memory" } | { kind: "indexed_db"; name?: string };
  /** Milliseconds since the Unix epoch; the host's clock when absent. */
  now?: () => number;
  /** Fills the bytes with randomness; the host's when absent. */
  random?: (bytes: Uint8Array) => void;
  /** Tool servers that are always at hand, besides the usual ones: never recorded, never suggested. */
  core_servers?: string[];
  /** Told while lessons get their vectors. */
  on_index?: (done: number, total: number) => void;
}
/** Progress of giving lessons their vectors; `elsewhere` of those that wait were handed out, or asked of the server. */
export interface Indexing { done: number; total: number; elsewhere: number }
/** A text that needs a vector, and the key of it. */
export interface WantedText { hash: string; text: string }
/** Result of a round of syncing: when the next one is due by itself, in milliseconds since the Unix epoch, and whether what is shown may have changed. */
export interface SyncRound { next_at: number | null; changed: boolean }
/** The `Error` that the engine throws, with a stable code. */
export interface EngineError extends Error { code: string; field?: string }
"#;

/// One engine over one store.
#[wasm_bindgen]
pub struct Engine {
    inner: Rc<Inner>,
}

struct Inner {
    service: Service<AnyStore, WithKeys<JsHost>>,
    on_index: Option<Function>,
    indexing: Cell<bool>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens the store and reads the ledger. Takes `EngineOptions`.
    ///
    /// # Errors
    /// Throws an `EngineError` when the options are wrong or the store can't be opened.
    #[wasm_bindgen(unchecked_return_type = "Engine")]
    pub async fn open(
        #[wasm_bindgen(unchecked_param_type = "EngineOptions")] options: JsValue,
    ) -> Result<Engine, JsValue> {
        console_error_panic_hook::set_once();
        open(&options).await.map_err(|error| thrown(&error))
    }

    /// Answers a request. Never throws for a bad one: that is an answer with its status. What has
    /// to be recorded of it is stored after the answer; `flush` waits for that.
    #[wasm_bindgen(unchecked_return_type = "EngineResponse")]
    pub async fn handle(
        &self,
        #[wasm_bindgen(unchecked_param_type = "EngineRequest")] request: JsValue,
    ) -> JsValue {
        response_to(&self.answer(request_of(&request)).await)
    }

    /// The same with bodies as texts of JSON, for hosts that carry them on: nothing makes objects of them on the way. A
    /// request's may be an object, too.
    #[wasm_bindgen(unchecked_return_type = "EngineResponse & { body: string }")]
    pub async fn handle_text(
        &self,
        #[wasm_bindgen(unchecked_param_type = "EngineRequest")] request: JsValue,
    ) -> JsValue {
        text_response_to(&self.answer(text_request_of(&request)).await)
    }

    /// Checks and loads a model pack; returns the model's id. Lessons get their vectors in the
    /// background, with requests answered in between.
    ///
    /// # Errors
    /// Throws an `EngineError` when the pack is refused; the engine goes on without it.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub async fn load_model(&self, pack: Uint8Array) -> Result<String, JsValue> {
        let hashing = sha256(&pack);
        let bytes = pack.to_vec();
        let service = &self.inner.service;
        let id = service
            .load_model(bytes, hashing.await)
            .await
            .map_err(|error| thrown(&error))?;
        let warm_up = [WARM_UP.to_owned()];
        for _ in 0..WARM_UPS {
            service.embed(&warm_up).map_err(|error| thrown(&error))?;
        }
        self.index_on();
        Ok(id)
    }

    /// The vectors of some texts, one after the other, each of unit length.
    ///
    /// # Errors
    /// Throws an `EngineError` when no model is loaded or a text is too long.
    pub fn embed(&self, texts: Vec<String>) -> Result<Float32Array, JsValue> {
        let vectors = self
            .inner
            .service
            .embed(&texts)
            .map_err(|error| thrown(&error))?;
        Ok(Float32Array::from(vectors.concat().as_slice()))
    }

    /// Returns the progress of giving lessons their vectors.
    #[wasm_bindgen(unchecked_return_type = "Indexing")]
    pub fn indexing(&self) -> JsValue {
        to_js(&Progress::of(self.inner.service.indexing()))
    }

    /// Stops giving lessons their vectors, or goes on with it; it is on at first. Lessons without
    /// one are ranked by keywords.
    pub fn set_indexing(&self, on: bool) {
        self.inner.service.set_indexing(on);
        self.index_on();
    }

    /// Up to `limit` texts that need a vector, short ones first, for another engine with the same
    /// model to `embed`. They are reserved until `take_vectors` or `release`.
    #[wasm_bindgen(unchecked_return_type = "WantedText[]")]
    pub fn texts_to_index(&self, limit: u32) -> JsValue {
        let wanted: Vec<WantedText> = self
            .inner
            .service
            .texts_to_index(limit as usize)
            .into_iter()
            .map(|Wanted { hash, text }| WantedText { hash, text })
            .collect();
        to_js(&wanted)
    }

    /// Takes and stores the vectors that another engine with the model `model` gave for texts of
    /// `texts_to_index`, one after the other.
    ///
    /// # Errors
    /// Throws an `EngineError` when the model is another one, the lengths don't fit, or the store
    /// fails.
    #[wasm_bindgen(unchecked_return_type = "Indexing")]
    pub async fn take_vectors(
        &self,
        model: String,
        hashes: Vec<String>,
        vectors: Vec<f32>,
    ) -> Result<JsValue, JsValue> {
        self.inner
            .service
            .take_vectors(&model, &hashes, &vectors)
            .await
            .map(|indexing| to_js(&Progress::of(indexing)))
            .map_err(|error| thrown(&error))
    }

    /// Gives texts of `texts_to_index` back that will not be embedded elsewhere. `failed` says that
    /// it was tried; a text that came back so twice is not handed out again.
    pub fn release(&self, hashes: Vec<String>, failed: bool) {
        self.inner.service.release(&hashes, failed);
        self.index_on();
    }

    /// The last position read from the store; it grows with every event.
    pub fn position(&self) -> f64 {
        self.inner.service.position() as f64
    }

    /// Counts the times that the store was found cleared while it was open, such as by deleting the site's data. What was held
    /// in memory was then given up, and `position` began anew.
    pub fn cleared(&self) -> u32 {
        self.inner.service.cleared()
    }

    /// The revision of the link to a server, 0 without one; it changes with every step of syncing.
    pub fn revision(&self) -> f64 {
        self.inner.service.revision() as f64
    }

    /// One round of syncing with the server: sends what was made here, reads what others made.
    /// Does nothing without a link. Never throws: what went wrong is told by `GET /v1/sync`.
    #[wasm_bindgen(unchecked_return_type = "SyncRound")]
    pub async fn sync_round(&self) -> JsValue {
        let round = self.inner.service.sync_round().await;
        self.index_on();
        to_js(&Round::of(&round))
    }

    /// Stores what waits to be recorded.
    ///
    /// # Errors
    /// Throws an `EngineError` when the store fails; what waits goes on waiting.
    pub async fn flush(&self) -> Result<(), JsValue> {
        self.inner
            .service
            .flush()
            .await
            .map_err(|error| thrown(&error))
    }

    /// Reads what other tabs have written; whether there was anything.
    ///
    /// # Errors
    /// Throws an `EngineError` when the store fails.
    pub async fn catch_up(&self) -> Result<bool, JsValue> {
        let news = self
            .inner
            .service
            .catch_up()
            .await
            .map_err(|error| thrown(&error))?;
        self.index_on();
        Ok(news)
    }

    /// Resolves when everything is stored and, while indexing is on, every lesson has its vector.
    ///
    /// # Errors
    /// Throws an `EngineError` when the store or the model fails.
    pub async fn idle(&self) -> Result<(), JsValue> {
        self.inner
            .service
            .idle()
            .await
            .map_err(|error| thrown(&error))
    }
}

/// CPython's `difflib.SequenceMatcher(None, a, b).ratio()` over Unicode code points.
#[wasm_bindgen]
pub fn sequence_ratio(a: &str, b: &str) -> f64 {
    difflib_exact::sequence_ratio(a, b)
}

/// The file `existing` with the block of an `AGENTS.md` in place of the one it has, or at its end; all else stays to the byte.
///
/// # Errors
/// Throws an `EngineError` that names the line of a marker, or of a code fence, that leaves open where the block is.
#[wasm_bindgen]
pub fn merge_block(existing: &str, block: &str) -> Result<String, JsValue> {
    lesson_formats::merge_block(existing, block)
        .map_err(|damaged| thrown(&ApiError::invalid("existing", damaged.to_string())))
}

/// The engine's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

#[derive(Serialize)]
struct WantedText {
    hash: String,
    text: String,
}

impl Engine {
    /// The answer; what has to be recorded of it is stored after it.
    async fn answer(&self, request: Result<Request, ApiError>) -> Response {
        let response = match request {
            Ok(request) => self.inner.service.handle(request).await,
            Err(error) => refusal(error),
        };
        let inner = Rc::clone(&self.inner);
        wasm_bindgen_futures::spawn_local(async move {
            // A failure is kept and shown by `GET /v1/health`; the queue is tried again with the
            // next write.
            let _ = inner.service.flush().await;
            inner.index().await;
            inner.service.embed_texts().await;
        });
        response
    }

    /// Goes on giving lessons their vectors, in the background.
    fn index_on(&self) {
        let inner = Rc::clone(&self.inner);
        wasm_bindgen_futures::spawn_local(async move { inner.index().await });
    }
}

impl Inner {
    /// Gives lessons their vectors, slice by slice, unless that is under way already.
    async fn index(&self) {
        use lesson_service::Host;
        if self.indexing.replace(true) {
            return;
        }
        loop {
            // Without a model there is nothing to do; a model that fails is tried with the next
            // write.
            let Ok(step) = self.service.index_step().await else {
                break;
            };
            if step.total > 0
                && let Some(told) = &self.on_index
            {
                // Errors of a listener are not ours to handle.
                let _ = told.call2(
                    &JsValue::UNDEFINED,
                    &(step.done as f64).into(),
                    &(step.total as f64).into(),
                );
            }
            // Lessons that others are at are theirs; who gives one back starts this again.
            if step.is_done_here() || !self.service.indexes() {
                break;
            }
            self.service.host().pause().await;
        }
        self.indexing.set(false);
    }
}

async fn open(options: &JsValue) -> Result<Engine, ApiError> {
    let known = ["store", "now", "random", "on_index", "core_servers"];
    known_keys(options, &known)?;
    let host = JsHost {
        now: function(options, "now")?,
        random: function(options, "random")?,
        ..JsHost::default()
    };
    let store = property(options, "store");
    let kind = property(&store, "kind").as_string().unwrap_or_default();
    let store = match kind.as_str() {
        "memory" => AnyStore::Memory(MemoryStore::new()),
        "indexed_db" => {
            let name = property(&store, "name");
            let name = name.as_string().unwrap_or_else(|| "lessonloop".to_owned());
            let opened = IndexedDbStore::open(&name)
                .await
                .map_err(|error| ApiError::new(ErrorCode::Unavailable, error.to_string()))?;
            AnyStore::IndexedDb(opened)
        }
        other => {
            return Err(ApiError::invalid(
                "store.kind",
                format!("there is no store `{other}`; use `memory` or `indexed_db`"),
            ));
        }
    };
    Ok(Engine {
        inner: Rc::new(Inner {
            service: Service::open(store, WithKeys::none(host))
                .await?
                .with_core_servers(strings(options, "core_servers")?)
                .with_parts(|| AnyStore::Memory(MemoryStore::new()), WithKeys::clone),
            on_index: function(options, "on_index")?,
            indexing: Cell::new(false),
        }),
    })
}
