//! Exporting the whole space as a file.

use crate::api::{Asking, Client};
use crate::components::{OnServerNote, use_toasts};
use crate::dom;
use crate::sync::Syncing;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Blob;

/// The formats, each with its name, its title and what it is for.
const FORMATS: [(&str, &str, &str); 3] = [
    (
        "jsonl",
        "Everything, as JSONL",
        "The complete ledger, lossless: import it elsewhere to restore everything.",
    ),
    (
        "markdown",
        "Lessons, as markdown",
        "One file per lesson with front matter, in a ZIP archive.",
    ),
    (
        "csv",
        "Lessons, as CSV",
        "One row per lesson, for spreadsheets.",
    ),
];

/// One button a format.
#[component]
pub fn ExportCard() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let on_server = Syncing::get_from_context().on_server();
    let export = move |format: &'static str| {
        asking.settle(fetch(client, format), move |made| match made {
            Ok(name) => toasts.good(format!("{name} was handed to the browser")),
            Err(message) => toasts.bad(message),
        });
    };
    view! {
        <section class="card" id="export" tabindex="-1">
            <h2>"Export"</h2>
            <Show when=move || on_server.get()>
                <OnServerNote text="you work on this space on the server, and an export holds every lesson of it; export in a browser that keeps a copy".to_owned()/>
            </Show>
            <ul class="choices" style:display=move || if on_server.get() { "none" } else { "" }>
                {FORMATS.map(|(word, label, about)| view! {
                    <li>
                        <button type="button" disabled=asking.busy on:click=move |_| export(word) data-testid=format!("export-{word}")>{label}</button>
                        <p class="hint">{about}</p>
                    </li>
                }).collect_view()}
            </ul>
        </section>
    }
}

/// The worker makes the file: text of this size would hold the page while it is copied and converted.
async fn fetch(client: Client, format: &'static str) -> Result<String, String> {
    let name = match format {
        "markdown" => "lessons.zip",
        "csv" => "lessons.csv",
        _ => "lessonloop.jsonl",
    };
    let path = format!("/v1/export?format={format}");
    let body = client.file(path).await.map_err(|error| error.message)?;
    let file: Blob = body
        .dyn_into()
        .map_err(|_| "The engine gave no file. Reload the page.".to_owned())?;
    dom::download(name, file);
    Ok(name.to_owned())
}
