//! Where the ledger is kept, and how it is kept the same as a server's.
//!
//! A [`Store`] keeps events in one total order and never changes what one says. On its own it is
//! the whole ledger. Linked to a server it keeps rows of the server's projections, and the events
//! made here that those rows may not hold yet.
//!
//! [`Machine`] decides what to do next: a step function from an input, the time and a random number
//! to one [`Effect`]. [`run()`] carries the effects out over a [`Store`] and a [`Remote`]; a simulator
//! does the same with faults. [`Supabase`] is the remote over HTTP.
#![forbid(unsafe_code)]

mod effect;
mod file_store;
mod http;
mod link;
mod machine;
mod measure;
mod memory;
mod part;
mod project;
mod remote;
mod run;
mod schema;
mod sign_in;
mod store;
mod supabase;
mod vectors;
mod wire;

pub use effect::{Effect, Input, Phase, Rest, Sent, Status};
pub use file_store::{FileError, FileStore, Files, Listed};
pub use http::{Http, HttpRequest, HttpResponse, NoAnswer};
pub use link::{Change, Link, Named, Session, SetAside, VersionedRow};
pub use machine::Machine;
pub use measure::{LONGEST, back_off};
pub use memory::MemoryStore;
pub use part::{Counted, ListedPage, Part, Report, SpaceSize, lacks_function};
pub use project::{ProjectState, project_state};
pub use remote::{Page, PushStatus, Pushed, Rejected, Remote, RemoteError};
pub use run::{perform, run};
pub use schema::SCHEMA_VERSION;
pub use sign_in::{
    Account, SignInError, Space, create_space, join_space, server_url, sign_in, sign_out, spaces,
};
pub use store::{
    Entry, Identity, KeptSnapshot, Ledger, Store, StoreError, Stored, Suggestion, VectorRow, uuid7,
    uuid8,
};
pub use supabase::Supabase;
pub use vectors::{
    Lacking, RefusedVector, VECTOR_DIMS, VECTORS_ASKED, VectorPage, WhichVectors, packed_text,
};
