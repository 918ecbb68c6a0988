//! The keys of the review page, and the list of them.

use super::review_page::{Command, ReviewPage};
use crate::format;
use crate::shell::Shell;
use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

/// Every key: as it is shown, what it does, the command.
const KEYS: [(&str, &str, Command); 11] = [
    ("j", "next", Command::Next),
    ("k", "back", Command::Previous),
    ("h", "helpful", Command::Helpful),
    ("n", "not helpful", Command::NotHelpful),
    ("a", "approve, or keep as it is", Command::Approve),
    ("x", "archive", Command::Archive),
    ("m", "compare and merge", Command::Merge),
    ("t", "another trial", Command::Trial),
    ("s", "skip for now", Command::Skip),
    ("u", "undo", Command::Undo),
    ("Enter", "open the lesson", Command::Open),
];

/// Has keys act on `page` as long as the page is there.
pub fn listen(page: ReviewPage) {
    let shell = Shell::get_from_context();
    let options = EventListenerOptions::enable_prevent_default();
    let listener = EventListener::new_with_options(&document(), "keydown", options, move |event| {
        // The second key of a pair, as in `g t`, goes elsewhere.
        let key = event
            .dyn_ref::<KeyboardEvent>()
            .filter(|_| !shell.awaits_second());
        let singles = shell.singles.get_untracked();
        if let Some(command) = key.and_then(|event| meant(event, singles)) {
            event.prevent_default();
            page.run(command);
        }
    });
    let listener = StoredValue::new_local(Some(listener));
    on_cleanup(move || {
        listener.try_update_value(Option::take);
    });
}

/// The command that a key stands for; none while something else wants the key. `singles` is whether keys of a single letter
/// act at all: they are in the way of speech input.
fn meant(event: &KeyboardEvent, singles: bool) -> Option<Command> {
    if event.default_prevented()
        || event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
        || event.is_composing()
    {
        return None;
    }
    let key = event.key();
    // Where the layout has no Latin letters, the place of the key counts.
    let letter = match event.code().strip_prefix("Key") {
        Some(letter) if !key.is_ascii() => format::lower(letter),
        _ if key == "Enter" => key,
        _ => format::lower(&key),
    };
    let (_, _, command) = KEYS.into_iter().find(|(name, _, _)| *name == letter)?;
    let steps = matches!(command, Command::Next | Command::Previous);
    if event.repeat() && !steps {
        return None;
    }
    let open = command == Command::Open;
    if !open && !singles {
        return None;
    }
    let busy = document().query_selector("dialog[open]").ok().flatten();
    (busy.is_none() && !wants_key(event, open)).then_some(command)
}

/// True if the element that has the focus does something else with the key.
fn wants_key(event: &Event, enter: bool) -> bool {
    let Some(element) = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
    else {
        return false;
    };
    let of_text = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
    let of_enter = "a, button, summary, input, textarea, select, [contenteditable]";
    let selector = if enter { of_enter } else { of_text };
    element.closest(selector).ok().flatten().is_some()
}

/// The keys as a list to open, and the way to turn them off.
#[component]
pub fn Keys() -> impl IntoView {
    let shell = Shell::get_from_context();
    let rows = KEYS
        .map(|(key, does, _)| view! { <div><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div> })
        .collect_view();
    view! {
        <details class="review-keys" data-testid="review-keys">
            <summary>"Keys"</summary>
            <div class="review-keys-list">
                <dl>{rows}</dl>
                <label class="check">
                    <input type="checkbox" prop:checked=shell.singles data-testid="keys-on"
                        on:change:target=move |event| shell.set_singles(event.target().checked())/>
                    <span>"Single-key shortcuts, here and on every page"</span>
                </label>
            </div>
        </details>
    }
}
