//! The one client of the engine worker: requests with answers, and what the worker says unasked.

use super::body::{json, object, read};
use crate::space::Space;
use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use lesson_types::{ApiError, ErrorBody, ErrorCode, Method, ModelName, ModelState};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::pin::Pin;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, Worker};

/// Where the worker's script lies.
const WORKER: &str = "/engine-worker.js";
/// Changes that come this close together lead to one reload, in milliseconds.
const CHANGED_GAP: u32 = 60;

/// An answer's body, or why there is none.
pub type Answer = Pin<Box<dyn Future<Output = Result<JsValue, ApiError>>>>;

/// An answer as the type it has.
pub type Asked<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

/// That an act was done, or why not.
pub type Acted = Pin<Box<dyn Future<Output = Result<(), ApiError>>>>;

/// The engine's readiness to answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Engine {
    /// The worker has not said yet.
    Starting,
    /// It answers; the build that runs.
    Ready(String),
    /// It can't be opened; why and what to do.
    Failed(String),
}

/// A handle to the worker; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Client {
    line: StoredValue<Line, LocalStorage>,
    /// The engine's readiness to answer.
    pub engine: RwSignal<Engine>,
    /// The model's condition.
    pub model: RwSignal<ModelState>,
    /// The models that can be chosen, and the one that is.
    pub models: RwSignal<(Vec<ModelName>, ModelName)>,
    /// True if a model that this browser keeps is being loaded, or may be: that takes a second, a download minutes.
    pub model_comes: RwSignal<bool>,
    /// Grows whenever the store was changed, by this tab or another one.
    pub changed: RwSignal<u32>,
    /// Grows whenever syncing may stand elsewhere.
    pub synced: RwSignal<u32>,
    /// Reason for the engine's last restart, until it is dismissed.
    pub restarted: RwSignal<Option<String>>,
    /// Set when the stored data was deleted under the open page, until that is dismissed.
    pub cleared: RwSignal<bool>,
    /// The words that a person types before a command of the process that serves the page; `None` in a browser of its
    /// own.
    pub command: RwSignal<Option<String>>,
}

/// The worker and what is under way with it.
struct Line {
    worker: Option<Worker>,
    next_id: u32,
    pending: HashMap<u32, Function>,
    /// Messages that wait for the engine to be ready.
    queued: Vec<JsValue>,
    change_noted: bool,
}

impl Client {
    /// Starts the worker.
    pub fn start() -> Self {
        let client = Self {
            line: StoredValue::new_local(Line {
                worker: None,
                next_id: 1,
                pending: HashMap::new(),
                queued: Vec::new(),
                change_noted: false,
            }),
            engine: RwSignal::new(Engine::Starting),
            model: RwSignal::new(ModelState::Absent),
            models: RwSignal::new((Vec::new(), ModelName::English)),
            model_comes: RwSignal::new(true),
            changed: RwSignal::new(0),
            synced: RwSignal::new(0),
            restarted: RwSignal::new(None),
            cleared: RwSignal::new(false),
            command: RwSignal::new(None),
        };
        match Worker::new_with_options(WORKER, &Space::current().worker_options()) {
            Ok(worker) => client.listen(worker),
            Err(_) => client.fail("This browser can't run the engine. Use a current version of Chrome, Edge, Firefox or Safari."),
        }
        client
    }

    /// The client of this page.
    pub fn get_from_context() -> Self {
        // The app provides it before any page is made.
        expect_context()
    }

    fn listen(self, worker: Worker) {
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            self.hear(event.data())
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = Closure::<dyn Fn()>::new(move || {
            if self.engine.get_untracked() == Engine::Starting {
                self.fail("The engine's files could not be loaded. Check the connection, then reload the page.");
            }
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // They live as long as the page does.
        on_message.forget();
        on_error.forget();
        self.line.update_value(|line| line.worker = Some(worker));
    }

    fn fail(self, message: &str) {
        self.engine.set(Engine::Failed(message.to_owned()));
        self.model_comes.set(false);
        self.drop_pending(message);
    }

    fn hear(self, data: JsValue) {
        // Answers can be large: their body is converted once, into the type that was asked for.
        if text(&data, "type").as_deref() == Some("response") {
            let id = number(&data, "id");
            let answer = Reflect::get(&data, &"response".into()).unwrap_or_default();
            let resolve = self
                .line
                .try_update_value(|line| line.pending.remove(&id))
                .flatten();
            if let Some(resolve) = resolve {
                // A promise's own resolver does not throw.
                let _ = resolve.call1(&JsValue::NULL, &answer);
            }
            return;
        }
        // By hand: what picks a variant by its tag would be the largest part of this program.
        let message = || text(&data, "message").unwrap_or_default();
        match text(&data, "type").as_deref() {
            Some("ready") => {
                let cached =
                    Reflect::get(&data, &"model_cached".into()).is_ok_and(|is| is.is_truthy());
                self.command.set(text(&data, "command"));
                self.ready(text(&data, "build").unwrap_or_default(), cached);
            }
            Some("model") => {
                let state = Reflect::get(&data, &"state".into()).ok();
                if let Some(state) = state.as_ref().and_then(model_state) {
                    let comes = matches!(state, ModelState::Loading);
                    self.model_comes.update(|now| *now &= comes);
                    self.model.set(state);
                }
            }
            Some("models") => {
                let offered = Reflect::get(&data, &"offered".into()).unwrap_or_default();
                let offered = js_sys::Array::from(&offered);
                let names = offered
                    .iter()
                    .filter_map(|name| model_name(&name.as_string()?));
                let chosen = text(&data, "chosen").and_then(|name| model_name(&name));
                let chosen = chosen.unwrap_or(ModelName::English);
                self.models.set((names.collect(), chosen));
            }
            Some("changed") => self.note_change(),
            Some("synced") => self.synced.update(|n| *n = n.wrapping_add(1)),
            Some("restarted") => {
                self.restarted.set(Some(message()));
                self.note_change();
            }
            Some("cleared") => {
                self.cleared.set(true);
                self.note_change();
            }
            Some("failed") => self.fail(&message()),
            _ => {}
        }
    }

    fn ready(self, build: String, model_cached: bool) {
        self.engine.set(Engine::Ready(build));
        self.model_comes.update(|comes| *comes &= model_cached);
        let queued = self
            .line
            .try_update_value(|line| std::mem::take(&mut line.queued));
        for message in queued.unwrap_or_default() {
            self.post(&message);
        }
        if model_cached
            && matches!(
                self.model.get_untracked(),
                ModelState::Absent | ModelState::Failed { .. }
            )
        {
            self.load_model();
        }
    }

    fn note_change(self) {
        let fresh = self
            .line
            .try_update_value(|line| !std::mem::replace(&mut line.change_noted, true));
        if fresh == Some(true) {
            gloo::timers::callback::Timeout::new(CHANGED_GAP, move || {
                self.line.update_value(|line| line.change_noted = false);
                self.changed.update(|n| *n = n.wrapping_add(1));
            })
            .forget();
        }
    }

    fn drop_pending(self, message: &str) {
        let pending = self.line.try_update_value(|line| {
            line.queued.clear();
            std::mem::take(&mut line.pending)
        });
        let error = ErrorBody {
            error: ApiError::new(ErrorCode::Unavailable, message),
        };
        let answer = Object::new();
        let _ = Reflect::set(&answer, &"status".into(), &503.into());
        let _ = Reflect::set(&answer, &"body".into(), &json(&error));
        for resolve in pending.unwrap_or_default().into_values() {
            let _ = resolve.call1(&JsValue::NULL, &answer);
        }
    }

    fn post(self, message: &JsValue) {
        self.line.with_value(|line| {
            if let Some(worker) = &line.worker {
                // Plain objects can always be cloned.
                let _ = worker.post_message(message);
            }
        });
    }

    /// True if a model is loaded, so that lessons are found by meaning.
    pub fn ranks_by_meaning(self) -> bool {
        self.model.with(|model| {
            matches!(
                model,
                ModelState::Indexing { .. } | ModelState::Paused { .. } | ModelState::Ready { .. }
            )
        })
    }

    /// Has everything that is shown be asked for again, after a failure.
    pub fn ask_again(self) {
        self.changed.update(|n| *n = n.wrapping_add(1));
    }

    /// Fetches and loads the model; the `model` signal tells how it goes.
    pub fn load_model(self) {
        self.post(&command("load_model"));
    }

    /// Asks which models there are to choose from; [`Self::models`] hears the answer.
    pub fn ask_models(self) {
        self.post(&command("tell_models"));
    }

    /// The same with a model that was chosen, in place of another.
    pub fn choose_model(self, model: ModelName) {
        let message = command("load_model");
        let name = match model {
            ModelName::English => "english",
            ModelName::Multilingual => "multilingual",
        };
        let _ = Reflect::set(&message, &"model".into(), &name.into());
        self.post(&message);
    }

    /// Stops a download of the model.
    pub fn cancel_model(self) {
        self.post(&command("cancel_model"));
    }

    /// Stops giving lessons their vectors.
    pub fn stop_indexing(self) {
        self.post(&command("stop_indexing"));
    }

    /// Goes on giving lessons their vectors.
    pub fn resume_indexing(self) {
        self.post(&command("resume_indexing"));
    }

    /// Says whether somebody looks at the page.
    pub fn watch(self, watched: bool) {
        let message = command("watch");
        let _ = Reflect::set(&message, &"watched".into(), &watched.into());
        self.post(&message);
    }

    /// Asks the engine and returns the body of its answer as it came. Boxed, so that each kind of answer does not make
    /// its own copy of it.
    pub fn raw(self, method: Method, path: String, body: JsValue) -> Answer {
        self.ask(method, path, body, Object::new().into(), false)
    }

    /// Reads what is to become a file, as a `Blob` that the worker makes.
    pub fn file(self, path: String) -> Answer {
        self.ask(Method::Get, path, JsValue::NULL, Object::new().into(), true)
    }

    fn ask(
        self,
        method: Method,
        path: String,
        body: JsValue,
        headers: JsValue,
        as_file: bool,
    ) -> Answer {
        Box::pin(async move {
            if let Engine::Failed(message) = self.engine.get_untracked() {
                return Err(ApiError::new(ErrorCode::Unavailable, message));
            }
            let id = self.line.try_update_value(|line| {
                let id = line.next_id;
                line.next_id = id.wrapping_add(1);
                id
            });
            let id = id.unwrap_or_default();
            let message = request(id, method, &path, &body, &headers, as_file);
            let promise = Promise::new(&mut |resolve, _| {
                self.line.update_value(|line| {
                    line.pending.insert(id, resolve);
                });
            });
            if matches!(self.engine.get_untracked(), Engine::Ready(_)) {
                self.post(&message);
            } else {
                self.line.update_value(|line| line.queued.push(message));
            }
            let answer = JsFuture::from(promise).await.map_err(|_| unreadable())?;
            let body = Reflect::get(&answer, &"body".into()).map_err(|_| unreadable())?;
            if number(&answer, "status") < 400 {
                return Ok(body);
            }
            Err(read::<ErrorBody>(body).map_or_else(|_| unreadable(), |body| body.error))
        })
    }

    /// Reads.
    pub fn get<T: DeserializeOwned + 'static>(self, path: impl Into<String>) -> Asked<T> {
        let asked = self.raw(Method::Get, path.into(), JsValue::NULL);
        Box::pin(async move { asked.await.and_then(read) })
    }

    /// Acts.
    pub fn post_json<T: DeserializeOwned + 'static>(
        self,
        path: impl Into<String>,
        body: &impl Serialize,
    ) -> Asked<T> {
        let asked = self.raw(Method::Post, path.into(), json(body));
        Box::pin(async move { asked.await.and_then(read) })
    }

    /// Changes.
    pub fn patch_json<T: DeserializeOwned + 'static>(
        self,
        path: impl Into<String>,
        body: &impl Serialize,
    ) -> Asked<T> {
        let asked = self.raw(Method::Patch, path.into(), json(body));
        Box::pin(async move { asked.await.and_then(read) })
    }

    /// Acts once, however often it is asked for: requests with one key are one.
    pub fn act_once(self, path: impl Into<String>, body: &impl Serialize, key: &str) -> Acted {
        let headers = object(&[("idempotency-key", &key.into())]);
        let asked = self.ask(Method::Post, path.into(), json(body), headers, false);
        Box::pin(async move { asked.await.map(|_| ()) })
    }

    /// Acts, where the answer says nothing that is needed.
    pub fn act(self, path: impl Into<String>, body: &impl Serialize) -> Acted {
        let asked = self.raw(Method::Post, path.into(), json(body));
        Box::pin(async move { asked.await.map(|_| ()) })
    }
}

/// A message to the worker (lesson-types: `ToWorker`).
fn command(name: &str) -> JsValue {
    object(&[("type", &name.into())])
}

/// A request to the worker (lesson-types: `ToWorker::Request`).
fn request(
    id: u32,
    method: Method,
    path: &str,
    body: &JsValue,
    headers: &JsValue,
    as_file: bool,
) -> JsValue {
    let method = match method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Patch => "PATCH",
    };
    let request = object(&[
        ("method", &method.into()),
        ("path", &path.into()),
        ("headers", headers),
        ("body", body),
    ]);
    object(&[
        ("type", &"request".into()),
        ("id", &id.into()),
        ("request", &request),
        ("as_file", &as_file.into()),
    ])
}

/// A model's name (lesson-types: `ModelName`).
fn model_name(name: &str) -> Option<ModelName> {
    match name {
        "english" => Some(ModelName::English),
        "multilingual" => Some(ModelName::Multilingual),
        _ => None,
    }
}

/// The model's condition (lesson-types: `ModelState`).
fn model_state(state: &JsValue) -> Option<ModelState> {
    let id = || text(state, "id").unwrap_or_default();
    let (done, total) = (number(state, "done"), number(state, "total"));
    Some(match text(state, "phase")?.as_str() {
        "absent" => ModelState::Absent,
        "downloading" => ModelState::Downloading {
            loaded: number(state, "loaded"),
            total,
        },
        "loading" => ModelState::Loading,
        "indexing" => ModelState::Indexing {
            done,
            total,
            id: id(),
        },
        "paused" => ModelState::Paused {
            done,
            total,
            id: id(),
        },
        "ready" => ModelState::Ready { id: id() },
        "failed" => ModelState::Failed {
            message: text(state, "message").unwrap_or_default(),
        },
        _ => return None,
    })
}

fn text(object: &JsValue, key: &str) -> Option<String> {
    Reflect::get(object, &key.into()).ok()?.as_string()
}

fn number(object: &JsValue, key: &str) -> u32 {
    let value = Reflect::get(object, &key.into())
        .ok()
        .and_then(|value| value.as_f64());
    value.map_or(0, |value| value as u32)
}

fn unreadable() -> ApiError {
    ApiError::new(
        ErrorCode::Unavailable,
        "The engine gave no readable answer. Reload the page.",
    )
}
