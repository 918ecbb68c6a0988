//! Exporting the whole space as a file.

use crate::client::Client;
use crate::ui::use_toasts;
use crate::view::view;
use crate::{dom, zip};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_api::ExportFiles;

/// What a format is for.
const FORMATS: [(&str, &str, &str); 3] = [
    (
        "jsonl",
        "Everything, as JSONL",
        "The whole ledger, lossless: import it elsewhere and nothing is missing.",
    ),
    (
        "markdown",
        "Lessons, as markdown",
        "One file a lesson with front matter, in a zip archive.",
    ),
    (
        "csv",
        "Lessons, as CSV",
        "One row a lesson, for spreadsheets.",
    ),
];

/// One button a format.
#[component]
pub fn ExportCard() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let busy = RwSignal::new(false);
    let export = move |format: &'static str| {
        busy.set(true);
        spawn_local(async move {
            match fetch(client, format).await {
                Ok(name) => toasts.good(format!("{name} was handed to the browser")),
                Err(message) => toasts.bad(message),
            }
            busy.try_set(false);
        });
    };
    view! {
        <section class="card">
            <h2>"Export"</h2>
            <ul class="choices">
                {FORMATS.map(|(word, label, about)| view! {
                    <li>
                        <button type="button" disabled=busy on:click=move |_| export(word) data-testid=format!("export-{word}")>{label}</button>
                        <p class="hint">{about}</p>
                    </li>
                }).collect_view()}
            </ul>
        </section>
    }
}

async fn fetch(client: Client, format: &str) -> Result<String, String> {
    let path = format!("/v1/export?format={format}");
    let (name, mime, bytes) = match format {
        "markdown" => {
            let files = client
                .get::<ExportFiles>(path)
                .await
                .map_err(|error| error.message)?
                .files;
            let files = files
                .iter()
                .map(|file| (file.path.as_str(), file.content.as_bytes()));
            let archive = zip::store(files).map_err(|zip::TooLarge| {
                "Too many lessons for a zip archive. Export as JSONL instead.".to_owned()
            })?;
            ("lessons.zip", "application/zip", archive)
        }
        _ => {
            let text = client
                .get::<String>(path)
                .await
                .map_err(|error| error.message)?;
            let (name, mime) = if format == "csv" {
                ("lessons.csv", "text/csv")
            } else {
                ("lessonloop.jsonl", "application/x-ndjson")
            };
            (name, mime, text.into_bytes())
        }
    };
    dom::download(name, mime, &bytes);
    Ok(name.to_owned())
}
