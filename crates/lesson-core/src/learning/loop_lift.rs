//! The lift of the loop: decisions that got lessons against control runs.

use super::running::{ArmCounts, LeastRuns};
use super::sequence::{ALPHA, Moments, half_width};

/// What is known of the loop's lift, in a space or a part of it.
///
/// The ledger keeps no probability of a control run, so this is the difference of the arms' mean Y−b, whose standard error
/// is √(σ₁²/n₁ + σ₀²/n₀). It is asymptotically linear, which is what the confidence sequence asks for (Waudby-Smith et al.
/// 2021, section 2.4); σ̂ is that error times √(n₁ + n₀).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LoopLift {
    /// Decisions that got lessons.
    pub shown: ArmCounts,
    /// Control runs.
    pub control: ArmCounts,
    with: Moments,
    without: Moments,
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
    /// Takes a measured decision with an outcome.
    pub fn take(&mut self, control: bool, success: bool, baseline: f64) {
        let term = f64::from(u8::from(success)) - baseline;
        let (arm, moments) = if control {
            (&mut self.control, &mut self.without)
        } else {
            (&mut self.shown, &mut self.with)
        };
        arm.count(success);
        moments.add(term);
    }

    /// Decisions of both arms.
    pub fn runs(&self) -> u32 {
        self.shown.runs().saturating_add(self.control.runs())
    }

    /// The lift, −1 to 1; `None` while an arm is empty.
    pub fn estimate(&self) -> Option<f64> {
        (self.with.t > 0 && self.without.t > 0).then_some(self.with.mean - self.without.mean)
    }

    /// Its interval; `None` before there is enough in each arm, as for a lesson.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let is_enough = |arm: &ArmCounts| {
            arm.runs() >= LeastRuns::RUNS
                && arm.successes >= LeastRuns::OUTCOMES
                && arm.failures >= LeastRuns::OUTCOMES
        };
        let lift = self.estimate()?;
        let error = self.with.variance() / f64::from(self.with.t)
            + self.without.variance() / f64::from(self.without.t);
        let sigma = libm::sqrt(error * f64::from(self.runs()));
        let half = half_width(sigma, self.runs(), ALPHA);
        (is_enough(&self.shown) && is_enough(&self.control))
            .then(|| ((lift - half).max(-1.0), (lift + half).min(1.0)))
    }
}
