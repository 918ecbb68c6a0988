//! Lessons that say much the same as what is being written, so that nobody writes one twice.

use super::form::LessonFields;
use crate::api::{Client, Latest};
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::{Found, RelevanceWord, Search, SearchResults, limits};

/// A pause in typing after which lessons are looked for, in milliseconds.
const PAUSE: f64 = 600.0;
/// Letters below which too little is said to compare.
const LEAST: usize = 12;
/// Lessons that are named.
const NAMED: usize = 3;

/// Names lessons that are very much like the text in the fields; `own` is the slug of the lesson that is edited.
#[component]
pub fn Similar(fields: LessonFields, own: Option<String>) -> impl IntoView {
    let client = Client::get_from_context();
    let found = RwSignal::new(Vec::<Found>::new());
    let latest = Latest::default();
    let own = StoredValue::new(own);
    let look = move || {
        let text = fields.text_untracked();
        let query: String = format!("{}\n{}", text.title.trim(), text.recommendation.trim())
            .chars()
            .take(limits::QUERY)
            .collect();
        latest.begin();
        if text.title.trim().chars().count() < LEAST {
            found.try_set(Vec::new());
            return;
        }
        let asked = Search {
            query,
            limit: Some(NAMED as u32 + 1),
            ..Search::default()
        };
        let answer = client.post_json::<SearchResults>("/v1/search", &asked);
        latest.ask(answer, move |answer| {
            // It is an aid: where it can't be had, one writes on.
            let mut alike = answer.map_or_else(|_| Vec::new(), |answer| answer.results);
            alike.retain(|one| {
                let is_own = own.with_value(|own| own.as_ref() == Some(&one.slug));
                one.relevance == RelevanceWord::VeryHigh && !is_own
            });
            alike.truncate(NAMED);
            found.try_set(alike);
        });
    };
    let soon = use_debounce_fn(look, PAUSE);
    Effect::new(move |before: Option<(String, String)>| {
        let text = fields.text();
        let now = (text.title, text.recommendation);
        if before.is_some_and(|before| before != now) {
            soon();
        }
        now
    });
    move || {
        let found = found.get();
        (!found.is_empty()).then(|| {
            let links = found.into_iter().map(|one| {
                let to = format!("/lessons/{}", format::encode(&one.slug));
                view! { <li><a href=to dir="auto" data-testid="similar">{visible(&one.title)}</a></li> }
            });
            view! {
                <div class="note note-warn" role="status" data-testid="similar-note">
                    <p>"There may be a lesson for this already. Your draft is kept while you look."</p>
                    <ul>{links.collect_view()}</ul>
                </div>
            }
        })
    }
}
