//! The days that charts look at.

use crate::components::Segmented;
use leptos::prelude::*;
use lesson_types::InsightsQuery;

/// A range of days up to now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Range {
    /// Seven days.
    Week,
    /// Thirty days.
    Month,
    /// Ninety days.
    #[default]
    Quarter,
    /// Everything.
    All,
}

impl Range {
    /// What is asked of the engine.
    pub fn path(self) -> String {
        let query = InsightsQuery { days: self.days() };
        match query.days {
            Some(days) => format!("/v1/insights?days={days}"),
            None => "/v1/insights".to_owned(),
        }
    }

    fn days(self) -> Option<u32> {
        match self {
            Self::Week => Some(7),
            Self::Month => Some(30),
            Self::Quarter => Some(90),
            Self::All => None,
        }
    }

    /// In words, after a heading.
    pub fn words(self) -> &'static str {
        match self {
            Self::Week => "7 days",
            Self::Month => "30 days",
            Self::Quarter => "90 days",
            Self::All => "all days",
        }
    }
}

/// The choice of a range.
#[component]
pub fn RangeChoice(range: RwSignal<Range>) -> impl IntoView {
    let options = vec![
        (Range::Week, "7d"),
        (Range::Month, "30d"),
        (Range::Quarter, "90d"),
        (Range::All, "All"),
    ];
    view! { <Segmented label="Days" options value=range testid="range"/> }
}
