//! What is asked of a linked server.

pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod ledger;
pub(crate) mod link;
pub(crate) mod linked;
pub(crate) mod network;
pub(crate) mod sync;
