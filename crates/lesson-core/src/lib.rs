//! The pure domain of Lessonloop: lessons, the ledger and its fold, ranking with its trace, usage
//! tracking, feedback, tool suggestions.
//!
//! Nothing here reads a clock, draws a random number or does IO: times are arguments, and the same
//! inputs give the same bytes natively and in wasm.
#![forbid(unsafe_code)]

mod check;
mod counts;
mod event;
mod explain;
mod fold;
mod fold_error;
mod history;
mod instant;
mod keyword;
mod lesson;
mod lessons;
mod packed;
mod policy;
mod prompt;
mod rank;
mod replica;
mod resolve;
mod review;
mod session;
mod space;
mod stable_map;
mod stats;
mod tools;
mod touched;
mod usage;
mod words;

pub use event::{
    Changes, Detection, Drawn, Event, Happening, LEDGER_VERSION, Measured, SurfacedContext,
    SurfacedItem,
};
pub use explain::{Term, TermNumber, explain};
pub use fold::{Folded, Uncounted, WhyUncounted};
pub use fold_error::FoldError;
pub use history::{
    Account, CoursePoint, HistoryEntry, Mover, Revision, Showing, account, course, first_of_agent,
    history, movers, narrowed, revision,
};
pub use instant::{
    DAY, LAST, Millis, day, parse_rfc3339, serde_rfc3339, serde_rfc3339_option, to_rfc3339,
};
pub use keyword::{Alike, KeywordIndex, KeywordScores};
pub use lesson::{
    Badge, BadgeKind, CountedOn, Lesson, NEW_SLUG, Qualification, Standing, Text, is_slug, slug_of,
};
pub use packed::{pack, packed_shape, packed_size, unpack};
pub use policy::{FoldPolicy, Policy, RankPolicy, ReviewPolicy, SessionPolicy, UsagePolicy};
pub use prompt::{PromptText, fenced, one_line, prompt_text, tokens};
pub use rank::{
    Compared, Cosines, Exclusion, ExclusionCode, Explain, Factor, FactorChange, FactorKind, Found,
    Market, PatternsFor, Placed, RankError, Ranked, Ranking, RelevanceWord, SearchOptions,
    SearchRanking, Similarity, Situation, Trace, TracePart, Trend, Volatility, compare, patterns,
    patterns_text, recommend, search, situation_text,
};
pub use replica::{Replica, Row};
pub use resolve::{ResolveError, find_lesson};
pub use review::{
    Cosine, NearPair, Other, ReviewCounts, ReviewItem, ReviewQueue, may_be_double, near_duplicates,
    review_queue,
};
pub use session::{Extracted, ExtractedInsight, extract};
pub use space::{Decision, DecisionFeedback, Opinion, Recommendation, Space};
pub use stats::{Bands, DayActivity, Funnel, Health, LessonRank, Stats, health, stats};
pub use tools::{
    Recorded, STOP_WORDS, ToolBook, ToolPolicy, ToolReason, ToolRecord, ToolSuggestion, tool_decay,
    tool_query_hash, tool_weight,
};
pub use usage::detect;
pub use words::{
    Category, DecisionOutcome, FeedbackOutcome, Kind, MatchType, Measure, ReviewReason, Trust,
    Verdict,
};
