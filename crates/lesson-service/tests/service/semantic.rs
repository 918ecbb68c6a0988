//! With a model: lessons are found by meaning, vectors are kept, and indexing lets others by.

use crate::common;

use common::{TestService, WordModel, block_on, interleaved, request};
use lesson_embed::EmbedError;
use lesson_service::{Embedder, Reading};
use lesson_sync::Store;
use lesson_types::*;
use serde_json::{Value, json};
use std::pin::Pin;
use std::rc::Rc;

fn fixture() -> TestService {
    TestService::with(&[
        (
            "tenant-isolation",
            "Keep tenants apart",
            "Filter rows by tenants.",
        ),
        (
            "controlled-form",
            "Control every input",
            "Keep form state in one place.",
        ),
        ("rollout-plan", "Release in steps", "Ship to a few first."),
    ])
}

fn index(fixture: &TestService) -> usize {
    let mut steps = 0;
    while !block_on(fixture.service.index_step()).unwrap().is_done() {
        steps += 1;
        assert!(steps < 1_000);
    }
    steps
}

#[test]
fn lessons_are_found_without_sharing_a_word() {
    let fixture = fixture();
    let model = WordModel::new();
    let without: SearchResults = fixture.ok("POST /v1/search", json!({"query": "database"}));
    assert!(without.results.is_empty() && !without.semantic);
    assert_eq!(
        block_on(fixture.service.use_model(model.clone())).unwrap(),
        "words@1"
    );
    index(&fixture);

    let before = model.embedded.get();
    let with: SearchResults = fixture.ok("POST /v1/search", json!({"query": "database"}));
    assert_eq!(
        model.embedded.get(),
        before + 1,
        "the query is embedded once"
    );
    assert!(with.semantic);
    assert_eq!(with.results[0].slug, "tenant-isolation");

    let answer: Recommendations = fixture.ok(
        "POST /v1/recommend",
        json!({"query": "frontend", "explain": true}),
    );
    assert_eq!(model.embedded.get(), before + 2);
    assert!(answer.semantic);
    assert_eq!(answer.recommended[0].slug, "controlled-form");
    let patterns: SearchResults = fixture.ok("POST /v1/patterns", json!({"feature": "deploy"}));
    assert_eq!(patterns.results[0].slug, "rollout-plan");
    assert_eq!(
        fixture.get::<LessonPage>("/v1/lessons?q=postgres").lessons[0].slug,
        "tenant-isolation"
    );

    let health: Health = fixture.get("/v1/health");
    assert_eq!(
        (health.model.loaded, health.model.id.as_str()),
        (true, "words@1")
    );
    assert_eq!((health.model.embedded, health.model.pending), (3, 0));
    assert_eq!(
        fixture.service.embed(&["database".to_owned()]).unwrap()[0].len(),
        5
    );
}

#[test]
fn vectors_are_stored_and_taken_up_again() {
    let fixture = fixture();
    let model = WordModel::new();
    block_on(fixture.service.use_model(model.clone())).unwrap();
    index(&fixture);
    assert_eq!(block_on(fixture.store.vectors("words@1")).unwrap().len(), 3);
    assert_eq!(model.embedded.get(), 3);

    let again = TestService::over(fixture.store.clone());
    let model = WordModel::new();
    block_on(again.service.use_model(model.clone())).unwrap();
    assert!(block_on(again.service.index_step()).unwrap().is_done());
    assert_eq!(model.embedded.get(), 0);
    assert!(
        again
            .ok::<SearchResults>("POST /v1/search", json!({"query": "database"}))
            .semantic
    );
}

#[test]
fn new_and_edited_lessons_get_their_vector_by_the_next_steps() {
    let fixture = fixture();
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    index(&fixture);
    fixture.ok::<LessonView>(
        "POST /v1/lessons",
        json!({"title": "Watch liquidity", "slug": "watch"}),
    );
    fixture.ok::<LessonView>(
        "PATCH /v1/lessons/rollout-plan",
        json!({"base_rev": 1, "title": "Postgres upgrades", "recommendation": "x"}),
    );
    assert_eq!(fixture.get::<Health>("/v1/health").model.pending, 2);
    block_on(fixture.service.idle()).unwrap();
    assert_eq!(fixture.get::<Health>("/v1/health").model.pending, 0);
    let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": "tvl"}));
    assert_eq!(found.results[0].slug, "watch");
    let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": "database"}));
    let slugs: Vec<&str> = found.results.iter().map(|one| one.slug.as_str()).collect();
    assert!(
        slugs.contains(&"rollout-plan") && slugs.contains(&"tenant-isolation"),
        "{slugs:?}"
    );
    // Edits that leave what is embedded as it is need no new vector.
    fixture.ok::<LessonView>(
        "PATCH /v1/lessons/watch",
        json!({"base_rev": 1, "tags": ["pool"]}),
    );
    assert_eq!(fixture.get::<Health>("/v1/health").model.pending, 0);
}

#[test]
fn a_text_that_the_model_refuses_is_given_up_and_the_rest_goes_on() {
    let fixture = fixture();
    fixture.ok::<LessonView>(
        "POST /v1/lessons",
        json!({"title": "unembeddable", "slug": "odd"}),
    );
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    index(&fixture);
    let health: Health = fixture.get("/v1/health");
    assert_eq!((health.model.embedded, health.model.pending), (3, 0));
    let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": "unembeddable"}));
    assert_eq!(found.results[0].slug, "odd");
}

#[test]
fn requests_are_answered_while_lessons_are_embedded() {
    let fixture = TestService::new();
    let lessons: Vec<Value> = (0..100)
        .map(|n| json!({"path": format!("l{n}.md"), "content": format!("# Lesson {n}\n\nAbout database {n}.")}))
        .collect();
    fixture.ok::<Imported>("POST /v1/import", json!({"files": lessons}));
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    let service = &fixture.service;
    let seen = std::cell::RefCell::new(Vec::new());
    let indexing: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async {
        while !service.index_step().await.unwrap().is_done() {
            common::yield_once().await;
        }
    });
    let asking: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async {
        for _ in 0..5 {
            let response = service
                .handle(request("POST /v1/search", json!({"query": "database"})))
                .await;
            assert_eq!(response.status, 200);
            seen.borrow_mut().push(service.indexing().done);
            common::yield_once().await;
        }
    });
    interleaved(vec![indexing, asking]);
    let seen = seen.into_inner();
    assert!(
        seen[0] < 100 && seen.windows(2).all(|pair| pair[0] <= pair[1]),
        "{seen:?}"
    );
    assert_eq!(service.indexing().done, 100);
}

#[test]
fn causes_are_found_by_likeness_to_the_outcome() {
    let fixture = fixture();
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    index(&fixture);
    let given: FeedbackGiven = fixture.ok(
        "POST /v1/feedback",
        json!({
            "lessons": ["tenant-isolation", "controlled-form"], "outcome": "delivered",
            "outcome_text": "Moved the database over without losing rows. Not applying 'tenant-isolation'."
        }),
    );
    let hits: Vec<u32> = given
        .updated
        .iter()
        .map(|update| update.causal_hits)
        .collect();
    assert_eq!(hits, [1, 0]);
    let session: SessionRecorded = fixture.ok(
        "POST /v1/sessions",
        json!({"transcript": "INJECTED: tenant-isolation, controlled-form\nDELIVERED: the new input form\n"}),
    );
    assert_eq!(session.causal, ["controlled-form"]);
}

#[test]
fn a_lesson_that_was_explicitly_applied_is_a_cause_whatever_its_likeness() {
    let fixture = fixture();
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    index(&fixture);
    let session: SessionRecorded = fixture.ok(
        "POST /v1/sessions",
        json!({"transcript": "INJECTED: tenant-isolation, controlled-form\nApplying 'tenant-isolation'.\nDELIVERED: the new input form\n"}),
    );
    assert_eq!(session.causal, ["tenant-isolation", "controlled-form"]);
    let given: FeedbackGiven = fixture.ok(
        "POST /v1/feedback",
        json!({
            "lessons": ["controlled-form", "tenant-isolation"], "outcome": "delivered",
            "outcome_text": "Moved the database over without losing rows, following 'controlled-form'."
        }),
    );
    let hits: Vec<u32> = given
        .updated
        .iter()
        .map(|update| update.causal_hits)
        .collect();
    assert_eq!(hits, [2, 2]);
}

#[test]
fn causes_are_found_before_the_lessons_have_their_vectors() {
    let fixture = fixture();
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    let session: SessionRecorded = fixture.ok(
        "POST /v1/sessions",
        json!({"transcript": "INJECTED: tenant-isolation, controlled-form\nDELIVERED: the new input form\n"}),
    );
    assert_eq!(session.causal, ["controlled-form"]);
}

#[test]
fn feedback_that_quotes_a_whole_session_is_judged_by_its_outcome() {
    let fixture = fixture();
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    index(&fixture);
    let given: FeedbackGiven = fixture.ok(
        "POST /v1/feedback",
        json!({
            "lessons": ["tenant-isolation", "controlled-form"], "outcome": "delivered",
            "outcome_text": "INJECTED: 'tenant-isolation', 'controlled-form'\nI looked at the database first.\nDELIVERED: the new input form"
        }),
    );
    let hits: Vec<u32> = given
        .updated
        .iter()
        .map(|update| update.causal_hits)
        .collect();
    assert_eq!(hits, [0, 1]);
}

#[test]
fn a_pack_that_is_none_is_refused_and_keyword_ranking_goes_on() {
    let fixture = fixture();
    let error = block_on(fixture.service.load_model(b"not a pack".to_vec(), None)).unwrap_err();
    assert_eq!(
        (error.code, error.field.as_deref()),
        (ErrorCode::InvalidRequest, Some("model"))
    );
    assert_eq!(
        fixture.service.embed(&[]).unwrap_err().code,
        ErrorCode::Unavailable
    );
    let answer: Recommendations = fixture.ok("POST /v1/recommend", json!({"query": "tenants"}));
    assert!(!answer.semantic && !answer.recommended.is_empty());
}

/// The same words under another model's name, whose cosines lie close together, and which reads other languages.
struct OtherModel(Rc<WordModel>);

impl Embedder for OtherModel {
    fn id(&self) -> &str {
        "other@1"
    }

    fn dims(&self) -> usize {
        self.0.dims()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.embed(text)
    }

    fn is_multilingual(&self) -> bool {
        true
    }

    fn reading(&self) -> Reading {
        Reading::between((0.7, 0.9), (0.7, 0.9))
    }
}

#[test]
fn another_model_reads_the_lessons_anew_and_words_rank_meanwhile() {
    let fixture = fixture();
    let search =
        || -> SearchResults { fixture.ok("POST /v1/search", json!({"query": "database rows"})) };
    let (one, other) = (WordModel::new(), WordModel::new());
    block_on(fixture.service.use_model(one.clone())).unwrap();
    index(&fixture);
    assert!(search().semantic);

    block_on(
        fixture
            .service
            .use_model(Rc::new(OtherModel(other.clone()))),
    )
    .unwrap();
    let progress = fixture.service.indexing();
    assert_eq!((progress.done, progress.total), (0, 3));
    // The vectors of the model before are not compared with a query of this one.
    let meanwhile = search();
    assert!(!meanwhile.semantic);
    assert_eq!(meanwhile.results[0].slug, "tenant-isolation", "by a word");
    let asked = json!({"query": "database rows", "dry_run": true});
    let told: Recommendations = fixture.ok("POST /v1/recommend", asked);
    assert_eq!(
        told.semantic_reason.as_deref(),
        Some("no lesson has a vector yet")
    );
    index(&fixture);
    assert!(search().semantic);

    // Both are kept: to go back embeds no lesson again.
    let before = one.embedded.get();
    block_on(fixture.service.use_model(one.clone())).unwrap();
    assert!(fixture.service.indexing().is_done());
    assert!(search().semantic);
    assert_eq!(one.embedded.get(), before + 1, "the query alone");
}

#[test]
fn lessons_in_other_languages_suggest_the_multilingual_model_while_the_english_one_is_in_use() {
    let says = |fixture: &TestService| -> Option<String> {
        let health: Health = fixture.get("/v1/health");
        let mut issues = health.issues.into_iter();
        Some(issues.find(|one| one.code == "other_languages")?.message)
    };
    let english = fixture();
    block_on(english.service.use_model(WordModel::new())).unwrap();
    assert_eq!(says(&english), None);
    for (title, advice) in [
        (
            "Grenzen für Schlangen",
            "Jede Warteschlange braucht eine Obergrenze für ihre Einträge.",
        ),
        ("Очередь", "У каждой очереди есть верхний предел."),
        ("队列", "每个队列都要有上限。"),
    ] {
        let fixture = TestService::with(&[("one", title, advice)]);
        assert_eq!(says(&fixture), None, "without a model there is more to say");
        block_on(fixture.service.use_model(WordModel::new())).unwrap();
        let message = says(&fixture).expect("a suggestion");
        assert!(message.starts_with("1 of 1 lessons"), "{message}");
        let other = Rc::new(OtherModel(WordModel::new()));
        block_on(fixture.service.use_model(other)).unwrap();
        assert_eq!(says(&fixture), None, "it was chosen");
    }
}
