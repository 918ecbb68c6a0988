//! A project's store and a personal one, in files: what they answer together, and what several processes see of each other.

mod acts;
mod both;
mod embedding;
mod folder;
mod mcp;
mod processes;
mod suggested;

use folder::{Temporary, lesson, now, ok, open, request, slugs, taken};
use lesson_local::{Local, Which};
use lesson_types::Method::{Get, Patch, Post};
use serde_json::{Value, json};

#[test]
fn the_best_of_both_stores_is_recommended_and_each_keeps_its_own_record() {
    let folder = Temporary::new();
    let (project, personal) = (folder.join("p"), folder.join("q"));
    let local = open(Some(&project), Some(&personal));
    ok(
        &local,
        Post,
        "/v1/lessons",
        lesson(
            "Retry uploads with a deadline",
            "One deadline for all retries of an upload",
        ),
    );
    let mine = request(
        Post,
        "/v1/lessons",
        lesson(
            "Retry with jitter",
            "Retries of an upload need jitter before their deadline",
        ),
    );
    taken(&local, now(local.handle_in(Which::Personal, mine)));

    let asked =
        json!({ "query": "retry an upload with a deadline", "decision_id": "d", "explain": true });
    let found = ok(&local, Post, "/v1/recommend", asked);
    let given = slugs(&found["recommended"]);
    assert_eq!(given.len(), 2);
    for (place, slug) in given.iter().enumerate() {
        assert!(
            found["prompt"]
                .as_str()
                .unwrap()
                .contains(&format!("### {slug}"))
        );
        assert_eq!(found["recommended"][place]["rank"], place + 1);
    }
    assert_eq!(found["total_considered"], 2);
    assert_eq!(found["trace"].as_array().unwrap().len(), 2);
    let ranks: Vec<u64> = found["trace"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["rank"].as_u64())
        .collect();
    assert!(ranks.contains(&1) && ranks.contains(&2));
    let one = ok(
        &local,
        Post,
        "/v1/recommend",
        json!({ "query": "retry an upload with a deadline", "limit": 1, "dry_run": true }),
    );
    assert_eq!(slugs(&one["recommended"]), given[..1]);

    for (path, body) in [
        ("/v1/search", json!({ "query": "upload deadline" })),
        (
            "/v1/patterns",
            json!({ "feature": "uploads that retry before a deadline" }),
        ),
    ] {
        let found = ok(&local, Post, path, body);
        assert_eq!(found["results"].as_array().unwrap().len(), 2, "{path}");
        assert_eq!(found["results"][1]["rank"], 2);
    }

    // Each store knows of its own lesson in the one decision.
    for (which, slug) in [
        (Which::Project, "retry-uploads-with-a-deadline"),
        (Which::Personal, "retry-with-jitter"),
    ] {
        let asked = request(Get, "/v1/decisions/d", Value::Null);
        let decision = taken(&local, now(local.handle_in(which, asked)));
        assert_eq!(slugs(&decision["lessons"]), [slug]);
    }
    let reasoning =
        "Applying 'retry-with-jitter': yes.\nApplying 'retry-uploads-with-a-deadline': also.";
    let tracked = ok(
        &local,
        Post,
        "/v1/track",
        json!({ "decision_id": "d", "reasoning": reasoning }),
    );
    assert_eq!(tracked["detections"].as_array().unwrap().len(), 2);
    let outcome = ok(
        &local,
        Post,
        "/v1/outcome",
        json!({ "decision_id": "d", "outcome": "success" }),
    );
    assert_eq!(
        outcome["effectiveness_recalculated"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let decision = ok(&local, Get, "/v1/decisions/d", Value::Null);
    assert_eq!(decision["lessons"].as_array().unwrap().len(), 2);

    // A lesson is found where it is, and changed there.
    let edited = ok(
        &local,
        Patch,
        "/v1/lessons/retry-with-jitter",
        json!({ "base_rev": 1, "tags": ["net"] }),
    );
    assert_eq!(edited["tags"], json!(["net"]));
    ok(
        &local,
        Post,
        "/v1/rate",
        json!({ "lesson": "retry-with-jitter", "helpful": true }),
    );
    ok(
        &local,
        Post,
        "/v1/vote",
        json!({ "lesson": "jitter", "up": true }),
    );
    let both = json!({ "lessons": ["retry-with-jitter", "retry-uploads-with-a-deadline"], "outcome": "delivered" });
    let updated = ok(&local, Post, "/v1/feedback", both);
    assert_eq!(updated["updated"].as_array().unwrap().len(), 2);
    let session = "Injected: retry-with-jitter, retry-uploads-with-a-deadline\nI applied retry-with-jitter.\nINSIGHT: Measure before and after every change of a retry\nDELIVERED: uploads\n";
    let recorded = ok(
        &local,
        Post,
        "/v1/sessions",
        json!({ "transcript": session }),
    );
    assert_eq!(
        recorded["injected"].as_array().unwrap().len(),
        2,
        "{recorded}"
    );
    assert_eq!(recorded["unknown"], json!([]));
    assert_eq!(recorded["feedback"]["updated"].as_array().unwrap().len(), 2);
    assert!(
        local
            .first()
            .has_lesson(recorded["insights"][0]["slug"].as_str().unwrap())
    );
    assert_eq!(
        local.second().unwrap().lessons_held(),
        1,
        "what is new is the project's"
    );
    let unknown = now(local.handle(request(Get, "/v1/lessons/none", Value::Null)));
    assert_eq!(unknown.status, 404);
    assert_eq!(
        now(local.handle(request(Get, "/v1/nothing", Value::Null))).status,
        404
    );
}

#[test]
fn a_slug_that_both_have_is_the_projects() {
    let folder = Temporary::new();
    let (project, personal) = (folder.join("p"), folder.join("q"));
    let local = open(Some(&project), Some(&personal));
    ok(
        &local,
        Post,
        "/v1/lessons",
        lesson("Pin versions", "In the project"),
    );
    let mine = request(
        Post,
        "/v1/lessons",
        lesson("Pin versions", "In general, pin versions of everything"),
    );
    taken(&local, now(local.handle_in(Which::Personal, mine)));
    let found = ok(
        &local,
        Post,
        "/v1/search",
        json!({ "query": "pin versions" }),
    );
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert_eq!(
        found["results"][0]["lesson"]["recommendation"],
        "In the project"
    );
}

#[test]
fn one_store_alone_answers_too() {
    let folder = Temporary::new();
    let local = open(None, Some(&folder.join("q")));
    ok(
        &local,
        Post,
        "/v1/lessons",
        lesson("Pin versions", "Always"),
    );
    let refused = now(local.handle_in(Which::Project, request(Get, "/v1/stats", Value::Null)));
    assert_eq!(refused.status, 404);
    assert!(
        now(
            Local::<lesson_sync::FileStore<folder::Folder>, folder::Clock>::open(
                None,
                None,
                Vec::new()
            )
        )
        .is_err()
    );
}
