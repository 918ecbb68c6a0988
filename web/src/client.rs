//! The one client of the engine worker: requests with answers, and what the worker says unasked.

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_api::{
    ApiError, ErrorBody, ErrorCode, FromWorker, Method, ModelState, Request, ToWorker,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

/// Where the worker's script lies.
const WORKER: &str = "/engine-worker.js";
/// Changes that come this close together lead to one reload, in milliseconds.
const CHANGED_GAP: u32 = 60;

/// Whether the engine answers.
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
    /// Whether the engine answers.
    pub engine: RwSignal<Engine>,
    /// The model's condition.
    pub model: RwSignal<ModelState>,
    /// Grows whenever the store was changed, by this tab or another one.
    pub changed: RwSignal<u32>,
    /// Grows whenever syncing may stand elsewhere.
    pub synced: RwSignal<u32>,
    /// What the last restart of the engine was about, until it is dismissed.
    pub restarted: RwSignal<Option<String>>,
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
            changed: RwSignal::new(0),
            synced: RwSignal::new(0),
            restarted: RwSignal::new(None),
        };
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        match Worker::new_with_options(WORKER, &options) {
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
        match serde_wasm_bindgen::from_value::<FromWorker>(data) {
            Ok(FromWorker::Ready {
                build,
                model_cached,
            }) => self.ready(build, model_cached),
            Ok(FromWorker::Model { state }) => self.model.set(state),
            Ok(FromWorker::Changed) => self.note_change(),
            Ok(FromWorker::Synced) => self.synced.update(|n| *n = n.wrapping_add(1)),
            Ok(FromWorker::Restarted { message }) => {
                self.restarted.set(Some(message));
                self.note_change();
            }
            Ok(FromWorker::Failed { message }) => self.fail(&message),
            Ok(FromWorker::Response { .. }) | Err(_) => {}
        }
    }

    fn ready(self, build: String, model_cached: bool) {
        self.engine.set(Engine::Ready(build));
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
        let _ = Reflect::set(&answer, &"body".into(), &to_js(&error));
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

    /// Whether a model is loaded, so that lessons are found by meaning.
    pub fn ranks_by_meaning(self) -> bool {
        self.model.with(|model| {
            matches!(
                model,
                ModelState::Indexing { .. } | ModelState::Paused { .. } | ModelState::Ready { .. }
            )
        })
    }

    /// Fetches and loads the model; the `model` signal tells how it goes.
    pub fn load_model(self) {
        self.post(&to_js(&ToWorker::LoadModel));
    }

    /// Stops a download of the model.
    pub fn cancel_model(self) {
        self.post(&to_js(&ToWorker::CancelModel));
    }

    /// Stops giving lessons their vectors.
    pub fn stop_indexing(self) {
        self.post(&to_js(&ToWorker::StopIndexing));
    }

    /// Goes on giving lessons their vectors.
    pub fn resume_indexing(self) {
        self.post(&to_js(&ToWorker::ResumeIndexing));
    }

    /// Asks the engine and returns the body of its answer as it came.
    pub async fn raw(
        self,
        method: Method,
        path: String,
        body: serde_json::Value,
    ) -> Result<JsValue, ApiError> {
        if let Engine::Failed(message) = self.engine.get_untracked() {
            return Err(ApiError::new(ErrorCode::Unavailable, message));
        }
        let id = self.line.try_update_value(|line| {
            let id = line.next_id;
            line.next_id = id.wrapping_add(1);
            id
        });
        let id = id.unwrap_or_default();
        let request = Request {
            method,
            path,
            headers: BTreeMap::new(),
            body,
        };
        let message = to_js(&ToWorker::Request { id, request });
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
        Err(serde_wasm_bindgen::from_value::<ErrorBody>(body)
            .map_or_else(|_| unreadable(), |body| body.error))
    }

    /// Asks the engine.
    pub async fn request<T: DeserializeOwned>(
        self,
        method: Method,
        path: String,
        body: serde_json::Value,
    ) -> Result<T, ApiError> {
        let body = self.raw(method, path, body).await?;
        read(body)
    }

    /// Reads.
    pub async fn get<T: DeserializeOwned>(self, path: impl Into<String>) -> Result<T, ApiError> {
        self.request(Method::Get, path.into(), serde_json::Value::Null)
            .await
    }

    /// Acts.
    pub async fn post_json<T: DeserializeOwned>(
        self,
        path: impl Into<String>,
        body: &impl Serialize,
    ) -> Result<T, ApiError> {
        self.request(Method::Post, path.into(), json(body)).await
    }

    /// Acts, where the answer says nothing that is needed.
    pub async fn act(self, path: impl Into<String>, body: &impl Serialize) -> Result<(), ApiError> {
        self.raw(Method::Post, path.into(), json(body))
            .await
            .map(|_| ())
    }
}

/// Converts an answer's body into the type it is declared to have.
pub fn read<T: DeserializeOwned>(body: JsValue) -> Result<T, ApiError> {
    serde_wasm_bindgen::from_value(body).map_err(|error| {
        ApiError::new(
            ErrorCode::Unavailable,
            format!("The engine's answer does not fit this page ({error}). Reload the page to get matching versions."),
        )
    })
}

/// A value as JSON; the API's types always have such a form.
pub fn json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn to_js(value: &impl Serialize) -> JsValue {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or_default()
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

/// The latest answer to a `GET` that is asked again when its path or the store changes.
pub struct Query<T: Send + Sync + 'static> {
    /// The answer; `None` until the first one.
    pub data: RwSignal<Option<Result<T, ApiError>>>,
    /// Whether a newer answer is awaited.
    pub busy: RwSignal<bool>,
}

impl<T: Send + Sync + 'static> Clone for Query<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Send + Sync + 'static> Copy for Query<T> {}

/// Keeps the answer to `GET path()` current. An answer that a later question overtook is dropped.
pub fn use_get<T>(path: impl Fn() -> String + 'static) -> Query<T>
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    let client = Client::get_from_context();
    let query = Query {
        data: RwSignal::new(None),
        busy: RwSignal::new(true),
    };
    let latest = StoredValue::new(0_u32);
    Effect::new(move |before: Option<String>| {
        let path = path();
        client.changed.track();
        if before.as_ref().is_some_and(|before| *before != path) {
            query.data.set(None);
        }
        let turn = latest.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        query.busy.set(true);
        let asked = path.clone();
        spawn_local(async move {
            let answer = client.get::<T>(asked).await;
            // Nobody waits any more when the page was left or asks something newer.
            if latest.try_get_value() == turn && turn.is_some() {
                let same = query
                    .data
                    .with_untracked(|data| data.as_ref() == Some(&answer));
                if !same {
                    query.data.set(Some(answer));
                }
                query.busy.set(false);
            }
        });
        path
    });
    query
}
