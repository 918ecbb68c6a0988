//! What clients' hooks and transcripts come to: corpora of payloads and transcripts, requests, output.
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
