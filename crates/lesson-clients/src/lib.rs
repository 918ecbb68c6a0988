//! Coding agents' hooks and transcripts, as pure functions: a hook's payload → what to do, a transcript → what the agent
//! said, what was said → requests, lessons → what the client reads.
//!
//! Nothing here does IO or reads a clock. The host reads standard input and files, keeps what it is told to keep, sends the
//! requests and prints the answer:
//!
//! ```
//! use lesson_clients::{HookInput, HookPlan, plan_hook};
//! let payload = r#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"Retry the upload with a deadline"}"#;
//! let plan = plan_hook(&HookInput { client: "claude".into(), payload: payload.into(), ..HookInput::default() });
//! assert!(matches!(plan, HookPlan::Recommend { decision_id, .. } if decision_id == "s1"));
//! ```
#![forbid(unsafe_code)]

mod backfill;
mod client;
mod event;
mod fingerprint;
mod framed;
mod moment;
mod nested;
mod output;
mod payload;
mod plan;
mod private;
mod query;
mod said_once;
mod session;
mod transcript;
mod typed;

pub use backfill::{FoundInsight, SessionSummary, backfill, backfill_requests};
pub use client::Client;
pub use event::HookEvent;
pub use moment::{Needed, helps_now};
pub use nested::RUN_VARIABLES;
pub use output::{OutputShape, hook_output, hook_output_once};
pub use plan::{HookInput, HookPlan, plan_hook};
pub use said_once::{Given, GivenOnce};
pub use session::{Kept, Recorded, SessionInput, Suggested, record, session_requests};
pub use transcript::{
    Running, Sign, SignKind, TranscriptRead, read_transcript, read_transcript_after,
};
