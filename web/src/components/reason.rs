//! Why a text that screening held back may be recommended all the same: a sentence that is kept with the approval.

use super::{Area, Dialog};
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::limits;

/// The question. `send` is given the reason, without blanks around it.
#[component]
pub fn ReasonDialog(
    open: RwSignal<bool>,
    send: Callback<String>,
    /// Findings of screening in the text.
    #[prop(into)]
    findings: Signal<Vec<String>>,
) -> impl IntoView {
    let reason = RwSignal::new(String::new());
    let submit = move || {
        if let Some(reason_given) = format::filled(&reason.get_untracked()) {
            open.set(false);
            reason.set(String::new());
            send.run(reason_given);
        }
    };
    let none = move || reason.with(|reason| reason.trim().is_empty());
    view! {
        <Dialog id="reason-dialog" title=Signal::stored("Approve a text that was held back".to_owned()) open>
            <form class="form" on:submit=move |event| { event.prevent_default(); submit(); }
                on:keydown=move |event| if dom::is_submit(&event) { event.prevent_default(); submit(); }>
                <ul class="findings-list">{move || findings.get().into_iter().map(|finding| view! { <li dir="auto">{finding}</li> }).collect_view()}</ul>
                <Area id="approve-reason" label="Why is it safe to give to agents?" value=reason rows=3 max=limits::DESCRIPTION
                    hint="Kept in the lesson's history with your approval."/>
                <div class="actions">
                    <button type="button" on:click=move |_| open.set(false)>"Cancel"</button>
                    <button type="submit" class="primary" disabled=none data-testid="approve-with-reason">"Approve"</button>
                </div>
            </form>
        </Dialog>
    }
}
