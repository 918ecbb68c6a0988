//! Tool servers that are always at hand, for everybody in the space: they are neither recorded nor suggested.

use crate::api::{Asking, Client, use_get};
use crate::components::{ErrorNote, Loading, TextField, use_toasts};
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::{PolicyPatch, ToolPolicyPatch, limits};
use serde_json::Value;

/// A step to take with the list as it is then.
type Then = Box<dyn FnOnce(&[String])>;

/// The list, to add to and to take from.
#[component]
pub fn CoreServersCard() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    let asking = Asking::default();
    let typed = RwSignal::new(String::new());
    let servers = Memo::new(move |_| policy.map(names));
    let failed = move || {
        policy
            .data
            .with(|policy| policy.as_ref()?.as_ref().err().cloned())
    };
    let save = move |list: Vec<String>, then: Then| {
        let patch = PolicyPatch {
            tools: Some(ToolPolicyPatch {
                core_servers: Some(list),
            }),
            ..PolicyPatch::default()
        };
        let asked = client.patch_json::<Value>("/v1/policy", &patch);
        asking.run(asked, move |answer| {
            then(&names(&answer));
            policy.set(Ok(answer));
        });
    };
    let held = move || servers.get_untracked().unwrap_or_default();
    let add = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(server) = format::filled(&typed.get_untracked()) else {
            return;
        };
        let mut list = held();
        if has(&list, &server) {
            toasts.good(format!("“{server}” is in the list already"));
            return;
        }
        list.push(server.clone());
        save(
            list,
            Box::new(move |_| {
                toasts.good(format!("“{server}” is a core server now"));
                typed.try_set(String::new());
            }),
        );
    };
    let remove = move |server: String| {
        let mut list = held();
        list.retain(|one| *one != server);
        save(
            list,
            Box::new(move |left| {
                if has(left, &server) {
                    toasts.bad(format!(
                        "“{server}” is always at hand here and can't be taken out"
                    ));
                } else {
                    toasts.good(format!("“{server}” is no core server any more"));
                }
            }),
        );
    };
    let rows = move || {
        let servers = servers.get().unwrap_or_default();
        servers
            .into_iter()
            .map(|server| {
                let (name, label) = (visible(&server), format!("Remove {server}"));
                let own = server.clone();
                view! {
                    <li data-testid="core-server" data-server=server>
                        <span dir="auto">{name}</span>
                        <button type="button" class="plain" aria-label=label disabled=asking.busy on:click=move |_| remove(own.clone()) data-testid="core-server-remove">"Remove"</button>
                    </li>
                }
            })
            .collect::<Vec<_>>()
    };
    view! {
        <section class="card" data-testid="core-servers">
            <h2>"Core servers"</h2>
            <p class="muted">"Tool servers that are always available; upper and lower case don't matter. They are neither recorded nor suggested. The list applies to everybody in the space."</p>
            <Show when=move || policy.data.read().is_none()><Loading/></Show>
            {move || failed().map(|error| view! { <ErrorNote error/> })}
            <ul class="keys" aria-label="Core servers">{rows}</ul>
            <form class="form" on:submit=add>
                <TextField id="core-server-name" label="Add a server" value=typed max=limits::WORD placeholder="For example: github"/>
                <div class="actions">
                    <button type="submit" disabled=move || asking.busy.get() || servers.read().is_none() || typed.read().trim().is_empty() data-testid="core-server-add">"Add"</button>
                </div>
            </form>
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
        </section>
    }
}

/// The core servers of a policy, each once.
fn names(policy: &Value) -> Vec<String> {
    let servers = policy
        .pointer("/tools/core_servers")
        .and_then(Value::as_array);
    let mut names: Vec<String> = Vec::new();
    for server in servers.into_iter().flatten().filter_map(Value::as_str) {
        if !has(&names, server) {
            names.push(server.to_owned());
        }
    }
    names
}

/// True if a list has a server, whatever the case of its letters.
fn has(list: &[String], server: &str) -> bool {
    let server = format::lower(server.trim());
    list.iter().any(|one| format::lower(one.trim()) == server)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_server_is_listed_once_whatever_its_letters() {
        let policy = serde_json::json!({"tools": {"core_servers": ["memory", "GitHub", "Memory", "github "]}});
        assert_eq!(names(&policy), ["memory", "GitHub"]);
        assert!(has(&names(&policy), " GITHUB"));
        assert!(!has(&names(&policy), "git"));
        assert_eq!(names(&serde_json::json!({})), Vec::<String>::new());
    }
}
