//! The set-up of the edge function that serves this page, in its own words: ready, or what is missing and what to do.

use crate::api::use_fetch;
use crate::dom;
use leptos::prelude::*;
use lesson_types::{ApiError, EdgeSetup, ErrorBody, ErrorCode};

/// Where it says so.
const ADDRESS: &str = "/v1/setup";

/// The parts of the set-up that are missing, each with its remedy; a line when nothing is.
#[component]
pub(super) fn EdgeState() -> impl IntoView {
    let asked = use_fetch(String::new, look);
    let told = Memo::new(move |_| asked.data.get().filter(|_| !asked.busy.get()));
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
                    <p data-testid="edge-problem"><strong>{cause.message}</strong>" Look at its variables SUPABASE_URL and SUPABASE_KEY, and deploy it again."</p>
                }.into_any(),
            }}
        </div>
        {move || told.read().as_ref().is_some_and(|told| !told.as_ref().is_ok_and(|setup| setup.ready)).then(|| view! {
            <div class="actions"><button type="button" data-testid="edge-again" on:click=move |_| asked.ask_again()>"Look again"</button></div>
        })}
    }
}

/// Asks it.
async fn look() -> Result<EdgeSetup, ApiError> {
    let failed = |told: String| ApiError::new(ErrorCode::Unavailable, told);
    let answer = dom::fetch(ADDRESS).await;
    let (answer, text) = answer.map_err(|_| failed("The edge function does not answer.".into()))?;
    let status = answer.status();
    let unread = || failed(format!("The edge function answers with status {status}."));
    if answer.ok() {
        return dom::json(&text).ok_or_else(unread);
    }
    Err(dom::json::<ErrorBody>(&text).map_or_else(unread, |body| body.error))
}
