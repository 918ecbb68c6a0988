//! Runs sorted by a column: all that fit the filters are read for it, as a page of the newest would not tell the longest.

use super::feed::Feed;
use super::filter::Filter;
use super::words::situation;
use crate::api::{Client, Latest};
use crate::outcome;
use leptos::prelude::*;
use lesson_types::{ApiError, DecisionOutcome, DecisionView};
use std::cmp::Ordering;

/// Runs that are read to sort them, at most.
pub const MOST: usize = 20_000;

/// The keys that runs are sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Key {
    /// When they began, the newest first: the order that they come in.
    #[default]
    When,
    /// The words of the task.
    Task,
    /// The asker.
    Agent,
    /// The number of lessons that were shown.
    Lessons,
    /// The number of lessons that were applied.
    Applied,
    /// The time from the first recommendation to the outcome.
    Duration,
    /// The tokens of the lessons.
    Tokens,
    /// The number of lessons that came out of the run.
    Learned,
    /// The outcome of the run.
    Outcome,
}

impl Key {
    /// All, in the order of the columns.
    pub const ALL: [Self; 9] = [
        Self::Task,
        Self::Agent,
        Self::Lessons,
        Self::Applied,
        Self::Duration,
        Self::Tokens,
        Self::Learned,
        Self::Outcome,
        Self::When,
    ];

    /// Its word in an address.
    pub fn word(self) -> &'static str {
        match self {
            Self::When => "",
            Self::Task => "task",
            Self::Agent => "agent",
            Self::Lessons => "lessons",
            Self::Applied => "applied",
            Self::Duration => "duration",
            Self::Tokens => "tokens",
            Self::Learned => "learned",
            Self::Outcome => "outcome",
        }
    }

    /// Returns the key that a word names; the order that runs come in where it names none.
    pub fn read(word: &str) -> Self {
        let named = Self::ALL.into_iter().find(|key| key.word() == word);
        named.unwrap_or_default()
    }

    /// The name of its column.
    pub fn label(self) -> &'static str {
        match self {
            Self::When => "When",
            Self::Task => "Task",
            Self::Agent => "Agent",
            Self::Lessons => "Lessons",
            Self::Applied => "Applied",
            Self::Duration => "Duration",
            Self::Tokens => "Tokens",
            Self::Learned => "Learned",
            Self::Outcome => "Outcome",
        }
    }

    /// True if its cells are numbers.
    pub fn is_number(self) -> bool {
        !matches!(self, Self::Task | Self::Agent | Self::Outcome)
    }
}

/// Milliseconds from a run's first recommendation to its outcome; `None` while it has none, or where one is not known.
pub fn duration(run: &DecisionView) -> Option<f64> {
    run.outcome.filter(|told| outcome::is_final(*told))?;
    let (from, to) = (run.at.as_deref()?, run.outcome_at.as_deref()?);
    let took = js_sys::Date::parse(to) - js_sys::Date::parse(from);
    Some(took).filter(|span| span.is_finite() && *span >= 0.0)
}

/// A span of time in its greatest unit, such as `12 min`.
pub fn span(milliseconds: f64) -> String {
    let seconds = milliseconds / 1_000.0;
    match seconds {
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3_600.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{} h", crate::format::trim(s / 3_600.0, 1)),
        s => format!("{} d", crate::format::trim(s / 86_400.0, 1)),
    }
}

/// The value that a run is sorted by.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum Value {
    Number(f64),
    Text(String),
}

fn value(run: &DecisionView, key: Key) -> Option<Value> {
    let number = |n: usize| Some(Value::Number(n as f64));
    match key {
        Key::When => {
            let at = run.at.as_ref().or(run.outcome_at.as_ref());
            at.map(|at| Value::Text(at.clone()))
        }
        Key::Task => {
            let about = [&run.domain, &run.project_type, &run.phase];
            let words = situation(run.query.as_deref(), about, &run.tech_stack);
            Some(Value::Text(words.to_lowercase()))
        }
        Key::Agent => Some(Value::Text(run.by.clone())),
        Key::Lessons => number(run.lessons.len()),
        Key::Applied => number(run.lessons.iter().filter(|one| one.applied).count()),
        Key::Duration => duration(run).map(Value::Number),
        Key::Tokens => run.tokens.map(|tokens| Value::Number(f64::from(tokens))),
        Key::Learned => number(run.learned.len()),
        Key::Outcome => {
            let told = run.outcome.unwrap_or(DecisionOutcome::Pending);
            Some(Value::Text(told.as_str().to_owned()))
        }
    }
}

/// Runs in order; those without a value come last either way, and equal ones keep their order. Text begins with A,
/// numbers with the greatest; `reverse` turns that round.
pub fn sorted(runs: Vec<DecisionView>, key: Key, reverse: bool) -> Vec<DecisionView> {
    let down = (key.is_number() || key == Key::When) != reverse;
    let mut keyed: Vec<_> = runs
        .into_iter()
        .map(|run| (value(&run, key), run))
        .collect();
    keyed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => {
            let order = a.partial_cmp(b).unwrap_or(Ordering::Equal);
            if down { order.reverse() } else { order }
        }
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    keyed.into_iter().map(|(_, run)| run).collect()
}

/// The runs that fit, sorted; empty while they are read, and where they are shown in the order that they come in.
#[derive(Clone, Copy)]
pub struct Sorting {
    /// The runs.
    pub runs: RwSignal<Vec<DecisionView>>,
    /// Why they can't be read.
    pub error: RwSignal<Option<ApiError>>,
    /// True if there are more than were read.
    pub is_cut: RwSignal<bool>,
}

impl Sorting {
    /// Follows a filter, its order, and the store.
    pub fn new(filter: Memo<Filter>, feed: Feed) -> Self {
        let client = Client::get_from_context();
        let sorting = Self {
            runs: RwSignal::new(Vec::new()),
            error: RwSignal::new(None),
            is_cut: RwSignal::new(false),
        };
        let latest = Latest::default();
        Effect::new(move |before: Option<Filter>| {
            let filter = filter.get();
            client.changed.track();
            latest.begin();
            let key = Key::read(&filter.sort);
            if key == Key::When && !filter.is_reversed() {
                sorting.runs.set(Vec::new());
                return filter;
            }
            // Another order of the same runs needs no reading.
            let same = before
                .as_ref()
                .is_some_and(|before| before.same_runs(&filter));
            if same {
                let reverse = filter.is_reversed();
                sorting
                    .runs
                    .update(|runs| *runs = sorted(std::mem::take(runs), key, reverse));
            }
            let wanted = filter.clone();
            let read = async move {
                let mut all = Vec::new();
                let read = feed
                    .each_page_of(&wanted, MOST, |runs| all.extend_from_slice(runs))
                    .await?;
                Ok((sorted(all, key, wanted.is_reversed()), read.is_cut))
            };
            latest.ask(read, move |read| match read {
                Ok((all, is_cut)) => {
                    sorting.error.set(None);
                    sorting.is_cut.set(is_cut);
                    sorting.runs.set(all);
                }
                Err(error) => sorting.error.set(Some(error)),
            });
            filter
        });
        sorting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn run(id: &str, query: &str, tokens: Option<u32>) -> DecisionView {
        serde_json::from_value(serde_json::json!({
            "id": id, "title": query, "by": "local", "at": "2026-11-22T08:30:00.000Z", "query": query,
            "domain": null, "project_type": null, "tech_stack": [], "phase": null, "lessons": [], "tokens": tokens,
            "learned": [], "measured": null, "outcome": null, "pnl_percent": null, "outcome_by": "", "outcome_at": null,
            "feedback": [], "opinions": []
        }))
        .expect("a run as the interface answers it")
    }

    fn order(key: Key, reverse: bool) -> Vec<String> {
        let runs = vec![
            run("a", "Zoo", Some(5)),
            run("b", "bar", None),
            run("c", "Add", Some(50)),
        ];
        let runs = sorted(runs, key, reverse).into_iter();
        runs.map(|run| run.id).collect()
    }

    #[test]
    fn runs_without_a_value_come_last_either_way() {
        assert_eq!(order(Key::Tokens, false), ["c", "a", "b"]);
        assert_eq!(order(Key::Tokens, true), ["a", "c", "b"]);
        assert_eq!(order(Key::Task, false), ["c", "b", "a"]);
        assert_eq!(
            order(Key::Lessons, false),
            ["a", "b", "c"],
            "equal ones keep their order"
        );
    }

    #[test]
    fn a_key_is_read_back_from_an_address() {
        for key in Key::ALL {
            assert_eq!(Key::read(key.word()), key);
        }
        assert_eq!(Key::read("nothing"), Key::When);
    }

    #[test]
    fn a_span_is_told_in_its_greatest_unit() {
        for (seconds, told) in [
            (4.0, "4 s"),
            (90.0, "2 min"),
            (5_400.0, "1.5 h"),
            (259_200.0, "3 d"),
        ] {
            assert_eq!(span(seconds * 1_000.0), told);
        }
    }
}
