//! The rows with their types and with what is said of them.

use super::schemas::Type;
use crate::{Endpoint, EndpointName, endpoints};
use serde_json::{Value, json};

/// A row of the interface.
pub(super) struct Row {
    pub endpoint: &'static Endpoint,
    /// In a few words.
    pub summary: &'static str,
    pub about: About,
    pub query: Option<Type>,
    pub body: Option<Type>,
    /// `None` for an answer that is an open object.
    pub answer: Option<Type>,
}

/// The documentation of a request.
#[derive(Default)]
pub(super) struct About {
    /// In sentences.
    pub description: &'static str,
    /// Statuses of its refusals beyond those that every request may get.
    pub refusals: &'static [u16],
    /// An example of its body.
    pub request: Option<Value>,
    /// An example of its answer, where that is short.
    pub answer: Option<Value>,
    /// The documentation of the MCP tool.
    pub tool: Option<ToolAbout>,
}

/// The documentation of an MCP tool.
pub(super) struct ToolAbout {
    pub title: &'static str,
    pub description: &'static str,
}

macro_rules! described {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        /// Every row.
        #[allow(clippy::needless_update)] // Some rows say all there is to say.
        fn all() -> Vec<Row> {
            vec![$(Row {
                endpoint: Endpoint::of(EndpointName::$name),
                summary: concat!($($summary),+).trim(),
                about: About { $($($about)*)? ..About::default() },
                query: None$(.or(Some(Type::of::<crate::$query>())))?,
                body: None$(.or(Some(Type::of::<crate::$body>())))?,
                answer: None$(.or(Some(Type::of::<crate::$answer>())))?,
            }),*]
        }
    };
}

endpoints!(described);

/// The rows of agents. Syncing, signing in, importing and reviewing are a person's at the dashboard, and are described
/// nowhere else than there.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = all();
    rows.retain(|row| row.endpoint.for_agents);
    rows
}
