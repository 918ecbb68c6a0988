//! The days that charts look at.

use crate::components::Segmented;
use crate::dom::Memory;
use crate::parameters::in_address;
use leptos::prelude::*;
use lesson_types::InsightsQuery;

/// Where the range is remembered that was chosen last.
const REMEMBERED: &str = "lessonloop.range";

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
    /// Returns the path of the request to the engine.
    pub fn path(self) -> String {
        let query = InsightsQuery { days: self.days() };
        match query.days {
            Some(days) => format!("/v1/insights?days={days}"),
            None => "/v1/insights".to_owned(),
        }
    }

    /// The range that the page's address names, and is named in when it changes. Where none is named it is the one that was
    /// chosen last in this tab, on whichever page.
    pub fn in_address() -> RwSignal<Self> {
        let range = in_address(
            "range",
            |word| Self::read(word).unwrap_or_else(Self::remembered),
            |range| range.word().to_owned(),
        );
        Effect::new(move |_| Memory::Tab.keep(REMEMBERED, range.get().word()));
        range
    }

    fn remembered() -> Self {
        let word = Memory::Tab.find(REMEMBERED);
        word.and_then(|word| Self::read(&word)).unwrap_or_default()
    }

    fn read(word: &str) -> Option<Self> {
        let all = [Self::Week, Self::Month, Self::Quarter, Self::All];
        all.into_iter().find(|range| range.word() == word)
    }

    /// Its word in an address.
    fn word(self) -> &'static str {
        match self {
            Self::Week => "7",
            Self::Month => "30",
            Self::Quarter => "90",
            Self::All => "all",
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

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_address_names_a_range() {
        for range in [Range::Week, Range::Month, Range::Quarter, Range::All] {
            assert_eq!(Range::read(range.word()), Some(range));
        }
        for word in ["12", ""] {
            assert_eq!(Range::read(word), None);
        }
    }
}
