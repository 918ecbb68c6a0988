//! The list itself: pages are fetched as the end comes into view; rows out of view cost no layout (see the style
//! of `.lesson-row`).

use super::filter::Filter;
use crate::client::Client;
use crate::format;
use crate::markdown::plain;
use crate::ui::{BadgeChip, RelevanceChip, TrustChip};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::components::A;
use lesson_api::{ApiError, LessonPage, LessonView, RelevanceWord, Search, SearchResults, limits};
use std::collections::HashMap;
use wasm_bindgen::prelude::*;
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Lessons fetched at first: more than a tall screen shows.
const FIRST: usize = 40;
/// Lessons fetched as the end comes near.
const MORE: usize = 100;
/// How near, as a margin for the observer.
const NEAR: &str = "1200px";

/// What has been fetched of the list.
#[derive(Clone, Copy)]
pub struct Feed {
    client: Client,
    filter: Memo<Filter>,
    rows: RwSignal<Vec<LessonView>>,
    cursor: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// Counts the lists asked for; an answer to an older one is dropped.
    turn: StoredValue<u32>,
    /// How many lessons fit in all.
    pub total: RwSignal<u32>,
    /// Whether the model took part.
    pub semantic: RwSignal<bool>,
    /// Whether the first page of this filter is here.
    pub loaded: RwSignal<bool>,
    /// Why the last page is not.
    pub error: RwSignal<Option<ApiError>>,
    /// How well the best lessons fit the search, by slug.
    relevance: RwSignal<HashMap<String, RelevanceWord>>,
}

impl Feed {
    /// Follows a filter and the store.
    pub fn new(filter: Memo<Filter>) -> Self {
        let feed = Self {
            client: Client::get_from_context(),
            filter,
            rows: RwSignal::new(Vec::new()),
            cursor: RwSignal::new(None),
            busy: RwSignal::new(false),
            turn: StoredValue::new(0),
            total: RwSignal::new(0),
            semantic: RwSignal::new(false),
            loaded: RwSignal::new(false),
            error: RwSignal::new(None),
            relevance: RwSignal::new(HashMap::new()),
        };
        // A model that came or went changes what a search finds.
        let by_meaning = Memo::new(move |_| feed.client.ranks_by_meaning());
        Effect::new(move |before: Option<Filter>| {
            let filter = filter.get();
            feed.client.changed.track();
            // Read, not only tracked: a memo that nobody reads never runs.
            by_meaning.get();
            // After a change in the store, as many rows as were there.
            let rows = feed.rows.with_untracked(Vec::len);
            let same = before.as_ref() == Some(&filter);
            let limit = if same {
                rows.clamp(FIRST, limits::PAGE)
            } else {
                FIRST
            };
            feed.fetch(limit, None);
            filter
        });
        feed
    }

    /// The domains seen so far.
    pub fn domains(self) -> Vec<String> {
        self.rows.with(|rows| {
            let mut words: Vec<String> = rows
                .iter()
                .map(|row| row.domain.clone())
                .filter(|word| !word.is_empty())
                .collect();
            words.sort();
            words.dedup();
            words
        })
    }

    fn more(self) {
        if !self.busy.get_untracked()
            && self.error.with_untracked(Option::is_none)
            && let Some(cursor) = self.cursor.get_untracked()
        {
            self.fetch(MORE, Some(cursor));
        }
    }

    fn fetch(self, limit: usize, cursor: Option<String>) {
        self.turn.update_value(|turn| *turn += 1);
        let turn = self.turn.get_value();
        self.busy.set(true);
        let path = self
            .filter
            .get_untracked()
            .request(limit, cursor.as_deref());
        spawn_local(async move {
            let answer = self.client.get::<LessonPage>(path).await;
            if self.turn.try_get_value() != Some(turn) {
                return;
            }
            self.busy.set(false);
            match answer {
                Ok(page) => self.take(page, cursor.is_some()),
                Err(error) => self.error.set(Some(error)),
            }
            if cursor.is_none() {
                self.judge(turn).await;
            }
        });
    }

    /// Asks how well the best lessons fit the search, after they are on show.
    async fn judge(self, turn: u32) {
        let query = self
            .filter
            .with_untracked(|filter| filter.q.trim().to_owned());
        let mut words = HashMap::new();
        if !query.is_empty() {
            let limit = u32::try_from(limits::LIMIT).ok();
            if let Ok(found) = self
                .client
                .post_json::<SearchResults>(
                    "/v1/search",
                    &Search {
                        query,
                        limit,
                        explain: None,
                    },
                )
                .await
            {
                words.extend(
                    found
                        .results
                        .into_iter()
                        .map(|found| (found.slug, found.relevance)),
                );
            }
        }
        if self.turn.try_get_value() == Some(turn)
            && self.relevance.with_untracked(|before| *before != words)
        {
            self.relevance.set(words);
        }
    }

    fn take(self, page: LessonPage, append: bool) {
        if append {
            self.rows.update(|rows| rows.extend(page.lessons));
        } else if self.rows.with_untracked(|rows| *rows != page.lessons) {
            self.rows.set(page.lessons);
        }
        self.total.set(page.total);
        self.semantic.set(page.semantic);
        self.cursor.set(page.next_cursor);
        self.error.set(None);
        self.loaded.set(true);
    }
}

/// The rows, and the end that fetches more.
#[component]
pub fn LessonList(feed: Feed) -> impl IntoView {
    let end = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(end) = end.get() {
            watch(&end, move || feed.more());
        }
    });
    // A page that arrives may leave the end in view, which the observer does not tell again.
    let rest = move || {
        feed.total
            .get()
            .saturating_sub(feed.rows.with(|rows| rows.len() as u32))
    };
    view! {
        <ul class="lesson-list" data-testid="lesson-list">
            // The revision and the counts are part of the key: a row that changed is made anew.
            <For
                each=move || feed.rows.get()
                key=|row| (row.slug.clone(), row.rev, row.trust, row.standing.times_surfaced, row.derived.badge.text.clone(), row.standing.confidence.to_bits())
                let:row
            >
                <Row row feed/>
            </For>
        </ul>
        <div class="list-end" node_ref=end>
            <Show when=move || feed.cursor.read().is_some()>
                <button type="button" data-testid="load-more" disabled=feed.busy on:click=move |_| feed.more()>
                    {move || if feed.busy.get() { "Loading…".to_owned() } else { format!("Show more ({} left)", format::count(rest())) }}
                </button>
            </Show>
        </div>
    }
}

#[component]
fn Row(row: LessonView, feed: Feed) -> impl IntoView {
    let href = format!("/lessons/{}", format::encode(&row.slug));
    let about = if row.description.is_empty() {
        row.context
    } else {
        row.description
    };
    let about = plain(&about);
    let mut facts = vec![row.category.as_str().to_owned()];
    if !row.domain.is_empty() {
        facts.push(row.domain);
    }
    facts.extend(row.tech_stacks.into_iter().take(4));
    let shown = row.standing.times_surfaced;
    let slug = row.slug.clone();
    view! {
        <li class="lesson-row" data-testid="lesson-row" data-slug=row.slug.clone()>
            <A href=href>
                <span class="row-title" dir="auto">{row.title}</span>
                <span class="row-about" dir="auto">{about}</span>
                <span class="row-facts">
                    <BadgeChip badge=row.derived.badge/>
                    {move || feed.relevance.with(|words| words.get(&slug).copied()).map(|relevance| view! { <RelevanceChip relevance/> })}
                    <TrustChip trust=row.trust/>
                    {row.archived.then(|| view! { <span class="chip">"Archived"</span> })}
                    <span class="muted">{facts.join(" · ")}</span>
                </span>
            </A>
            <span class="row-numbers">
                <span title="Confidence"><b>{format::percent(row.standing.confidence)}</b>" confidence"</span>
                <span><b>{format::count(shown)}</b>{if shown == 1 { " time shown" } else { " times shown" }}</span>
            </span>
        </li>
    }
}

/// Calls `act` whenever the element comes near the view, for as long as the owner lives.
fn watch(element: &web_sys::Element, act: impl Fn() + 'static) {
    let on_view = Closure::<dyn Fn(Vec<IntersectionObserverEntry>)>::new(
        move |entries: Vec<IntersectionObserverEntry>| {
            if entries
                .iter()
                .any(IntersectionObserverEntry::is_intersecting)
            {
                act();
            }
        },
    );
    let options = IntersectionObserverInit::new();
    options.set_root_margin(NEAR);
    let Ok(observer) =
        IntersectionObserver::new_with_options(on_view.as_ref().unchecked_ref(), &options)
    else {
        return;
    };
    observer.observe(element);
    let kept = StoredValue::new_local((observer, on_view));
    on_cleanup(move || {
        if let Some((observer, _)) = kept.try_update_value(|kept| (kept.0.clone(), ())) {
            observer.disconnect();
        }
    });
}
