//! The service: what it holds, how it is opened, and how a request is answered.

use crate::asker::Asker;
use crate::embeddings::exchange::Exchange;
use crate::embeddings::model::Embedder;
use crate::embeddings::semantic_reason::NoModel;
use crate::host::{Host, fresh_id};
use crate::http::fault::of_store;
use crate::http::idempotency::{Answers, Turn};
use crate::http::redact;
use crate::http::router::{Route, route};
use crate::http::validate;
use crate::race::inside;
use crate::state::snapshot::State;
use crate::state::writer::Draft;
use lesson_core::{Policy, ToolPolicy};
use lesson_sync::{Machine, Store};
use lesson_types::{ApiError, EndpointName, ErrorBody, Request, Response, endpoints};
use serde::Serialize;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The engine over a store and a host: every request of the interface is answered by
/// [`Service::handle`].
///
/// All methods take a shared reference, so that requests can be answered while others wait for
/// the store. State is never borrowed across an await.
pub struct Service<S, H> {
    pub(crate) store: S,
    pub(crate) host: H,
    pub(crate) policy: Policy,
    /// How tools are suggested here: the policy's constants with the host's own core servers. The
    /// fold goes by `policy`, so that a ledger means the same everywhere.
    pub(crate) tools: ToolPolicy,
    pub(crate) state: RefCell<State>,
    /// The writer's turn.
    pub(crate) writing: async_lock::Mutex<()>,
    /// Tracking that waits to be stored.
    pub(crate) queue: RefCell<VecDeque<Draft>>,
    /// The store's last failure, while it fails.
    pub(crate) trouble: RefCell<Option<String>>,
    pub(crate) model: RefCell<Option<Rc<dyn Embedder>>>,
    /// Why there is none, while there is none.
    pub(crate) no_model: Cell<NoModel>,
    /// Whether lessons get their vectors.
    pub(crate) indexes: Cell<bool>,
    /// What syncing does next.
    pub(crate) machine: RefCell<Machine>,
    /// The turn of a round of syncing.
    pub(crate) syncing: async_lock::Mutex<()>,
    /// Whether a round is to end soon.
    pub(crate) leaving: Cell<bool>,
    /// How often the store was found cleared.
    pub(crate) cleared: Cell<u32>,
    /// Whether agents ask, who are not given what is in quarantine; people are.
    pub(crate) for_agents: Cell<bool>,
    /// Whether what is answered may be older than it should be.
    pub(crate) stale: Cell<bool>,
    /// Who asks, while an agent's request is being answered; without it the one who uses this device.
    pub(crate) asker: RefCell<Option<Rc<Asker>>>,
    /// What is known of the linked server's vectors.
    pub(crate) exchanged: RefCell<Exchange>,
    pub(crate) answers: Answers,
}

impl<S, H> std::fmt::Debug for Service<S, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

/// A body and the headers that go with it.
pub(crate) struct Answer {
    pub body: Value,
    pub headers: Vec<(&'static str, String)>,
}

/// The body as a row's handler takes it: as the row's type, or as it was sent.
macro_rules! body_of {
    ($body:ident $type:ident) => {
        validate::body::<lesson_types::$type>($body)?
    };
    ($body:ident) => {
        &$body
    };
}

/// The answer of a row's handler.
macro_rules! answer_from {
    (memory $answer:expr) => {
        $answer
    };
    (store $answer:expr) => {
        $answer.await
    };
}

macro_rules! dispatch {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        /// Calls the handler of a request's row: the method of its name.
        async fn dispatch(&self, route: &Route, mut body: Value) -> Result<Answer, ApiError> {
            redact::body(route, &mut body)?;
            match route.endpoint.name {
                $(EndpointName::$name => answer_from!($from self.$name(
                    $($(route.part(stringify!($part))?,)+)?
                    $(&route.query::<lesson_types::$query>()?,)?
                    body_of!(body $($body)?),
                ))),*
            }
        }
    };
}

impl<S: Store, H: Host> Service<S, H> {
    /// Reads the whole ledger and folds it. Events that can't be read or folded stay in the store,
    /// take no part, and are named by `GET /v1/health`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn open(store: S, host: H) -> Result<Self, ApiError> {
        store
            .identity(&fresh_id(&host))
            .await
            .map_err(|error| of_store(&error))?;
        let service = Self {
            store,
            host,
            policy: Policy::default(),
            tools: ToolPolicy::default(),
            state: RefCell::new(State::empty()),
            writing: async_lock::Mutex::new(()),
            queue: RefCell::default(),
            trouble: RefCell::default(),
            model: RefCell::default(),
            no_model: Cell::default(),
            indexes: Cell::new(true),
            machine: RefCell::default(),
            syncing: async_lock::Mutex::new(()),
            leaving: Cell::new(false),
            for_agents: Cell::new(false),
            stale: Cell::new(false),
            cleared: Cell::new(0),
            asker: RefCell::default(),
            exchanged: RefCell::default(),
            answers: Answers::default(),
        };
        service
            .open_state()
            .await
            .map_err(|error| of_store(&error))?;
        Ok(service)
    }

    /// Keeps further tool servers out: they are always at hand, so they are neither recorded nor
    /// suggested, whatever the case of their letters.
    #[must_use]
    pub fn with_core_servers(mut self, servers: Vec<String>) -> Self {
        self.tools.core_servers.extend(servers);
        self
    }

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
        if !route.endpoint.writes {
            return self
                .dispatch(&route, request.body)
                .await
                .map(Answer::respond);
        }
        match self.answers.turn(&request)? {
            Turn::Repeat(response) => Ok(*response),
            Turn::Free => self
                .dispatch(&route, request.body)
                .await
                .map(Answer::respond),
            Turn::First(claim) if route.endpoint.answers_once => {
                let answer = self.dispatch(&route, request.body).await?;
                claim.answered_once();
                Ok(answer.respond())
            }
            Turn::First(claim) => {
                let response = self
                    .dispatch(&route, request.body)
                    .await
                    .map(Answer::respond)?;
                claim.answered(&response);
                Ok(response)
            }
        }
    }

    endpoints!(dispatch);
}

impl Answer {
    /// A JSON answer.
    pub fn json(body: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_value(body).map_err(|error| {
            ApiError::new(
                lesson_types::ErrorCode::Unavailable,
                format!("the answer could not be written ({error}); please report this"),
            )
        })?;
        Ok(Self {
            body,
            headers: vec![("content-type", "application/json".to_owned())],
        })
    }

    /// A text answer of a media type.
    pub fn text(body: String, media_type: &str) -> Self {
        Self {
            body: Value::String(body),
            headers: vec![("content-type", media_type.to_owned())],
        }
    }

    /// The answer with one more header.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The answer as a response.
    pub(crate) fn respond(self) -> Response {
        Response {
            status: 200,
            headers: self
                .headers
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: self.body,
        }
    }
}

fn refusal(error: ApiError) -> Response {
    let status = error.code.status();
    Response {
        status,
        headers: BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]),
        // An error holds strings only, which always become JSON.
        body: serde_json::to_value(ErrorBody { error }).unwrap_or_default(),
    }
}
