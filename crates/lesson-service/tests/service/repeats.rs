//! Repeated and simultaneous requests.

use crate::common;

use common::{TestService, block_on, interleaved, request};
use lesson_types::*;
use serde_json::{Value, json};

fn keyed(line: &str, key: &str, body: Value) -> Request {
    let mut request = request(line, body);
    request
        .headers
        .insert("idempotency-key".to_owned(), key.to_owned());
    request
}

#[test]
fn the_same_key_gives_the_same_answer_once() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    let rate = || {
        keyed(
            "POST /v1/rate",
            "k1",
            json!({"lesson": "a-lesson", "helpful": true}),
        )
    };
    let first = block_on(fixture.service.handle(rate()));
    assert_eq!(first.status, 200);
    for _ in 0..100 {
        assert_eq!(block_on(fixture.service.handle(rate())), first);
    }
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .times_helpful,
        1
    );

    let other = keyed(
        "POST /v1/rate",
        "k1",
        json!({"lesson": "a-lesson", "helpful": false}),
    );
    let refused = block_on(fixture.service.handle(other));
    assert_eq!(
        (refused.status, &refused.body.value()["error"]["field"]),
        (409, &json!("idempotency-key"))
    );

    // A recommendation is repeated too, with its retrieval id.
    let recommend = || keyed("POST /v1/recommend", "k2", json!({"query": "lesson"}));
    let first = block_on(fixture.service.handle(recommend()));
    assert_eq!(block_on(fixture.service.handle(recommend())), first);
    block_on(fixture.service.idle()).unwrap();
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .times_surfaced,
        1
    );
}

#[test]
fn a_refused_request_does_not_spend_its_key() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    fixture.store.0.fault.set(common::Fault::Full);
    let rate = || {
        keyed(
            "POST /v1/rate",
            "k",
            json!({"lesson": "a-lesson", "helpful": true}),
        )
    };
    assert_eq!(block_on(fixture.service.handle(rate())).status, 503);
    fixture.store.0.fault.set(common::Fault::None);
    assert_eq!(block_on(fixture.service.handle(rate())).status, 200);
    for key in [String::new(), "k".repeat(201)] {
        let response = block_on(
            fixture
                .service
                .handle(keyed("POST /v1/rate", &key, json!({}))),
        );
        assert_eq!(response.status, 400);
    }
}

#[test]
fn keys_are_forgotten_so_that_memory_is_bounded() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    let vote = |n: usize| {
        keyed(
            "POST /v1/vote",
            &format!("k{n}"),
            json!({"lesson": "a-lesson", "up": true}),
        )
    };
    for n in 0..300 {
        assert_eq!(block_on(fixture.service.handle(vote(n))).status, 200);
    }
    block_on(fixture.service.handle(vote(299)));
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .upvotes,
        300
    );
    block_on(fixture.service.handle(vote(0)));
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .upvotes,
        301
    );
}

#[test]
fn a_key_in_use_is_not_used_twice_and_is_free_again_when_its_request_is_dropped() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    fixture.store.0.slow.set(true);
    let rate = || {
        fixture.service.handle(keyed(
            "POST /v1/rate",
            "k",
            json!({"lesson": "a-lesson", "helpful": true}),
        ))
    };
    let answers = interleaved(vec![Box::pin(rate()), Box::pin(rate())]);
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 409]);

    let vote = || {
        fixture.service.handle(keyed(
            "POST /v1/vote",
            "v",
            json!({"lesson": "a-lesson", "up": true}),
        ))
    };
    {
        let mut dropped = Box::pin(vote());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::future::Future::poll(dropped.as_mut(), &mut context).is_pending());
    }
    assert_eq!(block_on(vote()).status, 200);
    assert_eq!(
        fixture
            .get::<LessonView>("/v1/lessons/a-lesson")
            .standing
            .upvotes,
        1
    );
}

#[test]
fn requests_that_overlap_are_all_counted() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    fixture.store.0.slow.set(true);
    let mut futures: Vec<std::pin::Pin<Box<dyn Future<Output = Response> + '_>>> = Vec::new();
    for n in 0..50 {
        futures.push(Box::pin(fixture.service.handle(request(
            "POST /v1/rate",
            json!({"lesson": "a-lesson", "helpful": n % 2 == 0}),
        ))));
        futures.push(Box::pin(fixture.service.handle(request(
            "POST /v1/recommend",
            json!({"query": "lesson", "decision_id": format!("d{n}")}),
        ))));
        futures.push(Box::pin(
            fixture
                .service
                .handle(request("GET /v1/stats", Value::Null)),
        ));
    }
    let answers = interleaved(futures);
    assert!(answers.iter().all(|answer| answer.status == 200));
    block_on(fixture.service.idle()).unwrap();
    let standing = fixture.get::<LessonView>("/v1/lessons/a-lesson").standing;
    assert_eq!(
        (
            standing.times_helpful,
            standing.times_not_helpful,
            standing.times_surfaced
        ),
        (25, 25, 50)
    );
    let shown = fixture.get::<LessonView>("/v1/lessons/a-lesson");
    let reopened = TestService::over(fixture.store.clone());
    assert_eq!(reopened.get::<LessonView>("/v1/lessons/a-lesson"), shown);
}

#[test]
fn a_recommendation_does_not_wait_for_a_write_under_way() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    fixture.store.0.slow.set(true);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut write = Box::pin(fixture.service.handle(request(
        "POST /v1/rate",
        json!({"lesson": "a-lesson", "helpful": true}),
    )));
    assert!(write.as_mut().poll(&mut context).is_pending());
    let mut read = Box::pin(
        fixture
            .service
            .handle(request("POST /v1/recommend", json!({"query": "lesson"}))),
    );
    let std::task::Poll::Ready(answer) = read.as_mut().poll(&mut context) else {
        panic!("retrieval waited for a write");
    };
    assert_eq!(answer.status, 200);
    assert_eq!(block_on(write).status, 200);
}
