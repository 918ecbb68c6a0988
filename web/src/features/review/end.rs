//! Nothing is left to review: what was done, and where to go from here.

use crate::api::use_get;
use crate::dom;
use crate::features::none::NoneInUse;
use crate::format;
use crate::review::{Reviewing, Visit};
use leptos::prelude::*;
use lesson_types::LessonPage;

/// The end of the queue; or its beginning, where nothing waited.
#[component]
pub fn End() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let any = use_get::<LessonPage>(|| "/v1/lessons?limit=1".to_owned());
    let none = Memo::new(move |_| {
        any.data
            .with(|page| matches!(page, Some(Ok(page)) if page.total == 0))
    });
    let visit = Memo::new(move |_| reviewing.visit());
    let skipped = Memo::new(move |_| reviewing.skipped());
    let proposed = Memo::new(move |_| reviewing.proposals() > 0);
    view! {
        {move || if visit.get().done > 0 || skipped.get() > 0 {
            view! { <CaughtUp visit=visit.get() skipped=skipped.get() proposed=proposed.get()/> }.into_any()
        } else if proposed.get() {
            view! { <p class="quiet" data-testid="no-lesson-waits">"No lesson waits."</p> }.into_any()
        } else if none.get() {
            view! { <NoneInUse text="Lessons that your agents write wait here until you have reviewed them. Load the samples to try it, or import what your agents have already learned."/> }.into_any()
        } else {
            view! {
                <div class="caught-up" data-testid="caught-up">
                    <Mark/>
                    <h2>"Nothing waits"</h2>
                    <p>"New lessons, near duplicates, and lessons that are shown often but never rated will wait for you here."</p>
                    <Ways/>
                </div>
            }.into_any()
        }}
    }
}

#[component]
fn CaughtUp(visit: Visit, skipped: u32, proposed: bool) -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let title = if skipped > 0 {
        "The rest can wait"
    } else if proposed {
        "No lesson waits"
    } else {
        "All caught up"
    };
    let done = format!(
        "You handled {} in this session.",
        format::plural(visit.done, "lesson", "lessons")
    );
    let rows = [
        ("Approved", visit.approved),
        ("Archived", visit.archived),
        ("Merged", visit.merged),
        ("Rated", visit.rated),
        ("Another trial", visit.tried),
        ("Kept", visit.kept),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(name, count)| view! { <div><dt>{name}</dt><dd>{format::count(count)}</dd></div> })
    .collect_view();
    // The button or the lesson that had the focus is gone.
    dom::focus("review-end");
    view! {
        <div class="caught-up" data-testid="caught-up">
            <Mark/>
            <h2 id="review-end" tabindex="-1">{title}</h2>
            <p>{done}</p>
            <dl class="counts">{rows}</dl>
            {(skipped > 0).then(|| view! {
                <button type="button" class="primary" data-testid="unskip" on:click=move |_| reviewing.unskip()>
                    {format!("Look at {} again", format::plural(skipped, "skipped lesson", "skipped lessons"))}
                </button>
            })}
            <Ways/>
        </div>
    }
}

#[component]
fn Ways() -> impl IntoView {
    view! {
        <div class="actions">
            <a href="/insights" class="button">"See the insights"</a>
            <a href="/lessons" class="button">"All lessons"</a>
        </div>
    }
}

#[component]
fn Mark() -> impl IntoView {
    view! {
        <svg class="caught-up-mark" viewBox="0 0 48 48" aria-hidden="true">
            <circle cx="24" cy="24" r="20"></circle>
            <path d="M15 24.5l6.5 6.5L34 18"></path>
        </svg>
    }
}
