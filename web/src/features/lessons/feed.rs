//! The part of the list that has been fetched: the rows around the part on show, and the number of all.

use super::filter::Filter;
use super::window::Window;
use crate::api::{Client, Latest};
use leptos::prelude::*;
use lesson_types::{
    ApiError, LessonCourse, LessonPage, LessonView, RelevanceWord, Search, SearchResults, Trust,
    limits,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Rows fetched on either side of the part on show.
const AROUND: u32 = 60;
/// Rows on either side that have to be there, or more are fetched: as many as a held Tab key passes while they come.
const NEAR: u32 = 40;

/// A lesson of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The lesson.
    pub lesson: LessonView,
    /// The course of its use lately.
    pub course: LessonCourse,
}

/// Rows of the list that follow each other.
#[derive(Clone, Default)]
struct Rows {
    first: u32,
    list: Vec<Arc<Row>>,
}

impl Rows {
    fn get(&self, at: u32) -> Option<&Arc<Row>> {
        self.list.get(at.checked_sub(self.first)? as usize)
    }

    fn end(&self) -> u32 {
        self.first + self.list.len() as u32
    }
}

/// Rows that are asked for: the place where they begin, and their number.
type Range = (u32, u32);

/// The rows to ask for so that `window` and what is near it are there; `None` when they are.
fn wanted(window: Window, total: u32, have: Range) -> Option<Range> {
    let near = (
        window.first.saturating_sub(NEAR),
        window.end.saturating_add(NEAR).min(total),
    );
    let (first, end) = have;
    if near.0 >= near.1 || (first <= near.0 && near.1 <= end) {
        return None;
    }
    let begin = window.first.saturating_sub(AROUND);
    let most = limits::PAGE as u32;
    let count = window.end.saturating_add(AROUND) - begin;
    Some((begin, count.min(most)))
}

/// The part of the list that has been fetched; cheap to copy.
#[derive(Clone, Copy)]
pub struct Feed {
    client: Client,
    filter: Memo<Filter>,
    rows: RwSignal<Rows>,
    /// The part on show.
    pub window: RwSignal<Window>,
    latest: Latest,
    judged: Latest,
    /// True while rows of the list as it stands are on their way.
    busy: StoredValue<bool>,
    /// Number of the lessons that fit, in all.
    pub total: RwSignal<u32>,
    /// True if the model took part.
    pub semantic: RwSignal<bool>,
    /// True once the first rows are here.
    pub loaded: RwSignal<bool>,
    /// True after another search was made, until its first rows are here.
    searches: StoredValue<bool>,
    /// Counts the searches whose first rows came: each is shown from its start.
    pub begun: RwSignal<u32>,
    /// Why the last rows are not.
    pub error: RwSignal<Option<ApiError>>,
    /// Relevance of the lessons that fit the search best, by slug.
    pub relevance: RwSignal<HashMap<String, RelevanceWord>>,
    domains: RwSignal<BTreeSet<String>>,
    /// True if fewer than half of the fetched lessons are unreviewed, so that it says something of one.
    pub tells_unreviewed: RwSignal<bool>,
}

impl Feed {
    /// Follows a filter, the store, and the part on show. `total` is how many rows there were when one was here before.
    pub fn new(filter: Memo<Filter>, total: u32) -> Self {
        let feed = Self {
            client: Client::get_from_context(),
            filter,
            rows: RwSignal::new(Rows::default()),
            window: RwSignal::new(Window { first: 0, end: 20 }),
            latest: Latest::default(),
            judged: Latest::default(),
            busy: StoredValue::new(false),
            total: RwSignal::new(total),
            semantic: RwSignal::new(false),
            loaded: RwSignal::new(false),
            searches: StoredValue::new(false),
            begun: RwSignal::new(0),
            error: RwSignal::new(None),
            relevance: RwSignal::new(HashMap::new()),
            domains: RwSignal::new(BTreeSet::new()),
            tells_unreviewed: RwSignal::new(false),
        };
        // A model that came or went changes what a search finds.
        let by_meaning = Memo::new(move |_| feed.client.ranks_by_meaning());
        Effect::new(move |before: Option<Filter>| {
            let filter = filter.get();
            feed.client.changed.track();
            // Read, not only tracked: a memo that nobody reads never runs.
            by_meaning.get();
            let window = feed.window.get_untracked();
            let begin = window.first.saturating_sub(AROUND);
            // Another search is read from its start, wherever the last one was scrolled to.
            if before.as_ref().is_some_and(|before| *before != filter) {
                feed.searches.set_value(true);
            }
            let range = if feed.searches.get_value() {
                (0, AROUND + 20)
            } else {
                (begin, window.end + AROUND - begin)
            };
            feed.fetch(range, true);
            filter
        });
        Effect::new(move |_| {
            feed.window.track();
            feed.fill();
        });
        feed
    }

    /// The row at a place, if it has been fetched.
    pub fn row(self, at: u32) -> Option<Arc<Row>> {
        self.rows.with(|rows| rows.get(at).cloned())
    }

    /// All rows that are here: where they begin, and where they end.
    pub fn held(self) -> Window {
        self.rows.with_untracked(|rows| Window {
            first: rows.first,
            end: rows.end(),
        })
    }

    /// The domains seen so far.
    pub fn domains(self) -> Vec<String> {
        self.domains.get().into_iter().collect()
    }

    /// Reads the filter, and again when it changes.
    pub fn with_filter<R>(self, read: impl FnOnce(&Filter) -> R) -> R {
        self.filter.with(read)
    }

    /// The filter as it is now.
    pub fn filter(self) -> Filter {
        self.filter.get_untracked()
    }

    /// Fetches what is missing of the part on show, unless something is on its way; then it looks again.
    fn fill(self) {
        if self.busy.get_value() || !self.loaded.get_untracked() {
            return;
        }
        let have = self.rows.with_untracked(|rows| (rows.first, rows.end()));
        let window = self.window.get_untracked();
        if let Some(range) = wanted(window, self.total.get_untracked(), have) {
            self.fetch(range, false);
        }
    }

    fn fetch(self, (first, count): Range, anew: bool) {
        if anew {
            self.judged.begin();
        }
        self.busy.set_value(true);
        let path = self.filter.get_untracked().request(count, first);
        let asked = self.client.get::<LessonPage>(path);
        self.latest.ask(asked, move |answer| {
            self.busy.set_value(false);
            match answer {
                Ok(page) => {
                    self.take(first, page);
                    if self.searches.get_value() {
                        self.searches.set_value(false);
                        self.begun.update(|begun| *begun += 1);
                    }
                }
                Err(error) => self.error.set(Some(error)),
            }
            if anew {
                self.judge();
            }
        });
    }

    /// True if all rows are here.
    pub fn is_whole(self) -> bool {
        self.rows
            .with(|rows| rows.first == 0 && rows.end() >= self.total.get())
    }

    /// Fetches the list from its start, `most` rows at most; `false` where the page asked for something newer meanwhile.
    pub async fn fetch_all(self, most: u32) -> bool {
        let turn = self.latest.begin();
        self.busy.set_value(true);
        let mut list = Vec::new();
        let total = loop {
            let held = list.len() as u32;
            let count = most.saturating_sub(held).min(limits::PAGE as u32);
            let path = self.filter.get_untracked().request(count, held);
            let answer = self.client.get::<LessonPage>(path).await;
            if !turn.is_latest() {
                return false;
            }
            match answer {
                Ok(page) => {
                    let total = page.total;
                    list.extend(rows_of(page));
                    let here = list.len() as u32;
                    if here == held || here >= total.min(most) {
                        break total;
                    }
                }
                Err(error) => {
                    self.busy.set_value(false);
                    self.error.set(Some(error));
                    return false;
                }
            }
        };
        self.busy.set_value(false);
        self.rows.set(Rows { first: 0, list });
        self.total.set(total);
        true
    }

    fn take(self, first: u32, page: LessonPage) {
        let seen = self.domains.with_untracked(|seen| {
            let mut domains = page.lessons.iter().map(|lesson| &lesson.domain);
            domains.all(|domain| domain.is_empty() || seen.contains(domain))
        });
        if !seen {
            self.domains.update(|seen| {
                let domains = page.lessons.iter().map(|lesson| lesson.domain.clone());
                seen.extend(domains.filter(|domain| !domain.is_empty()));
            });
        }
        let unreviewed = page.lessons.iter();
        let unreviewed = unreviewed.filter(|lesson| lesson.trust == Trust::Unreviewed);
        let few = unreviewed.count() * 2 < page.lessons.len();
        if self.tells_unreviewed.get_untracked() != few {
            self.tells_unreviewed.set(few);
        }
        self.total.set(page.total);
        self.semantic.set(page.semantic);
        let list = rows_of(page).collect();
        self.rows.set(Rows { first, list });
        self.error.set(None);
        self.loaded.set(true);
        // It may have been scrolled meanwhile.
        self.fill();
    }

    /// Asks how well the best lessons fit the search, after they are on show.
    fn judge(self) {
        let filter = self.filter.read_untracked();
        let search = Search {
            query: filter.q.trim().to_owned(),
            limit: u32::try_from(limits::LIMIT).ok(),
            explain: None,
        };
        let client = self.client;
        let asked = async move {
            if search.query.is_empty() {
                return HashMap::new();
            }
            let found = client.post_json::<SearchResults>("/v1/search", &search);
            let found = found
                .await
                .map_or_else(|_| Vec::new(), |found| found.results);
            let words = found.into_iter();
            words.map(|found| (found.slug, found.relevance)).collect()
        };
        self.judged.ask(asked, move |words| {
            if self.relevance.with_untracked(|before| *before != words) {
                self.relevance.set(words);
            }
        });
    }
}

/// The lessons of a page, each with its course.
fn rows_of(page: LessonPage) -> impl Iterator<Item = Arc<Row>> {
    let courses = page.courses.into_iter();
    let courses = courses.chain(std::iter::repeat_with(LessonCourse::default));
    let rows = page.lessons.into_iter().zip(courses);
    rows.map(|(lesson, course)| Arc::new(Row { lesson, course }))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn rows_are_asked_for_around_what_is_seen_and_only_when_missing() {
        let at = |first, end| Window { first, end };
        for (window, total, have, expected) in [
            (at(0, 20), 0, (0, 0), None),
            (at(0, 20), 5, (0, 5), None),
            (at(0, 20), 100_000, (0, 80), None),
            (at(70, 90), 100_000, (0, 80), Some((10, 140))),
            (at(50_000, 50_020), 100_000, (0, 80), Some((49_940, 140))),
            (at(99_990, 100_000), 100_000, (99_900, 100_000), None),
            (at(0, 5_000), 100_000, (0, 0), Some((0, 1_000))),
        ] {
            assert_eq!(wanted(window, total, have), expected, "{window:?}");
        }
    }
}
