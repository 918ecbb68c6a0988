//! Foreign words for this product's vocabularies.

use lesson_core::Category;
use std::collections::BTreeSet;

/// The category that a foreign word names, if it is known.
pub(super) fn category(word: &str) -> Option<Category> {
    let word = word.trim().to_ascii_lowercase();
    Category::parse(&word).or(match word.as_str() {
        "tools" | "tool" | "cli" => Some(Category::Tooling),
        "test" | "tests" | "quality" => Some(Category::Testing),
        "perf" | "optimization" | "optimisation" => Some(Category::Performance),
        "arch" | "design" | "patterns" => Some(Category::Architecture),
        "process" | "workflows" | "general" => Some(Category::Workflow),
        "sec" | "privacy" => Some(Category::Security),
        "social" | "collaboration" | "docs" | "documentation" => Some(Category::Communication),
        "trading" | "market" | "business" => Some(Category::Domain),
        _ => None,
    })
}

/// True if a status word means out of use; None when the word is not known.
pub(super) fn archived(status: &str) -> Option<bool> {
    match status.trim().to_ascii_lowercase().as_str() {
        "active" | "live" | "draft" | "enabled" | "published" | "open" | "" => Some(false),
        "archived" | "deprecated" | "inactive" | "disabled" | "superseded" | "retired"
        | "obsolete" | "deleted" | "merged" => Some(true),
        _ => None,
    }
}

/// A number for a confidence given in words.
pub(super) fn confidence(word: &str) -> Option<f64> {
    match word.trim().to_ascii_lowercase().as_str() {
        "very high" | "certain" => Some(0.95),
        "high" => Some(0.85),
        "medium" | "moderate" => Some(0.6),
        "low" => Some(0.3),
        "very low" => Some(0.15),
        _ => None,
    }
}

/// Distinct words in their order, without empty ones.
pub(super) fn distinct(list: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    list.into_iter()
        .filter(|word| !word.is_empty() && seen.insert(word.clone()))
        .collect()
}
