//! The part of the list of runs that has been fetched: everything from the newest on, as far as was asked for.

use super::filter::Filter;
use crate::api::{Client, Latest};
use leptos::prelude::*;
use lesson_types::{ApiError, DecisionPage, DecisionView, limits};
use std::collections::BTreeSet;

/// Runs on a page.
const PAGE: usize = 25;

/// The extent of what was read.
pub struct Pages {
    /// Number of runs.
    pub count: u32,
    /// True if there are more.
    pub is_cut: bool,
}

/// The runs; cheap to copy.
#[derive(Clone, Copy)]
pub struct Feed {
    client: Client,
    filter: Memo<Filter>,
    /// The runs that are held, newest first.
    pub runs: RwSignal<Vec<DecisionView>>,
    /// Number of the runs that fit the filters, in all; `None` until the first answer.
    pub total: RwSignal<Option<u32>>,
    /// Where the next page begins.
    pub next: RwSignal<Option<String>>,
    /// True while an answer is awaited.
    pub busy: RwSignal<bool>,
    /// Why the last one is missing.
    pub error: RwSignal<Option<ApiError>>,
    latest: Latest,
}

impl Feed {
    /// Follows a filter and the store. As many runs as are held are read anew when the store changes, so that none is
    /// missing between pages.
    pub fn new(filter: Memo<Filter>) -> Self {
        let feed = Self {
            client: Client::get_from_context(),
            filter,
            runs: RwSignal::new(Vec::new()),
            total: RwSignal::new(None),
            next: RwSignal::new(None),
            busy: RwSignal::new(true),
            error: RwSignal::new(None),
            latest: Latest::default(),
        };
        Effect::new(move |before: Option<Filter>| {
            let filter = filter.get();
            feed.client.changed.track();
            let held = if before
                .as_ref()
                .is_some_and(|before| before.same_runs(&filter))
            {
                feed.runs.with_untracked(Vec::len)
            } else {
                feed.runs.set(Vec::new());
                feed.total.set(None);
                feed.next.set(None);
                0
            };
            feed.fetch(held.clamp(PAGE, limits::PAGE), None);
            filter
        });
        feed
    }

    /// Fetches the next page.
    pub fn more(self) {
        let next = self.next.get_untracked();
        if next.is_some() && !self.busy.get_untracked() {
            self.fetch(PAGE, next);
        }
    }

    /// Those who asked for the runs that are held, each once.
    pub fn askers(self) -> Vec<String> {
        self.each_once(|run| Some(run.by.clone()).filter(|by| !by.is_empty()))
    }

    /// Fetches the list from its start, `most` runs at most; `false` where the page asked for something newer meanwhile.
    pub async fn fetch_all(self, most: u32) -> bool {
        let turn = self.latest.begin();
        self.busy.set(true);
        let mut all = Vec::new();
        let mut cursor = None::<String>;
        loop {
            let path = self
                .filter
                .with_untracked(|filter| filter.request(limits::PAGE, cursor.as_deref()));
            let answer = self.client.get::<DecisionPage>(path).await;
            if !turn.is_latest() {
                return false;
            }
            match answer {
                Ok(page) => {
                    self.total.set(Some(page.total));
                    cursor = page.next_cursor;
                    all.extend(page.decisions);
                }
                Err(error) => {
                    self.busy.set(false);
                    self.error.set(Some(error));
                    return false;
                }
            }
            if cursor.is_none() || all.len() >= most as usize {
                break;
            }
        }
        self.busy.set(false);
        self.next.set(cursor);
        self.runs.set(all);
        true
    }

    /// Reads all runs that fit the filters: see [`Self::each_page_of`].
    pub async fn each_page(self, take: impl FnMut(&[DecisionView])) -> Result<Pages, ApiError> {
        let filter = self.filter.get_untracked();
        self.each_page_of(&filter, usize::MAX, take).await
    }

    /// Reads the runs that fit a filter, the newest first and a page at a time, until there are no more or as many as
    /// `most`. What is held stays.
    pub async fn each_page_of(
        self,
        filter: &Filter,
        most: usize,
        mut take: impl FnMut(&[DecisionView]),
    ) -> Result<Pages, ApiError> {
        let (mut count, mut cursor) = (0_usize, None::<String>);
        loop {
            let path = filter.request(limits::PAGE, cursor.as_deref());
            let page = self.client.get::<DecisionPage>(path).await?;
            take(&page.decisions);
            count += page.decisions.len();
            match page.next_cursor {
                Some(next) if count < most => cursor = Some(next),
                next => {
                    return Ok(Pages {
                        count: u32::try_from(count).unwrap_or(u32::MAX),
                        is_cut: next.is_some(),
                    });
                }
            }
        }
    }

    /// The fields of the runs that are held, each once.
    pub fn domains(self) -> Vec<String> {
        self.each_once(|run| run.domain.clone())
    }

    fn each_once(self, word: impl Fn(&DecisionView) -> Option<String>) -> Vec<String> {
        let words: BTreeSet<String> = self
            .runs
            .with(|runs| runs.iter().filter_map(word).collect());
        words.into_iter().collect()
    }

    fn fetch(self, limit: usize, cursor: Option<String>) {
        self.busy.set(true);
        let path = self
            .filter
            .with_untracked(|filter| filter.request(limit, cursor.as_deref()));
        let asked = self.client.get::<DecisionPage>(path);
        self.latest.ask(asked, move |answer| {
            self.busy.set(false);
            match answer {
                Ok(page) => {
                    self.error.set(None);
                    self.total.set(Some(page.total));
                    self.next.set(page.next_cursor);
                    if cursor.is_some() {
                        self.runs.update(|runs| runs.extend(page.decisions));
                    } else {
                        self.runs.set(page.decisions);
                    }
                }
                Err(error) => self.error.set(Some(error)),
            }
        });
    }
}
