//! The module in a browser: what JavaScript hands in and gets back, and the store in IndexedDB.
#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

use js_sys::{Function, Object, Promise, Reflect};
use lesson_core::{Event, EventKind};
use lesson_sync::{Entry, Store, StoreError};
use lesson_wasm::{Engine, IndexedDbStore, sequence_ratio};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn js(value: &Value) -> JsValue {
    js_sys::JSON::parse(&value.to_string()).unwrap()
}

fn from_js(value: &JsValue) -> Value {
    let text = js_sys::JSON::stringify(value).unwrap();
    serde_json::from_str(&String::from(text)).unwrap()
}

async fn open(store: Value) -> Engine {
    Engine::open(js(&json!({ "store": store }))).await.unwrap()
}

async fn in_db(name: &str) -> Engine {
    open(json!({ "kind": "indexed_db", "name": name })).await
}

async fn call(engine: &Engine, method: &str, path: &str, body: Value) -> (u64, Value) {
    let request = js(&json!({ "method": method, "path": path, "headers": {}, "body": body }));
    let answer = from_js(&engine.handle(request).await);
    (answer["status"].as_u64().unwrap(), answer["body"].clone())
}

async fn post(engine: &Engine, path: &str, body: Value) -> Value {
    let (status, answer) = call(engine, "POST", path, body).await;
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

async fn get(engine: &Engine, path: &str) -> Value {
    let (status, answer) = call(engine, "GET", path, Value::Null).await;
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_default()
}

#[wasm_bindgen_test]
async fn lessons_and_history_are_there_again_after_opening_anew() {
    let engine = in_db("again").await;
    post(
        &engine,
        "/v1/lessons",
        json!({ "title": "Bind values", "slug": "bind-values" }),
    )
    .await;
    post(
        &engine,
        "/v1/recommend",
        json!({ "query": "bind", "decision_id": "d" }),
    )
    .await;
    engine.idle().await.unwrap();
    post(
        &engine,
        "/v1/track",
        json!({ "decision_id": "d", "reasoning": "applying bind-values" }),
    )
    .await;
    post(
        &engine,
        "/v1/outcome",
        json!({ "decision_id": "d", "outcome": "profit" }),
    )
    .await;
    post(
        &engine,
        "/v1/rate",
        json!({ "lesson": "bind-values", "helpful": true }),
    )
    .await;
    let (lesson, history) = (
        get(&engine, "/v1/lessons/bind-values").await,
        get(&engine, "/v1/lessons/bind-values/history").await,
    );
    let ledger = get(&engine, "/v1/export?format=jsonl").await;
    drop(engine);

    let engine = in_db("again").await;
    assert_eq!(get(&engine, "/v1/lessons/bind-values").await, lesson);
    assert_eq!(
        get(&engine, "/v1/lessons/bind-values/history").await,
        history
    );
    assert_eq!(get(&engine, "/v1/export?format=jsonl").await, ledger);
    assert_eq!(lesson["standing"]["times_applied"], 1);
    assert_eq!(lesson["standing"]["times_surfaced"], 1);
    assert_eq!(history["events"].as_array().unwrap().len(), 5);
}

#[wasm_bindgen_test]
async fn two_engines_on_one_database_lose_nothing_and_count_once() {
    let (one, two) = (in_db("shared").await, in_db("shared").await);
    post(
        &one,
        "/v1/lessons",
        json!({ "title": "Shared", "slug": "shared" }),
    )
    .await;
    assert!(two.catch_up().await.unwrap());
    assert!(!two.catch_up().await.unwrap());
    // Both write at positions that the other does not know of.
    for _ in 0..5 {
        post(
            &one,
            "/v1/rate",
            json!({ "lesson": "shared", "helpful": true }),
        )
        .await;
        post(&two, "/v1/vote", json!({ "lesson": "shared", "up": true })).await;
    }
    one.catch_up().await.unwrap();
    let lesson = get(&one, "/v1/lessons/shared").await;
    assert_eq!(lesson, get(&two, "/v1/lessons/shared").await);
    assert_eq!(lesson["standing"]["times_helpful"], 5);
    assert_eq!(lesson["standing"]["upvotes"], 5);
    let ledger = get(&one, "/v1/export?format=jsonl").await;
    let mut numbers: Vec<u64> = ledger
        .as_str()
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Event>(line).unwrap().seq)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=11).collect::<Vec<_>>());
}

#[wasm_bindgen_test]
async fn an_append_at_a_stale_position_keeps_nothing() {
    let store = IndexedDbStore::open("stale").await.unwrap();
    store.identity("device").await.unwrap();
    let entry = |op_id: &str| Entry::Own {
        by: "local".to_owned(),
        request: None,
        op_id: op_id.to_owned(),
        at: 0,
        event: EventKind::ToolSucceeded {
            query: "q".to_owned(),
            server: "s".to_owned(),
        },
    };
    let kept = store.append(0, vec![entry("a"), entry("b")]).await.unwrap();
    assert_eq!(
        kept.iter()
            .map(|one| (one.position, one.event.seq))
            .collect::<Vec<_>>(),
        [(1, 1), (2, 2)]
    );
    assert_eq!(
        store.append(0, vec![entry("c")]).await,
        Err(StoreError::Behind)
    );
    assert_eq!(store.read_after(0).await.unwrap().events, kept);
    assert_eq!(store.read_after(1).await.unwrap().events, kept[1..]);
    // The identity that came first stays.
    assert_eq!(store.identity("other").await.unwrap().actor, "device");
}

#[wasm_bindgen_test]
async fn vectors_are_kept_by_model() {
    let store = IndexedDbStore::open("vectors").await.unwrap();
    let rows = vec![("aa".to_owned(), vec![1, 2, 3]), ("bb".to_owned(), vec![4])];
    store.put_vectors("mini", &rows).await.unwrap();
    store
        .put_vectors("mini-2", &[("aa".to_owned(), vec![9])])
        .await
        .unwrap();
    store
        .put_vectors("mini", &[("bb".to_owned(), vec![5, 6])])
        .await
        .unwrap();
    assert_eq!(
        store.vectors("mini").await.unwrap(),
        [
            ("aa".to_owned(), vec![1, 2, 3]),
            ("bb".to_owned(), vec![5, 6])
        ]
    );
}

#[wasm_bindgen_test]
async fn an_entry_that_cannot_be_read_stays_and_hides_nothing_else() {
    let engine = in_db("damaged").await;
    post(
        &engine,
        "/v1/lessons",
        json!({ "title": "Good", "slug": "good" }),
    )
    .await;
    drop(engine);
    // Damage that a half-written disk or a foreign hand might leave.
    let damage = Function::new_no_args(
        "return new Promise((done, fail) => {
            const opening = indexedDB.open('damaged');
            opening.onerror = () => fail(opening.error);
            opening.onsuccess = () => {
                const tx = opening.result.transaction(['events', 'meta'], 'readwrite');
                tx.objectStore('events').put('{not json', 2);
                const head = tx.objectStore('meta').get('head');
                head.onsuccess = () => tx.objectStore('meta').put(
                    JSON.stringify({ ...JSON.parse(head.result), position: 2 }), 'head');
                tx.oncomplete = () => { opening.result.close(); done(); };
            };
        })",
    );
    let damaged: Promise = damage
        .call0(&JsValue::UNDEFINED)
        .unwrap()
        .dyn_into()
        .unwrap();
    wasm_bindgen_futures::JsFuture::from(damaged).await.unwrap();

    let engine = in_db("damaged").await;
    assert_eq!(get(&engine, "/v1/lessons/good").await["title"], "Good");
    assert!(get(&engine, "/v1/health").await["store"]["error"].is_string());
    post(
        &engine,
        "/v1/rate",
        json!({ "lesson": "good", "helpful": true }),
    )
    .await;
    drop(engine);
    let engine = in_db("damaged").await;
    assert_eq!(
        get(&engine, "/v1/lessons/good").await["standing"]["times_helpful"],
        1
    );
}

#[wasm_bindgen_test]
async fn an_empty_store_answers_and_says_what_to_do() {
    let engine = open(json!({ "kind": "memory" })).await;
    for (path, body) in [
        ("/v1/recommend", json!({ "query": "anything" })),
        ("/v1/search", json!({ "query": "anything" })),
    ] {
        let answer = post(&engine, path, body).await;
        assert_eq!(answer["semantic"], false);
        assert!(
            answer["hint"].as_str().unwrap().contains("mport"),
            "{answer}"
        );
    }
}

#[wasm_bindgen_test]
async fn what_is_not_json_is_refused_by_name() {
    let engine = open(json!({ "kind": "memory" })).await;
    let with_body = |body: &JsValue| {
        let request = js(&json!({ "method": "POST", "path": "/v1/outcome" }));
        Reflect::set(&request, &"body".into(), body).unwrap();
        request
    };
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let body = js(&json!({ "decision_id": "d", "outcome": "profit" }));
        Reflect::set(&body, &"pnl_percent".into(), &number.into()).unwrap();
        let answer = from_js(&engine.handle(with_body(&body)).await);
        assert_eq!(answer["status"], 400);
        assert_eq!(answer["body"]["error"]["field"], "pnl_percent");
    }
    let cycle: JsValue = Object::new().into();
    Reflect::set(&cycle, &"self".into(), &cycle).unwrap();
    let answer = from_js(&engine.handle(with_body(&cycle)).await);
    assert_eq!(code(&answer["body"]), "invalid_request");

    for request in [
        JsValue::NULL,
        "text".into(),
        js(&json!({})),
        js(&json!({ "method": "EAT", "path": "/v1/stats" })),
        js(&json!({ "method": "GET", "path": "/v1/stats", "color": 1 })),
    ] {
        let answer = from_js(&engine.handle(request).await);
        assert_eq!(answer["status"], 400, "{answer}");
        assert_eq!(code(&answer["body"]), "invalid_request");
    }
}

#[wasm_bindgen_test]
async fn bodies_may_be_texts_of_json_both_ways() {
    let engine = open(json!({ "kind": "memory" })).await;
    let ask = async |method: &str, path: &str, body: JsValue| {
        let request = js(&json!({ "method": method, "path": path }));
        Reflect::set(&request, &"body".into(), &body).unwrap();
        let answer = from_js(&engine.handle_text(request).await);
        let text = answer["body"].as_str().unwrap().to_owned();
        (answer["status"].as_u64().unwrap(), text)
    };
    let rule = json!({ "files": [{ "path": "CLAUDE.md", "content": "# Rules\n\n- Bound every queue. 🦀\n" }] });
    let (status, imported) = ask("POST", "/v1/import", rule.to_string().into()).await;
    assert_eq!(status, 200, "{imported}");
    // An object is taken, too.
    let (status, again) = ask("POST", "/v1/import", js(&rule)).await;
    assert_eq!(status, 200, "{again}");
    let said = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(said(&imported)["added"], said(&again)["unchanged"]);
    let (_, listed) = ask("GET", "/v1/lessons", JsValue::NULL).await;
    assert_eq!(said(&listed), get(&engine, "/v1/lessons").await);
    // Text that is no JSON comes as it is.
    let (_, exported) = ask("GET", "/v1/export?format=csv", JsValue::NULL).await;
    assert!(exported.contains("Bound every queue. 🦀"), "{exported}");
    for broken in ["", "{", "{} {}", "undefined", "{\"files\": NaN}"] {
        let (status, refused) = ask("POST", "/v1/import", broken.into()).await;
        assert_eq!(status, 400, "{broken}: {refused}");
        assert_eq!(said(&refused)["error"]["field"], "body", "{broken}");
    }
    let deep = "[".repeat(10_000);
    let (status, _) = ask("POST", "/v1/import", deep.as_str().into()).await;
    assert_eq!(status, 400);
}

#[wasm_bindgen_test]
async fn headers_that_are_undefined_are_as_if_they_were_left_out() {
    let engine = open(json!({ "kind": "memory" })).await;
    let send = async |headers: &JsValue| {
        let request = js(&json!({ "method": "GET", "path": "/v1/lessons" }));
        Reflect::set(&request, &"headers".into(), headers).unwrap();
        from_js(&engine.handle(request).await)
    };
    let one: JsValue = Object::new().into();
    Reflect::set(&one, &"idempotency-key".into(), &JsValue::UNDEFINED).unwrap();
    for headers in [JsValue::UNDEFINED, JsValue::NULL, one] {
        let answer = send(&headers).await;
        assert_eq!(answer["status"], 200, "{headers:?}: {answer}");
    }
    for headers in [JsValue::from(5), JsValue::from("undefined")] {
        let answer = send(&headers).await;
        assert_eq!(answer["status"], 400, "{headers:?}: {answer}");
    }
}

#[wasm_bindgen_test]
async fn options_are_checked_by_name() {
    for (options, field) in [
        (json!({ "store": { "kind": "shelf" } }), "store.kind"),
        (json!({}), "store.kind"),
        (
            json!({ "store": { "kind": "memory" }, "clock": 1 }),
            "clock",
        ),
        (json!({ "store": { "kind": "memory" }, "now": 1 }), "now"),
    ] {
        let thrown = Engine::open(js(&options)).await.err().unwrap();
        let property = |name: &str| Reflect::get(&thrown, &name.into()).unwrap().as_string();
        assert_eq!(property("field").as_deref(), Some(field));
        assert_eq!(property("code").as_deref(), Some("invalid_request"));
    }
}

#[wasm_bindgen_test]
async fn a_given_clock_and_randomness_make_it_deterministic() {
    let run = async || {
        let options = js(&json!({ "store": { "kind": "memory" } }));
        let now = Function::new_no_args("return 1795336200000");
        let random = Function::new_with_args("bytes", "bytes.fill(7)");
        Reflect::set(&options, &"now".into(), &now).unwrap();
        Reflect::set(&options, &"random".into(), &random).unwrap();
        let engine = Engine::open(options).await.unwrap();
        post(&engine, "/v1/lessons", json!({ "title": "Same" })).await;
        get(&engine, "/v1/export?format=jsonl").await
    };
    let ledger = run().await;
    assert_eq!(ledger, run().await);
    assert!(
        ledger
            .as_str()
            .unwrap()
            .contains("2026-11-22T08:30:00.000Z")
    );
}

#[wasm_bindgen_test]
async fn a_pack_that_is_no_pack_is_refused_and_keywords_go_on() {
    let engine = open(json!({ "kind": "memory" })).await;
    post(
        &engine,
        "/v1/lessons",
        json!({ "title": "Keep indexes narrow" }),
    )
    .await;
    for pack in [Vec::new(), vec![0; 64], b"not a pack at all".to_vec()] {
        let thrown = engine
            .load_model(js_sys::Uint8Array::from(pack.as_slice()))
            .await
            .err()
            .unwrap();
        assert!(Reflect::get(&thrown, &"code".into()).unwrap().is_string());
    }
    assert!(engine.embed(vec!["text".to_owned()]).is_err());
    let found = post(&engine, "/v1/search", json!({ "query": "indexes" })).await;
    assert_eq!(found["results"][0]["slug"], "keep-indexes-narrow");
}

#[wasm_bindgen_test]
fn the_sequence_ratio_is_difflibs() {
    assert_eq!(sequence_ratio("abcd", "bcde"), 0.75);
    assert_eq!(sequence_ratio("", ""), 1.0);
    assert_eq!(sequence_ratio("naïve 🙂", "naive 🙂"), 12.0 / 14.0);
}
