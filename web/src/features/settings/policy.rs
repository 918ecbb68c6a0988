//! Every constant of ranking, scoring and tracking, as the engine tells it: what it is, what more of it does, and within
//! which bounds it can be.

use crate::api::use_get;
use crate::components::{ErrorNote, Loading};
use crate::format;
use leptos::prelude::*;
use serde_json::Value;

/// The part of the answer that says what the constants are.
const ABOUT: &str = "about";

/// The policy as tables, one a section.
#[component]
pub fn PolicyCard() -> impl IntoView {
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    view! {
        <section class="card" id="policy" tabindex="-1" data-testid="policy">
            <h2>"Policy"</h2>
            <p class="muted">"The constants behind every number. Those of the ranking can be tried on a task of yours: "<a href="/playground">"Try other weights"</a>"."</p>
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
    sections
        .iter()
        .filter(|(name, _)| *name != ABOUT)
        .map(|(name, section)| {
            let mut rows = Vec::new();
            flatten("", section, &mut rows);
            let rows = rows
                .into_iter()
                .map(|(constant, value)| {
                    let about = about(policy, name, &constant);
                    view! {
                        <tr>
                            <th scope="row">{format::spaced(&constant)}{about.map(|about| view! { <span class="policy-about">{about}</span> })}</th>
                            <td class="num">{value}</td>
                        </tr>
                    }
                })
                .collect_view();
            view! {
                <details>
                    <summary>{format::spaced(name)}</summary>
                    <table class="policy"><thead class="sr-only"><tr><th scope="col">"Name"</th><th scope="col">"Value"</th></tr></thead><tbody>{rows}</tbody></table>
                </details>
            }
            .into_any()
        })
        .collect::<Vec<_>>()
        .into_any()
}

/// A constant's sentence and bounds, where the engine tells them.
fn about(policy: &Value, section: &str, constant: &str) -> Option<String> {
    let told = policy.get(ABOUT)?.get(section)?.get(constant)?;
    let sentence = told
        .as_str()
        .or_else(|| told.get("sentence")?.as_str())?
        .to_owned();
    let bound = |name: &str| told.get(name).and_then(Value::as_f64);
    Some(match (bound("min"), bound("max")) {
        (Some(min), Some(max)) => format!(
            "{sentence} {} to {}.",
            format::trim(min, 4),
            format::trim(max, 4)
        ),
        _ => sentence,
    })
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
