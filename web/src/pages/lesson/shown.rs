//! Where a lesson was shown, and what followed: the situation, whether it was applied, the outcome.

use super::history::PAGE;
use super::pages::Pages;
use crate::asking::Asking;
use crate::client::Client;
use crate::format;
use crate::markdown::visible;
use crate::ui::ErrorNote;
use crate::view::view;
use leptos::prelude::*;
use lesson_api::{DecisionOutcome, History, MatchType, Showing};

/// The retrievals that returned the lesson, newest first.
#[component]
pub fn ShownList(slug: String, history: Memo<Option<History>>) -> impl IntoView {
    let client = Client::get_from_context();
    let asking = Asking::default();
    let slug = StoredValue::new(slug);
    let pages = RwSignal::new(Pages::<Showing>::default());
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
    let next = move || pages.with(Pages::before);
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
        <section class="card">
            <div class="card-head"><h2>"Where it was shown, and what followed"</h2><span class="chip" data-testid="shown-total">{move || format::plural(total.get(), "time", "times")}</span></div>
            {move || if total.get() == 0 {
                view! {
                    <p class="muted">"No agent has been given this lesson yet. "<a href="/recommend">"Describe a situation"</a>" to see whether it would be."</p>
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

fn row(one: Showing) -> AnyView {
    let (class, followed) = followed(&one);
    let situation = one.query.as_deref().map(visible).unwrap_or_else(|| {
        [&one.domain, &one.project_type, &one.phase]
            .into_iter()
            .flatten()
            .cloned()
            .chain(one.tech_stack.iter().cloned())
            .collect::<Vec<_>>()
            .join(", ")
    });
    let situation = if situation.is_empty() {
        "A situation without words".to_owned()
    } else {
        situation
    };
    let address = address(&one);
    let pnl = one.pnl_percent.map(|pnl| {
        let sign = if pnl > 0.0 { "+" } else { "" };
        format!(" ({sign}{}%)", format::trim(pnl, 2))
    });
    let decision = one.decision_id.clone().map(|id| visible(&id));
    let decision_attr = one.decision_id.clone();
    view! {
        <li data-testid="shown-item" data-decision=decision_attr data-applied=one.applied.map(|applied| applied.to_string())>
            <div class="shown-head">
                <a href=address dir="auto" class="shown-situation">{situation}</a>
                <span class=class>{followed}{pnl}</span>
            </div>
            <p class="muted shown-facts">
                <time datetime=one.at.clone()>{format::time(&one.at)}</time>
                {format!(" · rank {} · score {}", one.rank, format::trim(one.score, 3))}
                {decision.map(|id| view! { " · decision "<code>{id}</code> })}
            </p>
            {one.quote.map(|quote| view! { <blockquote dir="auto">{visible(&quote)}</blockquote> })}
        </li>
    }
    .into_any()
}

/// What followed, in words.
fn followed(one: &Showing) -> (&'static str, &'static str) {
    match (one.applied, one.outcome) {
        (None, _) => ("chip", "No decision was named"),
        (Some(true), Some(DecisionOutcome::Success)) => ("chip chip-good", "Applied, went well"),
        (Some(true), Some(DecisionOutcome::Failure)) => ("chip chip-bad", "Applied, went badly"),
        (Some(true), _) => ("chip chip-info", "Applied, outcome not known"),
        (Some(false), outcome) => match (one.match_type, outcome) {
            (Some(MatchType::Mentioned), _) => ("chip chip-warn", "Mentioned, not applied"),
            (_, Some(DecisionOutcome::Success)) => ("chip", "Not applied; went well"),
            (_, Some(DecisionOutcome::Failure)) => ("chip", "Not applied; went badly"),
            _ => ("chip", "Not seen in what the agent wrote"),
        },
    }
}

/// The situation as an address of the page that ranks for it.
fn address(one: &Showing) -> String {
    let mut parts = Vec::new();
    let mut add = |key: &str, value: &str| {
        if !value.is_empty() {
            parts.push(format!("{key}={}", format::encode(value)));
        }
    };
    add("q", one.query.as_deref().unwrap_or_default());
    add("project", one.project_type.as_deref().unwrap_or_default());
    add("tech", &one.tech_stack.join(","));
    add("phase", one.phase.as_deref().unwrap_or_default());
    add("domain", one.domain.as_deref().unwrap_or_default());
    format!("/recommend?{}", parts.join("&"))
}
