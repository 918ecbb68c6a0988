//! What is asked of a linked server.

pub(crate) mod linked;
