//! A request in, its answer out: each step of the way once.

use crate::host::Host;
use crate::http::answer::{Answer, refusal};
use crate::http::idempotency::Turn;
use crate::http::redact;
use crate::http::repeat_key::Asker;
use crate::http::router::{Route, route};
use crate::http::validate;
use crate::race::inside;
use crate::state::held::Service;
use lesson_sync::Store;
use lesson_types::{ApiError, Request, Response};
use serde_json::Value;
use std::rc::Rc;

impl<S: Store, H: Host> Service<S, H> {
    /// Answers a request. Never fails: what went wrong is an answer too, with its status, a stable
    /// code and a remedy. Call [`Service::flush`] once the answer is on its way.
    pub async fn handle(&self, request: Request) -> Response {
        match self.answer(request).await {
            Ok(response) => response,
            Err(mut error) => {
                // Slugs are words that others wrote.
                error.candidates.retain(|slug| !self.withheld(slug));
                refusal(error)
            }
        }
    }

    /// Answers a request of somebody else than who uses this device.
    pub(crate) async fn handle_for(&self, asker: &Rc<Asker>, request: Request) -> Response {
        inside(
            self.handle(request),
            || *self.asker.borrow_mut() = Some(Rc::clone(asker)),
            || *self.asker.borrow_mut() = None,
        )
        .await
    }

    async fn answer(&self, request: Request) -> Result<Response, ApiError> {
        let route = route(request.method, &request.path)?;
        validate::bounded_depth(&request.body)?;
        if !route.writes() {
            return self
                .dispatch(route, request.body)
                .await
                .map(Answer::respond);
        }
        match self.answers.turn(&request)? {
            Turn::Repeat(response) => Ok(*response),
            Turn::Free => self
                .dispatch(route, request.body)
                .await
                .map(Answer::respond),
            Turn::First(claim) if route.answers_once() => {
                let answer = self.dispatch(route, request.body).await?;
                claim.answered_once();
                Ok(answer.respond())
            }
            Turn::First(claim) => {
                let response = self
                    .dispatch(route, request.body)
                    .await
                    .map(Answer::respond)?;
                claim.answered(&response);
                Ok(response)
            }
        }
    }

    async fn dispatch(&self, route: Route, mut body: Value) -> Result<Answer, ApiError> {
        use validate::body as read;
        redact::body(&route, &mut body)?;
        match route {
            Route::Import => self.import(read(body)?).await,
            Route::Export(format) => self.export(format, &body).await,
            Route::AddLesson => self.add_lesson(read(body)?).await,
            Route::ListLessons(query) => self.list_lessons(&query, &body),
            Route::GetLesson(slug) => self.get_lesson(&slug, &body),
            Route::EditLesson(slug) => self.edit_lesson(&slug, read(body)?).await,
            Route::Archive(slug) => self.archive(&slug, &body).await,
            Route::Restore(slug) => self.restore(&slug, &body).await,
            Route::Review(slug) => self.review(&slug, read(body)?).await,
            Route::Merge => self.merge(read(body)?).await,
            Route::Bulk => self.bulk(read(body)?).await,
            Route::History(slug, query) => self.history(&slug, &query, &body).await,
            Route::Revision(slug, rev) => self.show_revision(&slug, rev, &body).await,
            Route::Standing(slug) => self.explain_standing(&slug, &body),
            Route::Recommend => self.recommend(read(body)?),
            Route::Compare => self.compare(read(body)?),
            Route::Search => self.search(read(body)?),
            Route::Patterns => self.patterns(read(body)?),
            Route::Track => self.track(read(body)?).await,
            Route::Outcome => self.outcome(read(body)?).await,
            Route::Feedback => self.feedback(read(body)?).await,
            Route::Rate => self.rate(read(body)?).await,
            Route::Vote => self.vote(read(body)?).await,
            Route::Session => self.session(read(body)?).await,
            Route::ToolSuccess => self.tool_success(read(body)?).await,
            Route::ToolSuggest => self.tool_suggest(read(body)?),
            Route::ToolRecords(query) => self.tool_records(&query, &body),
            Route::ReviewQueue(query) => self.review_queue(&query, &body),
            Route::Stats => self.stats(&body),
            Route::Health => self.health(&body),
            Route::Policy => self.show_policy(&body),
            Route::ChangePolicy => self.change_policy(read(body)?).await,
            Route::Trial(slug) => self.grant_trial(&slug, &body).await,
            Route::ListDecisions(query) => self.list_decisions(&query, &body),
            Route::GetDecision(id) => self.get_decision(&id, &body),
            Route::Sync => self.sync_status(&body),
            Route::Connect => self.connect(read(body)?).await,
            Route::SignIn => self.sign_in(read(body)?).await,
            Route::SignOut => self.sign_out(read(body)?).await,
            Route::DeleteSpace => self.delete_space(read(body)?).await,
            Route::SyncNow => self.sync_now(&body),
            Route::SetAside => self.list_set_aside(&body),
            Route::Settle => self.settle(read(body)?).await,
            Route::AgentKeys => self.list_agent_keys(&body).await,
            Route::MakeAgentKey => self.make_agent_key(read(body)?).await,
            Route::RevokeAgentKey(id) => self.revoke_agent_key(&id, &body).await,
        }
    }
}
