//! Many lessons: texts are handed out to others, their vectors taken, and nothing is lost between.

use crate::common;

use common::{Fault, TestService, WordModel, block_on, interleaved, yield_once};
use lesson_service::{Embedder, Indexing, Wanted};
use lesson_sync::{Store, VectorRow};
use lesson_types::*;
use serde_json::{Value, json};
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;

const MODEL: &str = "words@1";

/// Lessons of growing length.
fn fixture(lessons: usize) -> (TestService, Rc<WordModel>) {
    let fixture = TestService::new();
    let files: Vec<Value> = (0..lessons)
        .map(|n| json!({"path": format!("l{n}.md"), "content": format!("# Lesson {n:03}\n\nAbout{}.", " database".repeat(n))}))
        .collect();
    fixture.ok::<Imported>("POST /v1/import", json!({"files": files}));
    let model = WordModel::new();
    block_on(fixture.service.use_model(model.clone())).unwrap();
    (fixture, model)
}

fn hashes(texts: &[Wanted]) -> Vec<String> {
    texts.iter().map(|wanted| wanted.hash.clone()).collect()
}

/// Embeds the texts as another worker with the same model would.
fn embedded(texts: &[Wanted]) -> Vec<f32> {
    let model = WordModel::new();
    texts
        .iter()
        .flat_map(|wanted| model.embed(&wanted.text).unwrap())
        .collect()
}

fn take(fixture: &TestService, texts: &[Wanted]) -> Indexing {
    block_on(
        fixture
            .service
            .take_vectors(MODEL, &hashes(texts), &embedded(texts)),
    )
    .unwrap()
}

fn index_here(fixture: &TestService) -> Indexing {
    for _ in 0..1_000 {
        let step = block_on(fixture.service.index_step()).unwrap();
        if step.is_done_here() {
            return step;
        }
    }
    panic!("the steps don't end");
}

fn rows(fixture: &TestService) -> Vec<VectorRow> {
    block_on(fixture.store.vectors(MODEL)).unwrap()
}

#[test]
fn vectors_of_others_are_those_of_one_alone() {
    let (alone, _) = fixture(50);
    index_here(&alone);
    let (fixture, model) = fixture(50);
    let texts = fixture.service.texts_to_index(20);
    assert_eq!(texts.len(), 20);
    assert!(
        texts
            .windows(2)
            .all(|pair| pair[0].text.len() <= pair[1].text.len()),
        "short ones first"
    );
    assert_eq!(
        index_here(&fixture),
        Indexing {
            done: 30,
            total: 50,
            elsewhere: 20
        }
    );
    assert_eq!(
        model.embedded.get(),
        30,
        "what was handed out is not embedded here"
    );
    assert!(fixture.service.texts_to_index(20).is_empty());
    assert!(take(&fixture, &texts).is_done());
    assert_eq!(rows(&fixture), rows(&alone));

    let order = |fixture: &TestService| -> Vec<String> {
        let found: SearchResults =
            fixture.ok("POST /v1/search", json!({"query": "postgres", "limit": 50}));
        found.results.into_iter().map(|one| one.slug).collect()
    };
    assert_eq!(order(&fixture), order(&alone));
}

#[test]
fn the_same_text_is_embedded_once_for_all_who_have_it() {
    let lesson = |slug: &'static str| (slug, "Keep tenants apart", "Filter rows.");
    let fixture = TestService::with(&[lesson("one"), lesson("three"), lesson("two")]);
    let model = WordModel::new();
    block_on(fixture.service.use_model(model.clone())).unwrap();
    let texts = fixture.service.texts_to_index(10);
    assert_eq!(texts.len(), 1);
    assert_eq!(
        fixture.service.indexing(),
        Indexing {
            done: 0,
            total: 3,
            elsewhere: 3
        }
    );
    assert!(take(&fixture, &texts).is_done());
    assert_eq!(rows(&fixture).len(), 1);
    // The same by the engine's own steps.
    let fixture = TestService::with(&[lesson("one"), lesson("two")]);
    let model = WordModel::new();
    block_on(fixture.service.use_model(model.clone())).unwrap();
    assert_eq!(index_here(&fixture).done, 2);
    assert_eq!(model.embedded.get(), 1);
}

#[test]
fn what_comes_back_is_embedded_here_or_by_others_but_not_for_ever() {
    let (fixture, model) = fixture(3);
    for _ in 0..5 {
        let texts = fixture.service.texts_to_index(3);
        assert_eq!(texts.len(), 3, "nobody tried");
        fixture.service.release(&hashes(&texts), false);
    }
    for _ in 0..2 {
        let texts = fixture.service.texts_to_index(3);
        assert_eq!(texts.len(), 3);
        fixture.service.release(&hashes(&texts), true);
        assert_eq!(fixture.service.indexing().elsewhere, 0);
    }
    // Two who had them gave up: a third one would too.
    assert!(fixture.service.texts_to_index(3).is_empty());
    assert!(index_here(&fixture).is_done());
    assert_eq!(model.embedded.get(), 3);
    // A late answer changes nothing, and neither does a name nobody knows.
    let before = rows(&fixture);
    fixture.service.release(&["unknown".to_owned()], true);
    let step = block_on(
        fixture
            .service
            .take_vectors(MODEL, &["unknown".to_owned()], &[1.0; 5]),
    );
    assert!(step.unwrap().is_done());
    assert_eq!(rows(&fixture), before);
}

#[test]
fn a_lesson_that_changes_meanwhile_gets_the_vector_of_its_new_text() {
    let fixture = TestService::with(&[
        ("kept", "Keep tenants apart", "Filter rows."),
        ("gone", "Release in steps", "Ship to a few first."),
    ]);
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    let texts = fixture.service.texts_to_index(10);
    fixture.ok::<LessonView>(
        "PATCH /v1/lessons/kept",
        json!({"base_rev": 1, "title": "Watch liquidity", "recommendation": "Look at the pool."}),
    );
    fixture.ok::<LessonView>("POST /v1/lessons/gone/archive", Value::Null);
    let step = take(&fixture, &texts);
    assert_eq!((step.done, step.total, step.elsewhere), (1, 2, 0));
    assert_eq!(rows(&fixture).len(), 1, "nobody has the old text any more");
    assert!(index_here(&fixture).is_done());
    let first = |query: &str| {
        let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": query}));
        found.results.into_iter().map(|one| one.slug).next()
    };
    assert_eq!(first("tvl").as_deref(), Some("kept"));
    assert_ne!(first("database").as_deref(), Some("kept"));
    // The archived one has its vector when it comes back.
    fixture.ok::<LessonView>("POST /v1/lessons/gone/restore", Value::Null);
    assert!(fixture.service.indexing().is_done());
    assert_eq!(first("deploy").as_deref(), Some("gone"));
}

#[test]
fn an_edit_back_to_a_text_that_is_out_takes_its_vector() {
    let fixture = TestService::with(&[("one", "Keep tenants apart", "Filter rows.")]);
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    let texts = fixture.service.texts_to_index(1);
    for (rev, title) in [(1, "Something else"), (2, "Keep tenants apart")] {
        fixture.ok::<LessonView>(
            "PATCH /v1/lessons/one",
            json!({"base_rev": rev, "title": title}),
        );
    }
    assert!(take(&fixture, &texts).is_done());
    assert_eq!(rows(&fixture).len(), 1);
}

#[test]
fn vectors_that_do_not_fit_are_refused_and_nothing_of_them_is_taken() {
    let (fixture, _) = fixture(4);
    let texts = fixture.service.texts_to_index(4);
    let vectors = embedded(&texts);
    let refused = |model: &str, vectors: &[f32]| {
        let error = block_on(
            fixture
                .service
                .take_vectors(model, &hashes(&texts), vectors),
        )
        .unwrap_err();
        (error.code, error.field.unwrap_or_default())
    };
    let invalid = |field: &str| (ErrorCode::InvalidRequest, field.to_owned());
    assert_eq!(refused("other@2", &vectors), invalid("model"));
    assert_eq!(refused(MODEL, &vectors[1..]), invalid("vectors"));
    assert_eq!(refused(MODEL, &[]), invalid("vectors"));
    assert_eq!(fixture.service.indexing().done, 0);

    // One that is no vector: its text is free again, the others are taken.
    let mut odd = vectors.clone();
    odd[5] = f32::NAN;
    let step = block_on(fixture.service.take_vectors(MODEL, &hashes(&texts), &odd)).unwrap();
    assert_eq!((step.done, step.elsewhere), (3, 0));
    assert!(index_here(&fixture).is_done());

    let without = TestService::new();
    let error = block_on(without.service.take_vectors(MODEL, &[], &[])).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert!(without.service.texts_to_index(8).is_empty());
}

#[test]
fn a_text_that_the_model_refuses_ends_here() {
    let fixture = TestService::with(&[("odd", "unembeddable", "x"), ("good", "Postgres", "rows")]);
    block_on(fixture.service.use_model(WordModel::new())).unwrap();
    let texts = fixture.service.texts_to_index(8);
    let (odd, good): (Vec<Wanted>, Vec<Wanted>) = texts
        .into_iter()
        .partition(|wanted| wanted.text.contains("unembeddable"));
    fixture.service.release(&hashes(&odd), true);
    take(&fixture, &good);
    let step = index_here(&fixture);
    assert_eq!((step.done, step.total), (1, 1));
}

#[test]
fn indexing_stops_and_goes_on() {
    let (fixture, model) = fixture(40);
    block_on(fixture.service.index_step()).unwrap();
    let texts = fixture.service.texts_to_index(8);
    fixture.service.set_indexing(false);
    let stopped = fixture.service.indexing();
    assert!(stopped.done < 40);
    let counted = model.embedded.get();
    assert_eq!(block_on(fixture.service.index_step()).unwrap(), stopped);
    assert!(fixture.service.texts_to_index(8).is_empty());
    block_on(fixture.service.idle()).unwrap();
    assert_eq!(model.embedded.get(), counted, "nothing is embedded");
    // Vectors of others are still taken, and requests are answered from what is there.
    assert_eq!(take(&fixture, &texts).done, stopped.done + 8);
    let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": "Lesson 039"}));
    assert!(found.results.iter().any(|one| one.slug == "l39"));
    fixture.service.set_indexing(true);
    block_on(fixture.service.idle()).unwrap();
    assert!(fixture.service.indexing().is_done());
}

#[test]
fn idle_waits_for_others() {
    let (fixture, _) = fixture(5);
    let texts = fixture.service.texts_to_index(3);
    let service = &fixture.service;
    let (hashes, vectors) = (hashes(&texts), embedded(&texts));
    let taken = Cell::new(false);
    let idle: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async {
        service.idle().await.unwrap();
        assert!(taken.get() && service.indexing().is_done());
    });
    let other: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async {
        for _ in 0..20 {
            yield_once().await;
        }
        taken.set(true);
        service
            .take_vectors(MODEL, &hashes, &vectors)
            .await
            .unwrap();
    });
    interleaved(vec![idle, other]);
}

#[test]
fn a_failing_store_keeps_vectors_in_memory_and_says_so() {
    for (fault, fails) in [(Fault::Full, false), (Fault::Failed, true)] {
        let (fixture, _) = fixture(4);
        let texts = fixture.service.texts_to_index(4);
        fixture.store.0.fault.set(fault);
        let taken = block_on(fixture.service.take_vectors(
            MODEL,
            &hashes(&texts),
            &embedded(&texts),
        ));
        assert_eq!(taken.is_err(), fails, "{fault:?}");
        assert!(fixture.service.indexing().is_done(), "{fault:?}");
    }
}
