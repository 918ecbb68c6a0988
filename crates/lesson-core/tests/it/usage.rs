//! Usage tracking: what counts as applied, mentioned, implied.

use crate::common::{lesson, written};
use lesson_core::MatchType::{Explicit, Implicit, Mentioned, None as Unseen};
use lesson_core::{Detection, Lesson, MatchType, UsagePolicy, detect};

fn seen(lessons: &[Lesson], reasoning: &str) -> Vec<Detection> {
    let lessons: Vec<&Lesson> = lessons.iter().collect();
    detect(&lessons, reasoning, &UsagePolicy::default())
}

fn how(slug: &str, reasoning: &str) -> MatchType {
    seen(&[lesson(slug)], reasoning)[0].match_type
}

#[test]
fn a_slug_of_one_word_is_a_name_in_quotes_only() {
    for (reasoning, expected) in [
        ("Using tests, following the tests skill", Unseen),
        ("The lesson tests is that nothing is sure.", Unseen),
        ("I am not using tests here.", Unseen),
        ("Applying 'tests' here.", Explicit),
        ("As `Tests` says, I run them.", Explicit),
        ("Not applying 'tests' here.", Mentioned),
    ] {
        assert_eq!(how("tests", reasoning), expected, "{reasoning}");
    }
}

#[test]
fn a_lesson_is_applied_when_it_is_named_so() {
    const SLUG: &str = "warning-dlmm-low-tvl";
    for (reasoning, expected) in [
        (
            "Applying 'warning-dlmm-low-tvl': the pool is too small.",
            Explicit,
        ),
        ("Applying \"warning-dlmm-low-tvl\".", Explicit),
        ("As `warning-dlmm-low-tvl` says, I stay out.", Explicit),
        ("As ‘warning-dlmm-low-tvl’ says, I stay out.", Explicit),
        ("applying warning-dlmm-low-tvl, I stay out", Explicit),
        ("APPLYING WARNING-DLMM-LOW-TVL", Explicit),
        ("Using the warning-dlmm-low-tvl", Explicit),
        ("using the lesson warning-dlmm-low-tvl here", Explicit),
        ("Based on skill warning-dlmm-low-tvl I wait", Explicit),
        ("based on warning-dlmm-low-tvl", Explicit),
        ("Following: warning-dlmm-low-tvl", Explicit),
        ("following\n  warning-dlmm-low-tvl", Explicit),
        ("Applying **warning-dlmm-low-tvl** now", Explicit),
        ("The lesson warning-dlmm-low-tvl fits.", Explicit),
        ("skill warning-dlmm-low-tvl", Explicit),
        ("(using warning-dlmm-low-tvl)", Explicit),
        ("Using other-one and warning-dlmm-low-tvl", Unseen),
        ("see warning-dlmm-low-tvl", Unseen),
        ("reusing warning-dlmm-low-tvl", Unseen),
        ("applying warning-dlmm-low-tvl-2", Unseen),
        ("applying 'my-warning-dlmm-low-tvl'", Unseen),
        ("applying warning-dlmm-low-tvls", Unseen),
        ("applying warning_dlmm_low_tvl", Unseen),
        ("", Unseen),
    ] {
        assert_eq!(how(SLUG, reasoning), expected, "{reasoning}");
    }
}

#[test]
fn a_slug_is_not_seen_inside_a_longer_one() {
    let lessons = [
        lesson("warning-dlmm"),
        lesson("warning-dlmm-low-tvl"),
        lesson("low-tvl"),
    ];
    let types = |text| {
        let found = seen(&lessons, text);
        [
            found[0].match_type,
            found[1].match_type,
            found[2].match_type,
        ]
    };
    assert_eq!(
        types("Applying 'warning-dlmm-low-tvl'"),
        [Unseen, Explicit, Unseen]
    );
    assert_eq!(
        types("Applying 'warning-dlmm'."),
        [Explicit, Unseen, Unseen]
    );
    assert_eq!(
        types("Applying 'warning-dlmm' and 'warning-dlmm-low-tvl'"),
        [Explicit, Explicit, Unseen]
    );
}

#[test]
fn a_negated_clause_only_mentions() {
    for (reasoning, expected) in [
        ("I am not applying 'lesson-x' here.", Mentioned),
        ("Entering without using 'lesson-x'.", Mentioned),
        ("ignoring lesson-x", Mentioned),
        ("Instead of 'lesson-x' I wait.", Mentioned),
        ("I don't follow 'lesson-x'.", Mentioned),
        ("I didn’t use `lesson-x`", Mentioned),
        ("'lesson-x' does not apply here.", Mentioned),
        ("The lesson 'lesson-x' isn't relevant.", Mentioned),
        ("'lesson-x' is not relevant", Mentioned),
        ("Not waiting, applying 'lesson-x'.", Explicit),
        ("This is not ideal. Applying 'lesson-x'.", Explicit),
        ("I do not enter because 'lesson-x' warns of it.", Explicit),
        ("I will not wait but apply 'lesson-x'", Explicit),
        ("Not only 'lesson-x' says so", Explicit),
        ("not waiting and using 'lesson-x'", Explicit),
        ("Applying 'lesson-x' so that I do not lose.", Explicit),
        ("Applying 'lesson-x', not guessing.", Explicit),
        ("- not today\n- applying 'lesson-x'", Explicit),
        (
            "I considered not applying 'lesson-x'; in the end, applying 'lesson-x'.",
            Explicit,
        ),
        (
            "Applying 'lesson-x'. I am not using 'lesson-x' for exits.",
            Explicit,
        ),
    ] {
        assert_eq!(how("lesson-x", reasoning), expected, "{reasoning}");
    }
}

#[test]
fn what_is_said_of_one_name_is_said_of_a_list() {
    let lessons = [lesson("one-a"), lesson("two-b"), lesson("three-c")];
    for (reasoning, expected) in [
        ("Applying one-a, two-b and three-c", [Explicit; 3]),
        ("Not using 'one-a', 'two-b' or 'three-c'", [Mentioned; 3]),
        (
            "Applying 'one-a', not 'two-b'",
            [Explicit, Mentioned, Unseen],
        ),
        (
            "Instead of 'one-a', applying 'two-b'",
            [Mentioned, Explicit, Unseen],
        ),
        (
            "Instead of 'one-a' I use 'two-b'",
            [Mentioned, Explicit, Unseen],
        ),
        (
            "Using 'one-a' instead of 'two-b'",
            [Explicit, Mentioned, Unseen],
        ),
    ] {
        let found: Vec<MatchType> = seen(&lessons, reasoning)
            .iter()
            .map(|d| d.match_type)
            .collect();
        assert_eq!(found, expected, "{reasoning}");
    }
}

#[test]
fn detections_carry_confidence_and_a_quote() {
    let before = "ä".repeat(60);
    let after = "é".repeat(60);
    let reasoning = format!("{before}'a-b'{after}");
    let found = &seen(&[lesson("a-b")], &reasoning)[0];
    assert_eq!(
        (found.applied, found.match_type, found.confidence),
        (true, Explicit, 0.95)
    );
    let expected = format!("...{}'a-b'{}...", "ä".repeat(49), "é".repeat(49));
    assert_eq!(found.quote.as_deref(), Some(expected.as_str()));

    let found = &seen(&[lesson("a-b")], "not 'a-b'")[0];
    assert_eq!((found.applied, found.confidence), (false, 0.0));
    assert_eq!(found.quote.as_deref(), Some("...not 'a-b'..."));
    let found = &seen(&[lesson("a-b")], "nothing")[0];
    assert_eq!(
        (found.applied, found.confidence, &found.quote),
        (false, 0.0, &None)
    );
}

const BODY: &str = "## Check depth first

Look at **open interest** and at **Funding rate**.

- Wait for the retest of the level before entering
- Tiny
- Halve the size when spreads widen
";

#[test]
fn three_different_key_phrases_imply_a_lesson() {
    let lessons = [written("pattern-entry", "Entry", BODY)];
    let how = |text: &str| seen(&lessons, text)[0].clone();
    for (reasoning, expected) in [
        (
            "I check depth first, look at open interest, and the funding rate is fine.",
            Implicit,
        ),
        (
            "Open interest is up. FUNDING RATE flat. I wait for the retest of it.",
            Implicit,
        ),
        (
            "Halve the size when\nspreads widen; open interest; check depth first",
            Implicit,
        ),
        (
            "Open interest, open interest, open interest, funding rate",
            Unseen,
        ),
        ("open interests, funding rates, check depth first", Unseen),
        ("Tiny, entry, open interest, funding rate", Implicit),
        ("nothing of it", Unseen),
    ] {
        assert_eq!(how(reasoning).match_type, expected, "{reasoning}");
    }
    let found = how("I check depth first, look at open interest, and the funding rate is fine.");
    assert_eq!((found.applied, found.confidence), (true, 0.60));
    assert!(
        found
            .quote
            .is_some_and(|quote| quote.starts_with("...I check depth first"))
    );
    let negated = "Not using 'pattern-entry'. Check depth first, open interest, funding rate.";
    assert_eq!(how(negated).match_type, Mentioned);
    let named = "Using 'pattern-entry': check depth first, open interest, funding rate.";
    assert_eq!(how(named).match_type, Explicit);
}

/// A text of a million characters made to be slow: it would take minutes if names were read in
/// quadratic time.
#[test]
fn a_long_text_is_read_in_linear_time() {
    let lessons = [lesson("a-b")];
    for part in ["and: then ", "a-b ", "'a-b' and ", "using a-b not "] {
        let text = part.repeat(1_000_000 / part.len());
        let found = seen(&lessons, &format!("{text} applying 'a-b'"));
        assert!(found[0].match_type != Unseen, "{part}");
    }
}

#[test]
fn every_lesson_gets_a_detection_in_order() {
    let lessons = [lesson("c-c"), lesson("a-a"), lesson("b-b")];
    let found = seen(&lessons, "Applying 'b-b'");
    let told: Vec<_> = found
        .iter()
        .map(|d| (d.lesson.as_str(), d.applied))
        .collect();
    assert_eq!(told, [("c-c", false), ("a-a", false), ("b-b", true)]);
    assert!(seen(&[], "Applying 'b-b'").is_empty());
}

/// Sentences with a `+` apply the lesson, those with a `-` reject it. Returns those that are read
/// otherwise.
fn misread(corpus: &str) -> Vec<&str> {
    corpus
        .lines()
        .filter(|line| line.starts_with(['+', '-']))
        .filter(|line| {
            let text = line[2..].replace("\\n", "\n");
            let applied = seen(&[lesson("warning-low-tvl")], &text)[0].applied;
            applied != line.starts_with('+')
        })
        .collect()
}

#[test]
fn the_sentences_that_the_rules_were_made_with_are_read_right() {
    let corpus = include_str!("../data/usage/tuned.txt");
    assert_eq!(misread(corpus), Vec::<&str>::new());
}

/// At most three of forty.
#[test]
fn sentences_that_the_rules_were_not_made_with_are_read_right() {
    let corpus = include_str!("../data/usage/held-out.txt");
    let wrong = misread(corpus);
    assert!(wrong.len() <= 3, "{} are misread: {wrong:#?}", wrong.len());
}

#[test]
fn what_only_names_a_lesson_does_not_apply_it() {
    let corpus = include_str!("../data/usage/kinds.txt");
    assert_eq!(misread(corpus), Vec::<&str>::new());
}

/// At most four of fifty.
#[test]
fn new_sentences_that_only_name_a_lesson_do_not_apply_it() {
    let corpus = include_str!("../data/usage/kinds-held-out.txt");
    let wrong = misread(corpus);
    assert!(wrong.len() <= 4, "{} are misread: {wrong:#?}", wrong.len());
}

#[test]
fn a_clause_counts_as_one_phrase_however_many_overlap_in_it() {
    let body = "## Halve the size when spreads widen\n\n**halve the size** and **the size when spreads widen**\n\n- Halve the size when spreads widen\n";
    let lessons = [written("pattern-size", "Halve the size", body)];
    let how = |text: &str| seen(&lessons, text)[0].match_type;
    assert_eq!(how("I halve the size when spreads widen."), Unseen);
    assert_eq!(
        how(
            "I halve the size. The size when spreads widen is a half. So: halve the size when spreads widen."
        ),
        Implicit
    );
}
