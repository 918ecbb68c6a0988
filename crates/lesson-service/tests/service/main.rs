//! The service as hosts call it: requests in, answers out, over stores that work, fail and are linked.

mod agent_keys;
mod bad_input;
mod clients;
mod common;
mod crowding;
mod exchange;
mod failing_store;
mod indexing;
mod insight;
mod insights;
mod lessons;
mod linked;
mod lists;
mod loop_lift;
mod measured;
mod measuring;
mod on_server;
mod repeats;
mod review;
mod runs;
mod semantic;
mod session_feedback;
mod the_loop;
mod transfer;
mod untrusted;
