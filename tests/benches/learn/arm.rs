//! Arms: ways of turning what was seen into an order of lessons. The sources' rules and evidence are the product's own code.

use crate::dice::Dice;
use crate::situations::{Situations, space_of};
use crate::wilson::wilson;
use lesson_core::learning::{Effects, Given, Learning, Run};
use lesson_core::{
    DecisionOutcome, Detection, Event, EventKind, LiftVerdict, MatchType, Measured, Policy,
    Qualification, Space, SurfacedContext, SurfacedItem,
};

/// Decisions with an outcome between two looks at the effects, as a device that syncs now and then.
const LOOK: usize = 10;

/// A way of ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arm {
    /// Any lessons that fit.
    Random,
    /// By relevance.
    Relevance,
    /// The sources' rules.
    Seeds,
    /// Relevance × the lower end of Wilson's interval of the success rate.
    Wilson,
    /// Relevance × (successes + 1) / (applied + 2).
    Beta,
    /// Relevance × (1 + c·e), nothing withheld.
    Evidence(f64),
    /// The same, while each lesson is withheld with this probability.
    Measured(f64, f64),
    /// As evidence, and a lesson is left out where its effect is −1/c or worse. The product does not do so.
    Left(f64),
    /// Knows every lift, and shows only what helps.
    Oracle,
}

impl Arm {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Relevance => "relevance only",
            Self::Seeds => "seeds' standing",
            Self::Wilson => "Wilson",
            Self::Beta => "Beta mean",
            Self::Evidence(_) => "evidence",
            Self::Measured(..) => "evidence with withholding",
            Self::Left(_) => "evidence, left out at −1/c (a trial)",
            Self::Oracle => "oracle",
        }
    }

    /// The probability that a lesson is withheld.
    pub fn withholds(self) -> f64 {
        match self {
            Self::Measured(_, q) => q,
            _ => 0.0,
        }
    }
}

/// What is seen of a decision when its outcome comes.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The decision.
    pub run: usize,
    /// Its domain.
    pub domain: usize,
    /// Lessons shown, with whether they were seen to be applied.
    pub shown: Vec<(usize, bool)>,
    /// What was drawn.
    pub measured: Option<Measured>,
    /// Whether it went well.
    pub success: bool,
}

/// What an arm has learned.
pub struct Learner<'a> {
    arm: Arm,
    situations: &'a Situations,
    dice: Dice,
    /// (applied, successes) of each lesson, and of all decisions.
    counts: Vec<(f64, f64)>,
    all: (f64, f64),
    space: Space,
    events: u64,
    learning: Learning,
    effects: Vec<(f64, LiftVerdict)>,
    fed: usize,
}

impl<'a> Learner<'a> {
    /// Nothing learned yet.
    pub fn new(arm: Arm, situations: &'a Situations, seed: u64) -> Self {
        let many = situations.lessons.len();
        let space = match arm {
            Arm::Seeds => space_of(&situations.lessons),
            _ => Space::new(),
        };
        Self {
            arm,
            situations,
            dice: Dice::new(seed ^ 0x5eed),
            counts: vec![(0.0, 0.0); many],
            all: (0.0, 0.0),
            space,
            events: 0,
            learning: Learning::new(),
            effects: vec![(0.0, LiftVerdict::Unknown); many],
            fed: 0,
        }
    }

    /// The score of a lesson; `None` where it is left out. `lift` is known to the oracle alone.
    pub fn score(&mut self, lesson: usize, relevance: f64, lift: f64) -> Option<f64> {
        let (n, successes) = self.counts[lesson];
        Some(match self.arm {
            Arm::Random => self.dice.unit(),
            Arm::Relevance => relevance,
            Arm::Seeds => {
                let policy = Policy::default().rank;
                let held = &self
                    .space
                    .lesson(&self.situations.lessons[lesson].slug)?
                    .standing;
                if held.qualification(&policy) != Qualification::Qualified {
                    return None;
                }
                let causal =
                    policy.causal_base + policy.causal_weight * held.causal_adjusted(&policy);
                relevance * held.rating_penalty(&policy) * causal
            }
            Arm::Wilson => relevance * if n < 1.0 { 0.5 } else { wilson(successes, n) },
            Arm::Beta => relevance * (successes + 1.0) / (n + 2.0),
            Arm::Evidence(c) | Arm::Measured(c, _) => match self.effects[lesson] {
                (_, LiftVerdict::Hurts) => return None,
                (effect, _) => relevance * (1.0 + c * effect).max(0.0),
            },
            Arm::Left(c) => {
                let (effect, verdict) = self.effects[lesson];
                if verdict == LiftVerdict::Hurts || 1.0 + c * effect <= 0.0 {
                    return None;
                }
                relevance * (1.0 + c * effect)
            }
            Arm::Oracle if lift <= 0.0 => return None,
            Arm::Oracle => relevance * lift,
        })
    }

    /// Counts what an answer shows, as far as the sources' rules do.
    pub fn surface(&mut self, run: usize, shown: &[usize]) {
        if self.arm != Arm::Seeds {
            return;
        }
        let items = shown
            .iter()
            .zip(1_u32..)
            .map(|(lesson, rank)| SurfacedItem {
                lesson: self.situations.lessons[*lesson].slug.clone(),
                rank,
                score: 0.5,
                relevance: 0.5,
                likelihood: None,
            });
        let event = EventKind::Surfaced {
            retrieval_id: format!("r{run}"),
            purpose: "recommend".to_owned(),
            context: SurfacedContext {
                decision_id: Some(format!("d{run}")),
                ..SurfacedContext::default()
            },
            items: items.collect(),
            policy: String::new(),
            measured: None,
        };
        self.fold(event);
    }

    /// Takes an outcome.
    pub fn take(&mut self, seen: &Seen) {
        self.all = (
            self.all.0 + 1.0,
            self.all.1 + f64::from(u8::from(seen.success)),
        );
        for (lesson, applied) in &seen.shown {
            if *applied {
                let count = &mut self.counts[*lesson];
                *count = (count.0 + 1.0, count.1 + f64::from(u8::from(seen.success)));
            }
        }
        match self.arm {
            Arm::Seeds => self.take_by_rules(seen),
            Arm::Evidence(_) | Arm::Left(_) | Arm::Measured(..) => self.take_as_evidence(seen),
            _ => {}
        }
    }

    fn take_by_rules(&mut self, seen: &Seen) {
        let decision_id = format!("d{}", seen.run);
        let detections = seen.shown.iter().map(|(lesson, applied)| Detection {
            lesson: self.situations.lessons[*lesson].slug.clone(),
            applied: *applied,
            match_type: MatchType::Implicit,
            confidence: 0.6,
            quote: None,
        });
        let detections = detections.collect();
        self.fold(EventKind::UsageTracked {
            decision_id: decision_id.clone(),
            detections,
        });
        let outcome = if seen.success {
            DecisionOutcome::Success
        } else {
            DecisionOutcome::Failure
        };
        self.fold(EventKind::OutcomeRecorded {
            decision_id,
            outcome,
            pnl_percent: None,
        });
    }

    fn fold(&mut self, event: EventKind) {
        self.events += 1;
        let event = Event {
            op_id: format!("op-{}", self.events),
            actor: "bench".to_owned(),
            seq: self.events,
            at: self.events as i64,
            by: "local".to_owned(),
            request: None,
            event,
        };
        let folded = self.space.fold(&event, &Policy::default());
        assert!(folded.is_ok(), "{folded:?}");
    }

    fn take_as_evidence(&mut self, seen: &Seen) {
        let lessons = &self.situations.lessons;
        let shown: Vec<(&str, bool)> = seen
            .shown
            .iter()
            .map(|(lesson, applied)| (lessons[*lesson].slug.as_str(), *applied))
            .collect();
        self.fed += 1;
        let run = Run {
            at: seen.run as i64,
            outcome: Some((self.fed as i64, seen.success)),
            domain: &self.situations.domains[seen.domain],
            by: "local",
            measured: seen.measured.as_ref(),
            lessons: Given::List(&shown),
        };
        self.learning.feed(&format!("d{}", seen.run), Some(run));
        if self.fed.is_multiple_of(LOOK) {
            let effects: &Effects = self.learning.effects();
            for (held, lesson) in self.effects.iter_mut().zip(lessons) {
                let known = effects.lesson(&lesson.slug);
                *held = known.map_or_else(Default::default, |known| (known.value, known.verdict));
            }
        }
    }

    /// Whether the arm would tell a person that a lesson is proven.
    pub fn proves(&self, lesson: usize) -> bool {
        let (n, successes) = self.counts[lesson];
        match self.arm {
            Arm::Seeds => self
                .space
                .lesson(&self.situations.lessons[lesson].slug)
                .is_some_and(|held| held.standing.proven_effective),
            Arm::Wilson => n >= 3.0 && wilson(successes, n) >= 0.5,
            Arm::Beta => n >= 3.0 && (successes + 1.0) / (n + 2.0) >= 0.5,
            Arm::Evidence(_) | Arm::Left(_) | Arm::Measured(..) => {
                self.effects[lesson].1 == LiftVerdict::Helps
            }
            _ => false,
        }
    }

    /// On which side of doing nothing the arm sees a lesson that was applied 20 times or more.
    pub fn sign(&self, lesson: usize) -> Option<bool> {
        let (n, successes) = self.counts[lesson];
        if n < 20.0 {
            return None;
        }
        match self.arm {
            Arm::Seeds | Arm::Wilson | Arm::Beta => Some(successes / n > self.all.1 / self.all.0),
            Arm::Evidence(_) | Arm::Left(_) | Arm::Measured(..) => {
                Some(self.effects[lesson].0 > 0.0)
            }
            _ => None,
        }
    }
}
