//! A space that is large: whether it is worked on on the server or copied.

use super::draft::Draft;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Hold, LargeSpace};

/// The choice's id.
pub(super) const LARGE: &str = "sync-large";

/// The two ways to have a large space, with what each comes to.
#[component]
pub fn LargeStep(draft: Draft, large: LargeSpace) -> impl IntoView {
    let name = draft.spaces.with_untracked(|spaces| {
        let first = spaces.iter().flatten().next();
        first.map(|space| space.name.clone()).unwrap_or_default()
    });
    let size = format!(
        "“{name}” has {}. Nothing of it has been fetched yet.",
        format::plural(large.lessons, "lesson", "lessons")
    );
    let takes = format!(
        "All of it is fetched first. It takes about {} MB of memory while the page is open, and works without a connection.",
        format::count(large.megabytes)
    );
    view! {
        <fieldset class="choice" id=LARGE tabindex="-1" data-testid="sync-large">
            <legend>"This space is large"</legend>
            <p>{size}</p>
            <div class="spaces">
                <HoldRadio draft hold=Hold::Server name="Work on the server (recommended)" testid="sync-large-server"
                    about="Each page reads what it needs, so that a phone opens the space at once. It needs a connection; insights, the review queue and exports need a copy.".to_owned()/>
                <HoldRadio draft hold=Hold::Copy name="Keep a copy here anyway" testid="sync-large-copy" about=takes/>
            </div>
            <p class="hint">"You can change this later in Settings, Sync."</p>
        </fieldset>
    }
}

#[component]
fn HoldRadio(
    draft: Draft,
    hold: Hold,
    name: &'static str,
    about: String,
    testid: &'static str,
) -> impl IntoView {
    view! {
        <label class="radio">
            <input type="radio" name="sync-hold" data-testid=testid
                prop:checked=move || draft.hold.get() == hold
                on:change=move |_| draft.hold.set(hold)/>
            <span><strong>{name}</strong><br/><span class="hint">{about}</span></span>
        </label>
    }
}
