//! The right to move a standing.
//!
//! Where two agents' keys or more have written, no key lifts its own lesson alone, nor sinks another's by repeating
//! itself. What it says is recorded all the same. An event is judged by the ledger before it.

use crate::counts::{rate, settle_in, vote};
use crate::instant::{DAY, Millis};
use crate::learning::lift::{Base, rated};
use crate::lesson::{Lesson, Standing, is_agent};
use crate::policy::FoldPolicy;
use crate::space::{Decision, Space};
use lesson_types::{DecisionOutcome, Trust};

/// Why something that was said of a lesson is recorded, but does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyUncounted {
    /// The key that wrote the lesson said it: it counts once a person approves the lesson.
    UntilApproved,
    /// The key has rated the lesson on this UTC day, or a later one.
    RatedToday,
    /// The key has voted on the lesson on this UTC day, or a later one.
    VotedToday,
    /// The voice was withdrawn.
    Withdrawn,
}

impl WhyUncounted {
    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::UntilApproved => "until_approved",
            Self::RatedToday => "rated_today",
            Self::VotedToday => "voted_today",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::UntilApproved => {
                "recorded; this key wrote the lesson, so it counts once a person approves the lesson"
            }
            Self::RatedToday => "recorded; this key rated the lesson today already",
            Self::VotedToday => "recorded; this key voted on the lesson today already",
            Self::Withdrawn => {
                "recorded; a person withdrew this voice, so nothing that it says counts"
            }
        }
    }
}

/// A part of an event that does not count: what it says of one lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncounted {
    /// The lesson.
    pub lesson: String,
    /// Why.
    pub why: WhyUncounted,
}

/// A speaker, and the rules by which its words count.
#[derive(Clone, Copy)]
pub(crate) struct Voice<'a> {
    /// See [`crate::Event::by`].
    pub by: &'a str,
    /// When.
    pub at: Millis,
    /// True if the space is shared: else everything counts.
    pub shared: bool,
    /// True if the ledger is folded anew, so that the event was taken before: see [`Space::is_refolding`].
    pub anew: bool,
    /// The fold's constants.
    pub policy: &'a FoldPolicy,
}

/// True if `by` is a person, signed in or not.
pub(super) fn is_person(by: &str) -> bool {
    by.starts_with("person:") || by == "local"
}

impl Voice<'_> {
    /// True if an agent speaks of an unapproved lesson of its own.
    fn is_self_vote(&self, lesson: &Lesson) -> bool {
        self.is_word_of(self.by, lesson)
    }

    pub(super) fn is_word_of(&self, by: &str, lesson: &Lesson) -> bool {
        self.shared && is_agent(by) && lesson.by == by && !lesson.is_vouched_for()
    }

    /// Moves a lesson's standing by what is said; an agent's word on its own lesson waits.
    pub fn moves(
        &self,
        lesson: &mut Lesson,
        change: impl Fn(&mut Standing),
    ) -> Option<WhyUncounted> {
        self.moves_or_waits(self.is_self_vote(lesson), lesson, change)
    }

    pub(super) fn moves_or_waits(
        &self,
        waits: bool,
        lesson: &mut Lesson,
        change: impl Fn(&mut Standing),
    ) -> Option<WhyUncounted> {
        if waits {
            let Lesson {
                standing,
                pending_standing,
                ..
            } = lesson;
            change(pending_standing.get_or_insert_with(|| Box::new(standing.clone())));
            return Some(WhyUncounted::UntilApproved);
        }
        lesson.move_standing(change);
        None
    }

    /// A rating or a vote: an agent's counts once a day.
    pub fn gives_opinion(
        &self,
        lesson: &mut Lesson,
        (is_vote, is_positive): (bool, bool),
        base: Base,
    ) -> Option<WhyUncounted> {
        if self.shared && is_agent(self.by) {
            let day = self.at.div_euclid(DAY);
            let held = lesson.counted_on.entry(self.by.to_owned()).or_default();
            let (last, why) = if is_vote {
                (&mut held.voted, WhyUncounted::VotedToday)
            } else {
                (&mut held.rated, WhyUncounted::RatedToday)
            };
            // Days go forward: a clock that was set back gives no second chance.
            if last.is_some_and(|last| day <= last) {
                return Some(why);
            }
            *last = Some(day);
        }
        self.moves(lesson, |held| {
            if is_vote {
                vote(held, is_positive, self.policy);
            } else {
                rate(held, is_positive, self.policy);
                let mut lift = held.lift();
                rated(base, &mut lift, is_positive, self.at);
                held.believe(lift);
            }
        })
    }

    /// Counts an applied lesson's outcome. It is its writer's word when that asked for the recommendation, told the
    /// outcome, or makes it count now.
    pub fn settles(
        &self,
        lesson: &mut Lesson,
        (asked_by, told_by): (&str, &str),
        outcome: DecisionOutcome,
    ) -> Option<WhyUncounted> {
        let waits = [asked_by, told_by, self.by]
            .into_iter()
            .any(|by| self.is_word_of(by, lesson));
        self.moves_or_waits(waits, lesson, |held| {
            settle_in(held, outcome, self.at, self.policy);
        })
    }

    /// Sets what is thought of a lesson's text. With a person's approval, what its writer said of it counts.
    pub fn trusts(&self, lesson: &mut Lesson, trust: Trust) {
        lesson.trust = trust;
        lesson.approved_by_agent =
            trust == Trust::Approved && is_agent(&lesson.by) && !is_person(self.by);
        if lesson.is_vouched_for()
            && let Some(standing) = lesson.pending_standing.take()
        {
            lesson.standing = *standing;
        }
    }
}

impl Lesson {
    /// Moves the standing, and what it would be with its writer's word.
    pub(crate) fn move_standing(&mut self, change: impl Fn(&mut Standing)) {
        change(&mut self.standing);
        if let Some(pending_standing) = &mut self.pending_standing {
            change(pending_standing);
        }
    }
}

impl Space {
    /// Makes the voice of `by` at a time, by the rules in force in the space.
    pub(super) fn voice<'a>(&self, by: &'a str, at: Millis, policy: &'a FoldPolicy) -> Voice<'a> {
        Voice {
            by,
            at,
            shared: self.is_shared(policy),
            anew: self.is_refolding(),
            policy,
        }
    }

    /// Remembers that an agent's key has written.
    pub(crate) fn note_writer(&mut self, by: &str, policy: &FoldPolicy) {
        if is_agent(by) && !self.is_shared(policy) && !self.agents.iter().any(|known| known == by) {
            self.agents.push(by.to_owned());
        }
    }

    /// Counts a final outcome in the standing of every applied lesson, once each: whichever of tracking and outcome comes
    /// last brings it about. Lifts learn of it, too.
    pub(super) fn settle(&mut self, decision_id: &str, voice: Voice<'_>) -> Vec<Uncounted> {
        let uncounted = self.count_outcome(decision_id, voice);
        self.teach(decision_id, voice);
        uncounted
    }

    fn count_outcome(&mut self, decision_id: &str, voice: Voice<'_>) -> Vec<Uncounted> {
        let Some(Decision {
            by: asked_by,
            outcome: Some(outcome),
            outcome_by,
            records,
            ..
        }) = self.decisions.get_mut(decision_id)
        else {
            return Vec::new();
        };
        let mut uncounted = Vec::new();
        if !outcome.is_final() {
            return uncounted;
        }
        for record in records {
            if !record.was_applied || record.settled {
                continue;
            }
            record.settled = true;
            record.contributed_to_success = *outcome == DecisionOutcome::Success;
            let Some(mut lesson) = self.lessons.get_mut(&record.lesson) else {
                continue;
            };
            let why = voice.settles(&mut lesson, (asked_by, outcome_by), *outcome);
            uncounted.extend(why.map(|why| Uncounted {
                lesson: record.lesson.clone(),
                why,
            }));
        }
        uncounted
    }
}
