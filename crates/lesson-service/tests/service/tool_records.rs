//! Records of tools out of files, and the servers that are always at hand.

use crate::common;

use common::TestService;
use lesson_types::*;
use serde_json::{Value, json};

#[test]
fn records_of_tools_are_imported_with_their_times() {
    let fixture = TestService::new();
    let seconds = fixture.clock.get() / 1000;
    let content = json!([
        {"query": "search the github issues", "server": "github", "timestamp": (seconds - 3 * 86_400) as f64 + 0.5, "query_hash": "a1b2c3d4"},
        {"query": "Search the GitHub issues", "server": "github", "timestamp": seconds - 9 * 86_400, "query_hash": "a1b2c3d4"},
        {"query": "read the docs", "server": "Project-Memory", "timestamp": seconds},
        {"query": "open the page", "server": "browser", "timestamp": seconds - 60, "extra": 1},
        {"query": "", "server": "browser"},
    ])
    .to_string();
    let file = json!({"files": [{"path": "maitre_d_feedback.json", "content": content}]});
    let imported: Imported = fixture.ok("POST /v1/import", file.clone());
    assert_eq!(
        (imported.events, imported.unchanged, imported.added),
        (2, 1, 0)
    );
    let codes =
        |list: &[Rejected]| -> Vec<String> { list.iter().map(|one| one.code.clone()).collect() };
    assert_eq!(codes(&imported.rejected), ["empty"]);
    assert_eq!(codes(&imported.warnings), ["unknown_field", "core"]);
    let records: ToolRecords = fixture.get("/v1/tools/records");
    let held: Vec<(&str, f64)> = records
        .records
        .iter()
        .map(|record| (&*record.server, record.age_days.round()))
        .collect();
    assert_eq!(held, [("browser", 0.0), ("github", 3.0)]);
    let again: Imported = fixture.ok("POST /v1/import", file);
    assert_eq!((again.events, again.unchanged), (0, 3));
}

#[test]
fn a_host_names_its_own_core_servers() {
    let fixture = TestService::new();
    let service = fixture.service.with_core_servers(vec!["GitHub".to_owned()]);
    let asked = common::request(
        "POST /v1/tools/success",
        json!({"query": "search the issues", "server": "github"}),
    );
    let answer = common::block_on(service.handle(asked)).body.value();
    assert_eq!(answer, json!({"recorded": false, "reason": "core"}));
    let policy = common::block_on(service.handle(common::request("GET /v1/policy", json!(null))));
    assert_eq!(
        policy.body.value()["tools"]["core_servers"],
        json!(["project-memory", "system-control", "GitHub"])
    );
}

/// More records than a book keeps: the newest are kept, and the file read again changes nothing and drops none.
#[test]
fn records_of_tools_that_are_imported_again_change_nothing() {
    let fixture = TestService::new();
    let record = |n: i64| json!({"query": format!("query number {n} of table t{n}"), "server": "postgres", "timestamp": 1_790_000_000 + n});
    let file = |records: Vec<Value>| json!({"files": [{"path": "maitre_d_feedback.json", "content": Value::Array(records).to_string()}]});
    let all = file((0..12_000).map(record).collect());
    let book = || {
        let space = fixture.store.space();
        let mut held: Vec<(String, i64)> = space
            .tools()
            .records()
            .iter()
            .map(|one| (one.query.clone(), one.at))
            .collect();
        held.sort();
        held
    };
    let first: Imported = fixture.ok("POST /v1/import", all.clone());
    assert_eq!((first.events, first.unchanged), (8_000, 4_000));
    let before = book();
    assert!(
        before
            .iter()
            .any(|(query, _)| query == "query number 11999 of table t11999")
    );
    let again: Imported = fixture.ok("POST /v1/import", all);
    assert_eq!((again.events, again.unchanged), (0, 12_000));
    assert_eq!(book(), before);
    // Newer ones come in, and the book's own newest stay.
    let newer: Imported = fixture.ok(
        "POST /v1/import",
        file((12_000..12_100).map(record).collect()),
    );
    assert_eq!(newer.events, 100);
    let after = book();
    assert!(
        after
            .iter()
            .any(|(query, _)| query == "query number 12099 of table t12099")
    );
    assert!(before.iter().all(|one| after.contains(one)));
}
