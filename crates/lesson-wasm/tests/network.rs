//! Requests of the engine over the host's `fetch`.
#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

use js_sys::{Function, Reflect};
use lesson_service::Host;
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};
use lesson_wasm::JsHost;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn to(url: &str) -> HttpRequest {
    HttpRequest {
        method: "POST",
        url: url.to_owned(),
        headers: vec![
            ("content-type", "application/json".to_owned()),
            ("apikey", "key".to_owned()),
        ],
        body: Some("{\"a\":\"ä\"}".to_owned()),
        makers: Vec::new(),
    }
}

/// Sends a request while `fetch` is `async (url, init) => body`.
async fn send_to(body: &str) -> Result<HttpResponse, NoAnswer> {
    let scope = js_sys::global();
    let before = Reflect::get(&scope, &"fetch".into()).unwrap();
    let stand_in = Function::new_with_args(
        "url, init",
        &format!("return (async () => {{ {body} }})();"),
    );
    Reflect::set(&scope, &"fetch".into(), &stand_in).unwrap();
    let answer = JsHost::default().send(to("https://server/rpc")).await;
    Reflect::set(&scope, &"fetch".into(), &before).unwrap();
    answer
}

fn cause(answer: Result<HttpResponse, NoAnswer>) -> String {
    let Err(NoAnswer(cause)) = answer else {
        panic!("{answer:?}");
    };
    cause
}

#[wasm_bindgen_test]
async fn a_request_goes_out_whole_and_says_nothing_of_the_page() {
    let answer = send_to(
        "return new Response(JSON.stringify([
            url, init.method, init.body, [...init.headers], init.credentials, init.referrerPolicy,
            init.cache, init.redirect, init.signal.aborted,
        ]));",
    )
    .await
    .unwrap();
    assert_eq!(
        answer.body,
        r#"["https://server/rpc","POST","{\"a\":\"ä\"}",[["apikey","key"],["content-type","application/json"]],"omit","no-referrer","no-store","manual",false]"#
    );
    assert_eq!((answer.status, answer.retry_after), (200, None));
}

#[wasm_bindgen_test]
async fn an_answer_of_any_status_comes_back() {
    let answer = send_to(
        "return new Response('später', { status: 429, headers: { 'Retry-After': '17' } });",
    )
    .await
    .unwrap();
    assert_eq!(
        answer,
        HttpResponse {
            status: 429,
            retry_after: Some("17".to_owned()),
            body: "später".to_owned()
        }
    );
    let empty = send_to("return new Response(null, { status: 204 });").await;
    assert_eq!(empty.unwrap().body, "");
}

#[wasm_bindgen_test]
async fn what_is_no_whole_answer_says_why() {
    let cut = "const body = new ReadableStream({ start(to) {
            to.enqueue(new TextEncoder().encode('{'));
            to.error(new TypeError('cut off'));
        } });
        return new Response(body);";
    assert!(cause(send_to(cut).await).contains("cut off"));
    let endless = "const piece = new Uint8Array(1 << 20);
        return new Response(new ReadableStream({ pull: (to) => to.enqueue(piece) }));";
    assert!(cause(send_to(endless).await).contains("64 MB"));
    let late = "throw new DOMException('signal timed out', 'TimeoutError');";
    assert!(cause(send_to(late).await).contains("30 seconds"));
    let elsewhere = "return Response.redirect('https://elsewhere/', 302);";
    assert!(cause(send_to(elsewhere).await).contains("redirects"));
    assert!(!cause(send_to("throw 'odd';").await).is_empty());
}

#[wasm_bindgen_test]
async fn a_server_that_is_not_there_is_no_answer() {
    for url in ["http://127.0.0.1:9/", "https://["] {
        let answer = JsHost::default().send(to(url)).await;
        assert!(!cause(answer).is_empty(), "{url}");
    }
}
