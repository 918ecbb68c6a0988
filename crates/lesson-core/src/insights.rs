//! The course of runs and lessons over time: sums over the decisions of a range of days.

mod range;
mod seen;
mod uncovered;

use self::range::Range;
pub(crate) use self::seen::{Seen, tokens_of};
use self::uncovered::Uncovered;
use crate::instant::{DAY, Millis, day, to_rfc3339};
use crate::learning::Run;
use crate::lesson::Lesson;
use crate::lift_view::lift_view;
use crate::policy::Policy;
use crate::rates::{add, rate};
use crate::space::{Decision, Space};
use lesson_types::{
    InsightGroup, InsightStep, Insights, LessonInsight, LiftWord, RunEnds, RunTotals, StaleLesson,
};
use std::collections::BTreeMap;

/// Groups, and stale lessons, in the answer.
const LISTED: usize = 50;
/// Lessons in the answer.
const LESSONS: usize = 200;
/// Risers, and fallers.
const MOVERS: usize = 5;
/// Parts of a lesson's course.
const COURSE: usize = 10;
/// Runs with an outcome that a half of the range needs before its share is compared.
pub(crate) const COMPARED: u32 = 4;
/// Days without an outcome after which an agent is silent.
pub(crate) const SILENT: i64 = 7;

/// The insights of the `days` up to `now`; of all days from the first decision on without.
pub fn insights(space: &Space, now: Millis, days: Option<u32>, policy: &Policy) -> Insights {
    let today = now.div_euclid(DAY);
    let first = match days {
        Some(days) => today - i64::from(days.max(1)) + 1,
        None => Run::all(space)
            .map(|(.., run)| run.at.div_euclid(DAY))
            .filter(|day| *day <= today)
            .min()
            .unwrap_or(today),
    };
    let range = Range::new(first, today);
    let mut sums = Sums::new(&range);
    let mut tokens: BTreeMap<&str, u32> = BTreeMap::new();
    let mut uncovered = Uncovered::default();
    for (id, decision, run) in Run::all(space) {
        let taken = tokens_of(space, decision, &mut tokens);
        let seen = Seen::of(decision, &run, taken, &policy.rank);
        if !seen.covered && range.step(seen.day).is_some() {
            uncovered.take(id, decision, &run);
        }
        sums.take(&range, &seen, decision);
    }
    for lesson in space.lessons() {
        if let Some(step) = range
            .step(lesson.created_at.div_euclid(DAY))
            .and_then(|at| sums.added.get_mut(at))
        {
            *step += 1;
        }
    }
    let (uncovered, uncovered_total) = uncovered.told(LISTED);
    Insights {
        uncovered,
        uncovered_total,
        ..sums.told(space, &range, days.is_some(), &tokens, now)
    }
}

#[derive(Default)]
struct Group {
    totals: RunTotals,
    course: [RunEnds; COURSE],
    last_at: Millis,
}

#[derive(Default, Clone)]
struct OfLesson {
    given: u32,
    ends: RunEnds,
    applied: u32,
    course: [RunEnds; COURSE],
    last_at: Millis,
}

/// The sums of a pass over decisions, in any order.
struct Sums {
    steps: Vec<RunTotals>,
    added: Vec<u32>,
    /// Ends of runs by day, from a window before the range on: with lessons, and control runs.
    days: BTreeMap<i64, (RunEnds, RunEnds)>,
    totals: RunTotals,
    before: RunTotals,
    groups: [BTreeMap<String, Group>; 3],
    lessons: BTreeMap<String, OfLesson>,
    /// When an outcome of an agent's run was last told, whenever that was.
    told_at: BTreeMap<String, Millis>,
}

impl Sums {
    fn new(range: &Range) -> Self {
        Self {
            steps: vec![RunTotals::default(); range.steps()],
            added: vec![0; range.steps()],
            days: BTreeMap::new(),
            totals: RunTotals::default(),
            before: RunTotals::default(),
            groups: Default::default(),
            lessons: BTreeMap::new(),
            told_at: BTreeMap::new(),
        }
    }

    fn take(&mut self, range: &Range, seen: &Seen, decision: &Decision) {
        if seen.day > range.first - range.window && seen.day <= range.last {
            let (shown, control) = self.days.entry(seen.day).or_default();
            seen.end(if seen.control { control } else { shown });
        }
        if seen.day < range.first && seen.day >= range.first - range.days() {
            seen.add(&mut self.before);
        }
        if let Some((at, _)) = seen.outcome {
            let told = self.told_at.entry(decision.by.clone()).or_insert(at);
            *told = (*told).max(at);
        }
        let names = [
            Run::of(decision).domain,
            decision.by.as_str(),
            decision.context.project_type.as_deref().unwrap_or_default(),
        ];
        let Some(step) = range.step(seen.day) else {
            return;
        };
        seen.add(&mut self.totals);
        if let Some(step) = self.steps.get_mut(step) {
            seen.add(step);
        }
        let part =
            usize::try_from((seen.day - range.first) * COURSE as i64 / range.days()).unwrap_or(0);
        for (held, name) in self.groups.iter_mut().zip(names) {
            let group = held.entry(name.to_owned()).or_default();
            seen.add(&mut group.totals);
            group.last_at = group.last_at.max(seen.at);
            if let Some(part) = group.course.get_mut(part).filter(|_| !seen.control) {
                seen.end(part);
            }
        }
        for record in &decision.records {
            let held = self.lessons.entry(record.lesson.clone()).or_default();
            held.given = held.given.saturating_add(1);
            held.last_at = held.last_at.max(seen.at);
            if record.was_applied {
                held.applied = held.applied.saturating_add(1);
                seen.end(&mut held.ends);
                if let Some(part) = held.course.get_mut(part) {
                    seen.end(part);
                }
            }
        }
    }

    fn told(
        self,
        space: &Space,
        range: &Range,
        is_part: bool,
        tokens: &BTreeMap<&str, u32>,
        now: Millis,
    ) -> Insights {
        let steps = self
            .steps
            .iter()
            .zip(&self.added)
            .enumerate()
            .map(|(at, (totals, added))| {
                let end = range.end(at);
                let (shown, control) = self.window(end - range.window + 1, end);
                InsightStep {
                    day: day(end * DAY),
                    totals: *totals,
                    shown: rate(shown),
                    control: rate(control),
                    added: *added,
                }
            })
            .collect();
        let mut lessons: Vec<LessonInsight> = self
            .lessons
            .iter()
            .map(|(slug, held)| of_lesson(space.lesson(slug), slug, held, (tokens, now)))
            .collect();
        lessons.sort_by_key(|one| std::cmp::Reverse((one.applied, one.given)));
        let given = u32::try_from(lessons.len()).unwrap_or(u32::MAX);
        let (risers, fallers) = movers(&lessons);
        lessons.truncate(LESSONS);
        let mut stale: Vec<&Lesson> = space
            .lessons()
            .filter(|lesson| {
                !lesson.archived
                    && lesson.created_at.div_euclid(DAY) < range.first
                    && !self.lessons.contains_key(&lesson.slug)
            })
            .collect();
        stale.sort_by(|a, b| (a.created_at, &a.slug).cmp(&(b.created_at, &b.slug)));
        let stale_total = u32::try_from(stale.len()).unwrap_or(u32::MAX);
        stale.truncate(LISTED);
        let (mut helping, mut harming) = (0_u32, 0_u32);
        for lesson in space.lessons().filter(|lesson| !lesson.archived) {
            match lesson.standing.lift().at(now).verdict() {
                LiftWord::Helps => helping += 1,
                LiftWord::Hurts => harming += 1,
                LiftWord::Unsure => {}
            }
        }
        let [domains, agents, projects] = self.groups;
        Insights {
            days: u32::try_from(range.days()).unwrap_or(1),
            step_days: u32::try_from(range.step).unwrap_or(1),
            window_days: u32::try_from(range.window).unwrap_or(1),
            steps,
            totals: self.totals,
            before: is_part.then_some(self.before),
            by_domain: groups(domains, |_| None),
            by_agent: groups(agents, |name| silent(*self.told_at.get(name)?, now)),
            by_project: groups(projects, |_| None),
            lessons,
            given,
            helping,
            harming,
            risers,
            fallers,
            stale: stale.into_iter().map(of_stale).collect(),
            stale_total,
            uncovered: Vec::new(),
            uncovered_total: 0,
        }
    }

    /// Counts how runs of some days ended: with lessons, and control runs.
    fn window(&self, from: i64, to: i64) -> (RunEnds, RunEnds) {
        let mut sum = (RunEnds::default(), RunEnds::default());
        for (shown, control) in self.days.range(from..=to).map(|(_, ends)| ends) {
            add(&mut sum.0, shown);
            add(&mut sum.1, control);
        }
        sum
    }
}

fn groups(
    held: BTreeMap<String, Group>,
    silent_days: impl Fn(&str) -> Option<u32>,
) -> Vec<InsightGroup> {
    let mut groups: Vec<InsightGroup> = held
        .into_iter()
        .map(|(name, group)| InsightGroup {
            silent_days: silent_days(&name),
            name,
            totals: group.totals,
            success: rate(group.totals.shown),
            course: shares(&group.course),
            last_at: to_rfc3339(group.last_at),
        })
        .collect();
    let runs = |group: &InsightGroup| {
        let ends = |ends: RunEnds| ends.successes + ends.failures + ends.pending;
        ends(group.totals.shown) + ends(group.totals.control)
    };
    // Stable: those with as many runs stay in the order of their names.
    groups.sort_by_key(|group| std::cmp::Reverse(runs(group)));
    groups.truncate(LISTED);
    groups
}

/// The days since an outcome was told, where one is missed.
pub(crate) fn silent(told: Millis, now: Millis) -> Option<u32> {
    let quiet = (now - told).div_euclid(DAY);
    (quiet >= SILENT).then(|| u32::try_from(quiet).unwrap_or(u32::MAX))
}

fn of_lesson(
    lesson: Option<&Lesson>,
    slug: &str,
    held: &OfLesson,
    (tokens, now): (&BTreeMap<&str, u32>, Millis),
) -> LessonInsight {
    let half = COURSE / 2;
    let sum = |parts: &[RunEnds]| {
        let mut sum = RunEnds::default();
        for part in parts {
            add(&mut sum, part);
        }
        rate(sum).filter(|rate| rate.runs >= COMPARED)
    };
    let (earlier, later) = held.course.split_at(half);
    let change = sum(earlier)
        .zip(sum(later))
        .map(|(earlier, later)| later.share - earlier.share);
    LessonInsight {
        slug: slug.to_owned(),
        title: lesson.map_or_else(String::new, |lesson| lesson.text.title.clone()),
        given: held.given,
        applied: held.applied,
        lift: lesson.map(|lesson| lift_view(&lesson.standing, now)),
        success: rate(held.ends),
        tokens: held
            .given
            .saturating_mul(tokens.get(slug).copied().unwrap_or_default()),
        change,
        course: shares(&held.course),
        last_at: to_rfc3339(held.last_at),
    }
}

/// The share of successes of each part.
fn shares(course: &[RunEnds]) -> Vec<Option<f64>> {
    let each = course.iter().map(|ends| rate(*ends));
    each.map(|rate| rate.map(|rate| rate.share)).collect()
}

/// Those that rose and those that fell, the greatest change first.
fn movers(lessons: &[LessonInsight]) -> (Vec<LessonInsight>, Vec<LessonInsight>) {
    let most = |sign: f64| {
        let mut moved: Vec<(f64, &LessonInsight)> = lessons
            .iter()
            .filter_map(|lesson| Some((lesson.change? * sign, lesson)))
            .filter(|(change, _)| *change > 0.0)
            .collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        moved
            .into_iter()
            .take(MOVERS)
            .map(|(_, lesson)| lesson.clone())
            .collect()
    };
    (most(1.0), most(-1.0))
}

fn of_stale(lesson: &Lesson) -> StaleLesson {
    StaleLesson {
        slug: lesson.slug.clone(),
        title: lesson.text.title.clone(),
        created_at: to_rfc3339(lesson.created_at),
        times_surfaced: lesson.standing.times_surfaced,
    }
}
