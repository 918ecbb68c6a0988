//! The model that finds lessons by meaning: fetch it, watch it come and read the lessons, stop it.

use crate::api::{Client, Engine};
use crate::format;
use leptos::prelude::*;
use lesson_types::{ModelName, ModelState};

/// The model's card.
#[component]
pub fn ModelCard() -> impl IntoView {
    let client = Client::get_from_context();
    // Without a network there is nothing to choose from.
    if window().navigator().on_line() {
        client.ask_models();
    }
    let can_load = move || {
        matches!(
            client.model.get(),
            ModelState::Absent | ModelState::Failed { .. }
        )
    };
    let ready = move || matches!(client.engine.get(), Engine::Ready(_));
    let words = move || {
        match client.model.get() {
        ModelState::Absent => "Without the model, lessons are found by keywords; with it, also by meaning. It is downloaded once from this site (about 23 MB) and then works offline.".to_owned(),
        ModelState::Downloading { loaded, total: 0 } => format!("{} fetched", format::bytes(f64::from(loaded))),
        ModelState::Downloading { loaded, total } => format!("{} of {} fetched", format::bytes(f64::from(loaded)), format::bytes(f64::from(total))),
        ModelState::Loading => "Checking and loading…".to_owned(),
        ModelState::Indexing { done, total, .. } => format!("Indexing lessons: {} of {}. Search keeps working.", format::count(done), format::count(total)),
        ModelState::Paused { done, total, .. } => format!("Paused: {} of {} lessons are indexed. The others are found by keywords until you resume.", format::count(done), format::count(total)),
        ModelState::Ready { id } => format!("Ready ({id}). Lessons are found by meaning."),
        ModelState::Failed { message } => message,
    }
    };
    // The one that could be had instead, where there is a choice.
    let other = move || {
        let (offered, chosen) = client.models.get();
        let is_busy = matches!(
            client.model.get(),
            ModelState::Downloading { .. } | ModelState::Loading
        );
        offered
            .into_iter()
            .find(|name| *name != chosen)
            .filter(|_| !is_busy)
    };
    let bar = move || match client.model.get() {
        ModelState::Downloading { loaded, total } if total > 0 => Some((Some(loaded), total)),
        ModelState::Downloading { .. } | ModelState::Loading => Some((None, 1)),
        ModelState::Indexing { done, total, .. } | ModelState::Paused { done, total, .. } => {
            Some((Some(done), total.max(1)))
        }
        _ => None,
    };
    let class = move || {
        if matches!(client.model.get(), ModelState::Failed { .. }) {
            "note note-bad"
        } else {
            ""
        }
    };
    let build = move || match client.engine.get() {
        Engine::Ready(build) => format!("Engine: {build}"),
        Engine::Starting => "Engine: starting".to_owned(),
        Engine::Failed(_) => "Engine: off".to_owned(),
    };
    view! {
        <section class="card" id="model" tabindex="-1" data-testid="model-card">
            <h2>"Model"</h2>
            <p class=class aria-live="polite">{words}</p>
            {move || bar().map(|(value, max)| view! {
                <progress aria-label="Progress of the model" max=max.to_string() value=value.map(|value| value.to_string())></progress>
            })}
            <div class="actions">
                <Show when=can_load>
                    <button type="button" class="primary" disabled=move || !ready() on:click=move |_| client.load_model() data-testid="download-model">
                        {move || if matches!(client.model.get(), ModelState::Failed { .. }) { "Try again" } else { "Download the model" }}
                    </button>
                </Show>
                <Show when=move || matches!(client.model.get(), ModelState::Downloading { .. })>
                    <button type="button" on:click=move |_| client.cancel_model() data-testid="cancel-model">"Cancel"</button>
                </Show>
                <Show when=move || matches!(client.model.get(), ModelState::Indexing { .. })>
                    <button type="button" on:click=move |_| client.stop_indexing() data-testid="stop-indexing">"Pause"</button>
                </Show>
                <Show when=move || matches!(client.model.get(), ModelState::Paused { .. })>
                    <button type="button" class="primary" on:click=move |_| client.resume_indexing() data-testid="resume-indexing">"Resume"</button>
                </Show>
            </div>
            {move || other().map(|name| {
                let (hint, label) = match name {
                    ModelName::Multilingual => ("For lessons or questions that are not in English there is a multilingual model (45 MB). English it understands a little less well. Lessons are read anew when it changes, and found by keywords meanwhile.", "Use the multilingual model"),
                    ModelName::English => ("The multilingual model is in use. For English alone, the English one (23 MB) finds more and is three times as quick.", "Use the English model"),
                };
                view! {
                    <p class="hint">{hint}</p>
                    <div class="actions">
                        <button type="button" disabled=move || !ready() on:click=move |_| client.choose_model(name) data-testid="choose-model">{label}</button>
                    </div>
                }
            })}
            <p class="hint">{build}</p>
        </section>
    }
}
