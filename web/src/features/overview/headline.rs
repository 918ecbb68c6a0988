//! The headline: how much more often runs go well with lessons than without, or what is missing to know it.

use crate::api::{Asking, Client, Query};
use crate::components::{ErrorNote, IntervalBar, Skeleton, points_to, use_toasts};
use crate::features::figures::{Change, FEW, rate, share_figure};
use crate::features::measuring::measuring;
use crate::features::range::Range;
use crate::features::trend::{ended, runs, share};
use crate::format;
use leptos::prelude::*;
use lesson_types::{Insights, Lift, LiftArm, LiftGuard, LiftReport, RunEnds, RunTotals};
use serde_json::Value;

/// The headline. `has_runs`: whether the space has any, as soon as that is known.
#[component]
pub fn Headline(
    insights: Memo<Insights>,
    lift: Query<LiftReport>,
    range: RwSignal<Range>,
    has_runs: Signal<Option<bool>>,
) -> impl IntoView {
    move || match lift.data.get() {
        None => view! { <Skeleton lines=5/> }.into_any(),
        Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
        Some(Ok(report)) => {
            let whole = &report.whole;
            match (whole.guard, whole.estimate, whole.low, whole.high) {
                (LiftGuard::Given, Some(estimate), Some(low), Some(high)) => insights
                    .with(|insights| known(insights, range.get(), &report, (estimate, low, high))),
                _ => insights
                    .with(|insights| unknown(insights, range.get(), &report, has_runs.get())),
            }
        }
    }
}

fn all(arm: LiftArm) -> u32 {
    arm.successes
        .saturating_add(arm.failures)
        .saturating_add(arm.open.unwrap_or_default())
}

/// Returns the number of runs that have a final outcome, with its unit.
fn ended_runs(ends: RunEnds) -> String {
    format::plural(ended(ends), "run", "runs")
}

/// Where the numbers come from, after the runs that they are of.
fn within(range: Range) -> String {
    match range {
        Range::All => "since the first run".to_owned(),
        range => format!("in the last {}", range.words()),
    }
}

/// Draws the change in the success of runs with lessons against as many days before; nothing where either is too few.
fn moved(insights: &Insights, range: Range) -> Option<AnyView> {
    let of = |totals: RunTotals| (totals.shown.successes, ended(totals.shown));
    let figure = share_figure("", of(insights.totals), insights.before.map(of));
    let (text, change) = figure.change?;
    let than = format!(" points against the {} before", range.words());
    Some(view! { <p class="said" data-testid="headline-change"><b class=change.class()>{text}</b>{than}</p> }.into_any())
}

fn known(
    insights: &Insights,
    range: Range,
    report: &LiftReport,
    (estimate, low, high): (f64, f64, f64),
) -> AnyView {
    let Lift {
        shown, withheld, ..
    } = report.whole;
    let class = Change::of(low, high).class();
    let part = |ends: RunEnds| rate(ends.successes, ended(ends));
    let totals = insights.totals;
    let says = if low > 0.0 {
        "Runs with lessons succeed more often than the control runs without."
    } else if high < 0.0 {
        "Runs with lessons succeed less often than the control runs without. Look at what needs attention."
    } else {
        "The difference between runs with lessons and control runs isn't certain yet."
    };
    let open = shown
        .open
        .unwrap_or_default()
        .saturating_add(withheld.open.unwrap_or_default());
    view! {
        <div data-testid="headline" data-known="true">
            <p class="big">{part(totals.shown)}<span class="versus">" vs "</span>{part(totals.control)}</p>
            <p class="said">{format!("of {} with lessons and of {} succeeded {}", ended_runs(totals.shown), format::plural(ended(totals.control), "control run", "control runs"), within(range))}</p>
            {moved(insights, range)}
            <p class=format!("big {class}")>{points_to(estimate, 1)}" points"</p>
            <p class="muted">{says}" 95% confidence interval; safe to check at any time."</p>
            <IntervalBar estimate low high/>
            // Lessons are drawn with differing odds, so it is no plain difference of the shares above.
            <p class="muted">{format!("Of all {} ({} control, {} pending), each weighted by the odds of its draw.",
                format::plural(all(shown).saturating_add(all(withheld)), "run", "runs"), format::count(all(withheld)), format::count(open))}</p>
        </div>
    }
    .into_any()
}

/// Draws the share of runs that succeed, and what is missing to know how much of it the lessons do.
fn unknown(
    insights: &Insights,
    range: Range,
    report: &LiftReport,
    has_runs: Option<bool>,
) -> AnyView {
    let totals = insights.totals;
    let (successes, finished) = (totals.shown.successes, ended(totals.shown));
    let success = share(successes, finished);
    let begun = runs(totals.shown).saturating_add(runs(totals.control));
    let measures = report.control_runs > 0.0;
    let headline = match success {
        Some(_) if finished < FEW => view! {
            <p class="said-large">{format!("{successes} of {}: too few to tell", format::plural(finished, "run", "runs"))}</p>
            <p class="said">"with lessons succeeded "{within(range)}</p>
        }
        .into_any(),
        Some(success) => view! {
            <p class="big">{format::percent(success)}</p>
            <p class="said">{format!("of {} with lessons succeeded {}", ended_runs(totals.shown), within(range))}</p>
            {moved(insights, range)}
        }
        .into_any(),
        None if begun > 0 => view! { <p class="said-large">{format!("{}, no outcome yet", format::plural(begun, "run", "runs"))}</p> }.into_any(),
        // True of a space without any, too, until that is known.
        None if range != Range::All && has_runs != Some(false) => view! { <p class="said-large">"No runs "{within(range)}</p> }.into_any(),
        None => view! { <p class="said-large">"No runs yet"</p> }.into_any(),
    };
    let were_earlier = begun == 0 && has_runs == Some(true);
    let missing = if were_earlier {
        "There were some earlier: choose more days to see how they went."
    } else if begun == 0 {
        "A run begins when an agent asks for lessons for a task. Connect one, or try it in the Playground."
    } else if success.is_none() {
        "Agents report outcomes when they finish, or you record them on a run. They show what lessons do."
    } else if measures {
        "It isn't certain yet whether the lessons cause this. The interval appears once runs with lessons and control runs both have enough outcomes."
    } else {
        "It's unknown whether the lessons cause this, because every run gets them. Leave them out of one run in ten, and the difference shows their effect."
    };
    let arms = measures.then(|| {
        let Lift { shown, withheld, .. } = report.whole;
        let finished = |arm: LiftArm| format::count(arm.successes.saturating_add(arm.failures));
        view! { <p class="muted">{format!("With an outcome so far: {} with lessons · {} control", finished(shown), finished(withheld))}</p> }
    });
    let act = if were_earlier {
        view! { <a href="/runs" class="button">"All runs"</a> }.into_any()
    } else if begun == 0 {
        view! { <a href="/agents" class="button primary">"Connect an agent"</a><a href="/playground" class="button">"Open the Playground"</a> }.into_any()
    } else if success.is_none() {
        view! { <a href="/runs" class="button">"Record outcomes"</a> }.into_any()
    } else if measures {
        ().into_any()
    } else {
        view! { <StartMeasuring/> }.into_any()
    };
    view! {
        <div data-testid="headline" data-known="false">
            {headline}
            <p class="muted">{missing}</p>
            {arms}
            <div class="actions">{act}</div>
        </div>
    }
    .into_any()
}

/// Turns measuring on for the space.
#[component]
fn StartMeasuring() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let start = move |_| {
        let asked = client.patch_json::<Value>("/v1/policy", &measuring(true));
        asking.run(asked, move |_| {
            toasts.good("Lessons are measured from now on; Settings turns it off again")
        });
    };
    view! {
        <button type="button" class="primary" data-testid="start-measuring" disabled=asking.busy on:click=start>"Start measuring"</button>
        {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
    }
}
