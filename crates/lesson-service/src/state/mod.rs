//! What the engine holds in memory, and how it is written and read again.

pub(crate) mod heard;
pub(crate) mod issues;
pub(crate) mod ledger;
pub(crate) mod snapshot;
pub(crate) mod writer;
