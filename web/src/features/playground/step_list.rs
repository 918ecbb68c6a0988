//! The steps of a run, and how far it is.

use super::playground_state::PlaygroundState;
use crate::dom;
use leptos::prelude::*;

/// The parts of the page that the steps lead to.
pub(super) const REASONING: &str = "step-reasoning";
pub(super) const OUTCOME: &str = "step-outcome";
pub(super) const FEEDBACK: &str = "step-feedback";

/// A line of steps; each leads to its part of the page, once there is a run.
#[component]
pub fn StepList(
    state: PlaygroundState,
    /// True if lessons were recommended.
    ready: Memo<bool>,
) -> impl IntoView {
    let steps = [
        ("Lessons", "results"),
        ("Reasoning", REASONING),
        ("Outcome", OUTCOME),
        ("Feedback", FEEDBACK),
    ];
    let at = move || match (ready.get(), state.tracked.read().is_some()) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    view! {
        <ol class="step-list" aria-label="Steps of a run">
            {steps.into_iter().enumerate().map(|(place, (label, part))| view! {
                <li aria-current=move || (at() == place).then_some("step")>
                    <button type="button" class="plain" disabled=move || !ready.get() on:click=move |_| dom::go_to_part(part.to_owned())>
                        <em aria-hidden="true">{place + 1}</em>{label}
                    </button>
                </li>
            }).collect_view()}
        </ol>
    }
}
