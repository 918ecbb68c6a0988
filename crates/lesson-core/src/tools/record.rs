//! A record of the tool book.

use crate::instant::Millis;
use serde::{Deserialize, Serialize};

/// A server that helped with a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRecord {
    /// The query as first given.
    pub query: String,
    /// Name of the server.
    pub server: String,
    /// The last time it helped, in milliseconds since the epoch.
    pub at: Millis,
    /// [`tool_query_hash`](crate::tool_query_hash) of query and server; computed anew when a book is loaded.
    #[serde(default)]
    pub query_hash: String,
}
