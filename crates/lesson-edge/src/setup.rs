//! `GET /v1/setup`: whether this edge is set up, and what is missing. It needs no key, as there may be none yet; it tells what
//! whoever may open the dashboard can see anyway.

use crate::edge::Edge;
use crate::message::{EdgeAnswer, EdgeRequest, Refusal};
use lesson_core::Millis;
use lesson_service::{Host, Network, timeout};
use lesson_sync::{ProjectState, SCHEMA_VERSION, Store, project_state};
use lesson_types::{Body, EdgeSetup, Method, SetupProblem};

/// The path that it is at.
pub(crate) const PATH: &str = "/v1/setup";
/// Time for which the project's answer is told again, in milliseconds.
const FRESH: Millis = 5_000;
/// Time limit of the project's answer, in milliseconds.
const PATIENCE_MS: u32 = 8_000;

impl<S: Store, H: Host> Edge<S, H> {
    /// Answers with an [`EdgeSetup`].
    ///
    /// # Errors
    /// 405 for another method than `GET`, 429 when one network asks too often.
    pub(crate) async fn setup(&self, request: &EdgeRequest) -> Result<EdgeAnswer, Refusal> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            let allowed = [Method::Get];
            let wrong = lesson_service::wrong_method(&request.path, &allowed, &request.method);
            let mut refusal = Refusal::from(wrong);
            refusal.headers.push(("allow", "GET, HEAD".to_owned()));
            return Err(refusal);
        }
        let state = self.project(&request.client).await?;
        let problem = state.code().map(|code| SetupProblem {
            code: code.to_owned(),
            message: state.message(),
            remedy: state.remedy().to_owned(),
        });
        let setup = EdgeSetup {
            ready: problem.is_none(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version: SCHEMA_VERSION,
            project: self.config.url.clone(),
            dashboard_origin: self.config.dashboard_origin.clone(),
            problems: problem.into_iter().collect(),
        };
        Ok(EdgeAnswer::json(200, Body::json(setup)))
    }

    async fn project(&self, client: &str) -> Result<ProjectState, Refusal> {
        let now = self.host.now();
        if let Some((at, state)) = &*self.project_state.borrow()
            && (now - at).abs() <= FRESH
        {
            return Ok(state.clone());
        }
        self.lookups.of_network(client, now)?;
        let network = Network(&*self.host);
        let asked = project_state(&network, &self.config.url, &self.config.key);
        let state = timeout(asked, self.host.sleep(PATIENCE_MS))
            .await
            .unwrap_or_else(|| {
                ProjectState::Unreachable("it takes longer than eight seconds".to_owned())
            });
        *self.project_state.borrow_mut() = Some((self.host.now(), state.clone()));
        Ok(state)
    }
}
