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
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    view! {
        <section class="card" id="policy" tabindex="-1" data-testid="policy">
            <h2>"Policy"</h2>
            <p class="muted">"The constants behind every number. Try those of the ranking on a task of your own: "<a href="/playground">"Try other weights"</a>"."</p>
            {move || match policy.data.get() {
                None => view! { <Loading/> }.into_any(),
                Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
                Some(Ok(policy)) => sections(&policy),
            }}
        </section>
    }
}

fn sections(policy: &Value) -> AnyView {
    let Value::Object(sections) = policy else {
        return ().into_any();
    };
    let constants: Vec<Constant> = sections
        .get(CONSTANTS)
        .and_then(|held| serde_json::from_value(held.clone()).ok())
        .unwrap_or_default();
    sections
        .iter()
        .filter(|(name, _)| *name != CONSTANTS)
        .map(|(name, section)| {
            let mut rows = Vec::new();
            flatten("", section, &mut rows);
            let own = |constant: &str| {
                let name = format!("{name}.{constant}");
                constants.iter().any(|held| held.name == name)
            };
            let (changeable, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(constant, _)| own(constant));
            let fixed = !rows.is_empty();
            let rows = rows
                .into_iter()
                .map(|(constant, value)| {
                    let about = sentence(name, &constant);
                    view! {
                        <tr data-testid="fixed-constant" data-name=format!("{name}.{constant}")>
                            <th scope="row">{format::spaced(&constant)}{about.map(|about| view! { <span class="policy-about">{about}</span> })}</th>
                            <td class="num">{value}</td>
                        </tr>
                    }
                })
                .collect_view();
            view! {
                <details>
                    <summary>{format::spaced(name)}</summary>
                    {(!changeable.is_empty()).then(|| view! { <Constants section=name.clone() constants=constants.clone() values=section.clone()/> })}
                    {fixed.then(|| view! { <p class="hint">"The same in every space, and read-only:"</p> })}
                    <table class="policy" class:hidden=!fixed><thead class="sr-only"><tr><th scope="col">"Name"</th><th scope="col">"Value"</th></tr></thead><tbody>{rows}</tbody></table>
                </details>
            }
            .into_any()
        })
        .collect::<Vec<_>>()
        .into_any()
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
