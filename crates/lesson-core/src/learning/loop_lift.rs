//! The lift of the loop: decisions that got lessons against control runs.

use super::running::{ArmCounts, LessonRunning};

/// The lift of the loop as far as measured, in a space or a part of it.
///
/// It is estimated as a lesson's is, with the probability of a control run that was in force when the decision was drawn
/// (`control_q`) in the place of q: so decisions of any probability are pooled, and a check of its own says whether control
/// runs are as many as were drawn. A decision that could not be a control run takes no part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LoopLift {
    /// Decisions with an outcome: *shown* are those that got lessons, *withheld* the control runs.
    pub running: LessonRunning,
    /// Decisions without an outcome that got lessons.
    pub shown_open: u32,
    /// Control runs without one.
    pub control_open: u32,
}

/// The loop's lift in a domain, or of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupLift {
    /// The domain, or who asked; empty where none was said.
    pub name: String,
    /// Its lift.
    pub lift: LoopLift,
}

impl LoopLift {
    /// Decisions with an outcome that got lessons.
    pub fn shown(&self) -> ArmCounts {
        self.running.shown
    }

    /// Control runs with one.
    pub fn control(&self) -> ArmCounts {
        self.running.withheld
    }

    /// Decisions with an outcome, of both arms.
    pub fn runs(&self) -> u32 {
        self.shown().runs().saturating_add(self.control().runs())
    }

    /// The lift, −1 to 1 but for noise; `None` while an arm is empty, and where the check turned it off.
    pub fn estimate(&self) -> Option<f64> {
        self.running.estimate()
    }

    /// Its interval; `None` before there is enough in each arm, and where the check turned it off, as for a lesson.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.running.interval()
    }

    /// True if no decision takes part in it.
    pub(super) fn is_empty(&self) -> bool {
        self.runs() == 0 && self.shown_open == 0 && self.control_open == 0
    }
}
