//! The `Local` class that a host on a person's own machine sees.

use crate::convert::{
    Headers, request_of, response_to, text_request_of, text_response_to, thrown, to_js,
};
use crate::files::JsFiles;
use crate::host::JsHost;
use crate::options::{function, known_keys, property, strings};
use crate::pack::sha256;
use crate::progress::{Progress, Round};
use crate::store::AnyStore;
use js_sys::{Function, Uint8Array};
use lesson_edge::WithKeys;
use lesson_local::{Local as Inner, Which};
use lesson_service::refusal;
use lesson_service::{Host, fresh_id};
use lesson_sync::FileStore;
use lesson_types::{ApiError, Body, ErrorCode, Request, Response};
use serde::Serialize;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A store in files. */
export interface LocalStoreOptions {
  files: Files;
  /** Name by which people know it. */
  label?: string;
  /** Where it lies. A store that lies elsewhere than when it was last written is a copy, and writes a file of its own from then on. */
  place?: string;
  /** Form in which its ledger keeps a query: all of it, or its hash and the words that lessons have; `whole` when absent. */
  queries?: "whole" | "words";
}
/** Options of `Local.open`: at least one store. */
export interface LocalOptions {
  project?: LocalStoreOptions;
  personal?: LocalStoreOptions;
  /** Milliseconds since the Unix epoch; the host's clock when absent. */
  now?: () => number;
  /** Fills the bytes with randomness; the host's when absent. */
  random?: (bytes: Uint8Array) => void;
  /** Told while lessons get their vectors. */
  on_index?: (done: number, total: number) => void;
  /** Tool servers that are always at hand, besides the usual ones: never recorded, never suggested. */
  core_servers?: string[];
  /** Set if lessons without a vector get one here, in the background; `true` when absent. `false` for a process that lives for one answer. */
  indexing?: boolean;
}
/** The stores that are open. */
export interface LocalInfo {
  stores: { store: "project" | "personal"; label: string; path?: string; events: number; lessons: number; actor: string }[];
}
"#;

/// A project's store, a personal one, or both, for one person's agents on one machine.
#[wasm_bindgen]
pub struct Local {
    open: Rc<Open>,
}

struct Open {
    inner: Inner<AnyStore, WithKeys<JsHost>>,
    /// Label and place of each store, in their order.
    named: Vec<(String, Option<String>)>,
    on_index: Option<Function>,
    indexing: Cell<bool>,
}

#[wasm_bindgen]
impl Local {
    /// Opens the stores and reads their ledgers. Takes `LocalOptions`.
    ///
    /// # Errors
    /// Throws an `EngineError` when the options are wrong or a store can't be read; it names the file and the line.
    #[wasm_bindgen(unchecked_return_type = "Local")]
    pub async fn open(
        #[wasm_bindgen(unchecked_param_type = "LocalOptions")] options: JsValue,
    ) -> Result<Local, JsValue> {
        console_error_panic_hook::set_once();
        open(&options).await.map_err(|error| thrown(&error))
    }

    /// Answers a request over the stores that are open. Never throws for a bad one: that is an answer with its status.
    /// What has to be recorded of it is stored after the answer; `flush` waits for that.
    #[wasm_bindgen(unchecked_return_type = "EngineResponse")]
    pub async fn handle(
        &self,
        #[wasm_bindgen(unchecked_param_type = "EngineRequest")] request: JsValue,
    ) -> JsValue {
        response_to(&self.answer(request_of(&request)).await)
    }

    /// The same with bodies as texts of JSON, for a host that carries them on. A request's may be an object, too.
    #[wasm_bindgen(unchecked_return_type = "EngineResponse & { body: string }")]
    pub async fn handle_text(
        &self,
        #[wasm_bindgen(unchecked_param_type = "EngineRequest")] request: JsValue,
    ) -> JsValue {
        text_response_to(&self.answer(text_request_of(&request)).await)
    }

    /// Answers a request from one store alone: the dashboard, import, export, syncing.
    #[wasm_bindgen(unchecked_return_type = "EngineResponse")]
    pub async fn handle_in(
        &self,
        #[wasm_bindgen(unchecked_param_type = "\"project\" | \"personal\"")] store: String,
        #[wasm_bindgen(unchecked_param_type = "EngineRequest")] request: JsValue,
    ) -> JsValue {
        let request = which(&store).and_then(|which| Ok((which, request_of(&request)?)));
        let response = match request {
            Ok((which, request)) => self.open.inner.handle_in(which, request).await,
            Err(error) => refusal(error),
        };
        self.settle();
        response_to(&response)
    }

    /// Answers what was posted to `/mcp`; `headers` have names in lower case.
    #[wasm_bindgen(unchecked_return_type = "{ status: number; body?: string }")]
    pub async fn message(
        &self,
        method: String,
        #[wasm_bindgen(unchecked_param_type = "Record<string, string>")] headers: JsValue,
        body: Uint8Array,
    ) -> JsValue {
        let headers = serde_wasm_bindgen::from_value::<Headers>(headers)
            .map(Headers::given)
            .unwrap_or_default();
        let body = body.to_vec();
        let reply = self.open.inner.message(&method, &headers, &body).await;
        self.settle();
        to_js(&Posted {
            status: reply.status,
            body: reply.body.map(Body::into_string),
        })
    }

    /// Answers a line of standard input; nothing where there is nothing to answer.
    pub async fn message_line(&self, line: String) -> Option<String> {
        let answer = self.open.inner.message_line(&line).await;
        self.settle();
        answer
    }

    /// Checks and loads a model pack; returns the model's id. Lessons get their vectors in the background. `hash` is the
    /// SHA-256 of what follows the pack's first [`Local::pack_hashed_from`] bytes, where the host has it: hashed beside the
    /// opening of a store, it costs no time. Without it the pack is hashed here.
    ///
    /// # Errors
    /// Throws an `EngineError` when the pack is refused; lessons are found by their words then.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub async fn load_model(
        &self,
        pack: Uint8Array,
        hash: Option<Uint8Array>,
    ) -> Result<String, JsValue> {
        let given = hash.and_then(|hash| <[u8; 32]>::try_from(hash.to_vec()).ok());
        let hashing = given.is_none().then(|| sha256(&pack));
        let bytes = pack.to_vec();
        let hash = match hashing {
            Some(hashing) => hashing.await,
            None => given,
        };
        let loaded = self.open.inner.load_model(bytes, hash).await;
        self.settle();
        loaded.map_err(|error| thrown(&error))
    }

    /// Where the part of a model pack begins that its hash covers.
    pub fn pack_hashed_from() -> u32 {
        // A few bytes of a header.
        lesson_embed::Model::HASHED_FROM as u32
    }

    /// Returns the progress of giving the lessons their vectors.
    #[wasm_bindgen(unchecked_return_type = "Indexing")]
    pub fn indexing(&self) -> JsValue {
        to_js(&Progress::of(self.open.inner.indexing()))
    }

    /// Resolves when everything is stored and every lesson has its vector, where a model is loaded.
    ///
    /// # Errors
    /// Throws an `EngineError` when a store or the model fails.
    pub async fn idle(&self) -> Result<(), JsValue> {
        let idle = self.open.inner.idle().await;
        idle.map_err(|error| thrown(&error))
    }

    /// Stores what waits to be recorded.
    ///
    /// # Errors
    /// Throws an `EngineError` when a store fails; what waits goes on waiting.
    pub async fn flush(&self) -> Result<(), JsValue> {
        let flushed = self.open.inner.flush().await;
        flushed.map_err(|error| thrown(&error))
    }

    /// Keeps the fold of the ledgers, so that the next process reads them at once. It is kept by itself every thousand
    /// events; a host that ends may do it for the rest.
    ///
    /// # Errors
    /// Throws an `EngineError` when a store fails.
    pub async fn keep_fold(&self) -> Result<(), JsValue> {
        for named in self.open.inner.stores() {
            let kept = named.service.keep_fold().await;
            kept.map_err(|error| thrown(&error))?;
        }
        Ok(())
    }

    /// Reads what other processes have written; whether there was anything.
    pub async fn catch_up(&self) -> bool {
        self.open.inner.catch_up().await
    }

    /// One round of syncing of a store with its server. Never throws: what went wrong is told by `GET /v1/sync`.
    #[wasm_bindgen(unchecked_return_type = "SyncRound")]
    pub async fn sync_round(
        &self,
        #[wasm_bindgen(unchecked_param_type = "\"project\" | \"personal\"")] store: String,
    ) -> Result<JsValue, JsValue> {
        let service = which(&store)
            .and_then(|which| self.open.inner.service(which))
            .map_err(|error| thrown(&error))?;
        let round = service.sync_round().await;
        self.settle();
        Ok(to_js(&Round::of(&round)))
    }

    /// Grows with every event that was read or written.
    pub fn position(&self) -> f64 {
        self.open.inner.position() as f64
    }

    /// Describes the stores that are open.
    #[wasm_bindgen(unchecked_return_type = "LocalInfo")]
    pub fn info(&self) -> JsValue {
        let stores = self.open.inner.stores().zip(&self.open.named);
        to_js(&Info {
            stores: stores
                .map(|(held, (label, place))| InfoOfStore {
                    store: held.which,
                    label: label.clone(),
                    path: place.clone(),
                    events: held.service.events_held(),
                    lessons: held.service.lessons_held(),
                    actor: match held.service.store() {
                        AnyStore::Files(store) => store.own_actor(),
                        _ => String::new(),
                    },
                })
                .collect(),
        })
    }
}

#[derive(Serialize)]
struct Posted {
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

#[derive(Serialize)]
struct Info {
    stores: Vec<InfoOfStore>,
}

#[derive(Serialize)]
struct InfoOfStore {
    store: Which,
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    events: usize,
    lessons: usize,
    actor: String,
}

impl Local {
    async fn answer(&self, request: Result<Request, ApiError>) -> Response {
        let response = match request {
            Ok(request) => self.open.inner.handle(request).await,
            Err(error) => refusal(error),
        };
        self.settle();
        response
    }

    /// The stores.
    pub(crate) fn inner(&self) -> &Inner<AnyStore, WithKeys<JsHost>> {
        &self.open.inner
    }

    /// Stores what waits and gives lessons their vectors, in the background.
    fn settle(&self) {
        let open = Rc::clone(&self.open);
        wasm_bindgen_futures::spawn_local(async move {
            open.inner.settle().await;
            open.index().await;
        });
    }
}

impl Open {
    /// Gives lessons their vectors, slice by slice, unless that is under way already.
    async fn index(&self) {
        if self.indexing.replace(true) {
            return;
        }
        // Without a model there is nothing to do; a model that fails is tried after the next answer.
        while self.inner.indexes()
            && let Ok(step) = self.inner.index_step().await
        {
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
            if step.is_done_here() {
                break;
            }
            self.inner.first().host().pause().await;
        }
        self.indexing.set(false);
    }
}

fn which(name: &str) -> Result<Which, ApiError> {
    match name {
        "project" => Ok(Which::Project),
        "personal" => Ok(Which::Personal),
        other => Err(ApiError::new(
            ErrorCode::InvalidRequest,
            format!("there is no store `{other}`; use `project` or `personal`"),
        )
        .at("store")),
    }
}

async fn open(options: &JsValue) -> Result<Local, ApiError> {
    known_keys(
        options,
        &[
            "project",
            "personal",
            "now",
            "random",
            "on_index",
            "core_servers",
            "indexing",
        ],
    )?;
    let now = function(options, "now")?;
    let random = function(options, "random")?;
    let host = || JsHost {
        now: now.clone(),
        random: random.clone(),
        ..JsHost::default()
    };
    let mut named = Vec::new();
    let mut words_only = Vec::new();
    let mut given = |name: &str, which: Which| {
        let options = property(options, name);
        if options.is_undefined() || options.is_null() {
            return Ok(None);
        }
        known_keys(&options, &["files", "label", "place", "queries"])?;
        let files = property(&options, "files");
        if !files.is_object() {
            return Err(ApiError::invalid(
                format!("{name}.files"),
                format!("`{name}.files` has to be an object with the methods of `Files`"),
            ));
        }
        let text = |name: &str| property(&options, name).as_string();
        match text("queries").as_deref() {
            None | Some("whole") => {}
            Some("words") => words_only.push(which),
            Some(other) => {
                return Err(ApiError::invalid(
                    format!("{name}.queries"),
                    format!("`{name}.queries` is `{other}`; use `whole` or `words`"),
                ));
            }
        }
        named.push((
            text("label").unwrap_or_else(|| name.to_owned()),
            text("place"),
        ));
        let ids = host();
        let store = FileStore::new(JsFiles::new(files), move || fresh_id(&ids), text("place"));
        Ok(Some((AnyStore::Files(store), WithKeys::none(host()))))
    };
    let project = given("project", Which::Project)?;
    let personal = given("personal", Which::Personal)?;
    let servers = strings(options, "core_servers")?;
    let inner = Inner::open(project, personal, servers).await?;
    for which in words_only {
        inner.keep_words_only(which)?;
    }
    // Anything but a plain `false` leaves it on.
    inner.set_indexing(property(options, "indexing").as_bool().unwrap_or(true));
    Ok(Local {
        open: Rc::new(Open {
            inner,
            named,
            on_index: function(options, "on_index")?,
            indexing: Cell::new(false),
        }),
    })
}
