//! Every event that touched a lesson, with what it changed, newest first; older pages are asked for.

use super::pager::Pager;
use crate::api::{Asking, Client};
use crate::components::{ErrorNote, When};
use crate::format;
use crate::outcome;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{History, HistoryEntry, StandingView};
use serde_json::Value;

/// Events on a page.
pub const PAGE: u32 = 12;

/// The events. What was asked for of older pages stays while newer events come.
#[component]
pub fn HistoryList(
    slug: String,
    /// The lesson's field, for the words of its outcomes.
    #[prop(into)]
    domain: Signal<String>,
    history: Memo<Option<History>>,
) -> impl IntoView {
    let client = Client::get_from_context();
    let me = Syncing::get_from_context().me();
    let asking = Asking::default();
    let slug = StoredValue::new(slug);
    let pages = RwSignal::new(Pager::<HistoryEntry>::default());
    Effect::new(move |_| {
        history.with(|history| {
            if let Some(history) = history {
                pages.update(|pages| pages.renew(history.total, history.events.clone()));
            }
        });
    });
    let rows = move || {
        let (domain, me) = (domain.get(), me.get());
        pages.with(|pages| {
            let newest = pages.newest_first().cloned();
            newest
                .map(|event| entry(event, &domain, me.as_deref()))
                .collect::<Vec<_>>()
        })
    };
    let next = move || pages.with(Pager::before);
    let total = move || history.with(|history| history.as_ref().map_or(0, |history| history.total));
    let more = move |_| {
        let Some(before) = next() else { return };
        let path = format!(
            "/v1/lessons/{}/history?limit={PAGE}&before={before}",
            format::encode(&slug.get_value())
        );
        asking.run(client.get::<History>(path), move |page| {
            pages.try_update(|pages| pages.prepend(page.events));
        });
    };
    view! {
        <section class="stack">
            <div class="card-head"><h3 class="sr-only">"Every event"</h3><span class="chip" data-testid="history-total">{move || format::plural(total(), "event", "events")}</span></div>
            <ol class="history" data-testid="history">{rows}</ol>
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            <Show when=move || next().is_some()>
                <button type="button" disabled=asking.busy on:click=more data-testid="history-more">
                    {move || if asking.busy.get() { "Loading…".to_owned() } else { format!("Show {PAGE} older events") }}
                </button>
            </Show>
        </section>
    }
}

fn entry(entry: HistoryEntry, domain: &str, me: Option<&str>) -> AnyView {
    let who = who::or_device(&entry.by, me, &entry.actor);
    let summary = match entry.event.as_str() {
        "OutcomeRecorded" => outcome::in_summary(&entry.summary, domain),
        _ => entry.summary,
    };
    let moved = match &entry.before {
        Some(before) => changes(before, &entry.after),
        None => Vec::new(),
    };
    let event = entry.event.clone();
    let rows = moved
        .into_iter()
        .map(|change| {
            view! {
                <li><span>{change.name}</span>" "<span class="num">{change.before}</span>" → "<b class="num">{change.after}</b></li>
            }
        })
        .collect_view();
    view! {
        <li data-testid="history-event" data-event=event>
            <div class="event-head">
                <b>{summary}</b>
                <span class="muted">
                    <When at=entry.at.clone()/>
                    " · "{kind(&entry.event).to_owned()}
                    {who.map(|who| format!(" · by {who}"))}
                </span>
            </div>
            {entry.reason.map(|reason| view! { <p class="muted" data-testid="event-uncounted">{reason}</p> })}
            <ul class="moved">{rows}</ul>
        </li>
    }
    .into_any()
}

/// Returns the word for an event; its name in the ledger where there is none.
fn kind(event: &str) -> &str {
    match event {
        "LessonAdded" => "written",
        "LessonEdited" => "edit",
        "LessonArchived" => "archived",
        "LessonRestored" => "restored",
        "LessonReviewed" => "verdict",
        "LessonsMerged" => "merge",
        "Surfaced" => "recommendation",
        "UsageTracked" => "use",
        "OutcomeRecorded" => "outcome",
        "FeedbackGiven" => "feedback",
        "Rated" => "rating",
        "Voted" => "vote",
        other => other,
    }
}

/// A number of the standing that an event moved.
#[derive(Debug, PartialEq)]
struct Change {
    name: String,
    before: String,
    after: String,
}

/// The numbers that differ, by their names in the API.
fn changes(before: &StandingView, after: &StandingView) -> Vec<Change> {
    let (Ok(Value::Object(before)), Ok(Value::Object(after))) =
        (serde_json::to_value(before), serde_json::to_value(after))
    else {
        return Vec::new();
    };
    after
        .into_iter()
        .filter(|(name, now)| before.get(name) != Some(now))
        .map(|(name, now)| Change {
            before: shown(before.get(&name).unwrap_or(&Value::Null)),
            after: shown(&now),
            name: match name.as_str() {
                // No proof of it: see its effect.
                "proven_effective" => "Qualified by use".to_owned(),
                name => format::spaced(name),
            },
        })
        .collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => format::time(text),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| format::trim(number, 4)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn only_what_moved_is_shown() {
        let before: StandingView = serde_json::from_value(serde_json::json!({
            "confidence": 0.5, "frequency": 1, "upvotes": 0, "downvotes": 0, "times_surfaced": 3, "times_helpful": 0,
            "times_not_helpful": 0, "effectiveness": 0.5, "use_count": 0, "causal_hits": 0, "times_applied": 2,
            "success_count": 2, "consecutive_failures": 0, "proven_effective": false, "qualified_at": null,
            "last_used_at": null, "last_feedback_at": null
        }))
        .expect("a standing");
        let mut after = before.clone();
        after.times_applied = 3;
        after.proven_effective = true;
        after.qualified_at = Some("2026-11-22T01:16:50Z".into());
        let mut moved: Vec<_> = changes(&before, &after)
            .into_iter()
            .map(|c| (c.name, c.before, c.after))
            .collect();
        moved.sort();
        let expected = [
            ("Qualified at", "–", "2026-11-22 01:16"),
            ("Qualified by use", "no", "yes"),
            ("Times applied", "2", "3"),
        ];
        assert_eq!(
            moved,
            expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()))
        );
        assert_eq!(changes(&before, &before), []);
    }
}
