//! What lesson-types and lesson-core both spell out, as neither may import the other: the closed vocabularies and the
//! bounds of a lesson's fields. Both sides must say the same.

use lesson_formats::{Format, parse};
use lesson_types::limits;
use serde_json::{Value, json};

/// Words as the variants of a vocabulary spell them.
macro_rules! same_words {
    ($($name:ident),+ $(,)?) => {
        $({
            let of_api: Vec<&str> = lesson_types::$name::ALL.iter().map(|word| word.as_str()).collect();
            let of_core: Vec<&str> = lesson_core::$name::ALL.iter().map(|word| word.as_str()).collect();
            assert_eq!(of_api, of_core, stringify!($name));
        })+
    };
}

#[test]
fn stored_words_are_spelled_alike() {
    same_words!(
        Category,
        FeedbackOutcome,
        Kind,
        MatchType,
        Measure,
        ReviewReason,
        DecisionOutcome,
        Trust,
        Verdict
    );
}

#[test]
fn words_of_a_market_are_known_to_the_core() {
    for word in lesson_types::Volatility::ALL {
        assert!(
            lesson_core::Volatility::parse(word.as_str()).is_some(),
            "{word}"
        );
    }
    for word in lesson_types::Trend::ALL {
        assert!(lesson_core::Trend::parse(word.as_str()).is_some(), "{word}");
    }
}

/// Whether a record with this field is taken whole.
fn taken(field: &str, value: &Value) -> bool {
    let mut record = json!({
        "slug": "one",
        "title": "A title",
        "description": "A description",
        "context": "A context",
        "recommendation": "A recommendation",
    });
    record[field] = value.clone();
    let parsed = parse("one.json", &record.to_string(), Format::Json, 0);
    assert_eq!(
        parsed.lessons.len() + parsed.rejected.len(),
        1,
        "{field}: {:?}",
        parsed.rejected
    );
    parsed.lessons.len() == 1
}

#[test]
fn an_import_takes_what_a_request_may_hold() {
    let text = |count: usize| Value::from("é".repeat(count));
    for (field, most) in [
        ("title", limits::TITLE),
        ("description", limits::DESCRIPTION),
        ("context", limits::CONTEXT),
        ("recommendation", limits::RECOMMENDATION),
        ("domain", limits::WORD),
    ] {
        assert!(taken(field, &text(most)), "{field} of {most}");
        assert!(!taken(field, &text(most + 1)), "{field} of {}", most + 1);
    }
    for field in ["tags", "project_types", "tech_stacks"] {
        let words = |count: usize| {
            let words = (0..count).map(|n| format!("word-{n}"));
            Value::from(words.collect::<Vec<_>>())
        };
        assert!(taken(field, &words(limits::WORDS)), "{field}");
        assert!(!taken(field, &words(limits::WORDS + 1)), "{field}");
        assert!(taken(field, &json!([text(limits::WORD)])), "{field}");
        assert!(!taken(field, &json!([text(limits::WORD + 1)])), "{field}");
    }
}
