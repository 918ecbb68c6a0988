//! The frame around every page: navigation, the engine's and the model's condition, messages.

use crate::client::{Client, Engine};
use crate::pages::{
    DataPage, LessonPage, LessonsPage, NewLessonPage, NotFoundPage, RecommendPage, ReviewPage,
    SetAsidePage, StatsPage, ToolsPage,
};
use crate::review::Reviewing;
use crate::sync::{SyncChip, Syncing};
use crate::ui::{ToastList, Toasts};
use crate::{dom, format};
use leptos::prelude::*;
use leptos_router::components::{A, Route, Router, Routes};
use leptos_router::hooks::use_location;
use leptos_router::path;
use lesson_api::ModelState;

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    provide_context(Toasts::new());
    let client = Client::start();
    provide_context(client);
    provide_context(Syncing::follow(client));
    provide_context(Reviewing::follow(client));
    view! {
        <Router>
            <a class="skip" href="#main" on:click=|event| { event.prevent_default(); dom::focus("main"); }>"Skip to content"</a>
            <Header client/>
            <main id="main" tabindex="-1">
                <Notices client/>
                <FocusOnMove/>
                <Routes fallback=|| view! { <NotFoundPage/> }>
                    <Route path=path!("/") view=LessonsPage/>
                    <Route path=path!("/lessons/:slug") view=LessonPage/>
                    <Route path=path!("/new") view=NewLessonPage/>
                    <Route path=path!("/review") view=ReviewPage/>
                    <Route path=path!("/recommend") view=RecommendPage/>
                    <Route path=path!("/tools") view=ToolsPage/>
                    <Route path=path!("/stats") view=StatsPage/>
                    <Route path=path!("/data") view=DataPage/>
                    <Route path=path!("/data/set-aside") view=SetAsidePage/>
                </Routes>
            </main>
            <ToastList/>
        </Router>
    }
}

#[component]
fn Header(client: Client) -> impl IntoView {
    view! {
        <header class="top">
            <A href="/" attr:class="brand" attr:aria-label="Lessonloop, all lessons">
                <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d="M12 4a8 8 0 1 1-7.4 5"></path>
                    <path d="M4 4v5h5"></path>
                    <circle cx="12" cy="12" r="2.5"></circle>
                </svg>
                <span>"Lessonloop"</span>
            </A>
            <nav aria-label="Main">
                <A href="/" exact=true><NavIcon d="M5 4h14v16H5zM9 9h6M9 13h6"/>"Lessons"</A>
                <A href="/review" attr:aria-describedby="review-waiting"><NavIcon d="M4 12.5l4.5 4.5L20 6M4 5h7M4 20h9"/>"Review"<ReviewCount/></A>
                <A href="/recommend"><NavIcon d="M12 3v4M12 17v4M3 12h4M17 12h4M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z"/>"Recommend"</A>
                <A href="/tools"><NavIcon d="M14.5 6.5a4 4 0 0 0-5.3 5.1L4 17v3h3l5.4-5.2a4 4 0 0 0 5.1-5.3L15 12l-3-3z"/>"Tools"</A>
                <A href="/stats"><NavIcon d="M5 20V11M12 20V4M19 20v-6"/>"Stats"</A>
                <A href="/data"><NavIcon d="M4 6c0-3 16-3 16 0v12c0 3-16 3-16 0zM4 6c0 3 16 3 16 0M4 12c0 3 16 3 16 0"/>"Data"</A>
            </nav>
            <ReviewWaiting/>
            <SyncChip/>
            <ModelChip client/>
        </header>
    }
}

#[component]
fn NavIcon(d: &'static str) -> impl IntoView {
    view! { <svg viewBox="0 0 24 24" aria-hidden="true"><path d=d></path></svg> }
}

/// How many lessons wait for review, as a small number beside the name of the page.
#[component]
fn ReviewCount() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let waiting = Memo::new(move |_| reviewing.waiting());
    let short = move || match waiting.get() {
        0 => None,
        n @ 1..=999 => Some(n.to_string()),
        _ => Some("999+".to_owned()),
    };
    move || {
        short().map(|n| view! { <span class="nav-count" aria-hidden="true" data-testid="review-count">{n}</span> })
    }
}

/// The same in words, for those who can't see it; the link points here.
#[component]
fn ReviewWaiting() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let waiting = Memo::new(move |_| reviewing.waiting());
    view! { <span class="sr-only" id="review-waiting">{move || format::plural(waiting.get(), "lesson waits", "lessons wait")}</span> }
}

/// Says whether ranking is by keywords or by meaning, and how far the model is.
#[component]
fn ModelChip(client: Client) -> impl IntoView {
    let words = move || match client.engine.get() {
        Engine::Starting => ("chip", "Starting…".to_owned()),
        Engine::Failed(_) => ("chip chip-bad", "Engine off".to_owned()),
        Engine::Ready(_) => match client.model.get() {
            ModelState::Absent => ("chip", "Keyword ranking".to_owned()),
            ModelState::Downloading { loaded, total } if total > 0 => (
                "chip chip-info",
                format!(
                    "Model {}",
                    format::percent(f64::from(loaded) / f64::from(total))
                ),
            ),
            ModelState::Downloading { .. } | ModelState::Loading => {
                ("chip chip-info", "Model loading".to_owned())
            }
            ModelState::Indexing { done, total, .. } => (
                "chip chip-accent",
                format!(
                    "Semantic · {}/{}",
                    format::count(done),
                    format::count(total)
                ),
            ),
            ModelState::Paused { done, total, .. } => (
                "chip chip-warn",
                format!("Stopped · {}/{}", format::count(done), format::count(total)),
            ),
            ModelState::Ready { .. } => ("chip chip-accent", "Semantic".to_owned()),
            ModelState::Failed { .. } => ("chip chip-warn", "Keyword ranking".to_owned()),
        },
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
        <A href="/data" attr:class="chip-link" attr:title="How lessons are ranked; the model is managed on the Data page">
            <span class=move || words().0 data-testid="model-state" data-phase=phase>{move || words().1}</span>
        </A>
    }
}

/// The engine failed to open, or was started anew.
#[component]
fn Notices(client: Client) -> impl IntoView {
    let failed = move || match client.engine.get() {
        Engine::Failed(message) => Some(view! {
            <div class="note note-bad" role="alert" data-testid="engine-failed">
                <strong>"The engine is not running"</strong>
                <p>{message}</p>
                <button type="button" on:click=|_| { let _ = window().location().reload(); }>"Reload the page"</button>
            </div>
        }),
        _ => None,
    };
    let restarted = move || {
        client.restarted.get().map(|message| {
            view! {
                <div class="note note-warn" role="alert" data-testid="engine-restarted">
                    <strong>"The engine was started anew; everything stored is kept"</strong>
                    <p>{message}</p>
                    <button type="button" on:click=move |_| client.restarted.set(None)>"Close"</button>
                </div>
            }
        })
    };
    view! { {failed} {restarted} }
}

/// After a move to another page the focus goes to its start, and the page to its top; or to the part that the
/// address names.
#[component]
fn FocusOnMove() -> impl IntoView {
    let location = use_location();
    Effect::new(move |before: Option<String>| {
        let path = location.pathname.get();
        let hash = location.hash.get();
        let part = hash.trim_start_matches('#');
        if !part.is_empty() {
            dom::go_to_part(part.to_owned());
        } else if before.is_some_and(|before| before != path) {
            dom::focus("main");
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
        path
    });
}
