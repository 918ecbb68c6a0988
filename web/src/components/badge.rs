//! Badge, trust and relevance as small labels: always words, never colour alone.

use crate::format;
use leptos::prelude::*;
use lesson_types::{Badge, BadgeKind, LiftVerdict, RelevanceWord, Trust};

/// Shows the counts of a lesson's uses. That they went well is no proof of the lesson: see [`EffectChip`].
#[component]
pub fn BadgeChip(badge: Badge) -> impl IntoView {
    let (class, mark) = match badge.kind {
        BadgeKind::Proven | BadgeKind::Testing => ("chip chip-info", "◐ "),
        BadgeKind::New => ("chip", "✦ "),
    };
    let words = counted(&badge.text);
    view! { <span class=class data-testid="badge"><span aria-hidden="true">{mark}</span>{words}</span> }
}

/// A badge's counts, `67% success, 5 uses`, without the word that agents read before them; `New` of one that has none.
pub fn counted(text: &str) -> String {
    // Not every machine has a font for the emoji that agents read.
    let words = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let counts = words
        .split_once('(')
        .and_then(|(_, counts)| counts.strip_suffix(')'));
    format::grouped(counts.unwrap_or(words))
}

/// Shows the verdict on a lesson's effect, or how much more it takes to reach one.
#[component]
pub fn EffectChip(
    /// The verdict, which sets the chip's colour and title.
    verdict: LiftVerdict,
    /// The same in words.
    badge: String,
    /// The interval that stands with it, where one is told.
    interval: Option<(f64, f64)>,
) -> impl IntoView {
    let (class, title) = match verdict {
        // All lessons are judged together, so a verdict may come before the lesson's own interval leaves 0.
        LiftVerdict::Helps | LiftVerdict::Hurts if holds_zero(interval) => {
            ("chip", "Its interval still holds 0")
        }
        LiftVerdict::Helps => (
            "chip chip-good",
            "Runs succeed more often with it than without",
        ),
        LiftVerdict::Hurts => (
            "chip chip-bad",
            "Runs succeed less often with it than without",
        ),
        LiftVerdict::NoDifference => ("chip", "Runs succeed about as often with it as without"),
        // Plain text, as this applies to most lessons.
        LiftVerdict::Unknown => (
            "effect-unknown",
            "Too few runs with and without it have an outcome yet",
        ),
    };
    view! { <span class=class title=title data-testid="effect-badge">{sentence(&badge)}</span> }
}

/// True if an interval is given and holds 0: then nothing is green or red.
fn holds_zero(interval: Option<(f64, f64)>) -> bool {
    interval.is_some_and(|(low, high)| low <= 0.0 && high >= 0.0)
}

/// Words that begin a line.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Shows the trust in a lesson: whether a person stands behind it.
#[component]
pub fn TrustChip(trust: Trust) -> impl IntoView {
    let (class, label, title) = match trust {
        Trust::Approved => (
            "chip chip-good",
            "Approved",
            "A person approved this exact text",
        ),
        Trust::Unreviewed => (
            "chip chip-warn",
            "Unreviewed",
            "Nobody has reviewed this text yet",
        ),
        Trust::Quarantined => (
            "chip chip-bad",
            "Quarantined",
            "Held back: never recommended until a person approves it",
        ),
    };
    view! { <span class=class title=title data-testid="trust">{label}</span> }
}

/// Shows in words how well a lesson fits.
#[component]
pub fn RelevanceChip(relevance: RelevanceWord) -> impl IntoView {
    let class = match relevance {
        RelevanceWord::VeryHigh | RelevanceWord::High => "chip chip-accent",
        RelevanceWord::Medium => "chip chip-info",
        RelevanceWord::Low => "chip",
    };
    view! { <span class=class data-testid="relevance">{format!("{relevance} relevance")}</span> }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn counts_stand_without_a_claim() {
        for (text, shown) in [
            (
                "✅ Proven (67% success, 5000 uses)",
                "67% success, 5,000 uses",
            ),
            ("📊 Testing (2 uses)", "2 uses"),
            ("🆕 New", "New"),
        ] {
            assert_eq!(counted(text), shown);
        }
        for (interval, grey) in [
            (None, false),
            (Some((-0.02, 0.3)), true),
            (Some((0.0, 0.3)), true),
            (Some((0.02, 0.3)), false),
            (Some((-0.3, -0.02)), false),
        ] {
            assert_eq!(holds_zero(interval), grey, "{interval:?}");
        }
        assert_eq!(sentence("no difference seen"), "No difference seen");
    }
}
