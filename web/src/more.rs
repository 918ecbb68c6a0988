//! The pages, and the part of the first one, that are not in the first download: a module of their own, fetched once the
//! first page is drawn, or as soon as one of them is wanted.

use crate::api::{Client, Engine, act_apart};
use crate::components::{ErrorNote, Loading, Page};
use crate::features::{
    AgentsPage, InsightsPage, LessonPage, LessonsPage, NewLessonPage, PlaygroundPage, ReviewPage,
    RunsPage, SetAsidePage, SettingsPage, ThisWeek, ToolsPage,
};
use leptos::prelude::*;
use lesson_types::{ApiError, ErrorCode};

/// One of these pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    Agents,
    Conflicts,
    Insights,
    Lesson,
    Lessons,
    New,
    Playground,
    Review,
    Runs,
    Settings,
    Tools,
    Week,
}

/// Draws one of them; nothing else refers to them.
fn drawn(page: More) -> AnyView {
    match page {
        More::Agents => AgentsPage().into_any(),
        More::Settings => SettingsPage().into_any(),
        More::Lesson => LessonPage().into_any(),
        More::Lessons => LessonsPage().into_any(),
        More::New => NewLessonPage().into_any(),
        More::Playground => PlaygroundPage().into_any(),
        More::Review => ReviewPage().into_any(),
        More::Runs => RunsPage().into_any(),
        More::Conflicts => SetAsidePage().into_any(),
        More::Insights => InsightsPage().into_any(),
        More::Tools => ToolsPage().into_any(),
        More::Week => ThisWeek().into_any(),
    }
}

#[cfg(feature = "split")]
mod apart {
    use super::{More, drawn};
    use leptos::prelude::AnyView;
    use leptos::wasm_split::{SplitLoaderError, wasm_split};

    /// A page, fetched with the others when they are not here.
    #[wasm_split(more, wasm_split_path = leptos::wasm_split, fallible, preload(fetched))]
    pub(super) fn page_of(page: More) -> Result<AnyView, SplitLoaderError> {
        Ok(drawn(page))
    }
}

/// Without the feature `split` all is one module.
#[cfg(not(feature = "split"))]
mod apart {
    use super::{More, drawn};
    use leptos::prelude::AnyView;

    pub(super) async fn page_of(page: More) -> Result<AnyView, ()> {
        Ok(drawn(page))
    }

    pub(super) async fn fetched() -> Result<(), ()> {
        Ok(())
    }
}

/// Progress of fetching the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Nobody has asked for them.
    No,
    /// They are being fetched.
    Coming,
    /// They are here.
    Yes,
    /// The last try failed.
    Failed,
}

/// The pages that come later; provided as a context.
#[derive(Clone, Copy)]
pub struct Rest(RwSignal<Held>);

impl Rest {
    /// Fetches them once the engine answers, so that they don't hold up the first page.
    pub fn follow(client: Client) -> Self {
        let rest = Self(RwSignal::new(Held::No));
        Effect::new(move |_| {
            if matches!(client.engine.get(), Engine::Ready(_)) {
                rest.fetch();
            }
        });
        rest
    }

    /// Fetches them, unless they are here or on their way; once more where that fails, as a connection may for a moment.
    fn fetch(self) {
        if matches!(self.0.get_untracked(), Held::Yes | Held::Coming) {
            return;
        }
        self.0.set(Held::Coming);
        let fetched = async { apart::fetched().await.is_ok() || apart::fetched().await.is_ok() };
        act_apart(fetched, move |here| {
            self.0.set(if here { Held::Yes } else { Held::Failed });
        });
    }
}

/// One of the pages, or what stands there until it is fetched.
pub fn more(page: More) -> AnyView {
    let rest: Rest = expect_context();
    rest.fetch();
    let shown = move || match rest.0.get() {
        // A request for it is answered at once now.
        Held::Yes => Suspend::new(async move { apart::page_of(page).await.ok() }).into_any(),
        Held::No | Held::Coming => view! { <Loading/> }.into_any(),
        // The page around it stands without it.
        Held::Failed if page == More::Week => ().into_any(),
        Held::Failed => view! { <Missing rest/> }.into_any(),
    };
    shown.into_any()
}

/// Says that the pages could not be fetched.
#[component]
fn Missing(rest: Rest) -> impl IntoView {
    let error = ApiError::new(
        ErrorCode::Unavailable,
        "This page could not be fetched. Check the connection and try again. If it stays away, reload: there may be a new version.",
    );
    view! {
        <Page title="This page is not here yet">
            <ErrorNote error/>
            <div class="actions"><button type="button" data-testid="fetch-again" on:click=move |_| rest.fetch()>"Try again"</button></div>
        </Page>
    }
}
