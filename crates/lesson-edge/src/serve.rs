//! From an HTTP request to its answer: guard, route, who asks, the space, the service.

use crate::agent::Agent;
use crate::edge::Edge;
use crate::message::{EdgeAnswer, EdgeRequest, Refusal};
use crate::request_guard;
use crate::setup;
use crate::space::OLD;
use lesson_service::{
    Host, IDEMPOTENCY_KEY, Keyed, RequestContext, Route, check_key, decision_prefix, methods,
    route, wrong_method,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, Body, EndpointName, ErrorBody, ErrorCode, Method, Request, Response, limits,
};
use serde_json::Value;

impl<S: Store, H: Host> Edge<S, H> {
    /// Answers a request. Never fails: what went wrong is an answer too. Call [`Edge::settle`]
    /// once the answer is on its way.
    pub async fn handle(&self, request: EdgeRequest) -> EdgeAnswer {
        let origin = request_guard::host(&request, &self.config)
            .and_then(|()| request_guard::origin(&request, &self.config));
        let origin = match origin {
            Ok(origin) => origin,
            Err(refusal) => {
                return request_guard::add_response_headers(
                    EdgeAnswer::of(refusal.response()),
                    None,
                );
            }
        };
        let answer = if request.method == "OPTIONS" {
            request_guard::preflight()
        } else {
            match self.answer(&request).await {
                Ok(answer) => answer,
                Err(refusal) => EdgeAnswer::of(refusal.response()),
            }
        };
        request_guard::add_response_headers(answer, origin)
    }

    async fn answer(&self, request: &EdgeRequest) -> Result<EdgeAnswer, Refusal> {
        let path = request.path.split('?').next().unwrap_or_default();
        if path == setup::PATH {
            return self.setup(request).await;
        }
        let agent = self.admit(request).await?;
        // Together with the lessons, and as soon as an agent connects: it is going to ask.
        self.want_model(request.fetch_model.as_deref());
        if path == "/mcp" {
            // Its own rules say what a message and its answer look like.
            return Ok(self.message(&agent, request).await);
        }
        let (method, route) = routed(request)?;
        request_guard::body(request)?;
        let asked = Request {
            method,
            path: request.path.clone(),
            headers: request.headers.clone(),
            body: request_guard::json(&request.body)?,
        };
        let response = self.serve(&agent, route, asked).await;
        Ok(EdgeAnswer::of(response))
    }

    /// Answers an agent's request of the interface.
    pub(crate) async fn serve(
        &self,
        agent: &Agent,
        route: Result<Route, ApiError>,
        request: Request,
    ) -> Response {
        match self.serve_or_refuse(agent, route, request).await {
            Ok(response) => response,
            Err(refusal) => refusal.response(),
        }
    }

    async fn serve_or_refuse(
        &self,
        agent: &Agent,
        route: Result<Route, ApiError>,
        mut request: Request,
    ) -> Result<Response, Refusal> {
        let route = route?;
        let sent = size(&request.body);
        if !route.endpoint.for_agents {
            return Err(Refusal::forbidden(
                "path",
                "this is done by people, in the dashboard; agents may ask for lessons, add and edit them, and tell what came of them",
            ));
        }
        let writes = route.endpoint.writes && !route.is(EndpointName::recommend);
        let context = RequestContext::of_agent(&agent.id, keyed(agent, &request)?);
        own_decision(agent, &mut request.body)?;
        if route.is(EndpointName::add_lesson)
            && let Some(fields) = request.body.as_object_mut()
        {
            // So that it can be told later where a lesson came from.
            let source: String = agent.name.chars().take(limits::WORD).collect();
            fields.entry("source").or_insert(Value::from(source));
        }
        let begun = self.host.now();
        let space = self.space(agent, writes, route.embeds()).await?;
        self.budget
            .work(&agent.id, &route, sent, space.service.lessons_held(), begun)?;
        if route.embeds() {
            self.wait_for_meaning(&space, begun).await;
        }
        let is_old = !space.is_on_server() && (space.has_failed() || space.age() > OLD);
        let context = context.stale(is_old);
        let mut response = if writes {
            space.write(&context, route, request).await?
        } else if space.is_on_server() {
            let no_model = self.why_no_model();
            space.read_part(&context, route, request, no_model).await?
        } else {
            space.service.handle_for(&context, route, request).await
        };
        let Some(mut error) = refused(&response) else {
            return Ok(response);
        };
        let is_decision = writes && error.field.as_deref() == Some("decision_id");
        if is_decision && error.code == ErrorCode::NotFound {
            return Err(Refusal::forbidden(
                "decision_id",
                "no lessons were recommended for this decision with your key; ask for some with the same decision_id first",
            ));
        }
        error.message = error.message.replace(&decision_prefix(&agent.id), "");
        response.body = Body::json(ErrorBody { error });
        Ok(response)
    }
}

/// The error of an answer that refuses.
fn refused(response: &Response) -> Option<ApiError> {
    if response.status < 400 {
        return None;
    }
    response
        .body
        .get()
        .map(|body: &ErrorBody| body.error.clone())
}

/// The method and the route. An error of the path is returned inside, because the body is checked before it is answered.
///
/// # Errors
/// 405 with the header `allow` when the path does not take the method.
fn routed(request: &EdgeRequest) -> Result<(Method, Result<Route, ApiError>), Refusal> {
    let given = match request.method.as_str() {
        "GET" | "HEAD" => Some(Method::Get),
        "POST" => Some(Method::Post),
        "PATCH" => Some(Method::Patch),
        _ => None,
    };
    if let Some(method) = given {
        match route(method, &request.path) {
            Err(error) if error.code == ErrorCode::MethodNotAllowed => {}
            route => return Ok((method, route)),
        }
    }
    let allowed = methods(&request.path);
    if allowed.is_empty() {
        // The refusal of a path that nothing is at.
        route(Method::Get, &request.path)?;
    }
    let mut refusal = Refusal::from(wrong_method(&request.path, &allowed, &request.method));
    let names = allowed.iter().map(|method| match method {
        Method::Get => "GET, HEAD",
        other => other.as_str(),
    });
    let names: Vec<&str> = names.collect();
    refusal.headers.push(("allow", names.join(", ")));
    Err(refusal)
}

/// Bytes of the texts in a body.
fn size(body: &Value) -> usize {
    match body {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    }
}

/// Puts the key's id before a decision's id, so that no other key can track the decision or report its outcome. A key's
/// name would not do: names may repeat.
fn own_decision(agent: &Agent, body: &mut Value) -> Result<(), ApiError> {
    let Some(Value::String(id)) = body.get_mut("decision_id") else {
        return Ok(());
    };
    let prefix = decision_prefix(&agent.id);
    let most = limits::ID.saturating_sub(prefix.chars().count());
    if id.chars().count() > most {
        return Err(ApiError::invalid(
            "decision_id",
            format!("decision_id is longer than {most} characters; shorten it"),
        ));
    }
    if !id.trim().is_empty() {
        *id = format!("{prefix}{id}");
    }
    Ok(())
}

/// The request's `Idempotency-Key`, hashed together with the agent's id: two agents that choose the same key mean two
/// requests.
fn keyed(agent: &Agent, request: &Request) -> Result<Option<Keyed>, ApiError> {
    let Some(key) = request.headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    check_key(key)?;
    Ok(Some(Keyed::new(&agent.id, key, request)))
}
