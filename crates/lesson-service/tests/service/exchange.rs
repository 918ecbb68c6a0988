//! Vectors to and from a linked server: taken instead of computed, sent when lacking, and never in
//! the way of anything.

use crate::common;

use common::vector_server::{Device, MODEL, Meanings, Server, device, lesson};
use common::{START, block_on, interleaved, request};
use lesson_core::Text;
use lesson_embed::QuantVector;
use lesson_service::{Embedder, VectorsRound};
use lesson_sync::{Change, Link, Store};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

fn index(device: &Device) {
    for _ in 0..10_000 {
        if block_on(device.index_step()).unwrap().is_done() {
            return;
        }
    }
    panic!("the steps don't end");
}

fn round(device: &Device) -> VectorsRound {
    block_on(device.vectors_round()).unwrap()
}

/// Computes the device's own vectors: hash to base64 of the bytes.
fn computed(lessons: usize) -> BTreeMap<String, Vec<u8>> {
    (0..lessons)
        .map(|number| {
            let text = lesson(number).text;
            let vector = Meanings::new().embed(&text.embedded()).unwrap();
            let vector = QuantVector::from_f32(&vector).unwrap();
            (text.embedded_hash(), vector.to_bytes())
        })
        .collect()
}

fn kept(device: &Device) -> BTreeMap<String, Vec<u8>> {
    block_on(device.store.vectors(MODEL))
        .unwrap()
        .into_iter()
        .collect()
}

#[test]
fn one_device_computes_and_the_other_takes_the_same_bytes() {
    let server = Rc::new(Server::default());
    let one = device(&server, 1_200);
    let model = Meanings::new();
    block_on(one.use_model(model.clone())).unwrap();
    // Nobody has any: it is asked once for each page, and then everything is embedded here.
    index(&one);
    assert_eq!(model.embedded.get(), 1_200);
    assert_eq!(server.asked(), ["pull_embeddings"]);
    let sent = round(&one);
    assert_eq!((sent.sent, sent.taken, sent.more), (1_200, 0, false));
    assert_eq!(server.vectors.borrow().len(), 1_200);
    assert_eq!(
        server.asked().len(),
        5,
        "two pages of what is lacking, three batches"
    );

    let other = device(&server, 1_200);
    let model = Meanings::new();
    block_on(other.use_model(model.clone())).unwrap();
    let taken = round(&other);
    assert_eq!((taken.sent, taken.taken, taken.more), (0, 1_200, false));
    assert!(other.indexing().is_done());
    assert_eq!(model.embedded.get(), 0);
    assert_eq!(kept(&other), computed(1_200));
    assert_eq!(kept(&other), kept(&one));
    server.asked();

    // Nothing is new: nothing is asked, however often.
    for device in [&one, &other] {
        for _ in 0..3 {
            device.host().clock.set(device.host().clock.get() + 100_000);
            index(device);
            assert_eq!(round(device), VectorsRound::default());
        }
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_fresh_browser_asks_before_it_embeds() {
    let server = Rc::new(Server::default());
    let one = device(&server, 40);
    block_on(one.use_model(Meanings::new())).unwrap();
    index(&one);
    round(&one);
    server.asked();

    let fresh = device(&server, 41);
    let model = Meanings::new();
    block_on(fresh.use_model(model.clone())).unwrap();
    // Nobody is to embed what the server may have.
    assert!(fresh.texts_to_index(100).is_empty());
    assert!(fresh.indexing().is_done_here());
    index(&fresh);
    assert_eq!(model.embedded.get(), 1, "the one that nobody had");
    assert_eq!(server.asked(), ["pull_embeddings"]);
    assert_eq!(round(&fresh).sent, 1);
    assert_eq!(server.vectors.borrow().len(), 41);
}

#[test]
fn a_lesson_made_here_is_embedded_at_once_and_sent_when_it_is_pushed() {
    let server = Rc::new(Server::default());
    let one = device(&server, 2);
    let model = Meanings::new();
    block_on(one.use_model(model.clone())).unwrap();
    index(&one);
    round(&one);
    server.asked();
    let asked = request(
        "POST /v1/lessons",
        json!({"slug": "mine", "title": "Mine", "recommendation": "Do it."}),
    );
    assert_eq!(block_on(one.handle(asked)).status, 200);
    index(&one);
    assert_eq!(model.embedded.get(), 3);
    assert!(server.asked().is_empty(), "nobody else can have its vector");
    // The server does not know the lesson yet, so it does not count as looked at.
    assert_eq!((round(&one).sent, round(&one).requests), (0, 1));
    let hash = computed_hash("Mine");
    server.lessons.borrow_mut().insert("mine".to_owned(), hash);
    assert_eq!(round(&one).sent, 1);
}

fn computed_hash(title: &str) -> String {
    let text = Text {
        title: title.to_owned(),
        recommendation: "Do it.".to_owned(),
        ..Text::default()
    };
    text.embedded_hash()
}

#[test]
fn a_server_in_trouble_is_left_alone_for_a_while_and_lessons_get_their_vectors_here() {
    for status in [500, 404, 401, 403, 0] {
        let server = Rc::new(Server::default());
        let one = device(&server, 3);
        let model = Meanings::new();
        block_on(one.use_model(model.clone())).unwrap();
        // A session that can't be refreshed ends in signing out.
        *server.trouble.borrow_mut() = vec![status; if status == 401 { 3 } else { 1 }];
        if status == 0 {
            *one.host().server.borrow_mut() = None;
        }
        index(&one);
        assert_eq!(model.embedded.get(), 3, "{status}");
        let asked = server.asked().len();
        assert_eq!(round(&one), VectorsRound::default(), "{status}: too early");
        assert!(server.asked().is_empty());
        if status == 401 {
            assert_eq!(asked, 3);
            continue;
        }
        *one.host().server.borrow_mut() = Some(Rc::clone(&server));
        server.trouble.take();
        one.host().clock.set(START + 400_000);
        assert_eq!(round(&one).sent, 3, "{status}");
    }
}

#[test]
fn failures_never_make_a_round_of_syncing_fail_and_a_smaller_batch_is_taken() {
    let server = Rc::new(Server::default());
    let one = device(&server, 10);
    block_on(one.use_model(Meanings::new())).unwrap();
    index(&one);
    server.asked();
    server.most.set(3);
    for _ in 0..12 {
        let synced = block_on(one.sync_round());
        assert!(synced.next_at.is_some());
        let status = block_on(one.handle(request("GET /v1/sync", Value::Null)));
        assert_eq!(status.body.value()["phase"], "idle");
        one.host().clock.set(one.host().clock.get() + 400_000);
    }
    assert_eq!(
        server.vectors.borrow().len(),
        10,
        "in batches that are taken"
    );
}

#[test]
fn what_is_no_vector_is_refused_by_name_and_the_others_are_taken() {
    let server = Rc::new(Server::default());
    let one = device(&server, 3);
    block_on(one.use_model(Meanings::new())).unwrap();
    index(&one);
    round(&one);
    let hashes: Vec<String> = server.vectors.borrow().keys().cloned().collect();
    for bad in ["", "AAAA", "not base64!"] {
        server
            .vectors
            .borrow_mut()
            .insert(hashes[1].clone(), bad.to_owned());
        let other = device(&server, 3);
        let model = Meanings::new();
        block_on(other.use_model(model.clone())).unwrap();
        let taken = round(&other);
        assert_eq!((taken.taken, taken.refused.len()), (2, 1), "{bad}");
        assert_eq!(taken.refused[0].hash, hashes[1]);
        index(&other);
        assert_eq!(model.embedded.get(), 1);
        assert_eq!(kept(&other), computed(3));
    }
}

#[test]
fn vectors_of_a_model_that_the_server_cannot_keep_stay_here() {
    let server = Rc::new(Server::default());
    let one = device(&server, 3);
    let model = Meanings::of("short@1", 5);
    block_on(one.use_model(model.clone())).unwrap();
    index(&one);
    assert_eq!(model.embedded.get(), 3);
    assert_eq!(round(&one), VectorsRound::default());
    assert!(server.asked().is_empty());
}

#[test]
fn many_are_taken_page_by_page_and_pages_that_lead_nowhere_are_not_followed() {
    let server = Rc::new(Server::default());
    let one = device(&server, 2_500);
    block_on(one.use_model(Meanings::new())).unwrap();
    index(&one);
    round(&one);
    server.asked();
    let other = device(&server, 2_500);
    block_on(other.use_model(Meanings::new())).unwrap();
    assert_eq!(round(&other).taken, 2_500);
    assert_eq!(server.asked(), ["pull_embeddings"; 3]);

    server.stuck.set(true);
    let other = device(&server, 2_500);
    block_on(other.use_model(Meanings::new())).unwrap();
    let error = block_on(other.vectors_round()).unwrap_err();
    assert!(error.message.contains("nowhere"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn who_signs_out_meanwhile_gets_nothing_more() {
    let server = Rc::new(Server::default());
    let one = device(&server, 20);
    block_on(one.use_model(Meanings::new())).unwrap();
    index(&one);
    round(&one);
    let other = device(&server, 20);
    block_on(other.use_model(Meanings::new())).unwrap();
    server.asked();
    let out = request("POST /v1/sync/sign-out", json!({}));
    let done = interleaved::<()>(vec![
        Box::pin(async { drop(other.vectors_round().await) }),
        Box::pin(async { assert_eq!(other.handle(out).await.status, 200) }),
    ]);
    assert_eq!(done.len(), 2);
    assert_eq!(server.asked()[0], "pull_embeddings", "it was under way");
    assert!(kept(&other).is_empty());
}

#[test]
fn a_restored_server_gets_again_what_it_lost() {
    let server = Rc::new(Server::default());
    let one = device(&server, 4);
    block_on(one.use_model(Meanings::new())).unwrap();
    index(&one);
    round(&one);
    server.vectors.borrow_mut().clear();
    assert_eq!(round(&one).requests, 0, "it can't know");
    let link = block_on(one.store.link()).unwrap().unwrap();
    let restored = Link {
        epoch: "two".to_owned(),
        ..link.clone()
    };
    block_on(one.store.commit(link.revision, Change::to(restored))).unwrap();
    block_on(one.catch_up()).unwrap();
    assert_eq!(round(&one).sent, 4);
}

#[test]
fn what_others_send_later_is_taken_when_it_is_asked_for_again() {
    let server = Rc::new(Server::default());
    let one = device(&server, 3);
    one.set_indexing(false);
    block_on(one.use_model(Meanings::new())).unwrap();
    assert_eq!((round(&one).requests, round(&one).requests), (1, 0));
    let writer = device(&server, 3);
    block_on(writer.use_model(Meanings::new())).unwrap();
    index(&writer);
    assert_eq!(round(&writer).sent, 3);
    assert_eq!(round(&one).requests, 0, "not at once");
    one.host().clock.set(START + 60_000);
    assert_eq!(round(&one).taken, 3);
    assert_eq!(kept(&one), computed(3));
}
