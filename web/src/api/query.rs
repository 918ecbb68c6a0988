//! The one way to read: what is asked of the engine, kept current as a resource of Leptos.

use super::body::read;
use super::client::Client;
use leptos::prelude::*;
use lesson_types::{ApiError, Method};
use serde::de::DeserializeOwned;
use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use wasm_bindgen::JsValue;

/// A value of any type, so that Leptos' resource is compiled once, not once for each kind of answer.
type Erased = Arc<dyn Any + Send + Sync>;

/// A question that is under way.
type Asked = Pin<Box<dyn Future<Output = Result<Erased, ApiError>>>>;

/// An answer, and the path that was asked.
struct Answered {
    path: String,
    answer: Result<Erased, ApiError>,
}

/// The latest answer to a question that is asked again when what it reads or the store changes; cheap to copy.
pub struct Query<T: Send + Sync + 'static> {
    of: LocalResource<Answered>,
    path: Memo<String>,
    /// The answer; `None` until the first one to what is asked now. It stays while a newer one is awaited.
    pub data: Memo<Option<Result<T, ApiError>>>,
    /// True while a newer answer is awaited.
    pub busy: RwSignal<bool>,
}

impl<T: Send + Sync + 'static> Clone for Query<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Send + Sync + 'static> Copy for Query<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> Query<T> {
    fn new(path: Memo<String>, fetch: impl Fn() -> Asked + 'static) -> Self {
        let busy = RwSignal::new(true);
        let of = follow(path, busy, Box::new(fetch));
        let data = Memo::new(move |_| {
            let path = path.read();
            let answered = of.read();
            let answered = answered.as_ref().filter(|it| it.path == *path)?;
            match &answered.answer {
                // Only `fetch` and `set` make values, and both are of this type.
                Ok(value) => Some(Ok(value.downcast_ref::<T>()?.clone())),
                Err(error) => Some(Err(error.clone())),
            }
        });
        Self {
            of,
            path,
            data,
            busy,
        }
    }

    /// The latest value, read again when it changes; `None` before the first one, and while the last answer is an error.
    pub fn value(self) -> Option<T> {
        self.data.get().and_then(Result::ok)
    }

    /// Reads the latest value, as [`Self::value`] has it.
    pub fn map<R>(self, read: impl FnOnce(&T) -> R) -> Option<R> {
        let data = self.data.read();
        data.as_ref()?.as_ref().ok().map(read)
    }

    /// Why the last answer is none, read again when that changes.
    pub fn error(self) -> Option<ApiError> {
        self.data.get().and_then(Result::err)
    }

    /// The latest value, also while the last answer is an error.
    pub fn kept(self) -> Memo<Option<T>> {
        Memo::new(move |before: Option<&Option<T>>| match self.data.get() {
            Some(Ok(value)) => Some(value),
            Some(Err(_)) => before.cloned().flatten(),
            None => None,
        })
    }

    /// Takes an answer that came with something else, such as an act.
    pub fn set(self, answer: Result<T, ApiError>) {
        // The page may have been left meanwhile, and its signals with it.
        if let Some(path) = self.path.try_get_untracked() {
            let answer = answer.map(|value| Arc::new(value) as Erased);
            self.of.try_set(Some(Answered { path, answer }));
            // That drops the answer that was awaited, which may have been newer.
            if self.busy.get_untracked() {
                self.of.refetch();
            }
        }
    }

    /// Asks again, unless the page was left.
    pub fn ask_again(self) {
        if !self.busy.is_disposed() {
            self.of.refetch();
        }
    }
}

/// Keeps the answer to `GET path()` current. The answer to another path is never shown.
pub fn use_get<T>(path: impl Fn() -> String + Send + Sync + 'static) -> Query<T>
where
    T: Clone + DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    let client = Client::get_from_context();
    let path = Memo::new(move |_| path());
    Query::new(path, move || {
        client.changed.track();
        get(client, path.get(), erased::<T>)
    })
}

/// Keeps what `fetch` answers current: `use_query(move || client.get::<Stats>("/v1/stats"))`. Signals are read before its
/// first `.await`. A value stays until the next one is here, whatever was asked.
pub fn use_query<T, F>(fetch: impl Fn() -> F + 'static) -> Query<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let client = Client::get_from_context();
    use_fetch(String::new, move || {
        client.changed.track();
        fetch()
    })
}

/// The same for what lies elsewhere than in the store, which a change of the store says nothing of. What was answered for
/// another `of`, such as another space, is never shown.
pub fn use_fetch<T, F>(
    of: impl Fn() -> String + Send + Sync + 'static,
    fetch: impl Fn() -> F + 'static,
) -> Query<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    Query::new(Memo::new(move |_| of()), move || {
        let asked = fetch();
        Box::pin(async move { asked.await.map(|value| Arc::new(value) as Erased) })
    })
}

/// Fetches for a [`Query`] of any answer type, anew when its path changes, and sets `busy` meanwhile.
fn follow(
    path: Memo<String>,
    busy: RwSignal<bool>,
    fetch: Box<dyn Fn() -> Asked>,
) -> LocalResource<Answered> {
    LocalResource::new(move || {
        let path = path.get();
        busy.set(true);
        let asked = fetch();
        async move {
            let answer = asked.await;
            // The page may have been left meanwhile.
            busy.try_set(false);
            Answered { path, answer }
        }
    })
}

fn get(client: Client, path: String, of: fn(JsValue) -> Result<Erased, ApiError>) -> Asked {
    let asked = client.raw(Method::Get, path, JsValue::NULL);
    Box::pin(async move { asked.await.and_then(of) })
}

fn erased<T: DeserializeOwned + Send + Sync + 'static>(body: JsValue) -> Result<Erased, ApiError> {
    read::<T>(body).map(|value| Arc::new(value) as Erased)
}
