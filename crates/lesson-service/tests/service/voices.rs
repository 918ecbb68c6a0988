//! Voices of a space, and the withdrawal of a voice: a preview, then the deed, then taken back.

use crate::common;

use common::{TestService, block_on};
use lesson_service::{RequestContext, route};
use lesson_types::*;
use serde_json::{Value, json};

fn as_key(fixture: &TestService, key: &str, line: &str, body: Value) {
    let context = RequestContext::of_agent(key, None);
    let request = common::request(line, body);
    let row = route(request.method, &request.path).expect("it is a route");
    let answer = block_on(fixture.service.handle_for(&context, row, request));
    block_on(fixture.service.idle()).expect("it is stored");
    assert!(answer.status < 300, "{line}: {}", answer.body);
}

/// A person's approved lesson that the key `bad` sinks, and a lesson of its own; `good` says it helped.
fn attacked() -> TestService {
    let fixture = TestService::with(&[("bind-values", "Bind values in SQL", "Use parameters.")]);
    let approve = json!({"verdict": "approve"});
    fixture.ok::<LessonView>("POST /v1/lessons/bind-values/review", approve);
    let helped = json!({"lesson": "bind-values", "helpful": true});
    as_key(&fixture, "good", "POST /v1/rate", helped);
    let own = json!({"slug": "planted-note", "title": "A planted note", "source": "bad-bot"});
    as_key(&fixture, "bad", "POST /v1/lessons", own);
    for n in 0..3 {
        let id = format!("d{n}");
        let query = json!({"query": "bind values in sql", "decision_id": id});
        as_key(&fixture, "bad", "POST /v1/recommend", query);
        let said = json!({"decision_id": id, "reasoning": "Applying 'bind-values' here."});
        as_key(&fixture, "bad", "POST /v1/track", said);
        let outcome = json!({"decision_id": id, "outcome": "failure"});
        as_key(&fixture, "bad", "POST /v1/outcome", outcome);
    }
    let change = json!({"base_rev": 1, "title": "Bind nothing"});
    as_key(&fixture, "bad", "PATCH /v1/lessons/bind-values", change);
    fixture
}

fn standing(fixture: &TestService) -> StandingView {
    fixture
        .get::<LessonView>("/v1/lessons/bind-values")
        .standing
}

#[test]
fn a_voice_is_withdrawn_after_a_preview_and_taken_back_whole() {
    let fixture = attacked();
    let sunk = standing(&fixture);
    assert_eq!(sunk.consecutive_failures, 3);
    let events = fixture.store.events().len();

    let preview: VoiceWithdrawal = fixture.ok("POST /v1/voices/bad/withdraw", json!({}));
    assert!(!preview.done && preview.withdrawn);
    assert_eq!(preview.lessons, ["planted-note"]);
    assert_eq!(preview.moved, ["bind-values"]);
    assert_eq!((preview.proposals, preview.outcomes), (1, 3));
    assert_eq!(
        fixture.store.events().len(),
        events,
        "a preview writes nothing"
    );
    assert_eq!(standing(&fixture), sunk);

    let done: VoiceWithdrawal =
        fixture.ok("POST /v1/voices/bad/withdraw", json!({"confirm": true}));
    assert_eq!(
        VoiceWithdrawal {
            done: false,
            ..done
        },
        preview
    );
    let clean = standing(&fixture);
    assert_eq!(
        (
            clean.times_applied,
            clean.consecutive_failures,
            clean.times_helpful
        ),
        (0, 0, 1)
    );
    assert!(
        fixture
            .get::<LessonView>("/v1/lessons/planted-note")
            .archived
    );
    assert!(
        fixture
            .get::<Proposals>("/v1/proposals")
            .proposals
            .is_empty()
    );
    let voices = fixture.get::<Voices>("/v1/voices").voices;
    assert!(
        voices
            .iter()
            .any(|one| one.voice == "agent:bad" && one.withdrawn)
    );

    // It goes on writing, and counts for nothing; a service that opens the store anew says the same.
    as_key(
        &fixture,
        "bad",
        "POST /v1/vote",
        json!({"lesson": "bind-values", "up": false}),
    );
    assert_eq!(standing(&fixture), clean);
    let again = TestService::over(fixture.store.clone());
    assert_eq!(standing(&again), clean);
    let history: History = again.get("/v1/lessons/bind-values/history");
    let last = history.events.last();
    assert!(last.is_some_and(|one| one.reason.is_some()));

    let repeated = fixture.refused("POST /v1/voices/bad/withdraw", json!({}));
    assert_eq!(
        (repeated.0, repeated.1.field.as_deref()),
        (409, Some("voice"))
    );

    let undo = json!({"undo": true, "confirm": true});
    let back: VoiceWithdrawal = fixture.ok("POST /v1/voices/agent:bad/withdraw", undo.clone());
    assert!(!back.withdrawn && back.done);
    assert_eq!(back.lessons, ["planted-note"]);
    let restored = standing(&fixture);
    assert_eq!(restored.consecutive_failures, 3);
    assert_eq!(restored.downvotes, 1, "what it said meanwhile counts, too");
    assert!(
        !fixture
            .get::<LessonView>("/v1/lessons/planted-note")
            .archived
    );
    assert_eq!(fixture.refused("POST /v1/voices/bad/withdraw", undo).0, 409);
}

#[test]
fn the_lists_of_a_voice_and_of_a_source() {
    let fixture = attacked();
    let slugs = |query: &str| -> Vec<String> {
        let page: LessonPage = fixture.get(&format!("/v1/lessons?{query}"));
        page.lessons.into_iter().map(|lesson| lesson.slug).collect()
    };
    assert_eq!(slugs("by=agent:bad"), ["planted-note"]);
    assert_eq!(slugs("by=bad"), ["planted-note"], "a bare id is a key's");
    assert_eq!(slugs("by=local"), ["bind-values"]);
    assert_eq!(slugs("source=bad-bot"), ["planted-note"]);
    assert!(slugs("source=nobody").is_empty());
    let voices = fixture.get::<Voices>("/v1/voices").voices;
    let bad = voices
        .iter()
        .find(|one| one.voice == "agent:bad")
        .expect("it has a lesson");
    assert_eq!((bad.lessons, bad.unreviewed, bad.proposals), (1, 1, 1));
    assert_eq!(bad.fails_alone, ["bind-values"]);
}

#[test]
fn a_withdrawal_that_does_not_fit_is_refused() {
    let fixture = attacked();
    for (line, body, status, field) in [
        (
            "POST /v1/voices/bad/withdraw",
            json!({"since": "soon"}),
            400,
            "since",
        ),
        ("POST /v1/voices/local/withdraw", json!({}), 400, "voice"),
        ("POST /v1/voices/agent:/withdraw", json!({}), 400, "voice"),
        (
            "POST /v1/voices/bad/withdraw",
            json!({"undo": true}),
            409,
            "voice",
        ),
        (
            "POST /v1/voices/bad/withdraw",
            json!({"undo": true, "since": "2026-01-01T00:00:00Z"}),
            400,
            "since",
        ),
    ] {
        let (is, error) = fixture.refused(line, body.clone());
        assert_eq!(
            (is, error.field.as_deref()),
            (status, Some(field)),
            "{line} {body}"
        );
    }
}
