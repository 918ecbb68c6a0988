//! The pure domain of Lessonloop: lessons, the ledger and its fold, ranking with its trace, usage
//! tracking, feedback, tool suggestions, formats.
//!
//! Nothing here reads a clock, draws a random number or does IO: times are arguments, and the same
//! inputs give the same bytes natively and in wasm.
#![forbid(unsafe_code)]

mod check;
mod counts;
mod event;
mod fold;
mod fold_error;
pub mod format;
mod instant;
mod lesson;
mod policy;
pub mod screen;
mod sequence;
mod space;
mod tools;
mod words;

pub use event::{Changes, Detection, Event, Happening, SurfacedContext, SurfacedItem};
pub use fold::Folded;
pub use fold_error::FoldError;
pub use instant::{
    DAY, LAST, Millis, day, parse_rfc3339, serde_rfc3339, serde_rfc3339_option, to_rfc3339,
};
pub use lesson::{Badge, BadgeKind, Lesson, Qualification, Standing, Text, is_slug, slug_of};
pub use policy::{FoldPolicy, Policy, RankPolicy, SessionPolicy, UsagePolicy};
pub use sequence::{Block, Opcode, OpcodeTag, SequenceMatcher, sequence_ratio};
pub use space::{Decision, Recommendation, Space};
pub use tools::{
    Recorded, STOP_WORDS, ToolBook, ToolPolicy, ToolReason, ToolRecord, ToolSuggestion,
    tool_query_hash,
};
pub use words::{Category, FeedbackOutcome, Kind, MatchType, TradeOutcome, Trust, Verdict};
