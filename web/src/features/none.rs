//! No lesson is in use: there is none at all yet, some are on their way, or all are archived; and what to do next.

use crate::api::{Client, Query, use_get, use_query};
use crate::components::{Empty, Loading};
use crate::features::demo::DemoButton;
use crate::features::settings::SamplesButton;
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{LessonPage, Stats, SyncPhase};

/// Where archived lessons are listed.
const ARCHIVED: &str = "/lessons?archived=true";
const COUNTED: &str = "/v1/lessons?archived=true&limit=1";

/// The note of a page while no lesson is in use.
#[component]
pub fn NoneInUse(
    /// The purpose of the page, and how to begin.
    #[prop(
        default = "Load the samples to look around, import what your agents have already learned, or write the first lesson yourself."
    )]
    text: &'static str,
    /// The step to take once the samples are there, as a sentence.
    #[prop(default = "")]
    then: &'static str,
) -> impl IntoView {
    let archived = use_get::<LessonPage>(|| COUNTED.to_owned());
    let coming = coming();
    move || {
        let archived = archived.data.with(|page| match page {
            Some(Ok(page)) => Some(page.total),
            Some(Err(_)) => Some(0),
            None => None,
        });
        match archived {
            None => view! { <Loading/> }.into_any(),
            Some(0) if coming.get() => view! {
                <Empty title="Your lessons are on their way" text="They are being fetched from the server and appear here as they arrive."/>
            }
            .into_any(),
            Some(0) => view! {
                <Empty title="No lessons yet" text=text>
                    <SamplesButton then/>
                    <DemoButton/>
                    <a href="/settings" class="button">"Import lessons"</a>
                    <a href="/lessons/new" class="button">"Write a lesson"</a>
                </Empty>
            }
            .into_any(),
            Some(_) => view! {
                <Empty title="All lessons are archived" text="None of them is recommended. Restore those that are still useful, or write a new one.">
                    <a href=ARCHIVED class="button primary" data-testid="show-archived">"Show archived lessons"</a>
                    <a href="/lessons/new" class="button">"Write a lesson"</a>
                </Empty>
            }
            .into_any(),
        }
    }
}

/// Counts the lessons of the space, archived ones too.
pub fn lesson_count() -> Query<u32> {
    let client = Client::get_from_context();
    use_query(move || {
        let asked = client.get::<Stats>("/v1/stats");
        async move {
            let stats = asked.await?;
            Ok(stats.lessons.saturating_add(stats.archived))
        }
    })
}

/// True while a server's lessons are being fetched for the first time.
pub fn coming() -> Memo<bool> {
    let syncing = Syncing::get_from_context();
    Memo::new(move |_| {
        syncing.read(|status| {
            let moving = matches!(status.phase, SyncPhase::Pushing | SyncPhase::Pulling);
            moving && status.synced_at.is_none()
        })
    })
}
