//! Badge, trust and relevance as small labels: always words, never colour alone.

use crate::format;
use leptos::prelude::*;
use lesson_types::{Badge, BadgeKind, RelevanceWord, Trust};

/// A lesson's badge.
#[component]
pub fn BadgeChip(badge: Badge) -> impl IntoView {
    let (class, mark) = match badge.kind {
        BadgeKind::Proven => ("chip chip-good", "✓ "),
        BadgeKind::Testing => ("chip chip-info", "◐ "),
        BadgeKind::New => ("chip", "✦ "),
    };
    // Not every machine has a font for the emoji that agents read; these marks are in all of them.
    let words = badge
        .text
        .trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let words = format::grouped(words);
    view! { <span class=class data-testid="badge"><span aria-hidden="true">{mark}</span>{words}</span> }
}

/// Whether a person stands behind a lesson.
#[component]
pub fn TrustChip(trust: Trust) -> impl IntoView {
    let (class, label, title) = match trust {
        Trust::Approved => (
            "chip chip-good",
            "Approved",
            "A person approved this very text",
        ),
        Trust::Unreviewed => (
            "chip chip-warn",
            "Unreviewed",
            "Nobody has looked at this text yet",
        ),
        Trust::Quarantined => (
            "chip chip-bad",
            "Quarantined",
            "Held back: never recommended until a person approves it",
        ),
    };
    view! { <span class=class title=title data-testid="trust">{label}</span> }
}

/// How well a lesson fits, in words.
#[component]
pub fn RelevanceChip(relevance: RelevanceWord) -> impl IntoView {
    let class = match relevance {
        RelevanceWord::VeryHigh | RelevanceWord::High => "chip chip-accent",
        RelevanceWord::Medium => "chip chip-info",
        RelevanceWord::Low => "chip",
    };
    view! { <span class=class data-testid="relevance">{format!("{relevance} relevance")}</span> }
}
