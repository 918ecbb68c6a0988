//! Two policies side by side on live traffic: the space's own, and one with other constants. What is known of each, with
//! intervals, and the ways to begin, to end, and to take the second one over.

use super::compared::{Earlier, ended_by, numbers, preferred};
use super::second_policy::Begin;
use crate::api::{Asking, Client, json, read, resource};
use crate::components::{ChartFrame, Chip, ErrorNote, Loaded, use_toasts};
use crate::features::constant_value::word;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Method, NewShadow, ShadowComparison, ShadowMode, ShadowReport};
use serde_json::{Map, Value, json as value_of};

/// The panel.
#[component]
pub fn Policies() -> impl IntoView {
    let client = Client::get_from_context();
    let both = resource(move || {
        let (report, policy) = (
            client.get::<ShadowReport>("/v1/policies/shadow"),
            client.get::<Value>("/v1/policy"),
        );
        async move { Ok((report.await?, policy.await?)) }
    });
    view! {
        <div class="panel">
            <Loaded of=both lines=4 let:both>
                <Shown both/>
            </Loaded>
        </div>
    }
}

#[component]
fn Shown(both: Memo<(ShadowReport, Value)>) -> impl IntoView {
    let report = Memo::new(move |_| both.with(|(report, _)| report.clone()));
    let policy = Memo::new(move |_| both.with(|(_, policy)| policy.clone()));
    let comparison = Memo::new(move |_| report.with(|report| report.comparison.clone()));
    let running =
        Memo::new(move |_| comparison.with(|held| held.as_ref().is_some_and(|held| held.running)));
    let table = Signal::derive(move || report.with(numbers));
    let earlier = Signal::derive(move || report.with(|report| report.earlier.clone()));
    view! {
        <ChartFrame id="policies" title="Policies side by side" numbers=table>
            <div class="policies">
                <p class="muted">"Try other ranking constants on real runs, next to those in force. A running comparison applies to everybody in the space."</p>
                {move || comparison.get().map(|held| view! { <Comparison held policy/> })}
                <Show when=move || !running.get()><Begin policy/></Show>
                <Show when=move || !earlier.read().is_empty()><Earlier all=earlier/></Show>
            </div>
        </ChartFrame>
    }
}

/// The comparison that runs, or the last one.
#[component]
fn Comparison(held: ShadowComparison, policy: Memo<Value>) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let running = held.running;
    let mode = held.mode;
    let rank = StoredValue::new(held.rank.clone());
    let post = move |path: &'static str, body: Value, done: &'static str| {
        let asked = client.post_json::<ShadowReport>(path, &body);
        asking.run(asked, move |_| toasts.good(done));
    };
    let end = move |_| {
        post(
            "/v1/policies/shadow/end",
            Value::Null,
            "The comparison has ended",
        );
    };
    let go_on = move |_| {
        let again = NewShadow {
            mode,
            rank: rank.get_value(),
        };
        let body = serde_json::to_value(&again).unwrap_or_default();
        post("/v1/policies/shadow", body, "The comparison goes on");
    };
    let patch = move |rank: &Value| {
        let body = value_of!({ "rank": rank });
        client.raw(Method::Patch, "/v1/policy".to_owned(), json(&body))
    };
    let take_over = move |_| {
        let second = rank.get_value();
        let before = policy.with_untracked(|policy| own(policy, &second));
        let asked = patch(&second);
        asking.run(
            async move { asked.await.and_then(read::<Value>) },
            move |_| {
                let undo = move || {
                    let back = patch(&before);
                    leptos::task::spawn_local(async move {
                        toasts.tell(&back.await, "The constants are as they were");
                    });
                };
                toasts.with_act("The second policy is in force", "Undo", undo);
            },
        );
    };
    let rows = move || {
        let own = policy.with(|policy| rank.with_value(|second| own(policy, second)));
        rank.with_value(|second| pairs(&own, second))
            .into_iter()
            .map(|(name, first, second)| {
                view! {
                    <tr data-testid="compared-constant" data-name=name.clone()>
                        <th scope="row">{format::spaced(&name)}</th><td class="num">{first}</td><td class="num">{second}</td>
                    </tr>
                }
            })
            .collect_view()
    };
    let figures = held.figures;
    let none = figures.preference.is_none() && figures.outcomes.is_none();
    view! {
        <section class="policy-pair" aria-label="The comparison" data-testid="comparison" data-running=running.to_string()>
            <p class="effect-head">
                {if running { view! { <Chip tone="good" label="Running"/> } } else { view! { <Chip label="Ended"/> } }}
                <span class="muted">{meaning(mode)}</span>
            </p>
            <table class="data-table">
                <caption class="sr-only">"Constants in which the policies differ"</caption>
                <thead><tr><th scope="col">"Constant"</th><th scope="col" class="num">"In force"</th><th scope="col" class="num">"Second policy"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
            {none.then(|| view! { <p class="effect-none" data-testid="comparison-none">"No run has taken part yet."</p> })}
            {figures.preference.map(preferred)}
            {figures.outcomes.map(ended_by)}
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            <div class="actions">
                {if running {
                    view! { <button type="button" disabled=asking.busy on:click=end data-testid="comparison-end">"End the comparison"</button> }.into_any()
                } else {
                    view! { <button type="button" disabled=asking.busy on:click=go_on data-testid="comparison-go-on">"Resume"</button> }.into_any()
                }}
                <button type="button" disabled=asking.busy on:click=take_over data-testid="comparison-take">"Use the second policy"</button>
            </div>
        </section>
    }
}

/// What a way of comparing does.
fn meaning(mode: ShadowMode) -> &'static str {
    match mode {
        ShadowMode::Interleave => {
            "Each run gets lessons from both, drafted in turn; the policy whose lessons are applied is preferred."
        }
        ShadowMode::Split => {
            "Each run goes to one policy or the other; outcomes show which is better."
        }
    }
}

/// The values in force of the constants that the second policy names.
fn own(policy: &Value, second: &Value) -> Value {
    let names = second.as_object().into_iter().flatten();
    let values = names.map(|(name, _)| {
        let held = policy.get("rank").and_then(|rank| rank.get(name));
        (name.clone(), held.cloned().unwrap_or_default())
    });
    Value::Object(values.collect::<Map<_, _>>())
}

/// Constants by name with both values as text.
fn pairs(own: &Value, second: &Value) -> Vec<(String, String, String)> {
    let all = second.as_object().into_iter().flatten();
    all.map(|(name, value)| {
        let first = own.get(name).map(word).unwrap_or_default();
        (name.clone(), first, word(value))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_values_of_a_constant_stand_side_by_side() {
        let policy = value_of!({"rank": {"match_weight": 0.5, "approved_only": false, "other": 1}});
        let second = value_of!({"approved_only": true, "match_weight": 0.7});
        let own = own(&policy, &second);
        assert_eq!(
            own,
            value_of!({"approved_only": false, "match_weight": 0.5})
        );
        let row = |name: &str, first: &str, second: &str| {
            (name.to_owned(), first.to_owned(), second.to_owned())
        };
        assert_eq!(
            pairs(&own, &second),
            [
                row("approved_only", "no", "yes"),
                row("match_weight", "0.5", "0.7")
            ]
        );
    }
}
