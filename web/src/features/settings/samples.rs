//! The sample lessons that are served with the dashboard.

use super::import_log;
use crate::api::{Asking, Client};
use crate::components::use_toasts;
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Import, ImportFile, Imported};
use serde_json::Value;

/// The samples' name among the imports.
pub const NAME: &str = "Sample lessons";
/// Lists the files.
const INDEX: &str = "/samples/index.json";
/// Holds them.
const FOLDER: &str = "/samples/lessons/";

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
    let index: Value = dom::json(&fetch(INDEX).await?).ok_or_else(|| broken(INDEX))?;
    let names = names(&index).ok_or_else(|| broken(INDEX))?;
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        let content = fetch(&format!("{FOLDER}{name}")).await?;
        files.push(ImportFile {
            path: name,
            content,
        });
    }
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

/// The file names in an index: a list of them, or of objects with a `file`, `name` or `path`, at the top or under
/// `lessons` or `files`.
fn names(index: &Value) -> Option<Vec<String>> {
    let list = index
        .as_array()
        .or_else(|| index.get("lessons")?.as_array())
        .or_else(|| index.get("files")?.as_array())?;
    list.iter()
        .map(|entry| {
            let named = || {
                ["file", "name", "path"]
                    .iter()
                    .find_map(|key| entry.get(key)?.as_str())
            };
            entry.as_str().or_else(named).map(str::to_owned)
        })
        .collect()
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

fn broken(address: &str) -> String {
    format!("{address} can't be read. The build may be incomplete: build again.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_index_names_files() {
        let expected = Some(vec!["a.md".to_owned(), "b.md".to_owned()]);
        for index in [
            json!(["a.md", "b.md"]),
            json!({"lessons": [{"file": "a.md"}, {"name": "b.md"}]}),
            json!({"files": ["a.md", "b.md"]}),
        ] {
            assert_eq!(names(&index), expected, "{index}");
        }
        assert_eq!(names(&json!({"x": 1})), None);
        assert_eq!(names(&json!([1])), None);
    }
}
