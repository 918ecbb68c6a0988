//! The sheet of shortcuts.

use super::keys::{Group, TABLE};
use super::state::Shell;
use crate::components::Dialog;
use crate::dom;
use leptos::prelude::*;

/// Lists every shortcut, and switches those of a single key off.
#[component]
pub fn Sheet() -> impl IntoView {
    let shell = Shell::get_from_context();
    view! {
        <Dialog id="shortcuts" title="Keyboard shortcuts" open=shell.sheet class="wide">
            <label class="check">
                <input type="checkbox" prop:checked=shell.singles data-testid="single-keys"
                    on:change:target=move |event| shell.set_singles(event.target().checked())/>
                <span>"Single-key shortcuts. They never act while you type."</span>
            </label>
            <div class="sheet">{TABLE.iter().map(group).collect_view()}</div>
            <div class="actions">
                <button type="button" class="primary" on:click=move |_| shell.sheet.set(false)>"Close"</button>
            </div>
        </Dialog>
    }
}

fn group(group: &'static Group) -> AnyView {
    let lines = group
        .lines
        .iter()
        .map(|(keys, does)| {
            let keys = keys
                .iter()
                .map(|key| view! { <kbd>{dom::key_name(key)}</kbd> })
                .collect_view();
            view! { <div><dt>{keys}</dt><dd>{*does}</dd></div> }
        })
        .collect_view();
    view! { <section><h3>{group.page}</h3><dl>{lines}</dl></section> }.into_any()
}
