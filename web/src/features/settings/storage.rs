//! The storage that the browser keeps for this site, and whether it may drop it.

use crate::api::{Asking, use_fetch, use_get};
use crate::components::use_toasts;
use crate::format;
use js_sys::Reflect;
use leptos::prelude::*;
use lesson_types::Health;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::StorageManager;

/// Bytes used and allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Estimate {
    usage: f64,
    quota: f64,
}

/// The storage card.
#[component]
pub fn StorageCard() -> impl IntoView {
    let toasts = use_toasts();
    let health = use_get::<Health>(|| "/v1/health".to_owned());
    let stored = use_fetch(String::new, move || {
        // Whenever the store changed, so did what it takes.
        health.data.track();
        async { Ok(look().await) }
    });
    let estimate = Memo::new(move |_| stored.value()?.0);
    let kept = Memo::new(move |_| stored.value()?.1);
    let asking = Asking::default();
    let persist = move |_| {
        asking.settle(ask_to_keep(), move |granted| {
            let Some(granted) = granted else {
                return;
            };
            stored.set(Ok((estimate.try_get_untracked().flatten(), Some(granted))));
            if granted {
                toasts.good("The browser keeps this site's data until you delete it");
            } else {
                toasts.bad("The browser declined. Bookmark or install this page and try again, and export from time to time.");
            }
        });
    };
    view! {
        <section class="card" id="storage" tabindex="-1" data-testid="storage">
            <h2>"Storage"</h2>
            {move || match estimate.get() {
                None => view! { <p class="muted">"The browser does not say how much is used."</p> }.into_any(),
                Some(Estimate { usage, quota }) => view! {
                    <p>{format!("{} of {} used", format::bytes(usage), format::bytes(quota))}</p>
                    <meter aria-label="Storage used" min="0" max=quota.to_string() value=usage.to_string()></meter>
                }.into_any(),
            }}
            {move || match health.data.get() {
                Some(Ok(health)) => {
                    let place = if health.store.kind == "memory" { "In memory only: lost when this page is closed" } else { "Kept in this browser" };
                    let store = health.store;
                    let events = format::plural(store.events, "event", "events");
                    // The server has the ledger; here are only the events it may not know of.
                    let events = match (health.sync.as_str(), store.events) {
                        ("off", _) => format!("{events} in the ledger"),
                        (_, 0) => "Everything is synced".to_owned(),
                        _ => format!("{events} kept here until the server is known to have them"),
                    };
                    view! {
                        <p class="muted">{format!("{events}. {place}.")}</p>
                        {(store.unsaved > 0).then(|| view! { <p class="note note-warn">{format!("{} not stored yet", format::plural(store.unsaved, "event is", "events are"))}</p> })}
                        {store.error.map(|error| view! { <p class="note note-bad" role="alert">{error}</p> })}
                    }.into_any()
                }
                _ => ().into_any(),
            }}
            {move || match kept.get() {
                Some(true) => view! { <p class="hint">"The browser keeps this data until you delete it."</p> }.into_any(),
                Some(false) => view! {
                    <p class="hint">"The browser may drop this data when the disk is short of space."</p>
                    <div class="actions"><button type="button" on:click=persist data-testid="persist">"Ask to keep it"</button></div>
                }.into_any(),
                None => ().into_any(),
            }}
        </section>
    }
}

/// Asks the browser not to drop this site's data; what it says, if it can be asked.
pub async fn ask_to_keep() -> Option<bool> {
    let storage = manager()?;
    let answer = settled(storage.persist()).await?;
    Some(answer.as_bool() == Some(true))
}

/// The storage manager, which is missing outside a secure context.
fn manager() -> Option<StorageManager> {
    let navigator = window().navigator();
    let there =
        Reflect::get(&navigator, &"storage".into()).is_ok_and(|storage| storage.is_object());
    there.then(|| navigator.storage())
}

async fn settled(promise: Result<js_sys::Promise, JsValue>) -> Option<JsValue> {
    JsFuture::from(promise.ok()?).await.ok()
}

/// Reads what is used and allowed, and whether the browser keeps it; none of what it does not say.
async fn look() -> (Option<Estimate>, Option<bool>) {
    let Some(storage) = manager() else {
        return (None, None);
    };
    let estimate = measure(&storage).await;
    let kept = settled(storage.persisted()).await;
    (estimate, kept.and_then(|value| value.as_bool()))
}

async fn measure(storage: &StorageManager) -> Option<Estimate> {
    let answer = settled(storage.estimate()).await?;
    let number = |key: &str| Reflect::get(&answer, &key.into()).ok()?.as_f64();
    Some(Estimate {
        usage: number("usage")?,
        quota: number("quota")?,
    })
}
