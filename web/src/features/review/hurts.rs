//! The measured effect of a lesson that is said to hurt.

use crate::components::IntervalBar;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Lift, LiftArm};

/// The estimate with its interval, and what it was made of.
#[component]
pub fn Hurts(lift: Lift) -> impl IntoView {
    let (Some(estimate), Some(low), Some(high)) = (lift.estimate, lift.low, lift.high) else {
        return ().into_any();
    };
    let of = |arm: &LiftArm| {
        format!(
            "{} of {}",
            format::count(arm.successes),
            format::count(arm.successes.saturating_add(arm.failures))
        )
    };
    let words = format!(
        "{} went well with it, {} without.",
        of(&lift.shown),
        of(&lift.withheld)
    );
    view! {
        <div class="review-effect" data-testid="review-hurts">
            <IntervalBar estimate low high/>
            <p class="hint">{words}</p>
        </div>
    }
    .into_any()
}
