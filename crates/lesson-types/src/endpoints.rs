//! Every request of the interface: a row each, from which router, dispatch, the edge, OpenAPI, the MCP tools and the
//! TypeScript declarations are made.

mod agents;
mod people;

use crate::{Field, Method};

/// Hands all rows to the macro `$callback`, which makes of them what it needs.
///
/// A row reads
///
/// ```text
/// /// Summary, in a few words
/// name: Method "/v1/path/{part}", path part…, query Type, body Type, answer Type, from memory {
///     needs: …,
///     // other fields of `Endpoint`
/// } about {
///     // fields of `About`: what OpenAPI and MCP say of it; for requests of agents
/// };
/// ```
///
/// `name` is the handler's name, a method of the service. It is called with the parts of the path, the query, and the
/// body, in this order; a request without a body hands it the body that was sent, to be refused. `path`, `query`, `body`,
/// `answer` and `about` are left out where there is nothing to say. `from memory` is answered at once, and so is `from joined`,
/// whose handler takes a second store first, for two that answer as one; `from store` may wait for the store or a server.
#[macro_export]
macro_rules! endpoints {
    ($callback:ident) => {
        $crate::agent_endpoints!($callback);
    };
}

/// A request of the interface.
#[derive(Debug, PartialEq)]
pub struct Endpoint {
    /// Its name, which is also its `operationId`.
    pub name: EndpointName,
    /// The method.
    pub method: Method,
    /// The path; a part in braces is filled by the request.
    pub path: &'static str,
    /// The type of its query parameters, if it takes some.
    pub query: Option<&'static str>,
    /// The fields of that type.
    pub parameters: &'static [Field],
    /// The fields of its body; none where it takes no body.
    pub body: &'static [Field],
    /// True if agents may send it at the edge; people may send every one.
    pub for_agents: bool,
    /// True if it writes, so that repeating it would count twice: it takes an `Idempotency-Key`.
    pub writes: bool,
    /// The condition on which a text of it is compared with lessons by meaning.
    pub embeds: Embeds,
    /// True if the answer holds a secret, which is given once and kept nowhere.
    pub answers_once: bool,
    /// Set where its handler answers from two stores as one.
    pub joins: bool,
    /// The part of the space that it is answered over, where the space is not held.
    pub needs: Needs,
    /// The MCP tool that stands for it.
    pub tool: Option<Tool>,
}

/// The part of a space that a request is answered over, where the space is too large to be held. Every row says it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: it is about the device, or asks the server for the very thing.
    Nothing,
    /// The lessons that may fit its text.
    Candidates(Wording),
    /// A page of a list.
    Page(Rows),
    /// Numbers of the whole space, and the lessons of the lists among them.
    Numbers,
    /// The words that the lessons have.
    Tags,
    /// The lessons and decisions that it names, and those that are looked up for it besides.
    Named(Lookup),
    /// The lessons that refused events are about.
    SetAside,
    /// All of it, so that it is refused. The text says for what, and what to do instead.
    Everything(&'static str),
}

/// The text that candidates are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// `query` of a search.
    Query,
    /// A situation.
    Situation,
    /// `feature`, with the project around it.
    Feature,
}

/// The rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Lessons.
    Lessons,
    /// Decisions.
    Decisions,
}

/// Rows that are looked up beside the lessons and the decision that a request names by slug and id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// Nothing.
    Ids,
    /// Lessons by a part of their title.
    Title,
    /// The vectors of the lessons, which an outcome in words is compared with.
    Cause,
    /// Slugs that begin like the new lesson's.
    NewSlug,
    /// The lessons that a session was shown, and those that its insights are.
    Session,
    /// Records of tools.
    Tools,
}

/// The reason why effects over time need everything.
const OVER_TIME: &str = "what lessons do over time is reckoned from all runs; look at it in a browser that keeps a copy, which Settings, Sync turns on";

/// The condition on which a text of a request is embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Embeds {
    /// It has none.
    Never,
    /// It always has one.
    Always,
    /// When this query parameter is given.
    With(&'static str),
}

/// An MCP tool.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its arguments: fields of the body or parts of the path. Fields that agents set rarely are left out, as agents pay for
    /// every argument on every call.
    pub arguments: &'static [&'static str],
}

impl Endpoint {
    /// The row with this name.
    pub fn of(name: EndpointName) -> &'static Self {
        &ENDPOINTS[name as usize]
    }
}

macro_rules! joins {
    (joined) => {
        true
    };
    ($from:ident) => {
        false
    };
}

macro_rules! table {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { needs: $needs:expr, $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        /// The name of a request, which is that of its handler.
        #[allow(non_camel_case_types)] // It is the handler's.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum EndpointName {
            $($(#[doc = $summary])+ $name),*
        }

        impl EndpointName {
            /// The name as it is written.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }

        /// Every request: those of agents first, in the order of their work.
        pub const ENDPOINTS: &[Endpoint] = {
            use Embeds::{Always, With};
            use Lookup::{Cause, Ids, NewSlug, Session, Title, Tools};
            use Needs::{Candidates, Everything, Named, Nothing, Numbers, Page, SetAside, Tags};
            use Rows::{Decisions, Lessons};
            use Wording::{Feature, Query, Situation};
            const REST: Endpoint = Endpoint {
                name: EndpointName::search,
                method: Method::Get,
                path: "",
                query: None,
                for_agents: false,
                writes: false,
                embeds: Embeds::Never,
                parameters: &[],
                body: &[],
                answers_once: false,
                joins: false,
                needs: Needs::Nothing,
                tool: None,
            };
            &[$(Endpoint {
                name: EndpointName::$name,
                method: Method::$method,
                path: $path,
                $(
                    query: Some(stringify!($query)),
                    parameters: <crate::$query as crate::Fields>::FIELDS,
                )?
                $(body: <crate::$body as crate::Fields>::FIELDS,)?
                joins: joins!($from),
                needs: $needs,
                $($field)*
                ..REST
            }),*]
        };
    };
}

endpoints!(table);
