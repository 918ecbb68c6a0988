//! Every request of the interface: a row each, from which router, dispatch, the edge, OpenAPI, the MCP tools and the
//! TypeScript declarations are made.

mod agents;
mod people;

use crate::Method;

/// Hands all rows to the macro `$callback`, which makes of them what it needs.
///
/// A row reads
///
/// ```text
/// /// Summary, in a few words
/// name: Method "/v1/path/{part}", path part…, query Type, body Type, answer Type, from memory {
///     // fields of `Endpoint`
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
    /// Whether agents may send it at the edge; people may send every one.
    pub for_agents: bool,
    /// Whether it writes, so that repeating it would count twice: it takes an `Idempotency-Key`.
    pub writes: bool,
    /// Whether a text of it is compared with lessons by what it means.
    pub embeds: Embeds,
    /// Whether texts of its body are stored as they are, so that secrets in them are redacted first.
    pub keeps_text: bool,
    /// Whether the answer holds a secret, which is given once and kept nowhere.
    pub answers_once: bool,
    /// Whether its handler answers from two stores as one.
    pub joins: bool,
    /// The MCP tool that stands for it.
    pub tool: Option<Tool>,
}

/// Whether a text of a request is embedded.
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
    /// What it takes: fields of the body or parts of the path. What agents set rarely is left out, as they pay for every
    /// argument on every call.
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
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
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
            const REST: Endpoint = Endpoint {
                name: EndpointName::search,
                method: Method::Get,
                path: "",
                query: None,
                for_agents: false,
                writes: false,
                embeds: Embeds::Never,
                keeps_text: false,
                answers_once: false,
                joins: false,
                tool: None,
            };
            &[$(Endpoint {
                name: EndpointName::$name,
                method: Method::$method,
                path: $path,
                $(query: Some(stringify!($query)),)?
                joins: joins!($from),
                $($field)*
                ..REST
            }),*]
        };
    };
}

endpoints!(table);
