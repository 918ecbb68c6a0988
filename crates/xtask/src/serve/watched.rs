//! Pages that load themselves anew after a build, for `cargo xtask serve --watch`.

use std::path::PathBuf;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use serde_json::Value;
use tokio::sync::watch::Receiver;

const SCRIPT: &str = "/xtask/reload.js";
const BUILDS: &str = "/xtask/builds";

/// The routes that pages ask beside the built files. `builds` counts builds that went well.
pub fn routes(builds: Receiver<u64>) -> Router {
    let script = |text: &'static str| {
        get(move || async move { ([(CONTENT_TYPE, "text/javascript")], text) })
    };
    Router::new()
        .route(SCRIPT, script(include_str!("reload.js")))
        .route("/sw.js", script(include_str!("no-worker.js")))
        .route(BUILDS, get(next).with_state(builds))
}

/// Answers with the count of builds, once it is another than the one that was `seen`.
async fn next(State(mut builds): State<Receiver<u64>>, Query(asked): Query<Value>) -> Response {
    let seen = asked["seen"].as_str().and_then(|seen| seen.parse().ok());
    match builds.wait_for(|count| Some(*count) != seen).await {
        Ok(count) => count.to_string().into_response(),
        // The process ends.
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// The page with the script that waits for builds. It is one of this origin, so the page's policy allows it.
pub async fn page(at: PathBuf) -> Response {
    match std::fs::read_to_string(at) {
        Ok(page) => {
            let tag = format!("<script type=\"module\" src=\"{SCRIPT}\"></script></body>");
            Html(page.replacen("</body>", &tag, 1)).into_response()
        }
        // While a new build takes the old one's place.
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}
