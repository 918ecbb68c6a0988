//! Session extraction.

use std::path::Path;

use lesson_core::{Category, Extracted, FeedbackOutcome, SessionPolicy, extract, is_slug};
use proptest::prelude::*;

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

fn read(transcript: &str) -> Extracted {
    extract(transcript, &SessionPolicy::default())
}

#[test]
fn a_session_teaches_what_it_says() {
    let out = read(
        "Working on it.\nINJECTED: pattern-row-level-security, warning-cache-stampede\n\
         INSIGHT: Parse dates with an explicit zone. Never trust the server's.\n\
         INSIGHT: too short\n\
         DELIVERED: The import handles zones.\n",
    );
    assert_eq!(out.outcome, Some(FeedbackOutcome::Delivered));
    assert_eq!(out.outcome_text, "The import handles zones.");
    assert_eq!(
        out.injected,
        ["pattern-row-level-security", "warning-cache-stampede"]
    );
    assert_eq!(out.insights.len(), 1);
    let insight = &out.insights[0];
    assert_eq!(insight.title, "Parse dates with an explicit zone");
    assert_eq!(
        insight.text,
        "Parse dates with an explicit zone. Never trust the server's."
    );
    assert_eq!(
        insight.slug,
        "parse-dates-with-an-explicit-zone-never-trust-the-servers"
    );
    assert!(!insight.from_failure);
}

/// Transcripts in the shapes that the source system (causal feedback) tests, with what each has to give.
#[test]
fn every_transcript_gives_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let expected: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(include_str!("../data/transcripts/expected.json")).unwrap();
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(
        expected.len() + 1,
        files,
        "a transcript without expectation"
    );
    for (name, expected) in &expected {
        let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
        let out = read(&text);
        let insights: Vec<_> = out
            .insights
            .iter()
            .map(|one| {
                serde_json::json!({
                    "text": one.text, "tags": one.tags, "derived": one.from_failure,
                })
            })
            .collect();
        let got = serde_json::json!({
            "outcome": out.outcome,
            "outcome_text": out.outcome_text,
            "injected": out.injected,
            "insights": insights,
        });
        assert_eq!(got, *expected, "{name}");
    }
}

#[test]
fn nothing_to_tell_is_told_in_many_ways() {
    for said in [
        "",
        " none",
        " None.",
        " n/a",
        " N/A",
        " -",
        " —",
        " `none`",
        " none, all is well",
        " nothing",
    ] {
        let out = read(&format!("BLOCKED:{said}"));
        assert_eq!(out, Extracted::default(), "{said}");
    }
    for said in [
        "none of the mirrors answers since noon",
        "nil-pointer dereference in the parser",
        "nothing can be built without the key",
        "no network in the sandbox of the runner",
    ] {
        let out = read(&format!("BLOCKED: {said}"));
        assert_eq!(out.outcome, Some(FeedbackOutcome::Blocked), "{said}");
        assert_eq!(out.insights.len(), 1, "{said}");
    }
}

#[test]
fn a_derived_failure_keeps_the_task_that_was_attempted() {
    let out = read(
        "TASK: Write the parser\nDELIVERED: it reads all files\nTASK: none\nTASK: Ship it\n\
         BLOCKED: the signing key has expired\nTASK: Tidy up",
    );
    assert_eq!(
        out.insights[0].text,
        "When attempting 'Ship it': blocked by the signing key has expired"
    );
    assert_eq!(
        out.insights[0].title,
        "Blocked: the signing key has expired"
    );
    assert_eq!(
        out.insights[0].slug,
        "warning-blocked-the-signing-key-has-expired"
    );
}

#[test]
fn the_task_counts_to_what_blocked_a_session() {
    for (text, told) in [
        (
            "OBJECTIVE: Publish the package\nBLOCKED: no access",
            Some("When attempting 'Publish the package': blocked by no access"),
        ),
        (
            "- **TASK:** Ship it\nBLOCKED: no key",
            Some("When attempting 'Ship it': blocked by no key"),
        ),
        ("BLOCKED: no access", None),
        ("OBJECTIVE: Publish the package\nBLOCKED: none", None),
        ("OBJECTIVE: Publish the package\nBLOCKED: ...", None),
    ] {
        let out = read(text);
        let got = out.insights.first().map(|one| one.text.as_str());
        assert_eq!(got, told, "{text}");
    }
}

#[test]
fn an_insight_needs_twenty_characters() {
    for (text, kept) in [
        ("1234567890123456789", false),
        ("12345678901234567890", true),
        ("ääääääääääääääääääää", true),
        ("<what was learned here, in a line>", false),
        ("... --- ... --- ... --- ...", false),
    ] {
        assert_eq!(
            read(&format!("INSIGHT: {text}")).insights.len(),
            usize::from(kept),
            "{text}"
        );
    }
}

#[test]
fn a_title_is_the_first_sentence_that_says_something() {
    for (text, title) in [
        (". . Keep the lock short. Always.", "Keep the lock short"),
        (
            "-- ! Keep the lock short. Always.",
            "-- ! Keep the lock short",
        ),
        ("Use node.js 20... It is faster.", "Use node.js 20"),
    ] {
        let out = read(&format!("INSIGHT: {text}"));
        assert_eq!(out.insights[0].title, title, "{text}");
    }
    let out = read("BLOCKED: ---\nBLOCKED: The backup holds the lock.\n");
    assert_eq!(out.insights[0].title, "Blocked: The backup holds the lock");
}

#[test]
fn a_blocked_session_without_insight_gives_a_failure_lesson() {
    let out = read("BLOCKED: The migration needs a lock that the backup holds.\n");
    assert_eq!(out.outcome, Some(FeedbackOutcome::Blocked));
    assert_eq!(out.insights.len(), 1);
    let failure = &out.insights[0];
    assert!(failure.from_failure);
    assert_eq!(
        failure.slug,
        "warning-blocked-the-migration-needs-a-lock-that-513b11c3"
    );
    assert_eq!(
        failure.title,
        "Blocked: The migration needs a lock that the backup holds"
    );

    let told = read("INSIGHT: Take the lock before the backup starts.\nBLOCKED: no lock");
    assert_eq!(told.insights.len(), 1);
    assert!(!told.insights[0].from_failure);
    assert!(read("BLOCKED:\n").insights.is_empty());
    assert!(
        read("BLOCKED: waiting for review\nDELIVERED: after all")
            .insights
            .is_empty()
    );
}

#[test]
fn a_delivered_session_without_insight_teaches_nothing() {
    for (line, outcome) in [
        ("DELIVERED: done", FeedbackOutcome::Delivered),
        ("PLAN_COMPLETE: all steps", FeedbackOutcome::PlanComplete),
        ("PLAN COMPLETE: all steps", FeedbackOutcome::PlanComplete),
    ] {
        let out = read(line);
        assert_eq!(out.outcome, Some(outcome));
        assert!(out.insights.is_empty());
        assert_eq!(out.delivered.len(), 1);
    }
    assert_eq!(read("Nothing was said."), Extracted::default());
}

#[test]
fn markers_are_seen_as_people_write_them() {
    const TEXT: &str = "retry with a longer timeout";
    for line in [
        "INSIGHT: retry with a longer timeout",
        "insight: retry with a longer timeout",
        "- INSIGHT: retry with a longer timeout",
        "* **INSIGHT:** retry with a longer timeout",
        "**INSIGHT**: retry with a longer timeout",
        "  > INSIGHT : retry with a longer timeout  ",
        "1. Insight: retry with a longer timeout",
        "### INSIGHT: retry with a longer timeout",
        "**INSIGHT: retry with a longer timeout**",
        "INSIGHT:\n  retry with a longer timeout",
        "INSIGHT: retry with a longer timeout\r",
    ] {
        let out = read(line);
        assert_eq!(out.insights.len(), 1, "{line}");
        assert_eq!(out.insights[0].text, TEXT, "{line}");
    }
    for line in [
        "The INSIGHT: retry with a longer timeout",
        "INSIGHTS retry with a longer timeout",
        "INSIGHT retry with a longer timeout",
        "INSIGHTFUL: retry with a longer timeout",
    ] {
        assert!(read(line).insights.is_empty(), "{line}");
    }
}

#[test]
fn shown_lessons_are_named_once_each() {
    for (text, expected) in [
        ("INJECTED: a-b, c-d", vec!["a-b", "c-d"]),
        ("INJECTED: a-b c-d", vec!["a-b", "c-d"]),
        ("INJECTED: 2 lessons (`a-b`, 'c-d')", vec!["a-b", "c-d"]),
        ("INJECTED: [\"a-b\", \"caching\"]", vec!["a-b", "caching"]),
        ("INJECTED:\n- a-b\n- `c-d`\n\n- e-f", vec!["a-b", "c-d"]),
        ("INJECTED: a-b\nINJECTED: A-B, c-d", vec!["a-b", "c-d"]),
        ("INJECTED: none", vec![]),
        ("INJECTED:\nINSIGHT: something that was learned", vec![]),
    ] {
        assert_eq!(read(text).injected, expected, "{text}");
    }
}

#[test]
fn the_same_insight_gives_the_same_slug_and_another_a_different_one() {
    let long = "When the queue grows beyond the limit the workers stop without a word and nobody";
    let text =
        format!("INSIGHT: {long} sees it.\nINSIGHT: {long} knows.\nINSIGHT: {long} sees it.");
    let first = read(&text);
    assert_eq!(first.insights.len(), 2);
    assert_ne!(first.insights[0].slug, first.insights[1].slug);
    assert_eq!(first, read(&text));
    let kana = read("INSIGHT: キャッシュの鍵には必ずテナントを入れておくこと。");
    assert!(kana.insights[0].slug.starts_with("insight-"));
    assert!(is_slug(&kana.insights[0].slug_if_taken()));
    let twins = read("INSIGHT: Cache keys name the tenant!\nINSIGHT: Cache keys: name the tenant");
    assert_ne!(twins.insights[0].slug, twins.insights[1].slug);
}

#[test]
fn categories_follow_the_words() {
    for (text, expected) in [
        ("rotate the password after a leak", Category::Security),
        ("flaky tests hide behind retries", Category::Testing),
        ("cache misses made it slow", Category::Performance),
        ("pin the cargo toolchain in docker", Category::Tooling),
        (
            "a module may not know its caller's schema",
            Category::Architecture,
        ),
        ("leave thin liquidity alone on perps", Category::Domain),
        ("a city is a nice place to live in", Category::Workflow),
    ] {
        let out = read(&format!("INSIGHT: {text}"));
        assert_eq!(out.insights[0].category, expected, "{text}");
    }
}

proptest! {
    /// Whatever the transcript: slugs are slugs, no two the same, and everything is bounded.
    #[test]
    fn any_transcript_can_be_read(
        parts in prop::collection::vec(
            prop_oneof![
                any::<String>(),
                Just("\nINSIGHT: ".to_owned()),
                Just("\n- **BLOCKED**: ".to_owned()),
                Just("\nINJECTED:\n- ".to_owned()),
                Just("\nDELIVERED:".to_owned()),
                "[a-z ]{0,90}",
            ],
            0..20,
        ),
    ) {
        let out = read(&parts.concat());
        let mut slugs: Vec<&str> = out.insights.iter().map(|i| i.slug.as_str()).collect();
        prop_assert!(slugs.iter().all(|slug| is_slug(slug)));
        prop_assert!(out.insights.iter().all(|i| is_slug(&i.slug_if_taken())));
        prop_assert!(out.insights.iter().all(|i| !i.title.trim().is_empty()));
        prop_assert!(out.insights.iter().all(|i| i.title.chars().count() <= 101));
        prop_assert!(out.injected.iter().all(|name| is_slug(name)));
        let all = slugs.len();
        slugs.sort_unstable();
        slugs.dedup();
        prop_assert_eq!(slugs.len(), all);
    }
}
