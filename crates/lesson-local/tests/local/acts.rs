//! Acts of a person on the lessons of two stores at once: the review, acts on many, merging.

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

    // Lessons held back come first, whichever store they lie in.
    let verdict = json!({ "verdict": "quarantine" });
    ok(&local, Post, "/v1/lessons/seal-the-log/review", verdict);
    let queue = ok(&local, Get, "/v1/review", Value::Null);
    assert_eq!(slugs(&queue["items"])[0], "seal-the-log");
    assert_eq!(queue["counts"]["quarantined"], 1);
    let counted = ok(&local, Get, "/v1/review?limit=0", Value::Null);
    assert_eq!(counted["items"], json!([]));
}

#[test]
fn proposals_of_both_are_counted_listed_and_settled() {
    let folder = Temporary::new();
    let local = two_stores(&folder);
    let verdict = json!({ "verdict": "approve" });
    let files = |slug: &str, title: &str| {
        let text = format!("# {title}\n\nAnother text.\n");
        json!({ "files": [{ "path": format!("{slug}.md"), "content": text }] })
    };
    for (which, slug, title) in [
        (Which::Project, "pin-the-image", "Pin the image"),
        // The project has a lesson of this slug, too.
        (Which::Personal, "pin-the-image", "Pin the image"),
        (Which::Personal, "seal-the-log", "Seal the log"),
    ] {
        let approved = request(Post, &format!("/v1/lessons/{slug}/review"), verdict.clone());
        taken(&local, now(local.handle_in(which, approved)));
        let brought = request(Post, "/v1/import", files(slug, title));
        let brought = taken(&local, now(local.handle_in(which, brought)));
        assert_eq!(brought["proposed"], 1, "{brought}");
    }
    let list = ok(&local, Get, "/v1/proposals", Value::Null);
    let queue = ok(&local, Get, "/v1/review?limit=0", Value::Null);
    let digest = ok(&local, Get, "/v1/digest", Value::Null);
    assert_eq!([&list["total"], &queue["proposals"]], [3, 3]);
    assert_eq!(digest["waiting"]["total"], queue["total"]);
    assert_eq!(digest["waiting"]["proposals"], 3);
    for held in list["proposals"].as_array().unwrap() {
        let (slug, id) = (&held["slug"], &held["proposal"]["id"]);
        let path = format!(
            "/v1/lessons/{}/proposals/{}",
            slug.as_str().unwrap(),
            id.as_str().unwrap()
        );
        ok(&local, Post, &path, json!({ "accept": true }));
    }
    let queue = ok(&local, Get, "/v1/review?limit=0", Value::Null);
    assert_eq!(queue["proposals"], 0);
    for which in [Which::Project, Which::Personal] {
        let asked = request(Get, "/v1/lessons/pin-the-image", Value::Null);
        let lesson = taken(&local, now(local.handle_in(which, asked)));
        assert_eq!(lesson["recommendation"], "Another text.");
    }
}

#[test]
fn a_store_that_others_read_keeps_of_a_prompt_only_words_that_its_lessons_have() {
    let folder = Temporary::new();
    let (project, personal) = (folder.join("p"), folder.join("q"));
    let local = open(Some(&project), Some(&personal));
    put(&local, Which::Project, "Retry uploads", "One deadline");
    put(&local, Which::Personal, "Upload at night", "Links are idle");
    local.keep_words_only(Which::Project).unwrap();
    let query = "Retry the upload for customer Miller at night";
    let asked = json!({ "query": query, "decision_id": "d" });
    let given = ok(&local, Post, "/v1/recommend", asked);
    assert_eq!(given["recommended"].as_array().unwrap().len(), 2, "{given}");
    let kept = |which| {
        let asked = request(Get, "/v1/decisions/d", Value::Null);
        taken(&local, now(local.handle_in(which, asked)))
    };
    let of_project = kept(Which::Project).to_string();
    assert!(of_project.contains("retry upload #"), "{of_project}");
    assert!(!of_project.contains("Miller") && !of_project.contains("night"));
    assert!(kept(Which::Personal).to_string().contains(query));
    let ledger = std::fs::read_dir(project.join("ledger")).unwrap();
    for file in ledger {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.to_lowercase().contains("miller"), "{text}");
    }
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
