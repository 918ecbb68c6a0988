//! The constants that the space may change: what each does, within which bounds, what another value would do to the last
//! task, and the change itself, which can be taken back.

use crate::api::{Asking, Client, act_apart};
use crate::components::{ErrorNote, use_toasts};
use crate::features::constant_value::{parsed, word};
use crate::format;
use leptos::prelude::*;
use lesson_types::{Comparison, Constant, ConstantKind, DecisionPage, Recommend};
use serde_json::{Value, json as value_of};

/// Rows of one section, such as `rank`.
#[component]
pub fn Constants(
    /// `rank` or `measure`.
    section: String,
    /// The constants with the values in force.
    rows: Signal<Vec<(Constant, Value)>>,
) -> impl IntoView {
    // A row stays while its value does: what is typed into the others is not lost when one is saved.
    let key = |(constant, value): &(Constant, Value)| (constant.name.clone(), value.to_string());
    let section = StoredValue::new(section);
    view! {
        <ul class="constants">
            <For each=move || rows.get() key children=move |(constant, value)| row(section.get_value(), constant, value)/>
        </ul>
    }
}

fn row(section: String, constant: Constant, value: Value) -> impl IntoView {
    let name = constant.name.split_once('.');
    let name = name.map_or_else(|| constant.name.clone(), |(_, name)| name.to_owned());
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let (asking, trying) = (Asking::default(), Asking::default());
    let typed = RwSignal::new(word(&value));
    let said = RwSignal::new(None::<String>);
    let kind = constant.kind;
    let ranks = section == "rank";
    let label = format::spaced(&name);
    let default = constant.default.clone();
    let is_default = value == default;
    let (section, name) = (StoredValue::new(section), StoredValue::new(name));
    let patch = move |value: Value| {
        let constant = name.get_value();
        let body = value_of!({ section.get_value(): { constant: value } });
        client.patch_json::<Value>("/v1/policy", &body)
    };
    let before = StoredValue::new(value);
    let save = move |new: Value| {
        asking.run(patch(new), move |_| {
            let undo = move || {
                act_apart(patch(before.get_value()), move |back| {
                    if let Err(error) = back {
                        toasts.bad(error.message);
                    }
                });
            };
            toasts.with_act("Saved for everybody in the space", "Undo", undo);
        });
    };
    let given = move || parsed(kind, &typed.get_untracked());
    let preview = move |_| {
        let new = given();
        trying.run(
            async move { moved(client, &name.get_value(), new).await },
            move |told| said.set(Some(told)),
        );
    };
    let id = format!("constant-{}", constant.name);
    let bounds = match (constant.least, constant.most) {
        (Some(least), Some(most)) if most < f64::from(u32::MAX) => {
            format!(" {} to {}.", format::trim(least, 4), format::trim(most, 4))
        }
        (Some(least), _) => format!(" From {}.", format::trim(least, 4)),
        _ => String::new(),
    };
    let about = format!("{id}-about");
    let field = match kind {
        ConstantKind::Word | ConstantKind::Flag => {
            let words = match kind {
                ConstantKind::Flag => vec!["no".to_owned(), "yes".to_owned()],
                _ => constant.words.clone(),
            };
            view! {
                <select id=id.clone() aria-describedby=about.clone() prop:value=typed on:change:target=move |event| typed.set(event.target().value())>
                    {words.into_iter().map(|word| view! { <option value=word.clone() selected=word == typed.get_untracked()>{word.clone()}</option> }).collect_view()}
                </select>
            }
            .into_any()
        }
        _ => view! {
            <input id=id.clone() type="text" inputmode="decimal" aria-describedby=about.clone() prop:value=typed
                on:input:target=move |event| { typed.set(event.target().value()); said.set(None); }/>
        }
        .into_any(),
    };
    let changed = Memo::new(move |_| typed.get() != word(&before.get_value()));
    view! {
        <li data-testid="constant" data-name=constant.name.clone()>
            <div>
                <label for=id.clone()>{label}</label>
                <p class="hint" id=about>{constant.about.clone()}{bounds}" Default: "{word(&default)}"."</p>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || trying.error.get().map(|error| view! { <ErrorNote error/> })}
                <p class="hint" role="status">{said}</p>
            </div>
            {field}
            <div class="actions">
                {ranks.then(|| view! { <button type="button" disabled=move || !changed.get() || trying.busy.get() on:click=preview data-testid="constant-preview">"Preview"</button> })}
                <button type="button" disabled=move || !changed.get() || asking.busy.get() on:click=move |_| save(given()) data-testid="constant-save">"Save"</button>
                {(!is_default).then(|| view! { <button type="button" disabled=asking.busy on:click=move |_| save(Value::Null) data-testid="constant-reset">"Reset"</button> })}
            </div>
        </li>
    }
}

/// Tries another value on the last task that lessons were asked for, and puts into words what it would do there.
async fn moved(client: Client, name: &str, value: Value) -> Result<String, lesson_types::ApiError> {
    let last: DecisionPage = client.get("/v1/decisions?limit=20").await?;
    let Some(last) = last.decisions.into_iter().find(|last| last.query.is_some()) else {
        return Ok(
            "There is no run yet to try it on. Ask for lessons in the Playground first.".to_owned(),
        );
    };
    let query = last.query.unwrap_or_default();
    let request = Recommend {
        query: Some(query.clone()),
        domain: last.domain,
        project_type: last.project_type,
        dry_run: Some(true),
        policy: Some(value_of!({ name: value })),
        ..Recommend::default()
    };
    let compared: Comparison = client.post_json("/v1/recommend/compare", &request).await?;
    let asked: String = query.chars().take(60).collect();
    Ok(match compared.moved {
        0 => format!("For the last task, “{asked}”, nothing would change."),
        moved => format!(
            "For the last task, “{asked}”, {} of {} would rank differently.",
            format::plural(moved, "lesson", "lessons"),
            compared.lessons.len()
        ),
    })
}
