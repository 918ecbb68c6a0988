//! A request over both stores: which of them answers it.

use crate::joined;
use crate::local::{Local, Which};
use crate::spread;
use lesson_service::{
    Host, IDEMPOTENCY_KEY, Keyed, RequestContext, Route, Service, check_key, parse_path, refusal,
    route,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, Body, EndpointName, ErrorCode, Outcome, OutcomeRecorded, Request, Response,
    SuggestionSettled,
};
use serde_json::Value;

/// The one who asks: a person or their agent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// The person who uses this device.
    Person,
    /// An agent of theirs.
    Agent,
}

/// A request on its way to a service.
pub(crate) struct Asked {
    pub asker: Asker,
    pub route: Route,
    pub request: Request,
}

impl<S: Store, H: Host> Local<S, H> {
    /// Answers a request over the stores that are open, for the person who uses this device. Never fails: what went wrong
    /// is an answer, too. Call [`Local::settle`] once the answer is on its way.
    pub async fn handle(&self, request: Request) -> Response {
        self.catch_up().await;
        self.answer(Asker::Person, request).await
    }

    /// Answers a request from one store alone: what the dashboard, import, export and syncing ask.
    pub async fn handle_in(&self, which: Which, request: Request) -> Response {
        let service = match self.service(which) {
            Ok(service) => service,
            Err(error) => return refusal(error),
        };
        // Health tells of what can't be read; the rest is answered from memory.
        let _ = service.catch_up().await;
        match route(request.method, &request.path) {
            Ok(route) => {
                let asked = Asked {
                    asker: Asker::Person,
                    route,
                    request,
                };
                ask(service, asked).await
            }
            Err(error) => refusal(error),
        }
    }

    /// Answers a request for whoever asks; what others wrote has been read.
    pub(crate) async fn answer(&self, asker: Asker, request: Request) -> Response {
        let route = match route(request.method, &request.path) {
            Ok(route) => route,
            Err(error) => return refusal(error),
        };
        let asked = Asked {
            asker,
            route,
            request,
        };
        let Some(second) = self.second() else {
            return ask(self.first(), asked).await;
        };
        self.answer_of_both(second, asked).await
    }

    async fn answer_of_both(&self, second: &Service<S, H>, asked: Asked) -> Response {
        let first = self.first();
        match asked.route.endpoint.name {
            EndpointName::stats => {
                joined::stats(ask(first, again(&asked)).await, ask(second, asked).await)
            }
            EndpointName::health => {
                joined::health(ask(first, again(&asked)).await, ask(second, asked).await)
            }
            EndpointName::lift => {
                let most = limit_of(&asked.request.path);
                joined::lift(
                    ask(first, again(&asked)).await,
                    ask(second, asked).await,
                    most,
                )
            }
            EndpointName::review_queue => {
                let most = limit_of(&asked.request.path);
                joined::review(
                    ask(first, again(&asked)).await,
                    ask(second, asked).await,
                    most,
                    |slug| !first.has_lesson(slug),
                )
            }
            EndpointName::list_proposals => {
                joined::proposals(ask(first, again(&asked)).await, ask(second, asked).await)
            }
            EndpointName::settle_proposal => {
                let slug = segment(&asked.request.path, 2);
                let id = segment(&asked.request.path, 4);
                let is_here = first.has_proposal(&slug, &id);
                if !is_here && second.has_proposal(&slug, &id) {
                    ask(second, asked).await
                } else {
                    ask(first, asked).await
                }
            }
            EndpointName::digest => {
                joined::digest(ask(first, again(&asked)).await, ask(second, asked).await)
            }
            EndpointName::settle_suggestion => self.settle_suggestion(second, asked).await,
            EndpointName::list_tags => {
                joined::tags(ask(first, again(&asked)).await, ask(second, asked).await)
            }
            EndpointName::recommend
            | EndpointName::search
            | EndpointName::patterns
            | EndpointName::list_lessons => ask_joined(first, Some(second), asked).await,
            EndpointName::suggest_tools => {
                joined::suggestions(ask(first, again(&asked)).await, ask(second, asked).await)
            }
            EndpointName::track => {
                let id = text(&asked.request.body, "decision_id").to_owned();
                self.of_decision(second, &id, asked, joined::tracked).await
            }
            EndpointName::outcome => {
                let id = text(&asked.request.body, "decision_id").to_owned();
                self.of_decision(second, &id, asked, joined::outcomes).await
            }
            EndpointName::get_decision => {
                let id = segment(&asked.request.path, 2);
                self.of_decision(second, &id, asked, joined::decisions)
                    .await
            }
            EndpointName::feedback => {
                let parts =
                    spread::feedback(&asked.request.body, |slug| is_second(first, second, slug));
                self.in_parts(second, asked, parts, joined::feedback).await
            }
            EndpointName::bulk => {
                let parts =
                    spread::bulk(&asked.request.body, |slug| is_second(first, second, slug));
                self.in_parts(second, asked, parts, joined::bulk).await
            }
            EndpointName::record_session => self.record_session(second, asked).await,
            EndpointName::rate | EndpointName::vote => {
                let named = text(&asked.request.body, "lesson");
                if first.has_lesson(named) {
                    return ask(first, asked).await;
                }
                if second.has_lesson(named) {
                    return ask(second, asked).await;
                }
                // A part of a title: the first store that knows one.
                let answer = ask(first, again(&asked)).await;
                if answer.status == 404 {
                    return ask(second, asked).await;
                }
                answer
            }
            EndpointName::merge => {
                let side =
                    spread::merge(&asked.request.body, |slug| is_second(first, second, slug));
                match side {
                    Ok(false) => ask(first, asked).await,
                    Ok(true) => ask(second, asked).await,
                    Err((into, other)) => refusal(apart(&into, &other)),
                }
            }
            EndpointName::get_lesson
            | EndpointName::edit_lesson
            | EndpointName::lesson_history
            | EndpointName::archive
            | EndpointName::restore
            | EndpointName::grant_trial
            | EndpointName::review
            | EndpointName::show_revision
            | EndpointName::explain_standing => {
                let slug = segment(&asked.request.path, 2);
                let service = if is_second(first, second, &slug) {
                    second
                } else {
                    first
                };
                ask(service, asked).await
            }
            // New lessons, runs, settings, files and syncing are the first store's.
            EndpointName::add_lesson
            | EndpointName::record_tool_success
            | EndpointName::list_decisions
            | EndpointName::policy
            | EndpointName::import
            | EndpointName::turn_import
            | EndpointName::export
            | EndpointName::compare
            | EndpointName::tool_records
            | EndpointName::insights
            | EndpointName::change_policy
            | EndpointName::sync_status
            | EndpointName::connect
            | EndpointName::sign_in
            | EndpointName::sign_out
            | EndpointName::hold
            | EndpointName::delete_space
            | EndpointName::sync_now
            | EndpointName::list_set_aside
            | EndpointName::settle
            | EndpointName::list_voices
            | EndpointName::withdraw_voice
            | EndpointName::list_agent_keys
            | EndpointName::make_agent_key
            | EndpointName::revoke_agent_key
            | EndpointName::list_members
            | EndpointName::change_member
            | EndpointName::remove_member
            | EndpointName::invite
            | EndpointName::revoke_invite => ask(first, asked).await,
        }
    }

    /// Asks those that know a decision, and makes one answer of two; the first one says that nobody does.
    async fn of_decision(
        &self,
        second: &Service<S, H>,
        id: &str,
        asked: Asked,
        join: fn(Response, Response) -> Response,
    ) -> Response {
        let first = self.first();
        match (first.has_decision(id), second.has_decision(id)) {
            (true, true) => join(ask(first, again(&asked)).await, ask(second, asked).await),
            (false, true) => ask(second, asked).await,
            _ => ask(first, asked).await,
        }
    }

    /// Asks each store for its part of a request, and makes one answer of two. A request that can't be parted is the first
    /// one's to refuse.
    async fn in_parts(
        &self,
        second: &Service<S, H>,
        asked: Asked,
        parts: (Option<Value>, Option<Value>),
        join: fn(Response, Response) -> Response,
    ) -> Response {
        let first = self.first();
        let with = |body: Value| {
            let mut part = again(&asked);
            part.request.body = body;
            part
        };
        match parts {
            (Some(here), Some(there)) => {
                join(ask(first, with(here)).await, ask(second, with(there)).await)
            }
            (None, Some(there)) => ask(second, with(there)).await,
            _ => ask(first, asked).await,
        }
    }

    /// Suggestions lie in the first store, which keeps every decision; an outcome that is confirmed is both stores'.
    async fn settle_suggestion(&self, second: &Service<S, H>, asked: Asked) -> Response {
        let mut answer = ask(self.first(), again(&asked)).await;
        if let Some(mut settled) = answer.body.get::<SuggestionSettled>().cloned()
            && let Some(outcome) = settled.outcome
            && second.has_decision(&settled.decision_id)
        {
            let told = Outcome {
                decision_id: settled.decision_id.clone(),
                outcome,
                pnl_percent: None,
            };
            let request = Request {
                path: "/v1/outcome".to_owned(),
                // An outcome made from JSON becomes JSON.
                body: serde_json::to_value(told).unwrap_or_default(),
                ..asked.request
            };
            let asker = asked.asker;
            if let Ok(route) = route(request.method, &request.path) {
                let recorded = ask(
                    second,
                    Asked {
                        asker,
                        route,
                        request,
                    },
                )
                .await;
                let recorded = recorded.body.get::<OutcomeRecorded>();
                let moved = recorded.map_or(0, |recorded| recorded.lessons_updated);
                settled.lessons_updated = settled.lessons_updated.saturating_add(moved);
                answer.body = Body::json(settled);
            }
        }
        answer
    }

    /// A session goes to the first store with all it says; lessons of the second one that were shown in it get their
    /// feedback there.
    async fn record_session(&self, second: &Service<S, H>, asked: Asked) -> Response {
        let mut answer = ask(self.first(), again(&asked)).await;
        if answer.status != 200 {
            return answer;
        }
        let transcript = text(&asked.request.body, "transcript").to_owned();
        let known = |slug: &str| second.has_lesson(slug);
        let decision = Some(text(&asked.request.body, "decision_id").to_owned());
        let decision = decision.filter(|id| second.has_decision(id));
        // Feedback on a decision is given once, and on what was recommended for it: the rest is about none.
        let attempts = [decision.is_some().then_some(decision), Some(None)];
        for about in attempts.into_iter().flatten() {
            let feedback = spread::rest_of_session(&answer.body, &transcript, known, about);
            let Some(body) = feedback else {
                return answer;
            };
            let request = Request {
                path: "/v1/feedback".to_owned(),
                body,
                ..asked.request.clone()
            };
            let Ok(route) = route(request.method, &request.path) else {
                return answer;
            };
            let part = Asked {
                asker: asked.asker,
                route,
                request,
            };
            let given = ask(second, part).await;
            if given.status == 200 {
                joined::session(&mut answer, &given);
                break;
            }
        }
        answer
    }
}

/// Why lessons of two stores are not merged: each keeps the counts of its own.
fn apart(into: &str, other: &str) -> ApiError {
    ApiError::new(
        ErrorCode::Conflict,
        format!(
            "`{into}` and `{other}` lie in different stores, and each store keeps the counts of its own lessons; archive one of them, or edit it"
        ),
    )
    .at("from")
}

/// The request once more.
fn again(asked: &Asked) -> Asked {
    Asked {
        asker: asked.asker,
        route: asked.route.clone(),
        request: asked.request.clone(),
    }
}

fn context<S: Store, H: Host>(service: &Service<S, H>, asker: Asker) -> RequestContext {
    let account = service.account();
    match asker {
        Asker::Person => RequestContext::of_person(account.as_deref()),
        Asker::Agent => RequestContext::of_local_agent(account.as_deref()),
    }
}

/// Asks one service. A request that was answered before, by whatever process, is not done again.
async fn ask<S: Store, H: Host>(service: &Service<S, H>, asked: Asked) -> Response {
    ask_joined(service, None, asked).await
}

/// Asks a service, with another one beside it where both answer as one.
async fn ask_joined<S: Store, H: Host>(
    service: &Service<S, H>,
    other: Option<&Service<S, H>>,
    asked: Asked,
) -> Response {
    let Asked {
        asker,
        route,
        mut request,
    } = asked;
    let keeps = route.endpoint.for_agents && route.endpoint.writes;
    let keeps = keeps && !route.is(EndpointName::recommend);
    let mut keyed = None;
    if keeps && let Some(key) = request.headers.remove(IDEMPOTENCY_KEY) {
        if let Err(error) = check_key(&key) {
            return refusal(error);
        }
        // Whoever asks on this machine is one person.
        let key = Keyed::new("local", &key, &request);
        match service.done_here(&route, &request, &key).await {
            Ok(Some(answer)) => return answer,
            Ok(None) => keyed = Some(key),
            Err(error) => return refusal(error),
        }
    }
    let context = context(service, asker).with_key(keyed);
    service.handle_joined(other, &context, route, request).await
}

/// True if a lesson is the second store's.
fn is_second<S: Store, H: Host>(first: &Service<S, H>, second: &Service<S, H>, slug: &str) -> bool {
    !first.has_lesson(slug) && second.has_lesson(slug)
}

/// The limit that a path's query says; as many lessons as a page of lift or review has where it says none.
fn limit_of(path: &str) -> usize {
    let target = parse_path(path).ok();
    let query = target.map(|target| target.query).unwrap_or_default();
    let said = query.iter().find(|(name, _)| name == "limit");
    said.and_then(|(_, limit)| limit.parse().ok()).unwrap_or(50)
}

/// A part of a path, decoded; empty where there is none.
fn segment(path: &str, place: usize) -> String {
    let target = parse_path(path).ok();
    let found = target.and_then(|target| target.segments.get(place).cloned());
    found.unwrap_or_default()
}

/// A text of a body; empty where there is none.
fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body.get(name).and_then(Value::as_str).unwrap_or_default()
}
