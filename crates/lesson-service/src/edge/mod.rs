//! The edge: HTTP and MCP for agents, over spaces on a server.
//!
//! A host hands every request to [`Edge::handle`] and calls [`Edge::settle`] after the answer.
//! Lessons are recommended from memory; a write is answered once the server has it. Each space is a
//! replica of its own, so nothing of one is seen in another.

mod address;
mod admit;
mod config;
mod form;
mod front;
mod host;
mod kept;
mod keys;
mod message;
mod messages;
mod model;
mod rate;
mod space;
mod sure;
mod token;

pub use config::EdgeConfig;
pub use host::Signed;
pub use message::{EdgeAnswer, EdgeRequest};

use crate::asker::{Asker, Keyed};
use crate::embeddings::model::Embedder;
use crate::handlers::decisions::decision_prefix;
use crate::host::Host;
use crate::http::idempotency;
use crate::http::router::{self, route, wrong_method};
use admit::Lookups;
use config::Config;
use keys::{Agent, Keys};
use lesson_core::Millis;
use lesson_sync::{Named, Store};
use lesson_types::{ApiError, EndpointName, ErrorCode, Method, Request, Response, limits};
use message::Refusal;
use model::Pack;
use rate::Buckets;
use serde_json::Value;
use space::{OLD, Space};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use token::Tokens;

/// The longest body that is read, in bytes.
pub const BODY_BYTES: usize = 1_048_576;
/// How long the first request for a space waits for its lessons, in milliseconds.
const FIRST: Millis = 20_000;
/// How long a request waits for what changed since the snapshot was kept that it is answered from.
const GLANCE: Millis = 100;
/// How long a request waits for a snapshot that has grown old.
const REFRESH_MS: u32 = 500;
/// How long is stayed after an answer to send what waits.
const STAY: Millis = 25_000;
/// Between two looks whether what another request does is done.
const LOOK_MS: u32 = 5;
/// The most spaces, and lessons in all of them, that are kept in memory.
const SPACES: usize = 16;
const LESSONS: usize = 60_000;
/// One isolate's edge.
pub struct Edge<S, H> {
    host: Rc<H>,
    /// A fresh store for a space: in memory, its rows passed on.
    store: fn() -> S,
    config: Config,
    tokens: Rc<Tokens>,
    keys: Keys,
    buckets: Buckets,
    lookups: Lookups,
    spaces: RefCell<Vec<Rc<Space<S, H>>>>,
    model: RefCell<Option<Rc<dyn Embedder>>>,
    pack: Cell<Pack>,
    /// Milliseconds that a lesson took to be embedded, lately.
    pace: Cell<Option<f64>>,
}

impl<S, H> std::fmt::Debug for Edge<S, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edge").finish_non_exhaustive()
    }
}

impl<S: Store, H: Host> Edge<S, H> {
    /// An edge over a project. `store` makes the store of a space, such as
    /// [`lesson_sync::MemoryStore::passing_rows_on`].
    ///
    /// # Errors
    /// Names the setting that is wrong and what it has to be.
    pub fn new(config: EdgeConfig, host: H, store: fn() -> S) -> Result<Self, ApiError> {
        let config = Config::check(config)?;
        Ok(Self {
            host: Rc::new(host),
            store,
            tokens: Rc::new(Tokens::new(&config.jwt_secret)),
            keys: Keys::default(),
            buckets: Buckets::new(config.rate),
            lookups: Lookups::default(),
            spaces: RefCell::default(),
            model: RefCell::default(),
            pack: Cell::default(),
            pace: Cell::new(None),
            config,
        })
    }

    /// Answers a request. Never fails: what went wrong is an answer too. Call [`Edge::settle`]
    /// once the answer is on its way.
    pub async fn handle(&self, request: EdgeRequest) -> EdgeAnswer {
        let origin = front::host(&request, &self.config)
            .and_then(|()| front::origin(&request, &self.config));
        let origin = match origin {
            Ok(origin) => origin,
            Err(refusal) => return front::dress(EdgeAnswer::of(refusal.response()), None),
        };
        let answer = if request.method == "OPTIONS" {
            front::preflight()
        } else {
            match self.answer(&request).await {
                Ok(answer) => answer,
                Err(refusal) => EdgeAnswer::of(refusal.response()),
            }
        };
        front::dress(answer, origin)
    }

    async fn answer(&self, request: &EdgeRequest) -> Result<EdgeAnswer, Refusal> {
        let agent = self.admit(request).await?;
        // Together with the lessons, and as soon as an agent connects: it is going to ask.
        self.want_model(request.fetch_model.as_deref());
        let path = request.path.split('?').next().unwrap_or_default();
        if path == "/mcp" {
            // Its own rules say what a message and its answer look like.
            return Ok(self.message(&agent, request).await);
        }
        let method = method(request)?;
        front::body(request)?;
        let asked = Request {
            method,
            path: request.path.clone(),
            headers: request.headers.clone(),
            body: front::json(&request.body)?,
        };
        let response = self.serve(&agent, asked).await;
        Ok(EdgeAnswer::of(response))
    }

    /// Answers an agent's request of the interface.
    async fn serve(&self, agent: &Agent, request: Request) -> Response {
        match self.serve_or_refuse(agent, request).await {
            Ok(response) => response,
            Err(refusal) => refusal.response(),
        }
    }

    async fn serve_or_refuse(
        &self,
        agent: &Agent,
        mut request: Request,
    ) -> Result<Response, Refusal> {
        let route = route(request.method, &request.path)?;
        if !route.endpoint.for_agents {
            return Err(Refusal::forbidden(
                "path",
                "this is done by people, in the dashboard; agents may ask for lessons, add and edit them, and tell what came of them",
            ));
        }
        let writes = route.endpoint.writes && !route.is(EndpointName::recommend);
        let asker = Rc::new(Asker {
            by: format!("agent:{}", agent.id),
            keyed: keyed(agent, &mut request)?.filter(|_| writes),
            is_agent: true,
        });
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
        if route.embeds() {
            self.wait_for_meaning(&space, begun).await;
        }
        space
            .service
            .stale
            .set(space.has_failed() || space.age() > OLD);
        let mut response = if writes {
            space.write(asker, &route, request).await?
        } else {
            space.service.handle_for(&asker, request).await
        };
        let field = response.body["error"]["field"].as_str();
        let is_decision = writes && field == Some("decision_id");
        if is_decision && response.status == ErrorCode::NotFound.status() {
            return Err(Refusal::forbidden(
                "decision_id",
                "no lessons were recommended for this decision with your key; ask for some with the same decision_id first",
            ));
        }
        if let Some(Value::String(message)) = response.body.pointer_mut("/error/message") {
            *message = message.replace(&decision_prefix(&agent.id), "");
        }
        Ok(response)
    }

    /// The agent's space, with a snapshot to answer from; what `writes` waits until it is one of
    /// the server's. `embeds`: whether the model is waited for.
    async fn space(
        &self,
        agent: &Agent,
        writes: bool,
        embeds: bool,
    ) -> Result<Rc<Space<S, H>>, Refusal> {
        let begun = self.host.now();
        let space = self.open(agent).await?;
        space.used.set(begun);
        space.recall(&self.tokens, &self.config).await;
        if space.is_recalled() && !space.is_ready() && !writes {
            if space.wait() == 0 {
                space.turn_until(self.glance(embeds)).await;
            }
            return Ok(space);
        }
        while !space.is_ready() {
            let left = begun + FIRST - self.host.now();
            if left > 0 && space.rests().await {
                continue;
            }
            if left <= 0 || space.wait() > 0 {
                let cause = space.service.trouble_of_sync();
                return Err(Refusal::unavailable(
                    format!(
                        "the lessons of this space could not be read yet{cause}; nothing was done, try again"
                    ),
                    u64::try_from(space.wait() / 1_000).unwrap_or_default() + 1,
                ));
            }
            space.turn(u32::try_from(left).unwrap_or(u32::MAX)).await;
        }
        if space.age() > OLD && space.wait() == 0 {
            space.turn(REFRESH_MS).await;
        }
        Ok(space)
    }

    async fn open(&self, agent: &Agent) -> Result<Rc<Space<S, H>>, Refusal> {
        if let Some(space) = self.held(&agent.space) {
            return Ok(space);
        }
        let named = Named {
            id: agent.space.clone(),
            name: agent.space_name.clone(),
        };
        let space = Space::open(
            (self.store)(),
            &self.host,
            &self.tokens,
            &self.config,
            named,
        )
        .await?;
        let model = self.model.borrow().clone();
        if let Some(model) = model {
            // Without its vectors a space is ranked by keywords.
            let _ = space.service.use_model(model).await;
        }
        if let Some(space) = self.held(&agent.space) {
            return Ok(space);
        }
        self.make_room();
        let space = Rc::new(space);
        self.spaces.borrow_mut().push(Rc::clone(&space));
        Ok(space)
    }

    fn held(&self, id: &str) -> Option<Rc<Space<S, H>>> {
        let spaces = self.spaces.borrow();
        spaces
            .iter()
            .find(|space| space.service.is_space(id))
            .cloned()
    }

    /// Forgets spaces that were not asked for in the longest time; never one with something to
    /// send.
    fn make_room(&self) {
        let mut spaces = self.spaces.borrow_mut();
        spaces.sort_by_key(|space| space.used.get());
        let lessons = |spaces: &[Rc<Space<S, H>>]| -> usize {
            spaces
                .iter()
                .map(|space| space.service.lessons_held())
                .sum()
        };
        while spaces.len() >= SPACES || lessons(&spaces) > LESSONS {
            let idle = spaces.iter().position(|space| {
                !space.is_running() && !space.service.has_queue() && space.service.unsent() == 0
            });
            match idle {
                Some(at) => spaces.remove(at),
                None => return,
            };
        }
    }

    /// What is to be done once an answer is out: sends what waits, reads what others made, gives
    /// lessons their vectors. Returns when nothing waits or after some 25 seconds. Never fails.
    pub async fn settle(&self) {
        let spaces: Vec<Rc<Space<S, H>>> = self.spaces.borrow().clone();
        for space in spaces {
            let begun = self.host.now();
            let since = space.staying.get();
            if since.is_some_and(|since| (begun - since).abs() < STAY + 5_000) {
                // Somebody stays already, and sends until nothing waits.
                continue;
            }
            space.staying.set(Some(begun));
            self.send(&space, begun).await;
            space.keep(&self.tokens, &self.config).await;
            space.staying.set(None);
            // Vectors that are missing are tried for again after the next request.
            let until = begun + STAY;
            while space
                .service
                .vectors_round()
                .await
                .is_ok_and(|round| round.more && self.host.now() < until)
            {}
            self.embed(&space).await;
        }
    }

    async fn send(&self, space: &Space<S, H>, begun: Millis) {
        while space.is_due() {
            let left = begun + STAY - self.host.now();
            if left <= 0 {
                return;
            }
            let wait = space.wait();
            if wait > 0 {
                let wait = u32::try_from(wait.min(left)).unwrap_or(u32::MAX);
                self.host.sleep(wait).await;
            } else {
                space.turn(u32::try_from(left).unwrap_or(u32::MAX)).await;
                // Agents that ask all the time leave no later moment for it.
                space.keep(&self.tokens, &self.config).await;
            }
        }
    }
}

/// The method, if the path takes it.
fn method(request: &EdgeRequest) -> Result<Method, Refusal> {
    let given = match request.method.as_str() {
        "GET" | "HEAD" => Some(Method::Get),
        "POST" => Some(Method::Post),
        "PATCH" => Some(Method::Patch),
        _ => None,
    };
    let allowed = router::methods(&request.path);
    if let Some(method) = given
        && (allowed.is_empty() || allowed.contains(&method))
    {
        return Ok(method);
    }
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

/// Decisions belong to who asked for them: an agent's are kept under its key's id, so that another can neither track
/// them nor report their outcome. Names may repeat.
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

/// The request as its `Idempotency-Key` makes it known, if it has one. Two agents that choose the same key mean two
/// requests, so the key is their own from here on.
fn keyed(agent: &Agent, request: &mut Request) -> Result<Option<Keyed>, ApiError> {
    let Some(key) = request.headers.get(idempotency::HEADER) else {
        return Ok(None);
    };
    idempotency::check_key(key)?;
    let keyed = Keyed::new(&agent.id, key, request);
    request
        .headers
        .insert(idempotency::HEADER.to_owned(), keyed.key());
    Ok(Some(keyed))
}
