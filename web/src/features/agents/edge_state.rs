//! What the edge function that serves this page says of its set-up: ready, or what is missing and what to do.

use crate::dom;
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{EdgeSetup, ErrorBody};

/// Where it says so.
const ADDRESS: &str = "/v1/setup";

/// What is missing, each with its remedy; a line when nothing is.
#[component]
pub(super) fn EdgeState() -> impl IntoView {
    let told = RwSignal::new(None::<Result<EdgeSetup, String>>);
    let ask = move || {
        told.set(None);
        spawn_local(async move {
            let answer = look().await;
            // The page may have been left meanwhile.
            told.try_set(Some(answer));
        });
    };
    ask();
    view! {
        <div role="status" data-testid="edge-state">
            {move || match told.get() {
                None => view! { <p class="muted">"Asking it whether it is set up…"</p> }.into_any(),
                Some(Ok(setup)) if setup.ready => view! {
                    <p>"It is ready: its project has version "{setup.schema_version}" of the schema."</p>
                }.into_any(),
                Some(Ok(setup)) => setup.problems.into_iter().map(|problem| view! {
                    <p data-testid="edge-problem"><strong>{problem.message}</strong>" "{problem.remedy}</p>
                }).collect_view().into_any(),
                Some(Err(cause)) => view! {
                    <p data-testid="edge-problem"><strong>{cause}</strong>" Look at its variables SUPABASE_URL and SUPABASE_KEY, and deploy it again."</p>
                }.into_any(),
            }}
        </div>
        {move || told.read().as_ref().is_some_and(|told| !told.as_ref().is_ok_and(|setup| setup.ready)).then(|| view! {
            <div class="actions"><button type="button" data-testid="edge-again" on:click=move |_| ask()>"Look again"</button></div>
        })}
    }
}

/// Asks it. An error is told in words for a person.
async fn look() -> Result<EdgeSetup, String> {
    let failed = |_| "The edge function does not answer.".to_owned();
    let (answer, text) = dom::fetch(ADDRESS).await.map_err(failed)?;
    let unread = || format!("The edge function answers with status {}.", answer.status());
    if answer.ok() {
        return dom::json(&text).ok_or_else(unread);
    }
    Err(dom::json::<ErrorBody>(&text).map_or_else(unread, |body| body.error.message))
}
