//! Lessons: what is shown, made, changed, listed and reviewed.

use crate::lift::{LessonMeasured, LiftBelief};
use crate::proposals::ProposalView;
use crate::words::{BadgeKind, Category, Kind, Qualification, StoreName, Trust, Verdict};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// A badge and its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Badge {
    /// The kind of badge.
    pub kind: BadgeKind,
    /// In words, such as `✅ Proven (67% success, 5 uses)`.
    pub text: String,
}

/// A lesson with its standing and what is derived from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonView {
    /// Reference name, unique in a space.
    pub slug: String,
    /// One line.
    pub title: String,
    /// Its subject in words.
    pub description: String,
    /// When it applies.
    pub context: String,
    /// The advice, in markdown.
    pub recommendation: String,
    /// From the slug's prefix.
    pub kind: Kind,
    /// Its subject area.
    pub category: Category,
    /// A field such as `perps`; empty means general.
    pub domain: String,
    /// Kinds of project it is for; empty means all.
    pub project_types: Vec<String>,
    /// Technologies it is for; empty means all.
    pub tech_stacks: Vec<String>,
    /// Free words.
    pub tags: Vec<String>,
    /// Its author or origin, as the writer says.
    pub source: String,
    /// The voice that added it: `person:` and an account, `agent:` and the id of a key, or `local`; empty when the ledger does
    /// not say.
    pub by: String,
    /// State of its approval by a person.
    pub trust: Trust,
    /// Why it is quarantined, or what was found in it; empty when nothing was.
    pub findings: Vec<String>,
    /// True if it is out of use.
    pub archived: bool,
    /// The lesson that took its place, after a merge.
    pub merged_into: Option<String>,
    /// Counts edits; an edit names the revision it started from.
    pub rev: u32,
    /// When it was added.
    pub created_at: String,
    /// When its text last changed.
    pub updated_at: String,
    /// The stored numbers.
    pub standing: StandingView,
    /// Gain in the success of runs that apply it, as far as seen.
    pub lift: LiftBelief,
    /// Values derived from the stored numbers at read time.
    pub derived: DerivedView,
    /// Hash of the text; a review names the hash it saw.
    pub content_hash: String,
    /// The effect that withholding it at random has shown; absent where nothing was ever measured in the space, and in
    /// answers to a situation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub measured: Option<LessonMeasured>,
    /// The store that it lies in, where a project's and a person's own answer as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub store: Option<StoreName>,
    /// Changes that wait for a person, in answers to people; absent where none do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<ProposalView>>", optional))]
    pub proposals: Vec<ProposalView>,
    /// The id of the proposal that this request of an agent's key became: nothing of the lesson has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub proposed: Option<String>,
    /// Fields of the file that it came from which lessons lack: a JSON object as text, in answers to people about this lesson;
    /// absent where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub extra: String,
}

/// The stored numbers of a lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandingView {
    /// 0.1 to 1, or as imported.
    pub confidence: f64,
    /// Times that the same lesson was learned.
    pub frequency: u32,
    /// Votes up.
    pub upvotes: u32,
    /// Votes down.
    pub downvotes: u32,
    /// Retrievals that returned it.
    pub times_surfaced: u32,
    /// Ratings: helpful.
    pub times_helpful: u32,
    /// Ratings: not helpful.
    pub times_not_helpful: u32,
    /// Causal effectiveness, 0 to 1.
    pub effectiveness: f64,
    /// Feedbacks that named it.
    pub use_count: u32,
    /// Feedbacks in which it was a cause.
    pub causal_hits: u32,
    /// Decisions with an outcome in which it was applied.
    pub times_applied: u32,
    /// Of those, the ones that went well.
    pub success_count: u32,
    /// Failures since the last success, or since it got another trial.
    pub consecutive_failures: u32,
    /// Applied at least three times with a success rate of at least one half.
    pub proven_effective: bool,
    /// When it became proven.
    pub qualified_at: Option<String>,
    /// When it was last named in feedback.
    pub last_used_at: Option<String>,
    /// When it was last a cause.
    pub last_feedback_at: Option<String>,
}

/// Values derived from a lesson's standing at read time, never stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DerivedView {
    /// helpful / (helpful + not helpful), from two ratings on.
    pub effectiveness_score: Option<f64>,
    /// success_count / times_applied, once applied.
    pub success_rate: Option<f64>,
    /// effectiveness · max(0.3, causal_hits / use_count), from three uses on.
    pub causal_adjusted: f64,
    /// Confidence after the penalties that ranking applies.
    pub effective_confidence: f64,
    /// The badge.
    pub badge: Badge,
    /// Its fitness to be recommended, by its outcomes.
    pub qualification: Qualification,
}

/// `POST /v1/lessons`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct NewLesson {
    /// One line; the only field that is required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::TITLE), regex(pattern = r"\S")))]
    #[field(lesson)]
    pub title: String,
    /// Its subject in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::DESCRIPTION)))]
    #[field(lesson)]
    pub description: Option<String>,
    /// When it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::LESSON_BYTES)))]
    #[field(lesson)]
    pub context: Option<String>,
    /// The advice, in markdown. All texts of a lesson together have at most 16,384 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::LESSON_BYTES)))]
    #[field(lesson)]
    pub recommendation: Option<String>,
    /// Letters, digits and hyphens, at most 60. Made from the title when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::NEW_SLUG), regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$")))]
    #[field(lesson)]
    pub slug: Option<String>,
    /// Defaults to `workflow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Empty or absent means general.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(lesson)]
    pub domain: Option<String>,
    /// Kinds of project it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(lesson)]
    pub project_types: Option<Vec<String>>,
    /// Technologies it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(lesson)]
    pub tech_stacks: Option<Vec<String>>,
    /// Free words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(lesson)]
    pub tags: Option<Vec<String>>,
    /// Its author or origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(lesson)]
    pub source: Option<String>,
}

/// `PATCH /v1/lessons/{slug}`: absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct LessonPatch {
    /// The revision this edit started from; another one stored is a conflict.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = u32::MAX)))]
    pub base_rev: u32,
    /// One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::TITLE), regex(pattern = r"\S")))]
    #[field(lesson)]
    pub title: Option<String>,
    /// Its subject in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::DESCRIPTION)))]
    #[field(lesson)]
    pub description: Option<String>,
    /// When it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::CONTEXT)))]
    #[field(lesson)]
    pub context: Option<String>,
    /// The advice, in markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::RECOMMENDATION)))]
    #[field(lesson)]
    pub recommendation: Option<String>,
    /// Its subject area.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Empty means general.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(lesson)]
    pub domain: Option<String>,
    /// Kinds of project it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(lesson)]
    pub project_types: Option<Vec<String>>,
    /// Technologies it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(lesson)]
    pub tech_stacks: Option<Vec<String>>,
    /// Free words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(lesson)]
    pub tags: Option<Vec<String>>,
    /// Fields that lessons lack: a JSON object as text; empty means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::EXTRA)))]
    #[field(lesson)]
    pub extra: Option<String>,
}

/// The order of a list of lessons.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LessonSort {
    /// By search score when there is a `q`, else newest first.
    #[default]
    Relevance,
    /// Last changed first.
    Updated,
    /// Added last first.
    Created,
    /// By title.
    Title,
    /// Highest confidence first.
    Confidence,
    /// Highest causal effectiveness first.
    Effectiveness,
    /// Most surfaced first.
    Surfaced,
    /// Most applied first.
    Applied,
    /// Highest success rate first; of those with the same one, the most applied.
    Success,
    /// Highest causal score first; then lessons that no feedback has named, and last those that agents aren't given: held
    /// back, or kept out by their outcomes.
    Score,
    /// Highest lift first; lessons of which nothing was seen last.
    Lift,
    /// Last applied, or last named in feedback, first.
    LastUsed,
    /// Success that rose the most over the last 13 weeks first; lessons of which less than two weeks are known last.
    Trend,
    /// Lessons that stand out first: held back, measured to hurt, kept out by outcomes, measured to help, proven, unreviewed.
    Standout,
}

/// `GET /v1/lessons`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct LessonQuery {
    /// Free text.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::QUERY)))]
    #[field(sought)]
    pub q: Option<String>,
    /// Only this domain; empty means general lessons.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(sought)]
    pub domain: Option<String>,
    /// Only this category.
    pub category: Option<Category>,
    /// Only this trust.
    pub trust: Option<Trust>,
    /// Only this badge.
    pub badge: Option<BadgeKind>,
    /// Only those that this voice added, such as `agent:` and the id of a key.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::ID)))]
    #[field(sought)]
    pub by: Option<String>,
    /// Only those of this source, as the writer says.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(sought)]
    pub source: Option<String>,
    /// `false` (the default) hides archived ones, `true` shows only them.
    pub archived: Option<bool>,
    /// The order.
    pub sort: Option<LessonSort>,
    /// `true` turns the order round; lessons without the number that it goes by stay last.
    pub reverse: Option<bool>,
    /// `true` asks for `courses`.
    pub courses: Option<bool>,
    /// `next_cursor` of the page before.
    #[cfg_attr(
        feature = "schema",
        schemars(
            length(max = 140),
            regex(pattern = r"^[0-9]{1,9}\.[a-z0-9]+(-[a-z0-9]+)*$")
        )
    )]
    #[field(sought)]
    pub cursor: Option<String>,
    /// Lessons to leave out at the start, or after the cursor, for a list that is entered anywhere.
    pub offset: Option<u32>,
    /// 1 to 1,000; 50 when absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::PAGE)))]
    pub limit: Option<u32>,
}

/// A page of lessons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonPage {
    /// The lessons of this page.
    pub lessons: Vec<LessonView>,
    /// Lessons that fit, in all.
    pub total: u32,
    /// Where the next page begins; `null` on the last one.
    pub next_cursor: Option<String>,
    /// True if the model took part in the search.
    pub semantic: bool,
    /// The latest course of each of these lessons, in their order; empty where it was not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub courses: Vec<LessonCourse>,
}

/// The recent course of a lesson's use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonCourse {
    /// When it was last applied, or named in feedback.
    pub last_used_at: Option<String>,
    /// For each of the last 13 weeks, oldest first: of the decisions of that week and the three before in which it was
    /// applied and that have an outcome, the share that went well, 0 to 1; `null` without any.
    pub success: Vec<Option<f64>>,
}

/// The answer to `GET /v1/tags`: the words of the lessons in use, by field. A lesson of no domain counts in none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tags {
    /// Free words.
    pub tags: WordCounts,
    /// Fields, such as `perps`.
    pub domains: WordCounts,
    /// Kinds of project.
    pub project_types: WordCounts,
    /// Technologies.
    pub tech_stacks: WordCounts,
    /// Subject areas.
    pub categories: WordCounts,
}

/// The words of one field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WordCounts {
    /// Words in all.
    pub total: u32,
    /// The words that most lessons have, most first, at most 200; of those that as many have, by the alphabet.
    pub words: Vec<WordCount>,
}

/// A word, and how many lessons have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WordCount {
    /// The word.
    pub word: String,
    /// Lessons that have it.
    pub lessons: u32,
}

/// `POST /v1/lessons/{slug}/review`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Review {
    /// The verdict.
    pub verdict: Verdict,
    /// The text that was seen; when given and no longer current, the review is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::ID)))]
    #[field(sought)]
    pub content_hash: Option<String>,
    /// Why; kept in the lesson's history. A text that is held back is approved only with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::DESCRIPTION)))]
    #[field(stored)]
    pub reason: Option<String>,
}

/// `POST /v1/lessons/merge`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Merge {
    /// The lesson that stays.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::SLUG), regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$")))]
    #[field(sought)]
    pub into: String,
    /// The lessons that are archived; their counts are added to it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::SLUGS), inner(length(min = 1, max = crate::limits::SLUG), regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"))))]
    #[field(sought)]
    pub from: Vec<String>,
}
