//! The HTTP response to a message.

use lesson_types::Body;

/// An HTTP response.
#[derive(Debug, PartialEq)]
pub struct Reply {
    /// Its status. With 405 goes the header `allow: POST`.
    pub status: u16,
    /// Its body as JSON; empty when there is none.
    pub body: Option<Body>,
}
