//! Outcomes that sessions suggest: they wait in the review, and count when a person says so.

use super::folder::{Process, Temporary, lesson, now, ok, open, request, taken};
use lesson_local::Which;
use lesson_types::DecisionOutcome::{Failure, Success};
use lesson_types::Method::{Get, Post};
use serde_json::{Value, json};

/// Both stores with a lesson each, recommended in the decisions `d1` to `d3`.
fn two_stores(folder: &Temporary) -> Process {
    let local = open(Some(&folder.join("p")), Some(&folder.join("q")));
    let ours = lesson("Bound uploads", "An upload has a deadline");
    ok(&local, Post, "/v1/lessons", ours);
    let mine = request(
        Post,
        "/v1/lessons",
        lesson("Retry uploads", "Retry an upload with a deadline"),
    );
    taken(&local, now(local.handle_in(Which::Personal, mine)));
    for id in ["d1", "d2", "d3"] {
        let asked = json!({ "query": "bound and retry uploads", "decision_id": id });
        let given = ok(&local, Post, "/v1/recommend", asked);
        assert_eq!(given["recommended"].as_array().unwrap().len(), 2);
        let reasoning = "Applying 'bound-uploads' and applying 'retry-uploads'.";
        let said = json!({ "decision_id": id, "reasoning": reasoning });
        ok(&local, Post, "/v1/track", said);
    }
    local
}

fn suggest(local: &Process, id: &str, passed: bool) -> bool {
    let outcome = if passed { Success } else { Failure };
    now(local.suggest(id.to_owned(), outcome, format!("The tests of {id}"))).unwrap()
}

fn waiting(local: &Process) -> Vec<String> {
    let queue = ok(local, Get, "/v1/review?limit=0", Value::Null);
    let outcomes = queue["outcomes"].as_array().cloned().unwrap_or_default();
    outcomes
        .iter()
        .map(|one| one["decision_id"].as_str().unwrap().to_owned())
        .collect()
}

fn successes(local: &Process, slug: &str) -> u64 {
    let lesson = ok(local, Get, &format!("/v1/lessons/{slug}"), Value::Null);
    lesson["standing"]["success_count"].as_u64().unwrap()
}

#[test]
fn a_suggestion_waits_and_counts_when_it_is_confirmed() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    assert!(suggest(&local, "d1", true) && suggest(&local, "d2", false));
    assert!(!suggest(&local, "unknown", true));
    assert_eq!(waiting(&local), ["d2", "d1"], "the newest first");
    let queue = ok(&local, Get, "/v1/review", Value::Null);
    assert_eq!(queue["outcomes"][1]["because"], "The tests of d1");
    assert_eq!(queue["outcomes"][1]["query"], "bound and retry uploads");
    assert_eq!(
        [
            successes(&local, "bound-uploads"),
            successes(&local, "retry-uploads")
        ],
        [0, 0],
        "nothing counts unasked"
    );
    // Another process sees the same.
    let other = open(Some(&folder.join("p")), Some(&folder.join("q")));
    assert_eq!(waiting(&other), ["d2", "d1"]);

    let word = |accept: bool| json!({ "accept": accept });
    let done = ok(&other, Post, "/v1/decisions/d1/suggestion", word(true));
    assert_eq!(done["outcome"], "success");
    assert_eq!(done["lessons_updated"], 2);
    assert_eq!(
        [
            successes(&local, "bound-uploads"),
            successes(&local, "retry-uploads")
        ],
        [1, 1],
        "in both stores"
    );
    let done = ok(&local, Post, "/v1/decisions/d2/suggestion", word(false));
    assert_eq!(done["outcome"], Value::Null);
    assert_eq!(waiting(&local), [""; 0]);
    assert!(!suggest(&local, "d2", true), "a person said no");
    assert!(!suggest(&local, "d1", false), "the outcome is told");
    for id in ["d2", "none"] {
        let path = format!("/v1/decisions/{id}/suggestion");
        let again = now(local.handle(request(Post, &path, word(true))));
        assert_eq!(again.status, 404, "{}", again.body);
    }
}

#[test]
fn an_outcome_that_is_told_otherwise_ends_the_wait() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    assert!(suggest(&local, "d1", true) && suggest(&local, "d1", false));
    let queue = ok(&local, Get, "/v1/review", Value::Null);
    assert_eq!(queue["outcomes"].as_array().unwrap().len(), 1);
    assert_eq!(queue["outcomes"][0]["outcome"], "failure", "the last one");
    let told = json!({ "decision_id": "d1", "outcome": "success" });
    ok(&local, Post, "/v1/outcome", told);
    assert_eq!(waiting(&local), [""; 0]);
    // Suggestions may be lost with the rest of the cache.
    assert!(suggest(&local, "d3", true));
    std::fs::remove_dir_all(folder.join("p").join("cache")).unwrap();
    assert_eq!(waiting(&local), [""; 0]);
    assert!(suggest(&local, "d3", true));
}
