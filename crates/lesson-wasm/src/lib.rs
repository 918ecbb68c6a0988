//! The engine module: the service, bound to JavaScript.
//!
//! This crate converts and calls. Rules about lessons live in `lesson-core`, answers in
//! `lesson-service`, what agents call in `lesson-edge`, what a
//! person's own machine needs in `lesson-local`, clients' hooks in `lesson-clients`.
#![forbid(unsafe_code)]

mod clients;
mod convert;
mod edge;
mod engine;
mod fetch;
mod files;
mod host;
mod indexed_db;
mod local;
mod options;
mod pack;
mod progress;
mod store;

pub use edge::Edge;
pub use engine::{Engine, sequence_ratio, version};
pub use files::JsFiles;
pub use host::JsHost;
pub use indexed_db::IndexedDbStore;
pub use local::Local;
pub use pack::profile_model;
pub use store::AnyStore;
