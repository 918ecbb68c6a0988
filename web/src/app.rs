//! The frame around every page, and which page an address names.

use crate::api::Client;
use crate::components::{ToastList, Toasts};
use crate::dom;
use crate::features::{DemoBanner, NotFoundPage, OverviewPage, Selection};
use crate::more::{More, Rest, more};
use crate::parameters::Parameters;
use crate::review::Reviewing;
use crate::shell::{
    Notices, Palette, Places, Sheet, Shell, Side, Update, UpdateNote, tell_watched,
};
use crate::sync::Syncing;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::{Redirect, Route, Router, Routes};
use leptos_router::hooks::{use_location, use_navigate};
use leptos_router::path;

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
    tell_watched(client);
    view! {
        <Router>
            <a class="skip" href="#main" on:click=|event| { event.prevent_default(); dom::focus("main"); }>"Skip to content"</a>
            <div class="app">
                <Side client/>
                <main id="main" tabindex="-1">
                    <DemoBanner/>
                    <Notices client/>
                    <FocusOnMove/>
                    {pages()}
                </main>
            </div>
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
            <Route path=path!("/") view=First/>
            <Route path=path!("/lessons") view=|| more(More::Lessons)/>
            <Route path=path!("/lessons/new") view=|| more(More::New)/>
            <Route path=path!("/lessons/:slug") view=|| more(More::Lesson)/>
            <Route path=path!("/review") view=|| more(More::Review)/>
            <Route path=path!("/playground") view=|| more(More::Playground)/>
            <Route path=path!("/runs") view=|| more(More::Runs)/>
            <Route path=path!("/insights") view=|| more(More::Insights)/>
            <Route path=path!("/tools") view=|| more(More::Tools)/>
            <Route path=path!("/agents") view=|| more(More::Agents)/>
            <Route path=path!("/settings") view=|| more(More::Settings)/>
            <Route path=path!("/settings/conflicts") view=|| more(More::Conflicts)/>
            <Route path=path!("/new") view=|| moved("/lessons/new")/>
            <Route path=path!("/recommend") view=|| moved("/playground")/>
            <Route path=path!("/stats") view=|| moved("/insights")/>
            <Route path=path!("/data") view=|| moved("/settings")/>
            <Route path=path!("/data/agents") view=|| moved("/agents")/>
            <Route path=path!("/data/set-aside") view=|| moved("/settings/conflicts")/>
        </Routes>
    }
    .into_any()
}

/// The overview. An address with a filter is one of the list of lessons, which was the first page before; a range of days
/// is the overview's own.
#[component]
fn First() -> impl IntoView {
    let location = use_location();
    if location
        .search
        .with_untracked(|search| Parameters::read(search).with("range", "").is_empty())
    {
        view! { <OverviewPage/> }.into_any()
    } else {
        moved("/lessons")
    }
}

/// An address of before leads on, with its query and the part of the page that it names.
fn moved(to: &'static str) -> AnyView {
    let location = use_location();
    let mut path = to.to_owned();
    for (sign, rest) in [('?', location.search), ('#', location.hash)] {
        let rest = rest.get_untracked();
        let rest = rest.trim_start_matches(sign);
        if !rest.is_empty() {
            path.push(sign);
            path.push_str(rest);
        }
    }
    let options = NavigateOptions {
        replace: true,
        ..NavigateOptions::default()
    };
    view! { <Redirect path options/> }.into_any()
}

/// Heeds shortcuts, within the router that they go by.
#[component]
fn Keyboard() -> impl IntoView {
    let navigate = use_navigate();
    Shell::get_from_context().listen(move |href| navigate(href, Default::default()));
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
