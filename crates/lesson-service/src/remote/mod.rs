//! What is asked of a linked server.

pub(crate) mod ledger;
pub(crate) mod link;
pub(crate) mod network;
pub(crate) mod remote_error;
pub(crate) mod replica;
pub(crate) mod sync;
pub(crate) mod vectors;
