//! Lessons whose runs succeed more often than before, and less often.

use crate::components::{Sparkline, points};
use crate::features::range::Range;
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::{Insights, LessonInsight};

/// Lines of a kind.
const EACH: usize = 3;

/// The list.
#[component]
pub fn Movers(insights: Memo<Insights>, range: RwSignal<Range>) -> impl IntoView {
    let moved = Memo::new(move |_| {
        insights.with(|insights| {
            let risers = insights.risers.iter().take(EACH);
            let fallers = insights.fallers.iter().take(EACH);
            risers.chain(fallers).cloned().collect::<Vec<_>>()
        })
    });
    view! {
        <section class="panel" data-testid="movers" aria-labelledby="movers-title">
            <header><h2 id="movers-title">"Risers and fallers"</h2><small>{move || range.get().words()}</small></header>
            {move || match moved.get() {
                moved if moved.is_empty() => view! { <p class="quiet">"Lessons appear here once runs that applied them have outcomes in both halves of this range."</p> }.into_any(),
                moved => view! { <ul class="lines">{moved.into_iter().map(drawn).collect_view()}</ul> }.into_any(),
            }}
        </section>
    }
}

fn drawn(lesson: LessonInsight) -> AnyView {
    let change = lesson.change.unwrap_or_default();
    let up = change > 0.0;
    // The change has no interval, so the arrow says which way it goes, and no colour judges it.
    let d = if up { "M8 3l6 10H2z" } else { "M8 13l6-10H2z" };
    let name = if lesson.title.is_empty() {
        &lesson.slug
    } else {
        &lesson.title
    };
    let about = format!("{} points in success", points(change));
    view! {
        <li><a href=format!("/lessons/{}", format::encode(&lesson.slug)) title=about>
            <svg class="line-arrow muted" viewBox="0 0 16 16" aria-hidden="true"><path d=d></path></svg>
            <span class="line-text" dir="auto">{visible(name)}</span>
            <Sparkline values=lesson.course/>
            <b>{points(change)}</b>
        </a></li>
    }
    .into_any()
}
