//! The linked server: the link, rounds of syncing, the ledger, vectors, and the interface for a host that syncs itself.

pub(crate) mod ledger;
pub(crate) mod link;
pub(crate) mod network;
pub(crate) mod remote_error;
pub(crate) mod replica;
pub(crate) mod sync;
pub(crate) mod timeout;
pub(crate) mod vectors;
