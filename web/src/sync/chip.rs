//! The indicator beside every page.

use super::{Mark, Sign, Syncing, address};
use leptos::prelude::*;
use lesson_types::SyncPhase;

/// Says where syncing stands and leads to what can be done; nothing while syncing is off.
#[component]
pub fn SyncChip() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let sign = Memo::new(move |_| syncing.read(Sign::of));
    let on = Memo::new(move |_| sign.read().is_some());
    let text = move || sign.get().map(|sign| sign.text).unwrap_or_default();
    let mark = Memo::new(move |_| sign.get().map(|sign| sign.mark));
    // The words said last stay until there is something else to say: only a change of the text is read out.
    let spoken = Memo::new(move |before: Option<&String>| match sign.get() {
        Some(sign) if sign.is_loud() => format!("Sync: {}", sign.text),
        Some(_) if before.is_some_and(|before| !before.is_empty()) => {
            "Sync: all is well".to_owned()
        }
        _ => String::new(),
    });
    view! {
        <span class="sr-only" role="status">{spoken}</span>
        <Show when=move || on.get()>
            <a href=move || syncing.read(address).to_owned() class="state" aria-label=move || format!("Sync: {}", text())
                data-testid="sync-state" data-phase=move || syncing.read(|status| phase(status.phase))>
                {move || mark.get().map(|mark| view! { <span class=state(mark)><SyncIcon mark/></span> })}
                <span>{text}</span>
            </a>
        </Show>
    }
}

/// The drawing of a status.
#[component]
pub fn SyncIcon(mark: Mark) -> impl IntoView {
    const CLOUD: &str = "M7 18.5a4.2 4.2 0 0 1-.5-8.4 6 6 0 0 1 11.6 1.5 3.5 3.5 0 0 1-.6 6.9z";
    let (back, front) = match mark {
        Mark::Same => (CLOUD, "M9 13.8l2.2 2.2 3.8-4.2"),
        Mark::Waiting => (CLOUD, "M12 16.5v-5M9.8 13.6l2.2-2.2 2.2 2.2"),
        Mark::Offline => (CLOUD, "M4 4l16 16"),
        Mark::Moving => (
            "M5 11a7 7 0 0 1 12.2-3.7L20 10",
            "M20 5v5h-5M19 13a7 7 0 0 1-12.2 3.7L4 14M4 19v-5h5",
        ),
        Mark::Look | Mark::Stuck => ("M12 4l9 16H3z", "M12 10v4.5M12 17.2v.3"),
    };
    view! { <svg class="chip-icon" viewBox="0 0 24 24" aria-hidden="true"><path d=back></path><path d=front></path></svg> }
}

/// The look of the indicator's icon.
fn state(mark: Mark) -> &'static str {
    match mark {
        Mark::Look => "state-warn",
        Mark::Stuck => "state-bad",
        Mark::Same | Mark::Moving | Mark::Waiting | Mark::Offline => "",
    }
}

/// The look of a chip with this mark.
pub fn tone(mark: Mark) -> &'static str {
    match mark {
        Mark::Same => "chip chip-good",
        Mark::Moving => "chip chip-info",
        Mark::Waiting | Mark::Offline => "chip",
        Mark::Look => "chip chip-warn",
        Mark::Stuck => "chip chip-bad",
    }
}

/// The phase by its name in the API.
fn phase(phase: SyncPhase) -> &'static str {
    match phase {
        SyncPhase::Off => "off",
        SyncPhase::Idle => "idle",
        SyncPhase::Pushing => "pushing",
        SyncPhase::Pulling => "pulling",
        SyncPhase::Offline => "offline",
        SyncPhase::Trouble => "trouble",
        SyncPhase::SignedOut => "signed_out",
        SyncPhase::Blocked => "blocked",
    }
}
