//! Where a lesson was shown, and what followed: the situation, whether it was applied, the outcome.

use super::history::PAGE;
use super::pager::Pager;
use crate::api::{Asking, Client};
use crate::components::{ErrorNote, When};
use crate::features::playground::address_for;
use crate::features::runs;
use crate::format;
use crate::markdown::visible;
use crate::outcome;
use leptos::prelude::*;
use lesson_types::{History, Impression, MatchType};

/// The retrievals that returned the lesson, newest first.
#[component]
pub fn ShownList(slug: String, history: Memo<Option<History>>) -> impl IntoView {
    let client = Client::get_from_context();
    let asking = Asking::default();
    let slug = StoredValue::new(slug);
    let pages = RwSignal::new(Pager::<Impression>::default());
    Effect::new(move |_| {
        history.with(|history| {
            if let Some(history) = history {
                pages.update(|pages| pages.renew(history.shown_total, history.shown.clone()));
            }
        });
    });
    let rows =
        move || pages.with(|pages| pages.newest_first().cloned().map(row).collect::<Vec<_>>());
    let total = Memo::new(move |_| {
        history.with(|history| history.as_ref().map_or(0, |history| history.shown_total))
    });
    let next = move || pages.with(Pager::before);
    let more = move |_| {
        let Some(before) = next() else { return };
        let path = format!(
            "/v1/lessons/{}/history?limit={PAGE}&shown_before={before}",
            format::encode(&slug.get_value())
        );
        asking.run(client.get::<History>(path), move |page| {
            pages.try_update(|pages| pages.prepend(page.shown));
        });
    };
    view! {
        <section class="stack">
            <div class="card-head"><h3>"Where it was shown, and what followed"</h3><span class="chip" data-testid="shown-total">{move || format::plural(total.get(), "time", "times")}</span></div>
            <Show when=move || { total.get() > 0 }><p><a href=runs::address_of_lesson(&slug.get_value()) data-testid="lesson-runs">"Runs with this lesson"</a></p></Show>
            {move || if total.get() == 0 {
                view! {
                    <p class="muted">"No agent has been given this lesson yet. "<a href="/playground">"Describe a situation"</a>" to see whether it would be."</p>
                }.into_any()
            } else {
                view! { <ol class="shown" data-testid="shown">{rows}</ol> }.into_any()
            }}
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            <Show when=move || next().is_some()>
                <button type="button" disabled=asking.busy on:click=more data-testid="shown-more">
                    {move || if asking.busy.get() { "Loading…".to_owned() } else { format!("Show {PAGE} earlier") }}
                </button>
            </Show>
        </section>
    }
}

fn row(one: Impression) -> AnyView {
    let (class, followed) = followed(&one);
    let situation = runs::situation(
        one.query.as_deref(),
        [&one.domain, &one.project_type, &one.phase],
        &one.tech_stack,
    );
    let address = address_for(
        &one.query,
        &one.project_type,
        &one.tech_stack,
        &one.phase,
        &one.domain,
    );
    let pnl = outcome::percent(one.pnl_percent);
    let run = one
        .decision_id
        .as_deref()
        .map(|id| (runs::address(id), visible(id)));
    let decision_attr = one.decision_id.clone();
    view! {
        <li data-testid="shown-item" data-decision=decision_attr data-applied=one.applied.map(|applied| applied.to_string())>
            <div class="shown-head">
                <a href=address dir="auto" class="shown-situation" data-testid="shown-situation">{situation}</a>
                <span class=class>{followed}{pnl}</span>
            </div>
            <p class="muted shown-facts">
                <When at=one.at.clone()/>
                {format!(" · rank {} · score {}", one.rank, format::trim(one.score, 3))}
                {run.map(|(address, id)| view! { " · run "<a href=address data-testid="shown-run"><code>{id}</code></a> })}
            </p>
            {one.quote.map(|quote| view! { <blockquote dir="auto">{visible(&quote)}</blockquote> })}
        </li>
    }
    .into_any()
}

/// Returns the chip's class, and in words what followed.
fn followed(one: &Impression) -> (&'static str, String) {
    let domain = one.domain.as_deref().unwrap_or_default();
    let known = one.outcome.filter(|outcome| outcome::is_final(*outcome));
    let ended = known.map(|known| outcome::word(known, domain));
    match (one.applied, ended) {
        (None, _) => ("chip", "No run was named".to_owned()),
        (Some(true), Some(ended)) => (outcome::chip(known), format!("Applied, {ended}")),
        (Some(true), None) => ("chip chip-info", "Applied, outcome not known".to_owned()),
        (Some(false), _) if one.match_type == Some(MatchType::Mentioned) => {
            ("chip chip-warn", "Mentioned, not applied".to_owned())
        }
        (Some(false), Some(ended)) => ("chip", format!("Not applied; {ended}")),
        (Some(false), None) => ("chip", "Not seen in what the agent wrote".to_owned()),
    }
}
