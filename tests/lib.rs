//! Shared test support.
#![forbid(unsafe_code)]
