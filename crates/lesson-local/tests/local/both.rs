//! Two stores that answer as one: lists, counts, what lessons do, and measuring it.

use super::folder::{Process, Temporary, lesson, now, ok, open, request, slugs, taken};
use lesson_local::Which;
use lesson_types::Method::{Get, Patch, Post};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A lesson in the person's own store.
fn mine(local: &Process, title: &str, text: &str) {
    let added = request(Post, "/v1/lessons", lesson(title, text));
    taken(local, now(local.handle_in(Which::Personal, added)));
}

/// A project with two lessons and a person with two, all about uploads.
fn two_stores(folder: &Temporary) -> Process {
    let local = open(Some(&folder.join("p")), Some(&folder.join("q")));
    for (title, text) in [
        ("Bound uploads", "An upload has a deadline and a bound"),
        ("Drain uploads", "Drain every upload before the deadline"),
    ] {
        ok(&local, Post, "/v1/lessons", lesson(title, text));
    }
    mine(&local, "Retry uploads", "Retry an upload with a deadline");
    mine(&local, "Cut uploads", "Cut an upload into parts");
    local
}

#[test]
fn lists_hold_the_lessons_of_both_and_say_where_each_lies() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    mine(&local, "Bound uploads", "Another text under the same slug");
    let whole = ok(&local, Get, "/v1/lessons?sort=title", Value::Null);
    let expected = [
        "bound-uploads",
        "cut-uploads",
        "drain-uploads",
        "retry-uploads",
    ];
    assert_eq!(slugs(&whole["lessons"]), expected);
    let stores: Vec<&str> = whole["lessons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["store"].as_str().unwrap())
        .collect();
    assert_eq!(stores, ["project", "personal", "project", "personal"]);
    assert_eq!(whole["total"], 4);

    let mut paged = Vec::new();
    let mut cursor = String::new();
    for _ in 0..3 {
        let path = format!("/v1/lessons?sort=title&limit=2{cursor}");
        let page = ok(&local, Get, &path, Value::Null);
        paged.extend(slugs(&page["lessons"]).into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(paged, expected);

    let found = ok(&local, Get, "/v1/lessons?q=retry+an+upload", Value::Null);
    assert_eq!(slugs(&found["lessons"])[0], "retry-uploads");
    for (path, body, at) in [
        (
            "/v1/recommend",
            json!({ "query": "retry an upload", "dry_run": true }),
            "recommended",
        ),
        (
            "/v1/search",
            json!({ "query": "retry an upload" }),
            "results",
        ),
    ] {
        let answer = ok(&local, Post, path, body);
        let first = &answer[at][0];
        assert_eq!(first["slug"], "retry-uploads", "{path}");
        assert_eq!(first["lesson"]["store"], "personal", "{path}");
    }
    let one = ok(&local, Get, "/v1/lessons/cut-uploads", Value::Null);
    assert_eq!(one["store"], "personal");
    let alone = open(Some(&folder.join("p")), None);
    let one = ok(&alone, Get, "/v1/lessons/bound-uploads", Value::Null);
    assert_eq!(
        one.get("store"),
        None,
        "one store has nothing to tell apart"
    );
}

#[test]
fn stats_health_and_tags_count_both() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    for slug in ["bound-uploads", "retry-uploads"] {
        for _ in 0..2 {
            ok(
                &local,
                Post,
                "/v1/rate",
                json!({ "lesson": slug, "helpful": true }),
            );
        }
        let tags = json!({ "base_rev": 1, "tags": ["net", slug] });
        ok(&local, Patch, &format!("/v1/lessons/{slug}"), tags);
    }
    let stats = ok(&local, Get, "/v1/stats", Value::Null);
    assert_eq!(
        [
            &stats["lessons"],
            &stats["total_rated"],
            &stats["lessons_rated"]
        ],
        [4, 4, 2]
    );
    let mut top = slugs(&stats["top"]);
    top.sort_unstable();
    assert_eq!(top, ["bound-uploads", "retry-uploads"]);
    let days = stats["activity"].as_array().unwrap();
    assert_eq!(days.len(), 1, "one day: {days:?}");
    let each = |which| {
        let asked = request(Get, "/v1/stats", Value::Null);
        taken(&local, now(local.handle_in(which, asked)))["activity"][0]["events"].as_u64()
    };
    let sum = each(Which::Project).zip(each(Which::Personal));
    assert_eq!(days[0]["events"].as_u64(), sum.map(|(one, two)| one + two));

    let health = ok(&local, Get, "/v1/health", Value::Null);
    assert_eq!(health["store"]["events"], 4 + 4 + 2);
    assert_eq!(health["model"]["pending"], 4);
    let issues = health["issues"].as_array().unwrap();
    let about_model = issues.iter().filter(|issue| issue["code"] == "no_model");
    assert_eq!(about_model.count(), 1, "{issues:?}");

    let tags = ok(&local, Get, "/v1/tags", Value::Null);
    assert_eq!(
        tags["tags"]["words"][0],
        json!({ "word": "net", "lessons": 2 })
    );
    assert_eq!(tags["tags"]["total"], 3);
}

#[test]
fn what_is_withheld_is_drawn_among_both_and_the_project_keeps_every_decision() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    let measure = json!({ "measure": { "control_runs": 0.3, "withhold": 0.4 } });
    ok(&local, Patch, "/v1/policy", measure);
    let (mut withheld, mut controls) = (Vec::new(), 0);
    for n in 0..40 {
        let id = format!("d{n}");
        let asked = json!({ "query": "bound, drain, retry and cut an upload", "decision_id": id });
        let given = ok(&local, Post, "/v1/recommend", asked.clone());
        assert_eq!(given["under_measurement"], true);
        let measured = &given["measured"];
        let shown = slugs(&given["recommended"]);
        if measured["control"] == true {
            controls += 1;
            assert_eq!(shown, [""; 0]);
        }
        for slug in measured["withheld"].as_array().unwrap() {
            let slug = slug.as_str().unwrap();
            assert!(!shown.contains(&slug), "{slug} is shown");
            withheld.push(slug.to_owned());
        }
        let again = ok(&local, Post, "/v1/recommend", asked);
        // Two that score alike may change places by the milliseconds between: what is drawn is which of them are shown.
        let again = slugs(&again["recommended"]);
        let set = |slugs: Vec<_>| slugs.into_iter().collect::<BTreeSet<&str>>();
        assert_eq!(set(again), set(shown), "what was drawn holds");
        let decision = ok(&local, Get, &format!("/v1/decisions/{id}"), Value::Null);
        // A decision tells the project's first, an answer the best.
        let sorted = |of: &Value| {
            let mut list = of["withheld"].as_array().unwrap().clone();
            list.sort_by_key(Value::to_string);
            list
        };
        assert_eq!(sorted(&decision["measured"]), sorted(measured));
        let outcome = if n % 3 == 0 { "failure" } else { "success" };
        let told = json!({ "decision_id": id, "outcome": outcome });
        ok(&local, Post, "/v1/outcome", told);
        let held = request(Get, &format!("/v1/decisions/{id}"), Value::Null);
        let held = taken(&local, now(local.handle_in(Which::Project, held)));
        assert_eq!(held["under_measurement"], true);
    }
    assert!(controls > 3, "{controls} control runs");
    for slug in [
        "bound-uploads",
        "drain-uploads",
        "retry-uploads",
        "cut-uploads",
    ] {
        assert!(withheld.iter().any(|held| held == slug), "{slug} never was");
    }
    let lift = ok(&local, Get, "/v1/lift", Value::Null);
    assert_eq!(lift["total"], 4, "{lift}");
    for lesson in lift["lessons"].as_array().unwrap() {
        let arm = |name: &str| {
            let arm = &lesson["lift"][name];
            arm["successes"].as_u64().unwrap() + arm["failures"].as_u64().unwrap()
        };
        assert!(arm("shown") > 0 && arm("withheld") > 0, "{lesson}");
    }
    let whole = &lift["whole"];
    let runs: u64 = ["shown", "withheld"]
        .iter()
        .map(|arm| {
            whole[arm]["successes"].as_u64().unwrap() + whole[arm]["failures"].as_u64().unwrap()
        })
        .sum();
    assert!(runs > 20, "{whole}");
    let least = ok(&local, Get, "/v1/lift?limit=1", Value::Null);
    assert_eq!(least["lessons"].as_array().unwrap().len(), 1);
    // A fresh look at both ledgers says the same.
    let fresh = open(Some(&folder.join("p")), Some(&folder.join("q")));
    assert_eq!(ok(&fresh, Get, "/v1/lift", Value::Null), lift);
    let health = ok(&fresh, Get, "/v1/health", Value::Null);
    assert!(!health.to_string().contains("events_left_out"), "{health}");
}

#[test]
fn a_request_over_both_is_answered_once_and_redacted_like_any_other() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    let secret = concat!("AKIA", "IOSFODNN7EXAMPLE");
    let asked = |query: &str| {
        let mut asked = request(
            Post,
            "/v1/recommend",
            json!({ "query": query, "decision_id": "d" }),
        );
        asked
            .headers
            .insert("idempotency-key".to_owned(), "k".to_owned());
        asked
    };
    let query = format!("an upload with a deadline by {secret}");
    let first = taken(&local, now(local.handle(asked(&query))));
    let stores: Vec<&str> = first["recommended"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|given| given["lesson"]["store"].as_str())
        .collect();
    assert!(
        stores.contains(&"project") && stores.contains(&"personal"),
        "{first}"
    );
    let again = taken(&local, now(local.handle(asked(&query))));
    assert_eq!(first["retrieval_id"], again["retrieval_id"]);
    assert_eq!(now(local.handle(asked("another upload"))).status, 409);

    let kept = ok(&local, Get, "/v1/decisions/d", Value::Null);
    let kept = kept["query"].as_str().unwrap();
    assert!(
        kept.contains("deadline") && !kept.contains(secret),
        "{kept}"
    );
}
