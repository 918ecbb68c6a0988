//! The report of an edge function on its own set-up, at `GET /v1/setup`.

use serde::{Deserialize, Serialize};

/// State of an edge function's set-up, and the parts that it is made of. Told without a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeSetup {
    /// True if nothing is missing.
    pub ready: bool,
    /// The version of the edge function, such as `0.1.0`.
    pub version: String,
    /// The version of the schema that it needs.
    pub schema_version: u32,
    /// The address of its Supabase project.
    pub project: String,
    /// The origin of a dashboard hosted elsewhere that may ask it.
    pub dashboard_origin: Option<String>,
    /// The missing parts; empty when it is ready.
    pub problems: Vec<SetupProblem>,
}

/// Something that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupProblem {
    /// Its stable name: `no_schema`, `older_schema`, `newer_schema`, `foreign_key`, `paused`, `no_project` or `unreachable`.
    pub code: String,
    /// The problem, for a person.
    pub message: String,
    /// The remedy, for a person.
    pub remedy: String,
}
