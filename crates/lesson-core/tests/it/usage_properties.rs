//! Properties of usage tracking over reasoning of any kind.

use crate::common::written;
use lesson_core::{Lesson, MatchType, UsagePolicy, detect};
use proptest::prelude::*;

fn lessons() -> Vec<Lesson> {
    vec![
        written("warning-dlmm", "Größe zählt", "- **Öffne** nie ohne Stop"),
        written(
            "warning-dlmm-low-tvl",
            "Low TVL",
            "**İstanbul** and **straße** and **ΣΊΣΥΦΟΣ**",
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// No text splits a character or panics, and every quote is a piece of the text.
    #[test]
    fn a_quote_is_a_piece_of_the_text(
        parts in prop::collection::vec(
            prop_oneof![
                any::<String>(),
                "[ *\n'\"`.,-]{1,3}",
                Just("warning-dlmm".to_owned()),
                Just("WARNING-DLMM-LOW-TVL".to_owned()),
                Just("İstanbul straße ΣΊΣΥΦΟΣ".to_owned()),
                Just(" not using the lesson ".to_owned()),
            ],
            0..12,
        ),
    ) {
        let text = parts.concat();
        let lessons = lessons();
        let lessons: Vec<&Lesson> = lessons.iter().collect();
        let found = detect(&lessons, &text, &UsagePolicy::default());
        prop_assert_eq!(found.len(), 2);
        for detection in found {
            let unseen = detection.match_type == MatchType::None;
            prop_assert_eq!(detection.quote.is_none(), unseen);
            prop_assert!((0.0..=1.0).contains(&detection.confidence));
            prop_assert_eq!(detection.applied, detection.confidence > 0.0);
            if let Some(quote) = detection.quote {
                let inner = quote.strip_prefix("...").and_then(|q| q.strip_suffix("..."));
                let inner = inner.expect("quotes stand between dots");
                prop_assert!(text.contains(inner));
                prop_assert!(inner.chars().count() <= 100 + 60);
            }
        }
    }

    /// A slug that goes on in either direction is another name.
    #[test]
    fn a_longer_name_is_another(before in "[a-z0-9-]{0,3}", after in "[a-z0-9-]{0,3}") {
        let lesson = written("warning-dlmm", "T", "");
        let text = format!("Applying '{before}warning-dlmm{after}'");
        let found = detect(&[&lesson], &text, &UsagePolicy::default());
        prop_assert_eq!(found[0].applied, before.is_empty() && after.is_empty());
    }
}
