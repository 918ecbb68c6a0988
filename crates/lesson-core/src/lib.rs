//! The pure domain of Lessonloop: lessons, the ledger and its fold, ranking with its trace, usage
//! tracking, feedback, tool suggestions.
//!
//! Nothing here reads a clock, draws a random number or does IO: times are arguments, and the same
//! inputs give the same bytes natively and in wasm.
#![forbid(unsafe_code)]

mod apart;
mod check;
mod common_words;
mod constants;
mod contradiction;
mod counts;
mod courses;
mod digest;
mod doubles;
mod event;
mod explain;
mod fold;
mod fold_error;
mod history;
mod insights;
mod instant;
mod kept_query;
mod keyword;
pub mod learning;
mod lesson;
mod lessons;
mod lift_view;
mod one_key;
mod optimistic_overlay;
mod packed;
mod policy;
mod prompt;
mod rank;
mod rates;
mod resolve;
mod review;
mod session;
mod settings;
mod shown_lines;
mod slug;
mod space;
mod stable_map;
mod stats;
mod technologies;
mod text;
mod tools;
mod touched;
mod usage;

pub use apart::{APART_SETTING, pair_key};
pub use common_words::is_common_word;
pub use constants::constants;
pub use contradiction::{contradiction, contradictions};
pub use courses::{Course, courses, last_used};
pub use digest::{DigestRange, digest_markdown, digest_runs};
pub use doubles::{Cosine, NearPair, is_merge_candidate, near_duplicates};
pub use event::{
    Detection, Drawn, Event, EventKind, LEDGER_FORMAT, LEDGER_VERSION, Measured, OLD_LEDGER,
    SurfacedContext, SurfacedItem,
};
pub use explain::explain;
pub use fold::{Folded, Uncounted, WhyUncounted, Withdrawal};
pub use fold_error::FoldError;
pub use history::{
    Account, CoursePoint, HistoryEntry, Impression, Mover, Revision, account, course,
    first_of_agent, history, movers, narrowed, revision, revisions,
};
pub use insights::insights;
pub use instant::{
    DAY, LAST, Millis, day, parse_rfc3339, serde_rfc3339, serde_rfc3339_option, to_rfc3339,
};
pub use kept_query::kept_query;
pub use keyword::{Alike, KeywordIndex, KeywordScores, SpaceCounts, words_asked};
pub use lesson::{CountedOn, Lesson, Proposal, Standing};
/// The vocabulary that the core shares with requests and answers.
pub use lesson_types::{
    Badge, BadgeKind, Bands, Category, Compared, DayActivity, DecisionOutcome, Factor,
    FactorChange, FactorKind, FeedbackOutcome, Funnel, Kind, LessonRank, LiftGuard, LiftVerdict,
    Market, MatchType, Measure, Placed, Qualification, RelevanceWord, ReviewReason, StandingRule,
    Stats, Term, TermNumber, ToolReason, Trend, Trust, Verdict, Volatility,
};
pub use lift_view::lift_view;
pub use one_key::failed_by_one_key;
pub use optimistic_overlay::{OptimisticOverlay, Row};
pub use packed::{pack, pack_ledger, packed_shape, packed_size, unpack, unpack_ledger};
pub use policy::{
    FoldPolicy, MeasurePolicy, Policy, RankPolicy, ReviewPolicy, SessionPolicy, UsagePolicy,
};
pub use prompt::{
    BadgeWords, GivenText, PromptText, SharedPrompt, beginning, fenced, given_tokens, one_line,
    prompt_text, prompt_text_by, prompt_text_shared, shares, tokens, visible,
};
pub use rank::{
    Cosines, Exclusion, ExclusionCode, Explain, Found, Known, PatternsFor, RankError, Ranked,
    Ranking, SearchOptions, SearchRanking, Similarity, Situation, Trace, TracePart, check_policy,
    compare, likelihood_beside, patterns, patterns_text, recommend, recommend_with, search,
    situation_text,
};
pub use resolve::{ResolveError, find_lesson};
pub use review::{
    Keepable, Other, ReviewCounts, ReviewItem, ReviewQueue, review_queue, review_queue_with,
};
pub use session::{Extracted, ExtractedInsight, extract, outcome_said, without_outcomes};
pub use settings::{
    MEASURE_SETTING, MOST_ALWAYS, MOST_WITHHELD, RANK_SETTING, SALT_SETTING, in_force,
};
pub use shown_lines::without_shown;
pub use slug::{is_slug, slug_for, slug_of};
pub use space::{
    Decision, DecisionFeedback, DomainBase, Opinion, Recommendation, Space, domain_key,
};
pub use stats::{Health, health, stats};
pub use technologies::technology_names;
pub use text::Changes;
pub use text::Text;
pub use tools::{
    Recorded, STOP_WORDS, ToolBook, ToolPolicy, ToolRecord, ToolSuggestion, tool_decay,
    tool_query_hash, tool_weight,
};
pub use usage::detect;
