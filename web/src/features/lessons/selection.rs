//! The lessons that are selected, and what was done to many at once. They outlive the page: a person who looks at one
//! lesson comes back to the others, and takes an act back from wherever they are.

use super::feed::Feed;
use crate::api::{Asking, Client};
use crate::components::{Toasts, use_toasts};
use crate::format;
use leptos::prelude::*;
use lesson_types::{
    ApiError, Bulk, BulkAct, BulkDone, BulkItem, ErrorCode, LessonPage, LessonView, limits,
};
use std::collections::BTreeMap;

/// Lessons in one request: few enough that progress moves, and stopping stops soon.
const AT_ONCE: usize = 500;

/// The selected lessons; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Selection {
    client: Client,
    toasts: Toasts,
    /// The hash of the text of each, as it was when it was selected.
    chosen: RwSignal<BTreeMap<String, String>>,
    /// The place of the row that was picked last, where a range begins.
    anchor: StoredValue<Option<u32>>,
    asking: Asking,
    /// The act under way: its name, the number of lessons that are done, and of all.
    pub work: RwSignal<Option<Work>>,
    /// Requests that take back the last act.
    undo: StoredValue<Vec<Bulk>>,
    /// True while there is something to take back.
    pub can_undo: RwSignal<bool>,
}

/// Something that takes a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The act, such as `Approving`.
    pub name: &'static str,
    /// Lessons so far.
    pub done: u32,
    /// Lessons in all.
    pub total: u32,
}

impl Selection {
    /// Nothing is selected.
    pub fn new() -> Self {
        Self {
            client: Client::get_from_context(),
            toasts: use_toasts(),
            chosen: RwSignal::new(BTreeMap::new()),
            anchor: StoredValue::new(None),
            asking: Asking::default(),
            work: RwSignal::new(None),
            undo: StoredValue::new(Vec::new()),
            can_undo: RwSignal::new(false),
        }
    }

    /// Returns the selection of this tab.
    pub fn get_from_context() -> Self {
        // The app provides it before any page is made.
        expect_context()
    }

    /// Counts the selected lessons.
    pub fn count(self) -> u32 {
        self.chosen.with(|chosen| chosen.len() as u32)
    }

    /// True if this lesson is selected.
    pub fn has(self, slug: &str) -> bool {
        self.chosen.with(|chosen| chosen.contains_key(slug))
    }

    /// Selects the lesson at a place of the list, or not any more; with `range`, all from the last one that was picked up
    /// to this one.
    pub fn pick(self, feed: Feed, at: u32, lesson: &LessonView, range: bool) {
        let on = self
            .chosen
            .with_untracked(|chosen| !chosen.contains_key(&lesson.slug));
        let from = self.anchor.get_value().filter(|_| range);
        self.anchor.set_value(Some(at));
        match from {
            Some(from) if from != at => self.pick_range(feed, from.min(at), from.max(at), on),
            _ => self.set([(lesson.slug.clone(), lesson.content_hash.clone())], on),
        }
    }

    fn set(self, lessons: impl IntoIterator<Item = (String, String)>, on: bool) {
        self.chosen.try_update(|chosen| {
            for (slug, hash) in lessons {
                if on {
                    chosen.insert(slug, hash);
                } else {
                    chosen.remove(&slug);
                }
            }
        });
    }

    /// Rows that are out of view may have been let go of, so they are read.
    fn pick_range(self, feed: Feed, first: u32, last: u32, on: bool) {
        let held = (first..=last).map(|at| feed.row(at));
        if let Some(rows) = held.collect::<Option<Vec<_>>>() {
            let named = rows
                .iter()
                .map(|row| (row.lesson.slug.clone(), row.lesson.content_hash.clone()));
            return self.set(named, on);
        }
        let count = last.saturating_sub(first).saturating_add(1);
        if !self.begin("Selecting", count) {
            return;
        }
        let read = async move {
            let filter = feed.filter();
            let mut done = 0;
            while done < count {
                let some = (count - done).min(limits::PAGE as u32);
                let path = filter.request(some, first + done);
                let page = match self.client.get::<LessonPage>(path).await {
                    Ok(page) => page,
                    Err(error) => {
                        self.toasts.bad(error.message);
                        break;
                    }
                };
                if page.lessons.is_empty() {
                    break;
                }
                let lessons = page.lessons.into_iter();
                self.set(lessons.map(|lesson| (lesson.slug, lesson.content_hash)), on);
                done += some;
                if !self.on(done) {
                    return;
                }
            }
            self.work.set(None);
        };
        self.asking.settle(read, drop);
    }

    /// Selects nothing.
    pub fn clear(self) {
        self.anchor.set_value(None);
        self.chosen.set(BTreeMap::new());
    }

    /// Stops what is under way; what is done stays done.
    pub fn stop(self) {
        self.work.set(None);
    }

    /// Begins something, unless something is under way.
    fn begin(self, name: &'static str, total: u32) -> bool {
        // An act that was stopped may still have a request under way.
        let free = self.work.read_untracked().is_none() && !self.asking.busy.get_untracked();
        if free {
            self.work.set(Some(Work {
                name,
                done: 0,
                total,
            }));
        }
        free
    }

    /// Notes how far it is; `false` when it was stopped or the page was left.
    fn on(self, done: u32) -> bool {
        let going = self.work.try_update(|work| match work {
            Some(work) => {
                work.done = done;
                true
            }
            None => false,
        });
        going == Some(true)
    }

    /// Selects all that fit the filter.
    pub fn choose_all(self, feed: Feed) {
        let total = feed.total.get_untracked();
        if !self.begin("Selecting", total) {
            return;
        }
        let read = async move {
            let filter = feed.filter();
            let mut all = BTreeMap::new();
            let mut first = 0;
            loop {
                let path = filter.request(limits::PAGE as u32, first);
                let page = match self.client.get::<LessonPage>(path).await {
                    Ok(page) => page,
                    Err(error) => {
                        self.toasts.bad(error.message);
                        break;
                    }
                };
                let count = page.lessons.len() as u32;
                let lessons = page.lessons.into_iter();
                all.extend(lessons.map(|lesson| (lesson.slug, lesson.content_hash)));
                first += count;
                if !self.on(first) {
                    return;
                }
                if count == 0 || first >= page.total {
                    self.chosen.set(all);
                    break;
                }
            }
            self.work.set(None);
        };
        self.asking.settle(read, drop);
    }

    /// Does something to all that are selected.
    pub fn act(self, act: BulkAct, tags: Vec<String>) {
        let lessons: Vec<BulkItem> = self.chosen.with_untracked(|chosen| {
            let chosen = chosen.iter();
            chosen
                .map(|(slug, hash)| BulkItem {
                    slug: slug.clone(),
                    // A verdict is on the text that was seen.
                    content_hash: (act == BulkAct::Approve).then(|| hash.clone()),
                })
                .collect()
        });
        let (doing, done) = words(act);
        if lessons.is_empty() || !self.begin(doing, lessons.len() as u32) {
            return;
        }
        let requests = lessons.chunks(AT_ONCE).map(|lessons| Bulk {
            act,
            lessons: lessons.to_vec(),
            tags: tags.clone(),
            reason: None,
        });
        let requests: Vec<Bulk> = requests.collect();
        self.asking.settle(self.send(requests), move |outcome| {
            self.tell(&outcome, done);
            self.keep_undo(outcome.undo);
            if outcome.error.is_none() {
                self.chosen.set(BTreeMap::new());
            }
            self.work.set(None);
        });
    }

    /// Takes the last act back.
    pub fn undo(self) {
        let requests = self.undo.get_value();
        let total = requests.iter().map(|request| request.lessons.len() as u32);
        if requests.is_empty() || !self.begin("Taking back", total.sum()) {
            return;
        }
        self.keep_undo(Vec::new());
        self.asking.settle(self.send(requests), move |outcome| {
            match &outcome.error {
                Some(error) => self.toasts.bad(error.message.clone()),
                None if outcome.refused > 0 => self.toasts.bad(format!(
                    "Taken back, but {} changed meanwhile and stayed as they are",
                    format::plural(outcome.refused, "lesson", "lessons")
                )),
                None => self.toasts.good("Taken back"),
            }
            self.work.set(None);
        });
    }

    fn keep_undo(self, requests: Vec<Bulk>) {
        self.can_undo.set(!requests.is_empty());
        self.undo.set_value(requests);
    }

    async fn send(self, requests: Vec<Bulk>) -> Outcome {
        let mut outcome = Outcome::default();
        let mut sent = 0;
        for request in requests {
            let answer: Result<BulkDone, _> =
                self.client.post_json("/v1/lessons/bulk", &request).await;
            match answer {
                Ok(done) => {
                    outcome.changed += done.changed;
                    outcome.unchanged += done.unchanged;
                    let held = done.refused.iter();
                    let held = held.filter(|one| one.code == ErrorCode::InvalidRequest);
                    let held = held.count() as u32;
                    outcome.held_back += held;
                    outcome.refused += done.refused.len() as u32 - held;
                    // Undoing begins with the last request.
                    outcome.undo.splice(..0, done.undo);
                }
                Err(error) => {
                    outcome.error = Some(error);
                    break;
                }
            }
            sent += request.lessons.len() as u32;
            if !self.on(sent) {
                break;
            }
        }
        outcome
    }

    fn tell(self, outcome: &Outcome, done: &'static str) {
        if let Some(error) = &outcome.error {
            self.toasts.bad(error.message.clone());
        }
        let text = outcome.told(done);
        if outcome.changed > 0 {
            self.toasts.with_act(text, "Undo", move || self.undo());
        } else if outcome.error.is_none() {
            self.toasts.good(text);
        }
    }
}

/// The sum of what several requests did.
#[derive(Default)]
struct Outcome {
    changed: u32,
    unchanged: u32,
    refused: u32,
    /// Refused because screening holds the text back.
    held_back: u32,
    undo: Vec<Bulk>,
    error: Option<ApiError>,
}

impl Outcome {
    fn told(&self, done: &str) -> String {
        let mut text = format!(
            "{done} {}",
            format::plural(self.changed, "lesson", "lessons")
        );
        if self.unchanged > 0 {
            text.push_str(&format!("; {} so already", format::count(self.unchanged)));
        }
        if self.refused > 0 {
            text.push_str(&format!(
                "; {} changed meanwhile and stayed",
                format::count(self.refused)
            ));
        }
        if self.held_back > 0 {
            text.push_str(&format!(
                "; {} held back: open each and say why it may be recommended",
                format::count(self.held_back)
            ));
        }
        text
    }
}

fn words(act: BulkAct) -> (&'static str, &'static str) {
    match act {
        BulkAct::Approve => ("Approving", "Approved"),
        BulkAct::Quarantine => ("Quarantining", "Quarantined"),
        BulkAct::Unreview => ("Taking verdicts back", "Took the verdict back on"),
        BulkAct::Archive => ("Archiving", "Archived"),
        BulkAct::Restore => ("Restoring", "Restored"),
        BulkAct::Tag => ("Tagging", "Tagged"),
        BulkAct::Untag => ("Taking tags away", "Took tags off"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_outcome_is_told_in_numbers() {
        let outcome = Outcome {
            changed: 1,
            ..Outcome::default()
        };
        assert_eq!(outcome.told("Archived"), "Archived 1 lesson");
        let outcome = Outcome {
            changed: 1_200,
            unchanged: 3,
            refused: 2,
            held_back: 1,
            ..Outcome::default()
        };
        assert_eq!(
            outcome.told("Approved"),
            "Approved 1,200 lessons; 3 so already; 2 changed meanwhile and stayed; 1 held back: open each and say why it may be recommended"
        );
    }
}
