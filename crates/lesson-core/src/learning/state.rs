//! All that is learned of a space, kept as decisions come.

use super::baseline::{Rate, baseline};
use super::draw::is_policy_run;
use super::effects::{Effects, Known, Open, say};
use super::held::{DrawnOf, Held, Names};
use super::loop_lift::{GroupLift, LoopLift};
use super::run::Run;
use super::running::LessonRunning;
use crate::instant::Millis;
use crate::space::{Space, domain_key};
use crate::stable_map::StableMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The fold of decisions in the order of their outcomes.
#[derive(Debug, Clone, Default)]
struct Fold {
    lessons: Vec<LessonRunning>,
    domains: Vec<Rate>,
    space: Rate,
    whole: LessonRunning,
    by_domain: Vec<LessonRunning>,
    by_agent: Vec<LessonRunning>,
    /// The last decision that it took.
    last: Option<(Millis, Arc<str>)>,
}

/// Measured decisions without an outcome.
#[derive(Debug, Clone, Default)]
struct OpenRuns {
    /// Draws, by lesson.
    lessons: Vec<Open>,
    /// Those that could be control runs, in all, by domain and by who asked.
    whole: Open,
    by_domain: Vec<Open>,
    by_agent: Vec<Open>,
}

/// The state of learning what a space's lessons do.
///
/// It is fed with decisions as they change. One whose outcome is the newest is folded at once, at the cost of its own
/// draws; one that comes late, or changes, has all of them folded anew, from what is kept here, at the next question.
/// Decisions are in the order of their outcomes' times, then of their ids, which every device of a space knows alike,
/// whenever it heard of them.
///
/// A decision that recommended a lesson before its text last changed ([`crate::Lesson::text_at`]) says nothing of the text in
/// force.
#[derive(Debug, Clone, Default)]
pub struct Learning {
    lessons: Names,
    domains: Names,
    agents: Names,
    held: StableMap<Arc<str>, Held>,
    order: BTreeSet<(Millis, Arc<str>)>,
    since: BTreeMap<u32, Millis>,
    /// Lessons whose texts were looked at.
    looked_at: usize,
    open: OpenRuns,
    fold: Fold,
    is_late: bool,
    effects: Option<Box<Effects>>,
}

impl Learning {
    /// Nothing learned yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns from all decisions of a space, each read once.
    pub fn of(space: &Space) -> Self {
        let mut learning = Self::new();
        // Folded in their order at the first question.
        learning.is_late = true;
        for (id, decision) in space.decisions() {
            learning.feed(id, Some(Run::of(decision)));
        }
        learning.look_at_texts(space);
        learning
    }

    /// Takes a decision as it is now; `None` when there is none of that id any more.
    pub fn feed(&mut self, id: &str, run: Option<Run<'_>>) {
        let new = run.map(|run| self.kept(id, run));
        let old = self.held.get(id);
        if old == new.as_ref() {
            return;
        }
        self.effects = None;
        let id = match self.held.get_key_value(id) {
            Some((id, _)) => Arc::clone(id),
            None => Arc::from(id),
        };
        let old = match new.clone() {
            Some(new) => self.held.insert(Arc::clone(&id), new),
            None => self.held.remove(&id),
        };
        for (held, forth) in [(&old, false), (&new, true)] {
            if let Some(held) = held {
                self.count_open(held, forth);
            }
        }
        let was = old.as_ref().and_then(|old| old.outcome);
        let is = new.as_ref().and_then(|new| new.outcome);
        match (old, was, new, is) {
            (_, None, Some(new), Some((at, _))) => {
                let key = (at, id);
                let is_newest = self.fold.last.as_ref().is_none_or(|last| *last < key);
                self.order.insert(key.clone());
                if self.is_late || !is_newest {
                    self.is_late = true;
                } else {
                    self.take(&new, key);
                }
            }
            (_, None, _, None) => {}
            (_, was, _, is) => {
                if let Some((at, _)) = was {
                    self.order.remove(&(at, Arc::clone(&id)));
                }
                if let Some((at, _)) = is {
                    self.order.insert((at, id));
                }
                self.is_late = true;
            }
        }
    }

    /// Looks when each lesson's text came into force: one whose text never changed always was. Costs a look at every lesson
    /// that is known here.
    pub fn look_at_texts(&mut self, space: &Space) {
        let mut since = BTreeMap::new();
        for (slug, place) in &self.lessons.places {
            if let Some(at) = space.lesson(slug).and_then(|lesson| lesson.text_at) {
                since.insert(*place, at);
            }
        }
        self.looked_at = self.lessons.names.len();
        if since != self.since {
            self.since = since;
            self.is_late = true;
            self.effects = None;
        }
    }

    /// True if decisions brought lessons whose texts are yet to be looked at: see [`Self::look_at_texts`].
    pub fn has_new_lessons(&self) -> bool {
        self.looked_at < self.lessons.names.len()
    }

    /// Returns the effects of all lessons and of the loop. Costs a pass over the lessons when a decision came since the last
    /// time, and one over the outcomes when one of them came late.
    pub fn effects(&mut self) -> &Effects {
        if self.is_late {
            self.fold_anew();
        }
        if self.effects.is_none() {
            self.effects = Some(Box::new(self.conclude()));
        }
        self.effects.get_or_insert_with(Box::default)
    }

    fn kept(&mut self, id: &str, mut run: Run<'_>) -> Held {
        if is_policy_run(id, run.by) {
            run.measured = None;
        }
        let mut drawn: Vec<DrawnOf> = Vec::new();
        for one in run.measured.iter().flat_map(|measured| &measured.drawn) {
            // A certain draw teaches nothing, and a lesson is drawn for once.
            let place = self.lessons.place(&one.lesson);
            if one.q > 0.0 && one.q < 1.0 && drawn.iter().all(|other| other.0 != place) {
                drawn.push((place, one.q, one.withheld));
            }
        }
        let is_control = run.measured.is_some_and(|measured| measured.control);
        if is_control {
            drawn.clear();
        }
        // Where it was certain that it is none, or that it is one, nothing is told by it.
        let control = run
            .measured
            .filter(|measured| measured.control_q > 0.0 && measured.control_q < 1.0)
            .map(|measured| (measured.control_q, measured.control));
        Held {
            at: run.at,
            outcome: run.outcome,
            domain: self.domains.place(&domain_key(run.domain)),
            agent: self.agents.place(run.by),
            control,
            drawn: drawn.into(),
        }
    }

    fn fold_anew(&mut self) {
        self.fold = Fold::default();
        self.open = OpenRuns::default();
        self.is_late = false;
        let (order, held) = (
            std::mem::take(&mut self.order),
            std::mem::take(&mut self.held),
        );
        for key in &order {
            if let Some(held) = held.get(&key.1) {
                self.take(held, key.clone());
            }
        }
        for held in held.values() {
            self.count_open(held, true);
        }
        (self.order, self.held) = (order, held);
    }

    /// Folds the decision whose outcome is the newest.
    fn take(&mut self, held: &Held, key: (Millis, Arc<str>)) {
        let Some((_, success)) = held.outcome else {
            return;
        };
        let fold = &mut self.fold;
        let domain = held.domain as usize;
        grow(&mut fold.domains, domain);
        let rate = fold.domains[domain];
        let expected = baseline(rate.n, rate.successes, fold.space.value());
        for (lesson, q, withheld) in &held.drawn {
            if !is_of_text(&self.since, *lesson, held.at) {
                continue;
            }
            grow(&mut fold.lessons, *lesson as usize);
            fold.lessons[*lesson as usize].take(*q, *withheld, success, expected);
        }
        if let Some((q, control)) = held.control {
            let agent = held.agent as usize;
            grow(&mut fold.by_domain, domain);
            grow(&mut fold.by_agent, agent);
            fold.whole.take(q, control, success, expected);
            fold.by_domain[domain].take(q, control, success, expected);
            fold.by_agent[agent].take(q, control, success, expected);
        }
        fold.domains[domain].count(success);
        fold.space.count(success);
        fold.last = Some(key);
    }

    /// Counts the draws of a decision without an outcome, or takes that back.
    fn count_open(&mut self, held: &Held, forth: bool) {
        if held.outcome.is_some() {
            return;
        }
        let open = &mut self.open;
        if let Some((_, control)) = held.control {
            let (domain, agent) = (held.domain as usize, held.agent as usize);
            grow(&mut open.by_domain, domain);
            grow(&mut open.by_agent, agent);
            open.whole.count(control, forth);
            open.by_domain[domain].count(control, forth);
            open.by_agent[agent].count(control, forth);
        }
        for (lesson, _, withheld) in &held.drawn {
            if !is_of_text(&self.since, *lesson, held.at) {
                continue;
            }
            grow(&mut open.lessons, *lesson as usize);
            open.lessons[*lesson as usize].count(*withheld, forth);
        }
    }

    fn conclude(&self) -> Effects {
        let fold = &self.fold;
        let many = self.lessons.names.len();
        let known = (0..many).map(|place| {
            let open = self.open.lessons.get(place).copied().unwrap_or_default();
            Known {
                slug: Arc::clone(&self.lessons.names[place]),
                running: fold.lessons.get(place).copied().unwrap_or_default(),
                shown_open: open.shown,
                withheld_open: open.withheld,
            }
        });
        let lessons = say(known.collect());
        Effects {
            places: (0..many)
                .map(|at| (Arc::clone(&lessons[at].slug), at))
                .collect(),
            lessons,
            whole: lift_of(Some(&fold.whole), Some(&self.open.whole)),
            by_domain: groups(&self.domains, &fold.by_domain, &self.open.by_domain),
            by_agent: groups(&self.agents, &fold.by_agent, &self.open.by_agent),
        }
    }
}

/// True if a decision of that time showed the lesson's text in force.
fn is_of_text(since: &BTreeMap<u32, Millis>, lesson: u32, at: Millis) -> bool {
    since.get(&lesson).is_none_or(|since| at >= *since)
}

fn grow<T: Clone + Default>(list: &mut Vec<T>, place: usize) {
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
}

fn lift_of(running: Option<&LessonRunning>, open: Option<&Open>) -> LoopLift {
    let open = open.copied().unwrap_or_default();
    LoopLift {
        running: running.copied().unwrap_or_default(),
        shown_open: open.shown,
        control_open: open.withheld,
    }
}

fn groups(names: &Names, runs: &[LessonRunning], open: &[Open]) -> Vec<GroupLift> {
    let mut places: Vec<(&Arc<str>, &u32)> = names.places.iter().collect();
    places.sort_unstable();
    places
        .into_iter()
        .filter_map(|(name, place)| {
            let place = *place as usize;
            let lift = lift_of(runs.get(place), open.get(place));
            (!lift.is_empty()).then(|| GroupLift {
                name: name.to_string(),
                lift,
            })
        })
        .collect()
}
