//! A request in, its answer out: each step of the way once.

use crate::host::Host;
use crate::http::answer::{Answer, refusal};
use crate::http::context::RequestContext;
use crate::http::idempotency::{HEADER, Turn, check_key};
use crate::http::idempotency_key::fingerprint;
use crate::http::redact;
use crate::http::router::{Route, route};
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_sync::Store;
use lesson_types::{ApiError, Request, Response};
use serde_json::Value;

impl<S: Store, H: Host> Service<S, H> {
    /// Answers a request of the person who uses this device. Never fails: what went wrong is an answer too, with its
    /// status, a stable code and a remedy. Call [`Service::flush`] once the answer is on its way.
    pub async fn handle(&self, request: Request) -> Response {
        let account = self.account();
        let context = RequestContext::of_person(account.as_deref());
        match route(request.method, &request.path) {
            Ok(route) => self.handle_for(&context, route, request).await,
            Err(error) => refusal(error),
        }
    }

    /// Answers a request that has its route, for whom the context says. As [`Service::handle`] otherwise.
    pub async fn handle_for(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Response {
        match self.answer(context, route, request).await {
            Ok(response) => response,
            Err(mut error) => {
                // Slugs are words that others wrote.
                error
                    .candidates
                    .retain(|slug| !self.withheld(context, slug));
                refusal(error)
            }
        }
    }

    async fn answer(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Result<Response, ApiError> {
        validate::bounded_depth(&request.body)?;
        let turn = if route.writes() {
            self.turn(context, &request)
        } else {
            None
        };
        let Some(turn) = turn else {
            let answer = self.dispatch(context, route, request.body).await?;
            return Ok(answer.respond());
        };
        let once = route.answers_once();
        match turn? {
            Turn::Repeat(response) => Ok(*response),
            Turn::First(claim) => {
                let response = self
                    .dispatch(context, route, request.body)
                    .await
                    .map(Answer::respond)?;
                if once {
                    claim.answered_once();
                } else {
                    claim.answered(&response);
                }
                Ok(response)
            }
        }
    }

    /// What is known of the request's key, where it has one: an agent's is in the context.
    fn turn(
        &self,
        context: &RequestContext,
        request: &Request,
    ) -> Option<Result<Turn<'_>, ApiError>> {
        if let Some(keyed) = context.keyed() {
            return Some(self.answers.turn(&keyed.key(), keyed.print()));
        }
        let key = request.headers.get(HEADER)?;
        Some(check_key(key).and_then(|()| self.answers.turn(key, fingerprint(request))))
    }

    async fn dispatch(
        &self,
        context: &RequestContext,
        route: Route,
        mut body: Value,
    ) -> Result<Answer, ApiError> {
        use validate::body as read;
        redact::body(&route, &mut body)?;
        match route {
            Route::Import => self.import(context, read(body)?).await,
            Route::Export(format) => self.export(context, format, &body).await,
            Route::AddLesson => self.add_lesson(context, read(body)?).await,
            Route::ListLessons(query) => self.list_lessons(context, &query, &body),
            Route::GetLesson(slug) => self.get_lesson(context, &slug, &body),
            Route::EditLesson(slug) => self.edit_lesson(context, &slug, read(body)?).await,
            Route::Archive(slug) => self.archive(context, &slug, &body).await,
            Route::Restore(slug) => self.restore(context, &slug, &body).await,
            Route::Review(slug) => self.review(context, &slug, read(body)?).await,
            Route::Merge => self.merge(context, read(body)?).await,
            Route::Bulk => self.bulk(context, read(body)?).await,
            Route::History(slug, query) => self.history(context, &slug, &query, &body).await,
            Route::Revision(slug, rev) => self.show_revision(context, &slug, rev, &body).await,
            Route::Standing(slug) => self.explain_standing(context, &slug, &body),
            Route::Recommend => self.recommend(context, read(body)?),
            Route::Compare => self.compare(context, read(body)?),
            Route::Search => self.search(context, read(body)?),
            Route::Patterns => self.patterns(context, read(body)?),
            Route::Track => self.track(context, read(body)?).await,
            Route::Outcome => self.outcome(context, read(body)?).await,
            Route::Feedback => self.feedback(context, read(body)?).await,
            Route::Rate => self.rate(context, read(body)?).await,
            Route::Vote => self.vote(context, read(body)?).await,
            Route::Session => self.session(context, read(body)?).await,
            Route::ToolSuccess => self.tool_success(context, read(body)?).await,
            Route::ToolSuggest => self.tool_suggest(context, read(body)?),
            Route::ToolRecords(query) => self.tool_records(context, &query, &body),
            Route::ReviewQueue(query) => self.review_queue(context, &query, &body),
            Route::Stats => self.stats(context, &body),
            Route::Health => self.health(context, &body),
            Route::Policy => self.show_policy(context, &body),
            Route::ChangePolicy => self.change_policy(context, read(body)?).await,
            Route::Trial(slug) => self.grant_trial(context, &slug, &body).await,
            Route::ListDecisions(query) => self.list_decisions(context, &query, &body),
            Route::GetDecision(id) => self.get_decision(context, &id, &body),
            Route::Sync => self.sync_status(context, &body),
            Route::Connect => self.connect(context, read(body)?).await,
            Route::SignIn => self.sign_in(context, read(body)?).await,
            Route::SignOut => self.sign_out(context, read(body)?).await,
            Route::DeleteSpace => self.delete_space(context, read(body)?).await,
            Route::SyncNow => self.sync_now(context, &body),
            Route::SetAside => self.list_set_aside(context, &body),
            Route::Settle => self.settle(context, read(body)?).await,
            Route::AgentKeys => self.list_agent_keys(context, &body).await,
            Route::MakeAgentKey => self.make_agent_key(context, read(body)?).await,
            Route::RevokeAgentKey(id) => self.revoke_agent_key(context, &id, &body).await,
        }
    }
}
