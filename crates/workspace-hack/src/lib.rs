//! Nothing: what counts are the features in this package's manifest.
#![forbid(unsafe_code)]
