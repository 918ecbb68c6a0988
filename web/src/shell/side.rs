//! The frame beside every page: the space, the places with what waits there, and how syncing and the model stand. On a
//! phone it is a bar above and one below.

use super::palette::PaletteButton;
use super::spaces::SpaceMenu;
use super::state::{PAGES, Page};
use crate::api::{Client, Engine, use_get};
use crate::format;
use crate::review::Reviewing;
use crate::sync::{SyncChip, Syncing};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use lesson_types::{LessonPage, ModelState};

/// Places that a phone's bar shows; the others are behind *More*.
const FIRST: usize = 4;
/// The place before which a line is drawn.
const BELOW_LINE: &str = "/agents";

/// The frame.
#[component]
pub fn Side(client: Client) -> impl IntoView {
    let path = use_location().pathname;
    let open = RwSignal::new(false);
    // Wherever one goes, the places behind More are closed.
    Effect::new(move |_| {
        path.track();
        open.set(false);
    });
    let here = move |page: &'static Page| path.with(|path| page.is_at(path));
    let place = move |page: &'static Page| view! { <Place page current=Signal::derive(move || here(page))/> };
    let (first, rest) = PAGES.split_at(FIRST.min(PAGES.len()));
    view! {
        <header class="side">
            <div class="space"><SpaceMenu/><PaletteButton/></div>
            <nav class="places" aria-label="Main">
                {first.iter().map(place).collect_view()}
                <div class=move || if open.get() { "places-rest" } else { "places-rest closed" } id="places-rest">
                    {rest.iter().map(|page| view! {
                        {(page.href == BELOW_LINE).then(|| view! { <hr/> })}
                        {place(page)}
                    }).collect_view()}
                </div>
                <button type="button" class="more-places" data-testid="more-places" aria-controls="places-rest"
                    aria-expanded=move || open.get().to_string()
                    data-here=move || rest.iter().any(here).to_string()
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8h.01M8 8h.01M13 8h.01"></path></svg>
                    "More"
                </button>
            </nav>
            <ReviewWaiting/>
            <div class="side-foot"><SyncChip/><ModelChip client/></div>
        </header>
    }
}

#[component]
fn Place(page: &'static Page, current: Signal<bool>) -> impl IntoView {
    let count = match page.href {
        "/lessons" => view! { <LessonCount/> }.into_any(),
        "/review" => view! { <ReviewCount/> }.into_any(),
        _ => ().into_any(),
    };
    let described = (page.href == "/review").then_some("review-waiting");
    view! {
        <a href=page.href class="place" aria-current=move || current.get().then_some("page") aria-describedby=described title=page.label>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d=page.icon></path></svg>
            <span class="place-label">{page.label}</span>
            {count}
        </a>
    }
}

/// A number beside the name of a place; nothing for none, in the same room.
fn short(n: u32) -> String {
    match n {
        0 => String::new(),
        1..=9_999 => format::count(n),
        _ => format!("{}k", format::trim(f64::from(n) / 1_000.0, 1)),
    }
}

/// Shows the number of lessons in use.
#[component]
fn LessonCount() -> impl IntoView {
    let page = use_get::<LessonPage>(|| "/v1/lessons?limit=1".to_owned());
    let total = Memo::new(move |_| page.map(|page| page.total).unwrap_or_default());
    view! { <span class="place-count place-count-quiet" aria-hidden="true" data-testid="lesson-count">{move || short(total.get())}</span> }
}

/// Counts what waits for review: lessons, proposals and edits that came too late.
fn waiting() -> Memo<u32> {
    let reviewing = Reviewing::get_from_context();
    let syncing = Syncing::get_from_context();
    Memo::new(move |_| {
        let late = syncing.read(|status| status.conflicts);
        reviewing.waiting().saturating_add(late)
    })
}

/// The same beside the name of its place.
#[component]
fn ReviewCount() -> impl IntoView {
    let waiting = waiting();
    move || {
        (waiting.get() > 0).then(|| {
            view! { <span class="place-count" aria-hidden="true" data-testid="review-count">{short(waiting.get())}</span> }
        })
    }
}

/// The same in words, for those who can't see it; the link points here.
#[component]
fn ReviewWaiting() -> impl IntoView {
    let waiting = waiting();
    view! { <span class="sr-only" id="review-waiting">{move || format::plural(waiting.get(), "item waits", "items wait")}</span> }
}

/// Says whether ranking is by keywords or by meaning, and how far the model is.
#[component]
fn ModelChip(client: Client) -> impl IntoView {
    let told = move || match client.engine.get() {
        Engine::Starting => ("dot", "Starting…".to_owned()),
        Engine::Failed(_) => ("dot dot-bad", "Engine off".to_owned()),
        Engine::Ready(_) => client.model.with(model),
    };
    let phase = move || match client.model.get() {
        ModelState::Absent => "absent",
        ModelState::Downloading { .. } => "downloading",
        ModelState::Loading => "loading",
        ModelState::Indexing { .. } => "indexing",
        ModelState::Paused { .. } => "paused",
        ModelState::Ready { .. } => "ready",
        ModelState::Failed { .. } => "failed",
    };
    view! {
        <a href="/settings#model" class="state" title="How lessons are ranked; the model is managed in Settings"
            data-testid="model-state" data-phase=phase>
            <span class=move || told().0 aria-hidden="true"></span>
            <span>{move || told().1}</span>
        </a>
    }
}

/// The dot and the words of a model's condition.
fn model(state: &ModelState) -> (&'static str, String) {
    let of =
        |done: &u32, total: &u32| format!("{}/{}", format::count(*done), format::count(*total));
    match state {
        ModelState::Absent => ("dot", "Keyword ranking".to_owned()),
        ModelState::Downloading { loaded, total } if *total > 0 => {
            let share = f64::from(*loaded) / f64::from(*total);
            ("dot dot-info", format!("Model {}", format::percent(share)))
        }
        ModelState::Downloading { .. } | ModelState::Loading => {
            ("dot dot-info", "Model loading".to_owned())
        }
        ModelState::Indexing { done, total, .. } => {
            ("dot dot-good", format!("Semantic · {}", of(done, total)))
        }
        ModelState::Paused { done, total, .. } => {
            ("dot dot-warn", format!("Paused · {}", of(done, total)))
        }
        ModelState::Ready { .. } => ("dot dot-good", "Semantic".to_owned()),
        ModelState::Failed { .. } => ("dot dot-warn", "Keyword ranking".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::short;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_count_fits_its_room() {
        for (n, text) in [
            (0, ""),
            (7, "7"),
            (1_234, "1,234"),
            (100_000, "100k"),
            (12_345, "12.3k"),
        ] {
            assert_eq!(short(n), text);
        }
    }
}
