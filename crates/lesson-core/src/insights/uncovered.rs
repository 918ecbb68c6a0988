//! Tasks that no lesson fitted: what the lessons of a space don't speak of.

use crate::instant::{Millis, to_rfc3339};
use crate::kept_query::is_hash_alone;
use crate::learning::Run;
use crate::space::Decision;
use lesson_types::{RunEnds, UncoveredTask};
use std::collections::BTreeMap;

/// A task with its newest run, how all its runs ended, and the best relevance that a lesson had for it.
struct Task<'a> {
    query: &'a str,
    run: &'a str,
    ends: RunEnds,
    best: Option<f64>,
    last_at: Millis,
}

/// Tasks by their words in small letters and their field.
#[derive(Default)]
pub(super) struct Uncovered<'a>(BTreeMap<(String, &'a str), Task<'a>>);

impl<'a> Uncovered<'a> {
    /// Takes a run that had no lesson of medium relevance or better, unless something was withheld from it.
    pub fn take(&mut self, id: &'a str, decision: &'a Decision, run: &Run<'a>) {
        let query = decision.context.query.as_deref().unwrap_or_default().trim();
        let withheld = run.measured.is_some_and(|measured| {
            measured.control || measured.drawn.iter().any(|drawn| drawn.withheld)
        });
        // Of a query that is kept as a hash alone nothing can be said.
        if query.is_empty() || is_hash_alone(query) || withheld {
            return;
        }
        let best = decision.records.iter().map(|record| record.relevance);
        let best = best.max_by(f64::total_cmp);
        let task = self
            .0
            .entry((query.to_lowercase(), run.domain))
            .or_insert(Task {
                query,
                run: id,
                ends: RunEnds::default(),
                best,
                last_at: run.at,
            });
        let ended = match run.outcome {
            Some((_, true)) => &mut task.ends.successes,
            Some((_, false)) => &mut task.ends.failures,
            None => &mut task.ends.pending,
        };
        *ended = ended.saturating_add(1);
        task.best = [task.best, best]
            .into_iter()
            .flatten()
            .max_by(f64::total_cmp);
        if run.at >= task.last_at {
            (task.query, task.run, task.last_at) = (query, id, run.at);
        }
    }

    /// The first of them, those with most runs first and of these the latest, and how many there are.
    pub fn told(self, listed: usize) -> (Vec<UncoveredTask>, u32) {
        let total = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let mut tasks: Vec<(&str, Task<'_>)> = self
            .0
            .into_iter()
            .map(|((_, domain), task)| (domain, task))
            .collect();
        let runs = |ends: RunEnds| ends.successes + ends.failures + ends.pending;
        // Stable: the rest stays in the order of its words.
        tasks.sort_by_key(|(_, task)| std::cmp::Reverse((runs(task.ends), task.last_at)));
        let first = tasks.into_iter().take(listed);
        let first = first.map(|(domain, task)| UncoveredTask {
            query: task.query.to_owned(),
            domain: domain.to_owned(),
            ends: task.ends,
            best: task.best,
            last_at: to_rfc3339(task.last_at),
            last_run: task.run.to_owned(),
        });
        (first.collect(), total)
    }
}
