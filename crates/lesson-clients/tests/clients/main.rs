//! Hooks and transcripts of clients: corpora of payloads and transcripts, and the requests and output made of them.
#![forbid(unsafe_code)]

mod corpus;
mod hooks;
mod needed;
mod output;
mod properties;
mod seen;
mod sessions;
mod signs;
mod transcripts;
