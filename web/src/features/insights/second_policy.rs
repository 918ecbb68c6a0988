//! Beginning a comparison: how, and which constants the second policy has otherwise.

use crate::api::{Asking, Client};
use crate::components::{Choice, ErrorNote, use_toasts};
use crate::features::constant_value::{parsed, word};
use crate::format;
use leptos::prelude::*;
use lesson_types::{Constant, ConstantKind, NewShadow, ShadowMode, ShadowReport};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The form, behind a heading that opens it.
#[component]
pub fn Begin(policy: Memo<Value>) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let constants = Memo::new(move |_| policy.with(ranking));
    let mode = RwSignal::new(ShadowMode::Interleave.as_str().to_owned());
    let named = RwSignal::new(BTreeMap::<String, Value>::new());
    let chosen = RwSignal::new(String::new());
    let typed = RwSignal::new(String::new());
    let constant = Memo::new(move |_| {
        constants.with(|all| all.iter().find(|one| one.name == chosen.get()).cloned())
    });
    let in_force = move |name: &str| {
        policy.with_untracked(|policy| {
            let held = policy.get("rank").and_then(|rank| rank.get(name));
            held.map(word).unwrap_or_default()
        })
    };
    let choose = move |name: String| {
        typed.set(in_force(&name));
        chosen.set(name);
    };
    let add = move || {
        let Some(constant) = constant.get_untracked() else {
            return;
        };
        let value = parsed(constant.kind, &typed.get_untracked());
        named.update(|named| {
            named.insert(constant.name, value);
        });
        chosen.set(String::new());
        typed.set(String::new());
    };
    let begin = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        // What stands in the field is meant, too.
        add();
        let rank: Map<String, Value> = named.get_untracked().into_iter().collect();
        let request = NewShadow {
            mode: ShadowMode::parse(&mode.get_untracked()).unwrap_or(ShadowMode::Interleave),
            rank: Value::Object(rank),
        };
        let asked = client.post_json::<ShadowReport>("/v1/policies/shadow", &request);
        asking.run(asked, move |_| {
            named.try_set(BTreeMap::new());
            toasts.good("The comparison has begun");
        });
    };
    let ready = move || !named.read().is_empty() || constant.read().is_some();
    let options = move || {
        constants
            .get()
            .into_iter()
            .map(
                |one| view! { <option value=one.name.clone()>{format::spaced(&one.name)}</option> },
            )
            .collect_view()
    };
    let field = move || {
        constant.get().map(|constant| {
            let words = match constant.kind {
                ConstantKind::Flag => vec!["no".to_owned(), "yes".to_owned()],
                _ => constant.words.clone(),
            };
            let input = if words.is_empty() {
                view! {
                    <input id="second-value" type="text" inputmode="decimal" prop:value=typed aria-describedby="second-about"
                        on:input:target=move |event| typed.set(event.target().value()) data-testid="second-value"/>
                }
                .into_any()
            } else {
                let now = typed.get_untracked();
                view! {
                    <select id="second-value" aria-describedby="second-about" data-testid="second-value"
                        on:change:target=move |event| typed.set(event.target().value())>
                        {words.into_iter().map(|one| { let on = one == now; view! { <option value=one.clone() selected=on>{one.clone()}</option> } }).collect_view()}
                    </select>
                }
                .into_any()
            };
            view! {
                <div class="field"><label for="second-value">"Value"</label>{input}</div>
                <button type="button" on:click=move |_| add() data-testid="second-add">"Add"</button>
                <p class="hint" id="second-about">{constant.about}</p>
            }
        })
    };
    let list = move || {
        named
            .get()
            .into_iter()
            .map(|(name, value)| {
                let label = format!("{}: {}", format::spaced(&name), word(&value));
                view! {
                    <button type="button" class="filter-chip on" aria-label=format!("{label} ✕ leave it as it is") data-testid="second-named"
                        on:click=move |_| named.update(|named| { named.remove(&name); })>
                        {label.clone()}<span aria-hidden="true">"✕"</span>
                    </button>
                }
            })
            .collect_view()
    };
    let modes = vec![
        (
            "interleave",
            "Both in each run, by whose lessons are applied",
        ),
        ("split", "One or the other in each run, by outcomes"),
    ];
    view! {
        <details class="policy-begin" data-testid="begin-comparison">
            <summary>"Compare another policy"</summary>
            <form class="form" on:submit=begin>
                <Choice name="shadow-mode" legend="How" value=mode options=modes/>
                <div class="policy-fields">
                    <div class="field">
                        <label for="second-constant">"Constant"</label>
                        <select id="second-constant" prop:value=chosen data-testid="second-constant"
                            on:change:target=move |event| choose(event.target().value())>
                            <option value="">"Choose…"</option>
                            {options}
                        </select>
                    </div>
                    {field}
                </div>
                <div class="filter-chips">{list}</div>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                <div class="actions">
                    <button type="submit" class="primary" disabled=move || asking.busy.get() || !ready() data-testid="comparison-begin">"Start"</button>
                    <p class="hint">"You can end it at any time; the policy in force stays as it is."</p>
                </div>
            </form>
        </details>
    }
}

/// The ranking constants that a policy tells, by their names under `rank`.
fn ranking(policy: &Value) -> Vec<Constant> {
    let all: Vec<Constant> = policy
        .get("constants")
        .and_then(|held| serde_json::from_value(held.clone()).ok())
        .unwrap_or_default();
    let ranking = all.into_iter().filter_map(|one| {
        let name = one.name.strip_prefix("rank.")?.to_owned();
        Some(Constant { name, ..one })
    });
    ranking.collect()
}
