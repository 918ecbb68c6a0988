//! Where the ledger is kept: the [`Store`] trait and a store in memory.
//!
//! A store keeps events in one total order and never changes or removes one. Positions in that
//! order are its own; they mean nothing to another store.
#![forbid(unsafe_code)]

mod memory;
mod store;

pub use memory::MemoryStore;
pub use store::{Entry, Identity, Ledger, Store, StoreError, Stored, VectorRow};
