//! What a person does with the lessons of two stores at once: the review, acts on many, merging.

use super::folder::{Process, Temporary, lesson, now, ok, open, request, slugs, taken};
use lesson_local::Which;
use lesson_types::Method::{Get, Post};
use serde_json::{Value, json};

/// A lesson in one store.
fn put(local: &Process, which: Which, title: &str, text: &str) {
    let added = request(Post, "/v1/lessons", lesson(title, text));
    taken(local, now(local.handle_in(which, added)));
}

/// Two lessons of the project, two of the person's own, and one slug that both have.
fn two_stores(folder: &Temporary) -> Process {
    let local = open(Some(&folder.join("p")), Some(&folder.join("q")));
    put(&local, Which::Project, "Bound every queue", "Say its bound");
    put(&local, Which::Project, "Pin the image", "By its digest");
    put(&local, Which::Personal, "Name the owner", "Of every table");
    put(&local, Which::Personal, "Seal the log", "Before a release");
    put(&local, Which::Personal, "Pin the image", "By its name");
    local
}

#[test]
fn the_review_holds_what_waits_in_both() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    let queue = ok(&local, Get, "/v1/review", Value::Null);
    let mut waiting = slugs(&queue["items"]);
    waiting.sort_unstable();
    let expected = [
        "bound-every-queue",
        "name-the-owner",
        "pin-the-image",
        "seal-the-log",
    ];
    assert_eq!(waiting, expected);
    assert_eq!(
        [&queue["total"], &queue["counts"]["unreviewed"]],
        [4, 4],
        "{queue}"
    );
    let fewer = ok(&local, Get, "/v1/review?limit=3", Value::Null);
    assert_eq!(fewer["items"].as_array().unwrap().len(), 3);

    // What is held back comes first, whichever store it lies in.
    let verdict = json!({ "verdict": "quarantine" });
    ok(&local, Post, "/v1/lessons/seal-the-log/review", verdict);
    let queue = ok(&local, Get, "/v1/review", Value::Null);
    assert_eq!(slugs(&queue["items"])[0], "seal-the-log");
    assert_eq!(queue["counts"]["quarantined"], 1);
    let counted = ok(&local, Get, "/v1/review?limit=0", Value::Null);
    assert_eq!(counted["items"], json!([]));
}

#[test]
fn one_act_reaches_lessons_of_both_and_is_taken_back_in_both() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    let all = [
        "bound-every-queue",
        "name-the-owner",
        "seal-the-log",
        "no-such",
    ];
    let items: Vec<Value> = all.iter().map(|slug| json!({ "slug": slug })).collect();
    let act = json!({ "act": "archive", "lessons": items });
    let done = ok(&local, Post, "/v1/lessons/bulk", act);
    assert_eq!(done["changed"], 3, "{done}");
    assert_eq!(slugs(&done["refused"]), ["no-such"]);
    let archived = |slug: &str| {
        let path = format!("/v1/lessons/{slug}");
        ok(&local, Get, &path, Value::Null)["archived"].clone()
    };
    assert!(all[..3].iter().all(|slug| archived(slug) == true));
    for undo in done["undo"].as_array().unwrap() {
        ok(&local, Post, "/v1/lessons/bulk", undo.clone());
    }
    assert!(all[..3].iter().all(|slug| archived(slug) == false));
    let mine = json!({ "act": "tag", "tags": ["x"], "lessons": [{ "slug": "seal-the-log" }] });
    assert_eq!(ok(&local, Post, "/v1/lessons/bulk", mine)["changed"], 1);
    let unread = now(local.handle(request(Post, "/v1/lessons/bulk", json!({ "act": "x" }))));
    assert_eq!(unread.status, 400);
}

#[test]
fn lessons_are_merged_within_a_store_and_never_across() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    let merge = |into: &str, from: &str| {
        let body = json!({ "into": into, "from": [from] });
        now(local.handle(request(Post, "/v1/lessons/merge", body)))
    };
    let across = merge("bound-every-queue", "seal-the-log");
    assert_eq!(across.status, 409, "{}", across.body);
    assert!(across.body.to_string().contains("different stores"));
    let within = merge("name-the-owner", "seal-the-log");
    assert_eq!(within.status, 200, "{}", within.body);
    let gone = ok(&local, Get, "/v1/lessons/seal-the-log", Value::Null);
    assert_eq!(gone["archived"], true);
}
