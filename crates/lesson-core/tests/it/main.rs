//! Behaviour that users of the core rely on: tables and properties over its public interface.

mod account;
mod badge;
mod candidates;
mod common;
mod compare;
#[path = "../../../../tests/benches/learn/coverage.rs"]
mod coverage;
mod crowding;
#[path = "../../../../tests/benches/learn/dice.rs"]
mod dice;
mod fold;
mod fold_properties;
mod history;
mod keyword;
mod learning;
mod lift;
mod lift_fold;
mod likelihood;
mod matching;
mod own_lessons;
mod packed;
mod project_alone;
mod prompt;
mod proposals;
mod rank;
mod rank_properties;
mod replica;
mod resolve;
mod review;
mod runs;
mod search;
mod session;
mod settled;
mod stats;
mod usage;
mod usage_properties;
mod withdrawn;
