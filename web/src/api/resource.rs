//! What is read, as a resource of Leptos.

use super::client::Client;
use leptos::prelude::*;
use lesson_types::ApiError;

/// What `fetch` answers, asked again when what it reads or the store changes:
/// `resource(move || client.get::<Stats>("/v1/stats"))`. Signals are read before its first `.await`.
pub fn resource<T, F>(fetch: impl Fn() -> F + 'static) -> LocalResource<Result<T, ApiError>>
where
    T: 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let client = Client::get_from_context();
    LocalResource::new(move || {
        client.changed.track();
        fetch()
    })
}
