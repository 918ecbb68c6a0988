//! The digest: what changed in the last days beside the days before, as numbers and as Markdown.

use crate::common;

use common::TestService;
use lesson_types::*;
use serde_json::{Value, json};

const DAY: i64 = 86_400_000;

fn fixture() -> TestService {
    TestService::with(&[
        (
            "warning-thin-pool",
            "Avoid thin pools",
            "Skip pools under 50k.",
        ),
        (
            "strategy-wide-range",
            "Open *wide* ranges",
            "Double the width.",
        ),
    ])
}

/// Runs that applied a lesson, one a minute, of which so many succeed.
fn runs(fixture: &TestService, name: &str, lesson: &str, all: u32, successes: u32) {
    for at in 0..all {
        fixture.clock.set(fixture.clock.get() + 60_000);
        let id = format!("{name}-{at}");
        let asked = json!({"domain": "dlmm", "query": "open a pool range", "decision_id": id});
        fixture.ok::<Recommendations>("POST /v1/recommend", asked);
        common::block_on(fixture.service.idle()).unwrap();
        let said = format!("Applying '{lesson}' now.");
        fixture.ok::<Tracked>(
            "POST /v1/track",
            json!({"decision_id": id, "reasoning": said}),
        );
        let outcome = if at < successes { "success" } else { "failure" };
        let told = json!({"decision_id": id, "outcome": outcome});
        fixture.ok::<OutcomeRecorded>("POST /v1/outcome", told);
    }
}

#[test]
fn a_range_is_told_beside_as_many_days_before_it() {
    let fixture = fixture();
    runs(&fixture, "before", "warning-thin-pool", 8, 8);
    fixture.clock.set(fixture.clock.get() + 7 * DAY);
    runs(&fixture, "now", "warning-thin-pool", 10, 1);
    let lesson = json!({"title": "Check the fees first", "recommendation": "Read the fee tier."});
    fixture.ok::<LessonView>("POST /v1/lessons", lesson);
    let digest: Digest = fixture.get("/v1/digest");
    assert_eq!((digest.days, digest.unknown.len()), (7, 0));
    let told = digest.runs.expect("it is known");
    assert_eq!(
        (told.totals.shown.successes, told.totals.shown.failures),
        (1, 9)
    );
    assert_eq!(told.before.shown.successes, 8);
    let change = told.change.expect("both have runs");
    assert_eq!((change.now.runs, change.before.runs), (10, 8));
    assert!((change.change + 0.9).abs() < 1e-9 && change.high < 0.0);
    assert_eq!(told.risers, []);
    let [faller] = told.fallers.as_slice() else {
        panic!("{:?}", told.fallers);
    };
    assert_eq!(
        (faller.slug.as_str(), told.compared),
        ("warning-thin-pool", 1)
    );
    // After failures in a row it was not recommended any more.
    let of_lesson = (faller.success.now.runs, faller.success.before.runs);
    assert_eq!(of_lesson, (6, 8));
    assert!(faller.success.high < 0.0, "{faller:?}");
    assert_eq!(told.falling_agents[0].name, "local");
    assert_eq!(told.falling_domains[0].name, "dlmm");
    assert_eq!(told.silent, []);
    // Lessons that were there a week ago are not new.
    let added: Vec<&str> = told.added.iter().map(|one| one.title.as_str()).collect();
    assert_eq!((added, told.added_total), (vec!["Check the fees first"], 1));
    let queue: ReviewQueue = fixture.get("/v1/review");
    assert_eq!(digest.waiting.lessons, Some(queue.total));
    assert_eq!(digest.waiting.reasons, Some(queue.counts));
    for words in [
        "## Success is falling",
        "Domain dlmm: 10% (n = 10), before 100% (n = 8): −90 points",
        "## Falling lessons\n\n- Avoid thin pools (`warning-thin-pool`): 17% (n = 6)",
        "## New lessons\n\n- Check the fees first",
        "## Waiting for you",
    ] {
        assert!(
            digest.markdown.contains(words),
            "{words}\n{}",
            digest.markdown
        );
    }
}

#[test]
fn an_agent_that_went_silent_in_the_range_is_named_and_one_long_silent_is_not() {
    let fixture = fixture();
    runs(&fixture, "last", "warning-thin-pool", 2, 1);
    let told = |days: i64| -> Vec<DigestSilent> {
        fixture.clock.set(fixture.clock.get() + days * DAY);
        let digest: Digest = fixture.get("/v1/digest");
        digest.runs.expect("it is known").silent
    };
    assert_eq!(told(6), []);
    let silent = told(2);
    assert_eq!((silent.len(), silent[0].days), (1, 8));
    assert_eq!((silent[0].runs, silent[0].runs_before), (0, 2));
    assert_eq!(told(12), [], "it was silent before these days");
    // As it was to read at the end of an earlier day.
    let until = lesson_core::day(fixture.clock.get() - 12 * DAY);
    let digest: Digest = fixture.get(&format!("/v1/digest?until={until}"));
    assert_eq!(digest.to, until);
    assert_eq!(digest.runs.expect("it is known").silent.len(), 1);
}

#[test]
fn an_empty_space_has_a_digest_and_titles_are_no_markup() {
    let digest: Digest = TestService::new().get("/v1/digest?days=30");
    let told = digest.runs.expect("it is known");
    assert_eq!(
        (told.success, told.change, told.added_total),
        (None, None, 0)
    );
    assert!(
        !digest.markdown.contains("## Waiting"),
        "{}",
        digest.markdown
    );
    let digest: Digest = fixture().get("/v1/digest");
    assert!(
        digest.markdown.contains("- Open \\*wide\\* ranges"),
        "{}",
        digest.markdown
    );
}

#[test]
fn what_is_no_range_is_refused_by_its_name() {
    let fixture = fixture();
    let tomorrow = lesson_core::day(fixture.clock.get() + DAY);
    for (query, field) in [
        ("days=0".to_owned(), "days"),
        ("days=3651".to_owned(), "days"),
        ("days=x".to_owned(), "days"),
        ("until=2026-02-30".to_owned(), "until"),
        ("until=soon".to_owned(), "until"),
        (format!("until={tomorrow}"), "until"),
    ] {
        let (status, error) = fixture.refused(&format!("GET /v1/digest?{query}"), Value::Null);
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some(field)),
            "{query}"
        );
    }
}
