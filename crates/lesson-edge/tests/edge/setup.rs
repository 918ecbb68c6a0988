//! State of the edge's set-up, told to everybody who may ask at all.

use crate::test_edge::{Mood, TestEdge, request};
use lesson_edge::EdgeAnswer;
use lesson_types::EdgeSetup;

fn ask(isolate: &TestEdge, method: &str, origin: Option<&str>) -> EdgeAnswer {
    let mut request = request(method, "/v1/setup", "");
    request.headers.remove("authorization");
    if let Some(origin) = origin {
        let header = ("origin".to_owned(), origin.to_owned());
        request.headers.extend([header]);
    }
    isolate.send(request)
}

fn setup(isolate: &TestEdge) -> EdgeSetup {
    let answer = ask(isolate, "GET", None);
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn an_edge_that_is_set_up_says_so_without_a_key() {
    let isolate = TestEdge::new();
    let told = setup(&isolate);
    assert!(told.ready && told.problems.is_empty(), "{told:?}");
    assert_eq!(told.project, "https://abc.supabase.co");
    assert_eq!(told.schema_version, lesson_sync::SCHEMA_VERSION);
    let requests = isolate.server.requests.borrow();
    let names: Vec<&str> = requests[0].headers.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["apikey", "content-type"]);
}

#[test]
fn what_is_missing_is_told_with_its_remedy_and_asked_for_again_soon() {
    let isolate = TestEdge::new();
    isolate.server.mood.set(Mood::Down);
    let told = setup(&isolate);
    assert_eq!(
        (told.ready, &*told.problems[0].code),
        (false, "unreachable")
    );
    assert!(told.problems[0].remedy.contains("SUPABASE_URL"), "{told:?}");
    isolate.server.mood.set(Mood::Html);
    let asked = isolate.server.requests.borrow().len();
    assert_eq!(setup(&isolate), told, "one answer is told for a while");
    assert_eq!(isolate.server.requests.borrow().len(), asked);
    isolate.server.mood.set(Mood::Well);
    isolate.wait(6_000);
    assert!(setup(&isolate).ready);
}

#[test]
fn it_is_read_only_and_for_no_foreign_page() {
    let isolate = TestEdge::new();
    let answer = ask(&isolate, "POST", None);
    assert_eq!(
        (answer.status, &*answer.headers["allow"]),
        (405, "GET, HEAD")
    );
    let dashboard = "https://lessons.example.org";
    let answer = ask(&isolate, "GET", Some(dashboard));
    assert_eq!(answer.headers["access-control-allow-origin"], dashboard);
    assert_eq!(
        ask(&isolate, "GET", Some("https://evil.example.com")).status,
        403
    );
    // No flood of questions reaches the project.
    for _ in 0..1_000 {
        isolate.wait(6_000 / 1_000);
        ask(&isolate, "GET", None);
    }
    assert!(isolate.server.requests.borrow().len() <= 4);
}
