//! What each endpoint does, a file for each kind. A handler takes the request's context first, whether it needs it or not.

pub(crate) mod bulk;
pub(crate) mod compare;
pub(crate) mod connect;
pub(crate) mod decisions;
pub(crate) mod delete_space;
pub(crate) mod feedback;
pub(crate) mod history;
pub(crate) mod issues;
pub(crate) mod keys;
pub(crate) mod lessons;
pub(crate) mod listing;
pub(crate) mod override_policy;
pub(crate) mod recommend;
pub(crate) mod repeated_request;
pub(crate) mod review;
pub(crate) mod sessions;
pub(crate) mod set_aside;
pub(crate) mod shorten;
pub(crate) mod space_policy;
pub(crate) mod stats;
pub(crate) mod sync;
pub(crate) mod tools;
pub(crate) mod trace_part;
pub(crate) mod transfer;
pub(crate) mod uncounted;
pub(crate) mod withheld;
