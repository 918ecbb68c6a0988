//! The sample lessons that are served with the dashboard.

use super::import_log;
use crate::api::{Asking, Client};
use crate::components::use_toasts;
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Import, ImportFile, Imported};

/// The samples' name among the imports.
pub const NAME: &str = "Sample lessons";
/// All of them, as files of one import: one request, where a far server takes as long for each.
const FILES: &str = "/samples.json";

/// Loads the samples into an empty store.
#[component]
pub fn SamplesButton(
    /// The next step, as a sentence.
    #[prop(optional)]
    then: &'static str,
    /// Set if the page has another primary action.
    #[prop(optional)]
    quiet: bool,
) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let busy = asking.busy;
    let load = move |_| {
        asking.settle(load_samples(client), move |loaded| match loaded {
            Ok(done) => {
                import_log::note(NAME, &done);
                toasts.good(format!("{}{then}", told(&done)));
            }
            Err(message) => toasts.bad(message),
        });
    };
    view! {
        <button type="button" class:primary=!quiet disabled=busy on:click=load data-testid="load-samples">
            {move || if busy.get() { "Loading…" } else { "Load sample lessons" }}
        </button>
    }
}

/// Puts into words how many samples an import added.
pub fn told(done: &Imported) -> String {
    let added = format::plural(done.added, "sample lesson", "sample lessons");
    format!("{added} added")
}

/// Fetches the samples and imports them. An error is told in words for a person.
pub async fn load_samples(client: Client) -> Result<Imported, String> {
    let files: Vec<ImportFile> = dom::json(&fetch(FILES).await?).ok_or_else(|| {
        format!("{FILES} can't be read. The build may be incomplete: build again.")
    })?;
    let request = Import {
        format: None,
        files,
        dry_run: None,
    };
    client
        .post_json::<Imported>("/v1/import", &request)
        .await
        .map_err(|error| error.message)
}

/// The text of a file of this site. An error is told in words for a person.
pub(super) async fn fetch(address: &str) -> Result<String, String> {
    let failed = |_| format!("{address} could not be fetched. Check the connection and try again.");
    let (response, text) = dom::fetch(address).await.map_err(failed)?;
    if !response.ok() {
        return Err(format!(
            "{address} is not there (status {}). Samples are part of a full build.",
            response.status()
        ));
    }
    Ok(text)
}
