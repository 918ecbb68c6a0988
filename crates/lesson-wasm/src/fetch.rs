//! A request over the network, by the host's `fetch`.

use crate::convert::describe;
use js_sys::{Error, Function, Promise, Reflect, Uint8Array};
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortSignal, Headers, ReadableStreamDefaultReader, ReferrerPolicy, RequestCache,
    RequestCredentials, RequestInit, RequestRedirect, Response,
};

/// For the whole answer, in milliseconds.
const TIMEOUT: u32 = 30_000;
/// The longest body. A page of rows is a few MB.
const LONGEST: usize = 64 * 1024 * 1024;

/// Sends a request and waits for the whole answer.
///
/// # Errors
/// [`NoAnswer`] with the host's words; also for a redirect, and for a body that is too long.
pub(crate) async fn fetch(request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
    exchange(&request)
        .await
        .map_err(|thrown| NoAnswer(cause(&thrown)))
}

async fn exchange(request: &HttpRequest) -> Result<HttpResponse, JsValue> {
    let scope = js_sys::global();
    let fetch: Function = Reflect::get(&scope, &"fetch".into())?.dyn_into()?;
    let init = options(request, &scope)?;
    let answer: Promise = fetch
        .call2(&scope, &request.url.as_str().into(), &init)?
        .dyn_into()?;
    let response: Response = JsFuture::from(answer).await?.dyn_into()?;
    // A browser hides which one it was, behind the status 0.
    if matches!(response.status(), 0 | 300..=399) {
        return Err(
            Error::new("the server redirects to another address; enter that address").into(),
        );
    }
    Ok(HttpResponse {
        status: response.status(),
        retry_after: response.headers().get("retry-after")?,
        body: text(&response).await?,
    })
}

fn options(request: &HttpRequest, scope: &JsValue) -> Result<RequestInit, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in &request.headers {
        headers.append(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method(request.method);
    init.set_headers_headers(&headers);
    if let Some(body) = &request.body {
        init.set_body(&body.into());
    }
    init.set_signal(Some(&AbortSignal::timeout_with_u32(TIMEOUT)));
    // Followed, one could lead to a host that must not see the tokens.
    init.set_redirect(RequestRedirect::Manual);
    // Hosts that are no browser refuse options that only a browser has a use for.
    if !Reflect::get(scope, &"location".into())?.is_undefined() {
        init.set_credentials(RequestCredentials::Omit);
        init.set_referrer_policy(ReferrerPolicy::NoReferrer);
        init.set_cache(RequestCache::NoStore);
    }
    Ok(init)
}

/// The whole body.
async fn text(response: &Response) -> Result<String, JsValue> {
    let Some(body) = response.body() else {
        return Ok(String::new());
    };
    let reader = ReadableStreamDefaultReader::new(&body)?;
    let mut bytes = Vec::new();
    loop {
        let piece = JsFuture::from(reader.read()).await?;
        if Reflect::get(&piece, &"done".into())?.is_truthy() {
            // As a browser does it: what is no UTF-8 is replaced, and then is no JSON.
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let piece: Uint8Array = Reflect::get(&piece, &"value".into())?.dyn_into()?;
        if bytes.len() + piece.length() as usize > LONGEST {
            // Nobody waits for the rest; how that ends is of no interest.
            let _ = JsFuture::from(reader.cancel()).await;
            return Err(Error::new("the answer is longer than 64 MB").into());
        }
        bytes.extend(piece.to_vec());
    }
}

fn cause(thrown: &JsValue) -> String {
    let name = Reflect::get(thrown, &"name".into()).ok();
    if name.and_then(|name| name.as_string()).as_deref() == Some("TimeoutError") {
        return format!("no whole answer came within {} seconds", TIMEOUT / 1_000);
    }
    describe(thrown)
}
