//! The form for a task.

use super::playground_state::PlaygroundState;
use crate::api::use_get;
use crate::components::{Area, Pick, TextField, submit_by_key};
use leptos::prelude::*;
use lesson_types::limits;
use serde_json::Value;

/// The form's id, for the button at the head of the page.
pub(super) const FORM: &str = "recommend-form";

/// The form.
#[component]
pub fn SituationForm(state: PlaygroundState) -> impl IntoView {
    let form = state.form;
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    let has_market = Memo::new(move |_| {
        [form.volatility, form.trend, form.positions, form.losses]
            .iter()
            .any(|field| !field.read().is_empty())
    });
    let phases = Signal::derive(move || {
        let phases = policy.data.with(|policy| match policy {
            Some(Ok(policy)) => policy
                .pointer("/rank/phases")
                .and_then(Value::as_object)
                .map(|phases| phases.keys().cloned().collect()),
            _ => None,
        });
        phases.unwrap_or_else(Vec::new)
    });
    let domains = Signal::stored(
        ["dlmm", "perps", "spot", "polymarket"]
            .map(str::to_owned)
            .to_vec(),
    );
    let projects = Signal::stored(
        [
            "web-app",
            "api",
            "cli",
            "library",
            "mobile-app",
            "trading-bot",
        ]
        .map(str::to_owned)
        .to_vec(),
    );
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        state.preview();
    };
    let any = |word: &str, label: &str| (word.to_owned(), label.to_owned());
    view! {
        <form id=FORM class="pad form" on:submit=submit on:keydown=submit_by_key data-testid="recommend-form">
            <Area id="recommend-query" label="Task" value=form.query rows=4 max=limits::QUERY
                placeholder="For example: isolate the data of several customers in one Postgres database"/>
            <div class="pair">
                <TextField id="recommend-project" label="Project type" value=form.project_type max=limits::WORD placeholder="any" offers=projects/>
                <TextField id="recommend-tech" label="Tech stack" value=form.tech_stack max=2_000 placeholder="any; or rust, postgres"/>
                <TextField id="recommend-phase" label="Phase" value=form.phase max=limits::WORD placeholder="any" offers=phases/>
                <TextField id="recommend-limit" label="Max results" value=form.limit kind="number" max=3/>
                <TextField id="recommend-domain" label="Domain" value=form.domain max=limits::WORD placeholder="any" offers=domains/>
                <TextField id="decision-id" label="Run" value=state.decision_id max=limits::ID/>
            </div>
            <details class="market" prop:open=has_market>
                <summary>"Market, for a trading task"</summary>
                <div class="pair">
                    <Pick id="market-volatility" label="Volatility" value=form.volatility on_pick=Callback::new(move |word| form.volatility.set(word))
                        options=vec![any("", "Any"), any("low", "Low"), any("normal", "Normal"), any("high", "High")]/>
                    <Pick id="market-trend" label="Trend" value=form.trend on_pick=Callback::new(move |word| form.trend.set(word))
                        options=vec![any("", "Any"), any("bullish", "Bullish"), any("bearish", "Bearish"), any("sideways", "Sideways")]/>
                    <Pick id="market-positions" label="Open positions" value=form.positions on_pick=Callback::new(move |word| form.positions.set(word))
                        options=vec![any("", "Any"), any("yes", "Yes"), any("no", "No")]/>
                    <TextField id="market-losses" label="Recent losses" value=form.losses kind="number" max=6 placeholder="any"/>
                </div>
            </details>
        </form>
    }
}
