//! Movers of a lesson's standing, each with the events that moved it and those that are recorded only.

use crate::format;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{History, Mover};

/// Everybody who moved it, who did so most first; nothing while nobody has.
#[component]
pub fn Movers(history: Memo<Option<History>>) -> impl IntoView {
    let movers = Memo::new(move |_| {
        history.with(|history| {
            let history = history.as_ref();
            history
                .map(|history| history.moved_by.clone())
                .unwrap_or_default()
        })
    });
    let me = Syncing::get_from_context().me();
    let rows = move || {
        let me = me.get();
        let movers = movers.get();
        movers
            .iter()
            .map(|mover| row(mover, me.as_deref()))
            .collect::<Vec<_>>()
    };
    view! {
        <Show when=move || !movers.read().is_empty()>
            <section data-testid="moved-by">
                <h3>"Moved by"</h3>
                <dl class="facts">{rows}</dl>
            </section>
        </Show>
    }
}

fn row(mover: &Mover, me: Option<&str>) -> AnyView {
    let who = who::name(&mover.by, me).unwrap_or_else(|| "not written down".to_owned());
    view! { <div data-testid="mover"><dt>{who}</dt><dd>{words(mover)}</dd></div> }.into_any()
}

fn words(mover: &Mover) -> String {
    let moved = || format::plural(mover.moved, "event", "events");
    match (mover.moved, mover.uncounted) {
        (_, 0) => moved(),
        (0, uncounted) => format!("{uncounted} recorded only"),
        (_, uncounted) => format!("{}, {uncounted} recorded only", moved()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn what_is_recorded_only_is_told_apart() {
        let words = |moved, uncounted| {
            words(&Mover {
                by: "local".to_owned(),
                moved,
                uncounted,
            })
        };
        assert_eq!(words(1, 0), "1 event");
        assert_eq!(words(0, 30), "30 recorded only");
        assert_eq!(words(12, 3), "12 events, 3 recorded only");
    }
}
