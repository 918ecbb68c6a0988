//! The latest events, by the name of who caused them.

use crate::api::{Client, use_query};
use crate::components::Skeleton;
use crate::format;
use crate::markdown::visible;
use crate::outcome;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{DecisionPage, DecisionView, LessonPage, LessonView};

/// Lines that are shown.
const LINES: usize = 8;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    at: String,
    by: String,
    did: String,
    what: String,
    href: String,
}

/// The list.
#[component]
pub fn Activity() -> impl IntoView {
    let client = Client::get_from_context();
    let me = Syncing::get_from_context().me();
    let runs =
        use_query(move || client.get::<DecisionPage>(format!("/v1/decisions?limit={LINES}")));
    let lessons = use_query(move || {
        client.get::<LessonPage>(format!("/v1/lessons?sort=created&limit={LINES}"))
    });
    let events = Memo::new(move |_| {
        let (runs, lessons) = (runs.value()?, lessons.value()?);
        let mut events: Vec<Event> = runs.decisions.iter().flat_map(of_run).collect();
        events.extend(added(&lessons.lessons));
        events.sort_by(|a, b| b.at.cmp(&a.at));
        events.truncate(LINES);
        Some(events)
    });
    view! {
        <section class="panel" data-testid="activity" aria-labelledby="activity-title">
            <header><h2 id="activity-title">"Activity"</h2><span class="grow"></span><a href="/runs" class="quiet-link">"All runs"</a></header>
            {move || match events.get() {
                None => view! { <div class="pad"><Skeleton/></div> }.into_any(),
                Some(events) if events.is_empty() => view! { <p class="quiet">"Nothing has happened yet."</p> }.into_any(),
                Some(events) => view! {
                    <ul class="lines lines-wrap">{events.into_iter().map(|event| drawn(event, me.get().as_deref())).collect_view()}</ul>
                }.into_any(),
            }}
        </section>
    }
}

fn drawn(event: Event, me: Option<&str>) -> AnyView {
    let who = who::name(&event.by, me).unwrap_or_else(|| "somebody".to_owned());
    let at = js_sys::Date::parse(&event.at);
    let ago = format::ago((js_sys::Date::now() - at).max(0.0) / 1_000.0);
    view! {
        <li><a href=event.href>
            <span class="line-who">{capital(&who)}</span>
            <span class="line-text" dir="auto"><span class="muted">{event.did}</span>" "{event.what}</span>
            <time class="muted" datetime=event.at>{ago}</time>
        </a></li>
    }
    .into_any()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Lists the events of a run: the lessons that it got, its outcome and its feedback.
fn of_run(run: &DecisionView) -> Vec<Event> {
    let what = run
        .query
        .as_deref()
        .or(run.domain.as_deref())
        .unwrap_or(&run.id);
    let event = |at: &str, by: &str, did: String| Event {
        at: at.to_owned(),
        by: by.to_owned(),
        did,
        what: visible(what),
        href: format!("/runs?run={}", format::encode(&run.id)),
    };
    let mut events = Vec::new();
    if let Some(at) = &run.at {
        let lessons = format::plural(run.lessons.len() as u32, "lesson", "lessons");
        events.push(event(at, &run.by, format!("got {lessons} for")));
    }
    if let (Some(at), Some(came)) = (&run.outcome_at, run.outcome) {
        let word = outcome::word(came, run.domain.as_deref().unwrap_or_default());
        events.push(event(at, &run.outcome_by, format!("reported {word} for")));
    }
    let feedback = run.feedback.iter();
    events.extend(feedback.map(|given| event(&given.at, &given.by, "gave feedback on".to_owned())));
    events
}

/// Lessons that were added; many at one time are one line.
fn added(lessons: &[LessonView]) -> Vec<Event> {
    let mut events: Vec<(Event, u32)> = Vec::new();
    for lesson in lessons {
        if let Some((event, many)) = events.last_mut()
            && event.at.get(..16) == lesson.created_at.get(..16)
            && event.by == lesson.by
        {
            *many += 1;
            continue;
        }
        events.push((
            Event {
                at: lesson.created_at.clone(),
                by: lesson.by.clone(),
                did: "added".to_owned(),
                what: visible(&lesson.title),
                href: format!("/lessons/{}", format::encode(&lesson.slug)),
            },
            1,
        ));
    }
    events
        .into_iter()
        .map(|(event, many)| match many {
            1 => event,
            _ => Event {
                what: format!("{} and others", event.what),
                href: "/lessons?sort=created".to_owned(),
                ..event
            },
        })
        .collect()
}
