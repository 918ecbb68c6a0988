//! What an edge function says of its own set-up, at `GET /v1/setup`.

use serde::{Deserialize, Serialize};

/// Whether an edge function is set up, and with what. Told without a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeSetup {
    /// Whether nothing is missing.
    pub ready: bool,
    /// The version of the edge function, such as `0.1.0`.
    pub version: String,
    /// The version of the schema that it needs.
    pub schema_version: u32,
    /// The address of its Supabase project.
    pub project: String,
    /// The origin of a dashboard hosted elsewhere that may ask it.
    pub dashboard_origin: Option<String>,
    /// What is missing; empty when it is ready.
    pub problems: Vec<SetupProblem>,
}

/// Something that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupProblem {
    /// Its stable name: `no_schema`, `older_schema`, `newer_schema`, `foreign_key`, `paused`, `no_project` or `unreachable`.
    pub code: String,
    /// What is wrong, for a person.
    pub message: String,
    /// What to do about it, for a person.
    pub remedy: String,
}
