//! The changes in a range of days beside as many days before it.

mod text;

pub use text::digest_markdown;

use crate::insights::{COMPARED, SILENT, Seen, silent, tokens_of};
use crate::instant::{DAY, Millis, day, parse_rfc3339, to_rfc3339};
use crate::learning::Run;
use crate::lesson::Lesson;
use crate::policy::Policy;
use crate::rates::{changed, rate};
use crate::space::{Decision, Space};
use lesson_types::{
    DigestAdded, DigestFalling, DigestMover, DigestRuns, DigestSilent, RunEnds, RunTotals,
    SuccessChange,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Risers, and fallers.
const MOVERS: usize = 5;
/// Lines of every other list.
const LISTED: usize = 20;

/// The days of a digest: whole days in UTC, the last one up to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestRange {
    /// The first day, in days since 1970.
    first: i64,
    /// The last day.
    last: i64,
    /// The moment that it ends at: now, or the end of the last day.
    end: Millis,
}

impl DigestRange {
    /// The `days` (at least one) up to the day `until`, or up to now. `None` where `until` is no day such as `2026-11-22`,
    /// or lies after today.
    pub fn new(now: Millis, days: u32, until: Option<&str>) -> Option<Self> {
        let today = now.div_euclid(DAY);
        let last = match until {
            None => today,
            Some(until) => parse_rfc3339(&format!("{until}T00:00:00Z"))?.div_euclid(DAY),
        };
        (last <= today).then(|| Self {
            first: last - i64::from(days.max(1)) + 1,
            last,
            end: now.min((last + 1) * DAY - 1),
        })
    }

    /// The first and the last day, such as `2026-11-22`.
    pub fn days(&self) -> (String, String) {
        (day(self.first * DAY), day(self.last * DAY))
    }

    /// The period that a day lies in.
    fn period(&self, day: i64) -> Option<Period> {
        let before = self.first - (self.last - self.first + 1);
        match day {
            day if day > self.last || day < before => None,
            day if day >= self.first => Some(Period::Now),
            _ => Some(Period::Before),
        }
    }
}

/// The range, or the days before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Now,
    Before,
}

/// Something counted in both periods.
#[derive(Default, Clone, Copy)]
struct Both<T> {
    now: T,
    before: T,
}

impl<T> Both<T> {
    fn of(&mut self, period: Period) -> &mut T {
        match period {
            Period::Now => &mut self.now,
            Period::Before => &mut self.before,
        }
    }
}

impl Both<RunEnds> {
    /// The change of the share of successes, where both periods have a run with an outcome.
    fn change(&self) -> Option<SuccessChange> {
        Some(changed(rate(self.before)?, rate(self.now)?))
    }

    /// The same where both have enough to compare.
    fn compared(&self) -> Option<SuccessChange> {
        self.change()
            .filter(|change| change.now.runs >= COMPARED && change.before.runs >= COMPARED)
    }
}

/// An agent's runs, how they ended, and when an outcome of one was last told.
#[derive(Default)]
struct OfAgent {
    ends: Both<RunEnds>,
    runs: Both<u32>,
    told_at: Option<Millis>,
}

/// The sums of a pass over decisions.
#[derive(Default)]
struct Sums<'a> {
    totals: Both<RunTotals>,
    lessons: BTreeMap<&'a str, Both<RunEnds>>,
    agents: BTreeMap<&'a str, OfAgent>,
    domains: BTreeMap<&'a str, Both<RunEnds>>,
}

impl<'a> Sums<'a> {
    fn take(&mut self, range: &DigestRange, seen: &Seen, decision: &'a Decision) {
        let agent = self.agents.entry(&decision.by).or_default();
        if let Some((at, _)) = seen.outcome
            && at <= range.end
        {
            agent.told_at = agent.told_at.max(Some(at));
        }
        let Some(period) = range.period(seen.day) else {
            return;
        };
        *agent.runs.of(period) += 1;
        seen.add(self.totals.of(period));
        if seen.control {
            return;
        }
        seen.end(agent.ends.of(period));
        let domain = decision.context.domain.as_deref().unwrap_or_default();
        seen.end(self.domains.entry(domain).or_default().of(period));
        for record in decision.records.iter().filter(|one| one.was_applied) {
            let held = self.lessons.entry(&record.lesson).or_default();
            seen.end(held.of(period));
        }
    }

    fn told(self, space: &Space, range: &DigestRange) -> DigestRuns {
        let mut moved: Vec<DigestMover> = self
            .lessons
            .iter()
            .filter_map(|(slug, ends)| {
                let lesson = space.lesson(slug);
                Some(DigestMover {
                    slug: (*slug).to_owned(),
                    title: lesson.map_or_else(String::new, |one| one.text.title.clone()),
                    success: ends.compared()?,
                })
            })
            .collect();
        let compared = count(moved.len());
        moved.sort_by(|a, b| b.success.change.total_cmp(&a.success.change));
        let risers = moved.iter().filter(|one| one.success.change > 0.0);
        let fallers = moved.iter().rev().filter(|one| one.success.change < 0.0);
        let shown = Both {
            now: self.totals.now.shown,
            before: self.totals.before.shown,
        };
        let of_agents = self.agents.iter().map(|(name, held)| (*name, held.ends));
        let of_domains = self.domains.iter().map(|(name, ends)| (*name, *ends));
        let mut added: Vec<(u32, &Lesson)> = space
            .lessons()
            .filter(|lesson| !lesson.archived)
            .filter(|lesson| range.period(lesson.created_at.div_euclid(DAY)) == Some(Period::Now))
            .map(|lesson| {
                let held = self.lessons.get(lesson.slug.as_str());
                (held.map_or(0, |ends| runs(ends.now)), lesson)
            })
            .collect();
        let added_total = count(added.len());
        added.sort_by_key(|(applied, lesson)| {
            (Reverse((*applied, lesson.created_at)), &lesson.slug)
        });
        added.truncate(LISTED);
        DigestRuns {
            totals: self.totals.now,
            before: self.totals.before,
            success: rate(shown.now),
            change: shown.change(),
            risers: risers.take(MOVERS).cloned().collect(),
            fallers: fallers.take(MOVERS).cloned().collect(),
            compared,
            falling_agents: falling(of_agents),
            falling_domains: falling(of_domains),
            silent: gone_silent(&self.agents, range),
            added: added
                .into_iter()
                .map(|(applied, one)| of_added(applied, one))
                .collect(),
            added_total,
        }
    }
}

/// Sums up how runs went in the range, and what changed.
pub fn digest_runs(space: &Space, range: &DigestRange, policy: &Policy) -> DigestRuns {
    let mut sums = Sums::default();
    let mut tokens = BTreeMap::new();
    for (_, decision, run) in Run::all(space) {
        let taken = tokens_of(space, decision, &mut tokens);
        let seen = Seen::of(decision, &run, taken, &policy.rank);
        sums.take(range, &seen, decision);
    }
    sums.told(space, range)
}

/// Those that succeed less often than before by more than chance explains.
fn falling<'a>(all: impl Iterator<Item = (&'a str, Both<RunEnds>)>) -> Vec<DigestFalling> {
    let mut found: Vec<DigestFalling> = all
        .filter(|(name, _)| !name.is_empty())
        .filter_map(|(name, ends)| {
            let success = ends.compared().filter(|change| change.high < 0.0)?;
            Some(DigestFalling {
                name: name.to_owned(),
                success,
            })
        })
        .collect();
    found.sort_by(|a, b| a.success.change.total_cmp(&b.success.change));
    found.truncate(LISTED);
    found
}

/// The agents whose week without an outcome was over within the range.
fn gone_silent(agents: &BTreeMap<&str, OfAgent>, range: &DigestRange) -> Vec<DigestSilent> {
    let mut found: Vec<DigestSilent> = agents
        .iter()
        .filter(|(by, _)| !by.is_empty())
        .filter_map(|(by, held)| {
            let told = held.told_at?;
            let days = silent(told, range.end)?;
            let began = told.div_euclid(DAY) + SILENT;
            (began >= range.first).then(|| DigestSilent {
                by: (*by).to_owned(),
                last_at: to_rfc3339(told),
                days,
                runs: held.runs.now,
                runs_before: held.runs.before,
            })
        })
        .collect();
    found.sort_by(|a, b| (&a.last_at, &a.by).cmp(&(&b.last_at, &b.by)));
    found.truncate(LISTED);
    found
}

fn of_added(applied: u32, lesson: &Lesson) -> DigestAdded {
    DigestAdded {
        slug: lesson.slug.clone(),
        title: lesson.text.title.clone(),
        by: lesson.by.clone(),
        created_at: to_rfc3339(lesson.created_at),
        trust: lesson.trust,
        applied,
    }
}

fn runs(ends: RunEnds) -> u32 {
    let ended = ends.successes.saturating_add(ends.failures);
    ended.saturating_add(ends.pending)
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
