//! A request in, its answer out: each step of the way once.

use crate::host::Host;
use crate::http::answer::{Answer, Untyped, refusal};
use crate::http::context::RequestContext;
use crate::http::idempotency::{HEADER, Turn, check_key};
use crate::http::idempotency_key::fingerprint;
use crate::http::redact;
use crate::http::router::{Route, route};
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_sync::Store;
use lesson_types::{ApiError, EndpointName, Request, Response, endpoints};
use serde_json::Value;
use std::pin::Pin;

/// The body as a row's handler takes it: as the row's type, or as it was sent.
macro_rules! body_of {
    ($body:ident $type:ident) => {
        validate::body::<lesson_types::$type>($body)?
    };
    ($body:ident) => {
        &$body
    };
}

/// The answer of a row's handler, which is of the row's type.
macro_rules! answer_from {
    (memory $service:ident $other:ident $name:ident($($argument:expr,)*) $($type:ident)?) => {
        respond::<answer_type!($($type)?)>($service.$name($($argument),*))
    };
    (joined $service:ident $other:ident $name:ident($($argument:expr,)*) $($type:ident)?) => {
        respond::<answer_type!($($type)?)>($service.$name($other, $($argument),*))
    };
    (store $service:ident $other:ident $name:ident($($argument:expr,)*) $($type:ident)?) => {
        respond::<answer_type!($($type)?)>($service.$name($($argument),*).await)
    };
}

macro_rules! answer_type {
    ($type:ident) => {
        lesson_types::$type
    };
    () => {
        Untyped
    };
}

fn respond<T>(answer: Result<Answer<T>, ApiError>) -> Result<Response, ApiError> {
    answer.map(Answer::respond)
}

macro_rules! dispatch {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        /// Calls the handler of a request's row: the method of its name.
        async fn dispatch(
            &self,
            other: Option<&Self>,
            context: &RequestContext,
            route: &Route,
            mut body: Value,
        ) -> Result<Response, ApiError> {
            redact::body(route, &mut body)?;
            match route.endpoint.name {
                $(EndpointName::$name => {
                    apart(async move {
                        answer_from!($from self other $name(
                            context,
                            $($(route.part(stringify!($part))?,)+)?
                            $(&route.query::<lesson_types::$query>()?,)?
                            body_of!(body $($body)?),
                        ) $($answer)?)
                    })
                    .await
                }),*
            }
        }
    };
}

/// An endpoint's way as a function of its own. In one function for all, a cold module would compile some 400 kB of
/// WebAssembly before its first answer; so it compiles what the request needs.
fn apart<'way, T>(way: impl Future<Output = T> + 'way) -> Pin<Box<dyn Future<Output = T> + 'way>> {
    Box::pin(way)
}

impl<S: Store, H: Host> Service<S, H> {
    /// Answers a request of the person who uses this device. Never fails: what went wrong is an answer too, with its
    /// status, a stable code and a remedy. Call [`Service::flush`] once the answer is on its way.
    pub async fn handle(&self, request: Request) -> Response {
        let account = self.account();
        let context = RequestContext::of_person(account.as_deref());
        match route(request.method, &request.path) {
            Ok(route) if self.is_on_server() => {
                self.answer_on_server(&context, route, request).await
            }
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
        self.handle_joined(None, context, route, request).await
    }

    /// Answers a request from this store and from another one, which answer as one where the request finds or lists lessons
    /// ([`lesson_types::Endpoint::joins`]); this store alone answers others. As [`Service::handle_for`] otherwise.
    pub async fn handle_joined(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Response {
        match self.answer(other, context, route, request).await {
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
        other: Option<&Self>,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Result<Response, ApiError> {
        validate::bounded_depth(&request.body)?;
        let turn = if route.endpoint.writes {
            self.turn(context, &request)
        } else {
            None
        };
        let Some(turn) = turn else {
            return self.dispatch(other, context, &route, request.body).await;
        };
        let once = route.endpoint.answers_once;
        match turn? {
            Turn::Repeat(response) => Ok(*response),
            Turn::First(claim) => {
                let response = self.dispatch(other, context, &route, request.body).await?;
                if once {
                    claim.answered_once();
                } else {
                    claim.answered(&response);
                }
                Ok(response)
            }
        }
    }

    /// Looks up the request's key, where it has one: an agent's is in the context.
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

    endpoints!(dispatch);
}
