//! A store in files: one append-only ledger file for each clone, so that git merges clones without conflict.
//!
//! ```text
//! ledger/{actor}.jsonl   one line an event; each clone of the store writes its own file
//! link/                  the link to a server with its rows; this clone's alone
//! cache/                 how the own file was left, vectors, a snapshot: all can be made again
//! ```
//!
//! The order of events is by time, file and line. A new event is later than every one that was read, so processes that
//! share the folder only ever append to what the others hold. Files that come by git may bring events from before: then
//! [`Ledger::epoch`] is another one, and everything is read anew.
//!
//! Every write takes the store's one lock, reads what is new, checks, appends and gives the lock back. What a writer that
//! is gone left half written is cut off under the lock; readers never read a line, or a batch, before it is whole.

mod files;
mod held;
mod kept;
mod line;
mod link_state;
mod linked;
mod lock;
mod log;
mod names;
mod own;
mod own_lines;
mod reading;
mod slugs;
mod store_impl;
mod suggested;
mod tail;
mod vector_file;
mod writing;

pub use files::{FileError, Files, Listed};
pub use held::FileStore;
