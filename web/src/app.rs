//! The frame around every page: navigation, the engine's and the model's condition, messages.

use crate::api::{Client, Engine};
use crate::components::{ToastList, Toasts};
use crate::features::{DemoBanner, LessonsPage, NotFoundPage, ReviewPage, Selection};
use crate::more::{More, Rest, more};
use crate::review::Reviewing;
use crate::shell::{PAGES, Palette, PaletteButton, Places, Sheet, Shell, Update, UpdateNote};
use crate::sync::{SyncChip, Syncing};
use crate::{dom, format};
use leptos::prelude::*;
use leptos_router::components::{Route, Router, Routes};
use leptos_router::hooks::{use_location, use_navigate};
use leptos_router::path;
use lesson_types::ModelState;

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    provide_context(Toasts::new());
    let client = Client::start();
    provide_context(client);
    provide_context(Syncing::follow(client));
    provide_context(Selection::new());
    provide_context(Shell::new());
    provide_context(Places::follow());
    provide_context(Update::follow(client));
    provide_context(Reviewing::follow(client));
    provide_context(Rest::follow(client));
    view! {
        <Router>
            <a class="skip" href="#main" on:click=|event| { event.prevent_default(); dom::focus("main"); }>"Skip to content"</a>
            <Header client/>
            <main id="main" tabindex="-1">
                <DemoBanner/>
                <Notices client/>
                <FocusOnMove/>
                {pages()}
            </main>
            <UpdateNote/>
            <ToastList/>
            <Keyboard/>
            <Palette/>
            <Sheet/>
        </Router>
    }
}

/// The page that the address names.
fn pages() -> AnyView {
    leptos::prelude::view! {
        <Routes fallback=|| view! { <NotFoundPage/> }>
            <Route path=path!("/") view=LessonsPage/>
            <Route path=path!("/lessons/:slug") view=|| more(More::Lesson)/>
            <Route path=path!("/new") view=|| more(More::New)/>
            <Route path=path!("/review") view=ReviewPage/>
            <Route path=path!("/recommend") view=|| more(More::Recommend)/>
            <Route path=path!("/runs") view=|| more(More::Runs)/>
            <Route path=path!("/tools") view=|| more(More::Tools)/>
            <Route path=path!("/stats") view=|| more(More::Stats)/>
            <Route path=path!("/data") view=|| more(More::Data)/>
            <Route path=path!("/data/agents") view=|| more(More::Agents)/>
            <Route path=path!("/data/set-aside") view=|| more(More::SetAside)/>
        </Routes>
    }
    .into_any()
}

#[component]
fn Header(client: Client) -> impl IntoView {
    let path = use_location().pathname;
    let current = move |href: &'static str| {
        path.with(|path| match path.strip_prefix(href) {
            Some("") => true,
            // Everything is under the first page.
            Some(rest) => href != "/" && rest.starts_with('/'),
            None => false,
        })
        .then_some("page")
    };
    view! {
        <header class="top">
            <a href="/" class="brand" aria-label="Lessonloop, all lessons">
                <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d="M12 4a8 8 0 1 1-7.4 5"></path>
                    <path d="M4 4v5h5"></path>
                    <circle cx="12" cy="12" r="2.5"></circle>
                </svg>
                <span>"Lessonloop"</span>
            </a>
            <nav aria-label="Main">
                {PAGES.iter().map(|page| {
                    let review = page.href == "/review";
                    view! {
                        <a href=page.href aria-current=move || current(page.href) aria-describedby=review.then_some("review-waiting")>
                            <NavIcon d=page.icon/>{page.label}{review.then(|| view! { <ReviewCount/> })}
                        </a>
                    }
                }).collect_view()}
            </nav>
            <ReviewWaiting/>
            <PaletteButton/>
            <SyncChip/>
            <ModelChip client/>
        </header>
    }
}

/// Heeds shortcuts, within the router that they go by.
#[component]
fn Keyboard() -> impl IntoView {
    let navigate = use_navigate();
    Shell::get_from_context().listen(move |href| navigate(href, Default::default()));
}

#[component]
fn NavIcon(d: &'static str) -> impl IntoView {
    view! { <svg viewBox="0 0 24 24" aria-hidden="true"><path d=d></path></svg> }
}

/// How many lessons wait for review, with edits that came too late.
fn waiting(reviewing: Reviewing) -> Memo<u32> {
    let syncing = Syncing::get_from_context();
    Memo::new(move |_| {
        let late = syncing.read(|status| status.conflicts);
        reviewing.waiting().saturating_add(late)
    })
}

/// How many lessons wait for review, as a small number beside the name of the page.
#[component]
fn ReviewCount() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let waiting = waiting(reviewing);
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
    let waiting = waiting(reviewing);
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
        <a href="/data" class="chip-link" title="How lessons are ranked; the model is managed on the Data page">
            <span class=move || words().0 data-testid="model-state" data-phase=phase>{move || words().1}</span>
        </a>
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
    let cleared = move || {
        client.cleared.get().then(|| {
            view! {
                <div class="note note-warn" role="alert" data-testid="store-cleared">
                    <strong>"What was stored in this browser was deleted"</strong>
                    <p>"You or the browser deleted it while this page was open. What you see is what is there now. To get lessons back, import an export or connect to your server again, both on the page Data."</p>
                    <button type="button" on:click=move |_| client.cleared.set(false)>"Close"</button>
                </div>
            }
        })
    };
    view! { {failed} {restarted} {cleared} }
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
