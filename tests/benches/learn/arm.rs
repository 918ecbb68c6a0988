//! Arms: ways of turning what was seen into an order of lessons. The sources' rules and lift are the product's own code.

use crate::bound::Full;
use crate::dice::Dice;
use crate::situations::{Situations, space_of};
use lesson_core::learning::Belief;
use lesson_core::{
    DecisionOutcome, Detection, Event, EventKind, MatchType, Measured, Policy, Qualification,
    Space, SurfacedContext, SurfacedItem,
};

/// A way of ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arm {
    /// Any lessons that fit.
    Random,
    /// By relevance.
    Relevance,
    /// The sources' rules.
    Seeds,
    /// Relevance × the lift that may be hoped for, nothing withheld.
    Lift,
    /// The same, while each lesson is withheld with this probability.
    Withheld(f64),
    /// Lift with the whole covariance: the bound.
    Full,
    /// Knows every lift, and shows only what helps.
    Oracle,
}

impl Arm {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Relevance => "relevance only",
            Self::Seeds => "seeds",
            Self::Lift => "lift",
            Self::Withheld(_) => "lift with withholding",
            Self::Full => "full covariance (a bound)",
            Self::Oracle => "oracle",
        }
    }

    /// The probability that a lesson is withheld.
    pub fn withholds(self) -> f64 {
        match self {
            Self::Withheld(q) => q,
            _ => 0.0,
        }
    }

    /// True if the product's own fold has to see what happens.
    fn folds(self) -> bool {
        matches!(self, Self::Seeds | Self::Lift | Self::Withheld(_))
    }
}

/// A lesson of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// Its number.
    pub lesson: usize,
    /// The confidence of its detection; `None` where it was not seen to be applied.
    pub seen: Option<f64>,
}

/// A decision as it is seen when its outcome comes.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The decision.
    pub run: usize,
    /// Its domain.
    pub domain: usize,
    /// The voice that asked, and tells how it went.
    pub voice: &'static str,
    /// Lessons shown.
    pub shown: Vec<Given>,
    /// True if it went well, as the voice has it.
    pub success: bool,
}

/// An arm with all that it has learned.
pub struct Learner<'a> {
    /// The time, in milliseconds.
    pub now: i64,
    arm: Arm,
    situations: &'a Situations,
    dice: Dice,
    space: Space,
    full: Full,
    events: u64,
}

impl<'a> Learner<'a> {
    /// Nothing learned yet.
    pub fn new(arm: Arm, situations: &'a Situations, seed: u64) -> Self {
        let (lessons, domains) = match arm {
            Arm::Full => (situations.lessons.len(), situations.domains.len()),
            _ => (0, 0),
        };
        Self {
            now: 0,
            arm,
            situations,
            dice: Dice::new(seed ^ 0x5eed),
            space: if arm.folds() {
                space_of(&situations.lessons)
            } else {
                Space::new()
            },
            full: Full::new(lessons, domains),
            events: 0,
        }
    }

    /// The score of a lesson; `None` where it is left out. `lift` is known to the oracle alone.
    pub fn score(&mut self, lesson: usize, relevance: f64, lift: f64) -> Option<f64> {
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
            Arm::Lift | Arm::Withheld(_) | Arm::Full => {
                let hoped = self.belief(lesson)?.optimism();
                if hoped <= 0.0 {
                    return None;
                }
                relevance * hoped / Belief::default().optimism()
            }
            Arm::Oracle if lift <= 0.0 => return None,
            Arm::Oracle => relevance * lift,
        })
    }

    /// Returns the belief about a lesson as of now; `None` if the space does not hold it.
    fn belief(&self, lesson: usize) -> Option<Belief> {
        if self.arm == Arm::Full {
            return Some(self.full.belief(lesson));
        }
        let held = self.space.lesson(&self.situations.lessons[lesson].slug)?;
        Some(held.standing.lift().at(self.now))
    }

    /// Counts what an answer shows.
    pub fn surface(
        &mut self,
        run: usize,
        domain: usize,
        voice: &str,
        shown: &[Given],
        measured: Option<Measured>,
    ) {
        if !self.arm.folds() {
            return;
        }
        let items = shown.iter().zip(1_u32..).map(|(given, rank)| SurfacedItem {
            lesson: self.situations.lessons[given.lesson].slug.clone(),
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
                domain: Some(self.situations.domains[domain].clone()),
                ..SurfacedContext::default()
            },
            items: items.collect(),
            policy: String::new(),
            measured,
        };
        self.fold(voice, event);
    }

    /// Takes an outcome.
    pub fn take(&mut self, seen: &Seen) {
        if self.arm == Arm::Full {
            let applied: Vec<(f64, usize)> = seen
                .shown
                .iter()
                .filter_map(|given| Some((given.seen?, given.lesson)))
                .collect();
            self.full
                .learn(seen.domain, &applied, seen.success, self.now);
        }
        if !self.arm.folds() {
            return;
        }
        let decision_id = format!("d{}", seen.run);
        let detections = seen.shown.iter().map(|given| Detection {
            lesson: self.situations.lessons[given.lesson].slug.clone(),
            applied: given.seen.is_some(),
            match_type: if given.seen > Some(0.9) {
                MatchType::Explicit
            } else {
                MatchType::Implicit
            },
            confidence: given.seen.unwrap_or_default(),
            quote: None,
        });
        let detections = detections.collect();
        let tracked = EventKind::UsageTracked {
            decision_id: decision_id.clone(),
            detections,
        };
        self.fold(seen.voice, tracked);
        let outcome = if seen.success {
            DecisionOutcome::Success
        } else {
            DecisionOutcome::Failure
        };
        let recorded = EventKind::OutcomeRecorded {
            decision_id,
            outcome,
            pnl_percent: None,
        };
        self.fold(seen.voice, recorded);
    }

    fn fold(&mut self, voice: &str, event: EventKind) {
        self.events += 1;
        let event = Event {
            op_id: format!("op-{}", self.events),
            actor: "bench".to_owned(),
            seq: self.events,
            at: self.now,
            by: voice.to_owned(),
            request: None,
            event,
        };
        let folded = self.space.fold(&event, &Policy::default());
        assert!(folded.is_ok(), "{folded:?}");
    }

    /// True if the arm would tell a person that a lesson is proven.
    pub fn proves(&self, lesson: usize) -> bool {
        match self.arm {
            Arm::Seeds => self
                .space
                .lesson(&self.situations.lessons[lesson].slug)
                .is_some_and(|held| held.standing.proven_effective),
            Arm::Lift | Arm::Withheld(_) | Arm::Full => self
                .belief(lesson)
                .is_some_and(|belief| belief.interval().0 > 0.0),
            _ => false,
        }
    }
}
