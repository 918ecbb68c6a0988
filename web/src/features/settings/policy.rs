//! Every constant of ranking, scoring and tracking, as the engine tells it: what it is, what more of it does, and within
//! which bounds it can be.

use crate::api::use_get;
use crate::components::{ErrorNote, Loading};
use crate::features::settings::constants::Constants;
use crate::features::settings::sentences::sentence;
use crate::format;
use leptos::prelude::*;
use lesson_types::Constant;
use serde_json::Value;

/// The part of the answer that says which constants the space may change, and what each does.
const CONSTANTS: &str = "constants";

/// The policy as tables, one a section.
#[component]
pub fn PolicyCard() -> impl IntoView {
    let answer = use_get::<Value>(|| "/v1/policy".to_owned());
    // The policy as it was last read: a reading that fails takes nothing away.
    let policy = Memo::new(move |before: Option<&Value>| {
        answer.data.with(|answer| match answer {
            Some(Ok(policy)) => policy.clone(),
            _ => before.cloned().unwrap_or_default(),
        })
    });
    let error = move || answer.data.with(|answer| answer.clone()?.err());
    let is_awaited = move || answer.data.read().is_none();
    let names = move || {
        let policy = policy.read();
        let names = policy.as_object().into_iter().flat_map(|held| held.keys());
        let sections = names.filter(|name| *name != CONSTANTS);
        sections.cloned().collect::<Vec<_>>()
    };
    view! {
        <section class="card" id="policy" tabindex="-1" data-testid="policy">
            <h2>"Policy"</h2>
            <p class="muted">"The constants behind every number. Try those of the ranking on a task of your own: "<a href="/playground">"Try other weights"</a>"."</p>
            <Show when=is_awaited><Loading/></Show>
            {move || error().map(|error| view! { <ErrorNote error/> })}
            <For each=names key=Clone::clone let:name><Section name policy/></For>
        </section>
    }
}

/// The constants of a section.
#[derive(Clone, PartialEq)]
struct Parts {
    /// Those that the space may change, with the values in force.
    changeable: Vec<(Constant, Value)>,
    /// The others: name and value.
    fixed: Vec<(String, String)>,
}

impl Parts {
    fn of(policy: &Value, section: &str) -> Self {
        let constants = policy.get(CONSTANTS).cloned().unwrap_or_default();
        let constants: Vec<Constant> = serde_json::from_value(constants).unwrap_or_default();
        let values = policy.get(section).cloned().unwrap_or_default();
        let own = |name: &str| Some(name.strip_prefix(section)?.strip_prefix('.')?.to_owned());
        let mut fixed = Vec::new();
        flatten("", &values, &mut fixed);
        let changeable: Vec<(Constant, Value)> = constants
            .into_iter()
            .filter_map(|constant| {
                let value = values.get(own(&constant.name)?)?.clone();
                Some((constant, value))
            })
            .collect();
        fixed.retain(|(name, _)| {
            let name = format!("{section}.{name}");
            !changeable.iter().any(|(held, _)| held.name == name)
        });
        Self { changeable, fixed }
    }
}

#[component]
fn Section(name: String, policy: Memo<Value>) -> impl IntoView {
    let section = StoredValue::new(name.clone());
    let parts = Memo::new(move |_| Parts::of(&policy.read(), &section.read_value()));
    let changeable = Signal::derive(move || parts.read().changeable.clone());
    let can_change = Memo::new(move |_| !parts.read().changeable.is_empty());
    let is_fixed = Memo::new(move |_| !parts.read().fixed.is_empty());
    let fixed = move || parts.read().fixed.clone();
    let row = move |(constant, value): (String, String)| {
        let section = section.get_value();
        let about = sentence(&section, &constant);
        view! {
            <tr data-testid="fixed-constant" data-name=format!("{section}.{constant}")>
                <th scope="row">{format::spaced(&constant)}{about.map(|about| view! { <span class="policy-about">{about}</span> })}</th>
                <td class="num">{value}</td>
            </tr>
        }
    };
    view! {
        <details>
            <summary>{if name == "fold" { "Scoring".to_owned() } else { format::spaced(&name) }}</summary>
            <Show when=move || can_change.get()><Constants section=section.get_value() rows=changeable/></Show>
            <Show when=move || is_fixed.get()><p class="hint">"The same in every space, and read-only:"</p></Show>
            <table class="policy" class:hidden=move || !is_fixed.get()><thead class="sr-only"><tr><th scope="col">"Name"</th><th scope="col">"Value"</th></tr></thead><tbody>
                <For each=fixed key=Clone::clone children=row/>
            </tbody></table>
        </details>
    }
}

/// Rows of a section: names of nested values are joined with a colon.
fn flatten(prefix: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = if prefix.is_empty() {
                    name.clone()
                } else {
                    format!("{prefix}: {name}")
                };
                flatten(&name, value, rows);
            }
        }
        Value::Array(list) => {
            let words: Vec<String> = list.iter().map(word).collect();
            rows.push((prefix.to_owned(), words.join(", ")));
        }
        value => rows.push((prefix.to_owned(), word(value))),
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| format::trim(number, 6)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn nested_values_become_rows() {
        let mut rows = Vec::new();
        flatten(
            "",
            &serde_json::json!({"a": 0.5, "phases": {"plan": ["workflow", "domain"]}, "b": true}),
            &mut rows,
        );
        let expected = [
            ("a", "0.5"),
            ("b", "yes"),
            ("phases: plan", "workflow, domain"),
        ];
        assert_eq!(rows, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
