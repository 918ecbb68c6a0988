//! Requests that stay current.

use super::client::{Client, read};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{ApiError, Method};
use serde::de::DeserializeOwned;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Takes what was asked for; none while something else is.
type Take = Rc<dyn Fn(Option<Result<JsValue, ApiError>>)>;

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
    let query = Query {
        data: RwSignal::new(None),
        busy: RwSignal::new(true),
    };
    follow(
        Box::new(path),
        query.busy,
        Rc::new(move |answer| {
            let answer = answer.map(|answer| answer.and_then(read));
            let same = query.data.with_untracked(|data| *data == answer);
            if !same {
                query.data.set(answer);
            }
        }),
    );
    query
}

/// What [`use_get`] does whatever the answer's type is.
fn follow(path: Box<dyn Fn() -> String>, busy: RwSignal<bool>, take: Take) {
    let client = Client::get_from_context();
    let latest = StoredValue::new(0_u32);
    Effect::new(move |before: Option<String>| {
        let path = path();
        client.changed.track();
        if before.as_ref().is_some_and(|before| *before != path) {
            take(None);
        }
        let turn = latest.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        busy.set(true);
        let answer = client.raw(Method::Get, path.clone(), JsValue::NULL);
        let take = Rc::clone(&take);
        spawn_local(async move {
            let answer = answer.await;
            // Nobody waits any more when the page was left or asks something newer.
            if latest.try_get_value() == turn && turn.is_some() {
                take(Some(answer));
                busy.set(false);
            }
        });
        path
    });
}
