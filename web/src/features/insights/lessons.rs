//! Lessons in the runs of the range, and lessons that no run was shown.

use crate::components::{Column, DataTable, EffectChip, LiftCell, Sorted, Sparkline, When, points};
use crate::features::figures::success_of;
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::{LessonInsight, LessonLift, LiftReport, StaleLesson};
use std::collections::HashMap;

/// A row: a lesson, and what withholding it has shown.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    lesson: LessonInsight,
    measured: Option<LessonLift>,
}

/// Lessons, those applied most often first.
#[component]
pub fn LessonTable(
    lessons: Signal<Vec<LessonInsight>>,
    lift: Memo<Option<LiftReport>>,
) -> impl IntoView {
    let rows = Signal::derive(move || {
        let known: HashMap<String, LessonLift> = lift.with(|lift| {
            let lessons = lift.iter().flat_map(|lift| lift.lessons.iter());
            lessons
                .map(|held| (held.slug.clone(), held.clone()))
                .collect()
        });
        lessons
            .get()
            .into_iter()
            .map(|lesson| Row {
                measured: known.get(&lesson.slug).cloned(),
                lesson,
            })
            .collect::<Vec<_>>()
    });
    let columns = vec![
        Column::new("Lesson", |row: &Row| {
            title(&row.lesson.slug, &row.lesson.title)
        })
        .wide()
        .text(|row: &Row| row.lesson.title.clone()),
        Column::new("Lift", |row: &Row| match row.lesson.lift.clone() {
            Some(lift) => view! { <LiftCell lift/> }.into_any(),
            None => "–".into_any(),
        })
        .num()
        .by(|row: &Row| Some(row.lesson.lift.as_ref()?.mean))
        .figure(|row: &Row| Some(row.lesson.lift.as_ref()?.mean)),
        Column::new("Measured", |row: &Row| effect(row.measured.as_ref())).text(|row: &Row| {
            let held = row.measured.as_ref();
            held.map_or_else(String::new, |held| held.badge.clone())
        }),
        Column::new("Success", |row: &Row| {
            success_of(row.lesson.success).into_any()
        })
        .num()
        .by(|row: &Row| row.lesson.success.map(|rate| rate.share))
        .figure(|row: &Row| row.lesson.success.map(|rate| rate.share)),
        Column::new("Applied", |row: &Row| {
            format::count(row.lesson.applied).into_any()
        })
        .num()
        .by(|row: &Row| Some(row.lesson.applied))
        .figure(|row: &Row| Some(f64::from(row.lesson.applied))),
        Column::new("Shown", |row: &Row| {
            format::count(row.lesson.given).into_any()
        })
        .num()
        .by(|row: &Row| Some(row.lesson.given))
        .figure(|row: &Row| Some(f64::from(row.lesson.given))),
        Column::new("Tokens", |row: &Row| {
            format::count(row.lesson.tokens).into_any()
        })
        .num()
        .by(|row: &Row| Some(row.lesson.tokens))
        .figure(|row: &Row| Some(f64::from(row.lesson.tokens))),
        Column::new("Trend", |row: &Row| course(&row.lesson)),
        Column::new("Change", |row: &Row| change(row.lesson.change))
            .num()
            .by(|row: &Row| row.lesson.change)
            .figure(|row: &Row| row.lesson.change),
    ];
    let sorted = Sorted {
        column: 4,
        down: true,
    };
    view! { <DataTable caption="Lessons in the runs of this range" columns rows sorted address="sort" none="No run in this range got a lesson." testid="by-lesson" file="lessons"/> }
}

fn title(slug: &str, title: &str) -> AnyView {
    let name = if title.is_empty() { slug } else { title };
    view! { <a href=format!("/lessons/{}", format::encode(slug)) dir="auto">{visible(name)}</a> }
        .into_any()
}

/// Draws the verdict on a lesson's effect, or how much more it takes to give one.
fn effect(held: Option<&LessonLift>) -> AnyView {
    let Some(held) = held else {
        return ().into_any();
    };
    let (verdict, badge) = (held.verdict, held.badge.clone());
    let interval = held.lift.low.zip(held.lift.high);
    view! { <EffectChip verdict badge interval/> }.into_any()
}

/// A change without an interval is told and not judged.
fn change(change: Option<f64>) -> AnyView {
    change.map_or_else(|| "–".to_owned(), points).into_any()
}

fn course(lesson: &LessonInsight) -> AnyView {
    view! { <Sparkline values=lesson.course.clone()/> }.into_any()
}

/// Lessons in use that no run was shown.
#[component]
pub fn StaleTable(stale: Signal<Vec<StaleLesson>>, total: Signal<u32>) -> impl IntoView {
    let more = move || {
        let shown = stale.read().len() as u32;
        (total.get() > shown).then(|| {
            view! { <p class="quiet">{format!("The oldest {} of {}.", format::count(shown), format::plural(total.get(), "lesson", "lessons"))}</p> }
        })
    };
    let columns = vec![
        Column::new("Lesson", |row: &StaleLesson| title(&row.slug, &row.title)).wide(),
        Column::new("Added", |row: &StaleLesson| {
            view! { <When at=row.created_at.clone()/> }.into_any()
        })
        .num()
        .by(|row: &StaleLesson| Some(row.created_at.clone())),
        Column::new("Ever shown", |row: &StaleLesson| {
            format::count(row.times_surfaced).into_any()
        })
        .num()
        .by(|row: &StaleLesson| Some(row.times_surfaced)),
    ];
    view! {
        <DataTable caption="Lessons that no run in this range got" columns rows=stale address="sort" none="Every older lesson was shown in a run in this range." testid="stale"/>
        {more}
    }
}
