//! Effects of lessons: the lift that ranking uses, and randomised withholding with estimates that stay valid while one looks.
//!
//! *Lift* ([`Belief`], [`learn`]): one belief a lesson, folded with the ledger.
//!
//! *Drawing*: [`measure`] decides by a keyed hash whether a decision is a control run and which lessons are withheld from
//! it. *Estimating*: [`Learning`] is fed decision by decision and never reads the whole ledger for an answer; each formula
//! is a pure function with its source. *Saying*: [`Effects`] holds an effect and a verdict of every lesson, and the lift of
//! the loop.
//!
//! Lifts are folded with `+ − × ÷` only, and what [`measure`] draws reaches the ledger, made with comparisons only; the
//! estimates of withholding are made at read time, with `libm`.

mod badge;
mod baseline;
mod draw;
mod effects;
mod evalue;
mod held;
pub(crate) mod lift;
mod loop_lift;
mod more_runs;
mod run;
mod running;
mod sequence;
mod state;

pub use badge::{EffectBadge, effect_badge};
pub use baseline::{BASELINE_WEIGHT, baseline};
pub use draw::{Candidate, Measuring, NEXT, Selected, is_policy_run, measure, unit};
pub use effects::{Effects, LessonEffect};
pub use evalue::{EProcess, FALSE_DISCOVERIES, RATIO_LIMIT, RatioCheck, e_bh};
pub use lift::{
    BASE_DRIFT, Base, Belief, FIRST_BASE_VARIANCE, FIRST_MEAN, FIRST_VARIANCE, LEAST_MEAN,
    LEAST_VARIANCE, LEAST_WEIGHT, OPTIMISM, RATING_WEIGHT, UNHEEDED_NOISE, learn, learn_alone,
    rated,
};
pub use loop_lift::{GroupLift, LoopLift};
pub use more_runs::{TELLS, more_runs};
pub use run::Run;
pub use running::{ArmCounts, LeastRuns, LessonRunning};
pub use sequence::{ALPHA, Moments, half_width, rho_squared, runs_to};
pub use state::Learning;
