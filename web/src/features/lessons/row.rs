//! A lesson as a row of the table: its name and a line of it, a badge where one tells something, and its numbers.

use super::feed::{Feed, Row};
use super::selection::Selection;
use crate::components::{LiftCell, LiftChip, RelevanceChip, Sparkline};
use crate::features::figures::rate;
use crate::format;
use crate::markdown::plain;
use leptos::prelude::*;
use lesson_types::{LessonView, LiftWord, Qualification, Trust};
use std::sync::Arc;

/// The cells of a row.
#[component]
pub fn RowCells(row: Arc<Row>, at: u32, feed: Feed, selection: Selection) -> impl IntoView {
    let lesson = &row.lesson;
    let href = format!("/lessons/{}", format::encode(&lesson.slug));
    let about = if lesson.description.is_empty() {
        &lesson.context
    } else {
        &lesson.description
    };
    let about = match plain(about) {
        about if about.is_empty() => plain(&lesson.recommendation),
        about => about,
    };
    let slug = lesson.slug.clone();
    let picked = Memo::new(move |_| selection.has(&slug));
    let label = format!("Select “{}”", lesson.title);
    let title = lesson.title.clone();
    let numbers = numbers(lesson);
    let lift = lesson.lift.clone();
    let uses = if numbers.uses == "1" { "use" } else { "uses" };
    let used = row.course.last_used_at.clone();
    let last = used.as_deref().map_or_else(|| "never".to_owned(), ago);
    let last_title = used.as_deref().map(format::exact_time);
    let course = row.course.success.clone();
    let badge = {
        let row = Arc::clone(&row);
        move || badge(&row.lesson, feed)
    };
    // True if the shift key was held, which the change itself does not tell.
    let ranged = StoredValue::new(false);
    view! {
        <span role="cell" class="cell-pick">
            <label class="row-pick">
                <input type="checkbox" aria-label=label prop:checked=picked data-testid="pick"
                    on:click=move |event| ranged.set_value(event.shift_key())
                    on:change=move |_| selection.pick(feed, at, &row.lesson, ranged.get_value())/>
            </label>
        </span>
        <span role="cell" class="cell-lesson">
            <a href=href class="row-link">
                <span class="row-title" dir="auto">{title}</span>
                <span class="row-about" dir="auto">{about}</span>
            </a>
        </span>
        <span role="cell" class="cell-badge">{badge}</span>
        <span role="cell" class="cell-score num" data-label="lift"><LiftCell lift/></span>
        <span role="cell" class="cell-success num" data-label="success">{numbers.success}</span>
        <span role="cell" class="cell-uses num" data-label=uses>{numbers.uses}</span>
        <span role="cell" class="cell-trend">{trend(course)}</span>
        <span role="cell" class="cell-used" title=last_title>{last}</span>
    }
}

/// The success of the last weeks as a line; nothing while there are less than two points.
fn trend(success: Vec<Option<f64>>) -> AnyView {
    let mut known = success.iter().flatten();
    let (Some(first), Some(last)) = (known.next().copied(), known.next_back().copied()) else {
        return ().into_any();
    };
    let words = format!(
        "from {} to {}",
        format::percent(first),
        format::percent(last)
    );
    view! { <Sparkline values=success/><span class="sr-only">{words}</span> }.into_any()
}

struct Numbers {
    success: String,
    uses: String,
}

/// A dash stands where there is nothing to count yet: a starting value would look like a finding.
fn numbers(lesson: &LessonView) -> Numbers {
    let standing = &lesson.standing;
    Numbers {
        success: rate(standing.success_count, standing.times_applied),
        uses: match standing.times_applied {
            0 => "–".to_owned(),
            uses => format::count(uses),
        },
    }
}

/// The one thing that a person should know of the lesson before anything else; none of most.
fn badge(lesson: &LessonView, feed: Feed) -> AnyView {
    let (class, word, title) = match lesson.trust {
        Trust::Quarantined => (
            "chip chip-bad",
            "Held back",
            "Not recommended until a person approves it with a reason",
        ),
        _ => {
            if lesson.lift.verdict != LiftWord::Unsure {
                let lift = lesson.lift.clone();
                return view! { <span data-testid="row-badge"><LiftChip lift/></span> }.into_any();
            }
            let found = feed
                .relevance
                .with(|words| words.get(&lesson.slug).copied());
            if let Some(relevance) = found {
                return view! { <RelevanceChip relevance/> }.into_any();
            }
            standing(lesson, feed.tells_unreviewed.get())
        }
    };
    // Of most lessons it is open whether they help; the number beside says how much.
    if word.is_empty() {
        return ().into_any();
    }
    view! { <span class=class title=title data-testid="row-badge">{word}</span> }.into_any()
}

fn standing(
    lesson: &LessonView,
    tells_unreviewed: bool,
) -> (&'static str, &'static str, &'static str) {
    match lesson.derived.qualification {
        Qualification::Pending | Qualification::Excluded => (
            "chip",
            "Kept out",
            "Not recommended: what came of it speaks against it",
        ),
        Qualification::Qualified if lesson.trust == Trust::Unreviewed && tells_unreviewed => (
            "chip chip-warn",
            "Unreviewed",
            "Nobody has reviewed this text yet",
        ),
        Qualification::Qualified => ("", "", ""),
    }
}

/// Returns how long ago a time was, in as few characters as a column has.
fn ago(at: &str) -> String {
    short((js_sys::Date::now() - js_sys::Date::parse(at)) / 60_000.0)
}

fn short(minutes: f64) -> String {
    const HOUR: f64 = 60.0;
    const DAY: f64 = 24.0 * HOUR;
    let n = |unit: f64| format::trim((minutes / unit).floor(), 0);
    match minutes {
        // Another device's clock may be ahead.
        m if m.is_nan() => String::new(),
        m if m < 1.0 => "just now".to_owned(),
        m if m < HOUR => format!("{} min ago", n(1.0)),
        m if m < DAY => format!("{} h ago", n(HOUR)),
        m if m < 60.0 * DAY => format!("{} d ago", n(DAY)),
        m if m < 730.0 * DAY => format!("{} mo ago", n(30.0 * DAY)),
        _ => format!("{} y ago", n(365.0 * DAY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_age_fits_a_column() {
        for (minutes, text) in [
            (-5.0, "just now"),
            (0.5, "just now"),
            (59.9, "59 min ago"),
            (60.0, "1 h ago"),
            (1_439.0, "23 h ago"),
            (1_440.0, "1 d ago"),
            (86_400.0, "2 mo ago"),
            (1_051_200.0, "2 y ago"),
            (f64::NAN, ""),
        ] {
            assert_eq!(short(minutes), text, "{minutes}");
        }
    }
}
