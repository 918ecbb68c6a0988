//! Why a lesson is in the queue, in words.

use crate::components::lift_words;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Lift, Measure, NearDuplicate, Qualification, ReviewItem, ReviewReason};

/// In a word or two.
pub fn short(reason: ReviewReason) -> &'static str {
    match reason {
        ReviewReason::Quarantined => "Quarantined",
        ReviewReason::Hurts => "Hurts",
        ReviewReason::NearDuplicate => "Near duplicate",
        ReviewReason::Disqualified => "Kept out by outcomes",
        ReviewReason::Pruning => "To prune",
        ReviewReason::BottomFive => "Among the worst",
        ReviewReason::NeverRated => "Never rated",
        ReviewReason::Unreviewed => "Unreviewed",
    }
}

/// Returns the question to the person who reviews an entry for this reason.
pub fn question(reason: ReviewReason, item: &ReviewItem) -> String {
    match reason {
        ReviewReason::Quarantined => {
            "Held back: no agent is shown this text until you approve it and say why.".to_owned()
        }
        ReviewReason::Hurts => format!(
            "Runs succeed less often with it{}. {}",
            item.hurts.as_ref().map_or_else(String::new, interval),
            item.remedy.as_deref().unwrap_or_default()
        ),
        ReviewReason::NearDuplicate => match item.duplicates.first() {
            Some(other) if other.contradicts.is_some() => format!(
                "{} Which of them is right? Edit or archive the other one.",
                alike(other)
            ),
            Some(other) => format!("{} Does it say anything of its own?", alike(other)),
            None => "Another lesson says almost the same.".to_owned(),
        },
        // Where the standing is lift, that is what keeps it out.
        ReviewReason::Disqualified if item.lift.high < 0.0 || item.lift.mean < 0.0 => format!(
            "Not recommended: {}; {} of {} went well. {}",
            lift_words(&item.lift),
            format::count(item.success_count),
            format::plural(item.times_applied, "use", "uses"),
            item.remedy.as_deref().unwrap_or_default()
        ),
        ReviewReason::Disqualified => format!(
            "Not recommended: {} of {} went well{}. {}",
            format::count(item.success_count),
            format::plural(item.times_applied, "use", "uses"),
            match item.qualification {
                Qualification::Excluded => ", and the last ones failed in a row",
                Qualification::Pending | Qualification::Qualified => "",
            },
            item.remedy.as_deref().unwrap_or_default()
        ),
        ReviewReason::Pruning => format!(
            "Its effectiveness is {} after it was a cause {}. {}",
            format::percent(item.effectiveness),
            format::plural(item.causal_hits, "time", "times"),
            item.remedy.as_deref().unwrap_or_default()
        ),
        ReviewReason::BottomFive => format!(
            "{} of {} found it helpful. Is it wrong, or just unclear?",
            format::count(item.times_helpful),
            format::plural(
                item.times_helpful.saturating_add(item.times_not_helpful),
                "rating",
                "ratings"
            )
        ),
        ReviewReason::NeverRated => format!(
            "Shown {} and never rated. Does it help?",
            format::plural(item.times_surfaced, "time", "times")
        ),
        ReviewReason::Unreviewed => {
            "Nobody has reviewed this text yet. Is it correct, and safe to pass on?".to_owned()
        }
    }
}

/// An effect in points with its interval.
fn interval(lift: &Lift) -> String {
    let point = |share: Option<f64>| share.map(|share| format!("{:+.0}", share * 100.0));
    match (point(lift.estimate), point(lift.low), point(lift.high)) {
        (Some(estimate), Some(low), Some(high)) => {
            format!(": {estimate} points, between {low} and {high}")
        }
        (Some(estimate), ..) => format!(": {estimate} points"),
        _ => String::new(),
    }
}

/// Returns a sentence on how alike another lesson is, or that one of them denies what the other says.
pub fn alike(other: &NearDuplicate) -> String {
    let share = format::percent(other.similarity);
    if let Some(word) = &other.contradicts {
        return format!(
            "It contradicts “{}”: nearly the same words, but for “{word}”.",
            other.title
        );
    }
    match other.measure {
        Measure::Meaning => format!("Its meaning is {share} similar to “{}”.", other.title),
        Measure::Words => format!("It shares {share} of its words with “{}”.", other.title),
    }
}

/// A reason as a label.
#[component]
pub fn ReasonChip(reason: ReviewReason) -> impl IntoView {
    let class = match reason {
        ReviewReason::Quarantined | ReviewReason::Hurts => "chip chip-bad",
        ReviewReason::NearDuplicate => "chip chip-info",
        ReviewReason::Unreviewed => "chip chip-warn",
        // The outcomes or ratings behind these may be chance.
        ReviewReason::Disqualified
        | ReviewReason::Pruning
        | ReviewReason::BottomFive
        | ReviewReason::NeverRated => "chip",
    };
    view! { <span class=class data-testid="reason" data-reason=reason.as_str()>{short(reason)}</span> }
}
