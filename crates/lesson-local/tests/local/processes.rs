//! Writes of several processes, and of clones that git merges, as the others see them.

use super::folder::{self, Temporary, lesson, now, ok, open, request, slugs, store, taken};
use lesson_core::Space;
use lesson_local::Local;
use lesson_types::Method::{Get, Patch, Post};
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_one_process_writes_another_answers_with() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let (one, two) = (open(Some(&at), None), open(Some(&at), None));
    ok(&one, Post, "/v1/lessons", lesson("Pin versions", "Always"));
    assert_eq!(
        ok(&two, Get, "/v1/lessons/pin-versions", Value::Null)["title"],
        "Pin versions"
    );
    ok(
        &two,
        Post,
        "/v1/rate",
        json!({ "lesson": "pin-versions", "helpful": true }),
    );
    assert_eq!(
        ok(&one, Get, "/v1/lessons/pin-versions", Value::Null)["standing"]["times_helpful"],
        1
    );
}

#[test]
fn a_request_with_a_key_is_done_once_by_whatever_process() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let (one, two) = (open(Some(&at), None), open(Some(&at), None));
    ok(&one, Post, "/v1/lessons", lesson("Pin versions", "Always"));
    let rate = |helpful: bool| {
        let mut asked = request(
            Post,
            "/v1/rate",
            json!({ "lesson": "pin-versions", "helpful": helpful }),
        );
        asked
            .headers
            .insert("idempotency-key".to_owned(), "k".to_owned());
        asked
    };
    taken(&one, now(one.handle(rate(true))));
    for local in [&one, &two, &open(Some(&at), None)] {
        assert_eq!(
            taken(local, now(local.handle(rate(true))))["times_helpful"],
            1
        );
        assert_eq!(now(local.handle(rate(false))).status, 409);
    }
}

#[test]
fn a_merge_by_git_is_seen_at_once_and_what_waits_is_kept() {
    let folder = Temporary::new();
    let (ours, theirs) = (folder.join("ours"), folder.join("theirs"));
    let (one, two) = (open(Some(&ours), None), open(Some(&theirs), None));
    ok(&two, Post, "/v1/lessons", lesson("Pin versions", "Theirs"));
    ok(
        &one,
        Post,
        "/v1/lessons",
        lesson("Retry uploads", "With a deadline"),
    );
    ok(&one, Post, "/v1/lessons", lesson("Pin versions", "Ours"));
    // Tracking that waits to be stored while the files come.
    let asked = request(
        Post,
        "/v1/recommend",
        json!({ "query": "retry uploads", "decision_id": "d" }),
    );
    assert_eq!(now(one.handle(asked)).status, 200);
    copy(&theirs, &ours);
    ok(&one, Get, "/v1/stats", Value::Null);
    ok(
        &one,
        Post,
        "/v1/outcome",
        json!({ "decision_id": "d", "outcome": "success" }),
    );
    copy(&ours, &theirs);
    ok(&two, Get, "/v1/stats", Value::Null);
    let space = |local: &folder::Process| local.first().with_space(Space::clone);
    assert_eq!(space(&one), space(&two), "to the bit");
    assert_eq!(space(&open(Some(&theirs), None)), space(&one));
    let review = ok(&one, Get, "/v1/review", Value::Null);
    let waits: Vec<&str> = slugs(&review["items"]);
    assert!(
        waits.iter().any(|slug| slug.starts_with("pin-versions-")),
        "{waits:?}"
    );
    let health = ok(&one, Get, "/v1/health", Value::Null);
    assert!(!health.to_string().contains("events_left_out"), "{health}");
}

/// Copies ledger files, as a merge by git does.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    for entry in fs::read_dir(from.join("ledger")).unwrap() {
        let entry = entry.unwrap();
        let there = to.join("ledger").join(entry.file_name());
        let here = entry.metadata().unwrap().len();
        if fs::metadata(&there).map_or(0, |held| held.len()) < here {
            fs::copy(entry.path(), there).unwrap();
        }
    }
}

#[test]
fn the_kept_fold_is_the_fold() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let one = open(Some(&at), None);
    for n in 0..30 {
        ok(
            &one,
            Post,
            "/v1/lessons",
            lesson(&format!("Lesson {n} of retries"), "Retry with a deadline"),
        );
        let asked = json!({ "query": "retries with a deadline", "decision_id": format!("d{n}") });
        let found = ok(&one, Post, "/v1/recommend", asked);
        let slug = found["recommended"][0]["slug"].as_str().unwrap();
        ok(
            &one,
            Post,
            "/v1/track",
            json!({ "decision_id": format!("d{n}"), "reasoning": format!("Applying '{slug}'") }),
        );
        ok(
            &one,
            Post,
            "/v1/outcome",
            json!({ "decision_id": format!("d{n}"), "outcome": "success" }),
        );
        ok(
            &one,
            Post,
            "/v1/feedback",
            json!({ "lessons": [slug], "outcome": "delivered" }),
        );
        ok(
            &one,
            Post,
            "/v1/tools/success",
            json!({ "query": format!("q{n}"), "server": "s" }),
        );
    }
    now(one.first().keep_fold()).unwrap();
    ok(
        &one,
        Post,
        "/v1/rate",
        json!({ "lesson": "lesson-1-of-retries", "helpful": true }),
    );
    let whole = one.first().with_space(Space::clone);
    let (kept, clock) = store(&at);
    let kept = now(Local::open(Some((kept, clock)), None, Vec::new())).unwrap();
    assert_eq!(kept.first().with_space(Space::clone), whole);
    assert_eq!(kept.first().events_held(), one.first().events_held());
    assert!(fs::metadata(at.join("cache/snapshot.bin")).is_ok());
    fs::remove_dir_all(at.join("cache")).unwrap();
    let fresh = open(Some(&at), None);
    assert_eq!(fresh.first().with_space(Space::clone), whole);
    for local in [&kept, &fresh] {
        let found = ok(
            local,
            Post,
            "/v1/recommend",
            json!({ "query": "retries", "dry_run": true }),
        );
        assert_eq!(slugs(&found["recommended"]).len(), 15);
    }
}

#[test]
fn ten_threads_write_at_once_and_nothing_is_lost_or_doubled() {
    const THREADS: usize = 10;
    const WRITES: usize = 40;
    let folder = Temporary::new();
    let at = folder.join("p");
    let first = open(Some(&at), None);
    ok(
        &first,
        Post,
        "/v1/lessons",
        lesson("Pin versions", "Always"),
    );
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let at = &at;
            scope.spawn(move || {
                let local = open(Some(at), None);
                for n in 0..WRITES {
                    if n % 2 == 0 {
                        ok(
                            &local,
                            Post,
                            "/v1/rate",
                            json!({ "lesson": "pin-versions", "helpful": true }),
                        );
                    } else {
                        ok(
                            &local,
                            Post,
                            "/v1/lessons",
                            lesson(&format!("Lesson {n} of thread {thread}"), "Text"),
                        );
                    }
                }
            });
        }
    });
    let all = ok(&first, Get, "/v1/lessons/pin-versions", Value::Null);
    assert_eq!(all["standing"]["times_helpful"], THREADS * WRITES / 2);
    assert_eq!(first.first().lessons_held(), 1 + THREADS * WRITES / 2);
    assert_eq!(first.first().events_held(), 1 + THREADS * WRITES);
    assert_eq!(
        fs::read_dir(at.join("ledger")).unwrap().count(),
        1,
        "one clone, one file"
    );
    let fresh = open(Some(&at), None);
    assert_eq!(
        fresh.first().with_space(Space::clone),
        first.first().with_space(Space::clone)
    );
}

#[test]
fn a_store_that_can_not_be_read_names_file_and_line() {
    let folder = Temporary::new();
    let at = folder.join("p");
    ok(
        &open(Some(&at), None),
        Post,
        "/v1/lessons",
        lesson("Pin versions", "Always"),
    );
    fs::write(at.join("ledger/them.jsonl"), "<<<<<<< HEAD\n").unwrap();
    let error = now(Local::open(Some(store(&at)), None, Vec::new())).unwrap_err();
    assert!(
        error.message.contains("ledger/them.jsonl, line 1"),
        "{error:?}"
    );
}

#[test]
fn a_clock_that_jumps_back_puts_nothing_before_what_it_followed() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let one = open(Some(&at), None);
    ok(&one, Post, "/v1/lessons", lesson("Pin versions", "Always"));
    let hour = 3_600_000;
    let (kept, _) = store(&at);
    let early = folder::Clock::at(folder::BEGUN - hour);
    let two = now(Local::open(Some((kept, early)), None, Vec::new())).unwrap();
    let edit = json!({ "base_rev": 1, "recommendation": "Nearly always" });
    ok(&two, Patch, "/v1/lessons/pin-versions", edit);
    ok(
        &two,
        Post,
        "/v1/lessons",
        lesson("Name the clock", "In tests"),
    );
    for local in [&one, &two, &open(Some(&at), None)] {
        let held = ok(local, Get, "/v1/lessons/pin-versions", Value::Null);
        assert_eq!(held["recommendation"], "Nearly always");
        assert_eq!(local.first().lessons_held(), 2);
        let health = ok(local, Get, "/v1/health", Value::Null);
        assert!(!health.to_string().contains("events_left_out"), "{health}");
    }
}

#[test]
fn whoever_reads_a_long_ledger_without_its_fold_keeps_it_for_the_next() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let one = open(Some(&at), None);
    ok(&one, Post, "/v1/lessons", lesson("Pin versions", "Always"));
    let up = json!({ "lesson": "pin-versions", "up": true });
    for _ in 0..1_000 {
        ok(&one, Post, "/v1/vote", up.clone());
    }
    // As a clone has it: the cache is no part of the repository.
    fs::remove_dir_all(at.join("cache")).unwrap();
    let two = open(Some(&at), None);
    assert_eq!(two.first().kept_position(), 0);
    // A command that only reads does it, too.
    ok(&two, Get, "/v1/stats", Value::Null);
    assert_eq!(two.first().kept_position(), two.first().position());
    let three = open(Some(&at), None);
    assert_eq!(three.first().kept_position(), two.first().position());
    assert_eq!(three.first().events_held(), 1_001);
}
