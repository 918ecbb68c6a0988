//! An empty store: each request is answered, and says what to do.

use crate::common;

use common::TestService;
use lesson_types::*;
use serde_json::json;

#[test]
fn an_empty_store_answers_and_says_what_to_do() {
    let fixture = TestService::new();
    let answer: Recommendations = fixture.ok(
        "POST /v1/recommend",
        json!({"query": "anything", "explain": true}),
    );
    assert!(answer.recommended.is_empty());
    assert_eq!(answer.trace, Some(Vec::new()));
    assert!(
        answer
            .hint
            .unwrap()
            .contains("Import lessons or load the samples")
    );
    for line in ["POST /v1/search", "POST /v1/patterns"] {
        let field = if line.ends_with("search") {
            "query"
        } else {
            "feature"
        };
        let found: SearchResults = fixture.ok(line, json!({field: "anything"}));
        assert!(found.hint.unwrap().contains("Import lessons"), "{line}");
    }
    assert_eq!(fixture.get::<LessonPage>("/v1/lessons").total, 0);
    assert_eq!(fixture.get::<Stats>("/v1/stats").lessons, 0);
    assert_eq!(fixture.get::<Health>("/v1/health").causal_ratio, None);
    assert!(
        fixture
            .ok::<ToolSuggestions>("POST /v1/tools/suggest", json!({"query": "x y"}))
            .servers
            .is_empty()
    );
    // Nothing was shown, so nothing was stored.
    assert!(fixture.store.events().is_empty());
}
