//! The requests that agents send, one row each. Syncing, signing in, importing and reviewing are
//! a person's at the dashboard, and are not described here.

use crate::schemas::Type;
use lesson_types::{
    DecisionPage, DecisionView, Feedback, FeedbackGiven, Health, History, LessonPage, LessonPatch,
    LessonView, NewLesson, Outcome, OutcomeRecorded, Patterns, Rate, Rated, Recommend,
    Recommendations, Search, SearchResults, Session, SessionRecorded, Stats, SuggestTools,
    ToolRecorded, ToolSuccess, ToolSuggestions, Track, Tracked, Vote,
};

/// A request by method and path.
pub struct Operation {
    pub method: &'static str,
    pub path: &'static str,
    /// Its name in the description, and that of its examples.
    pub id: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub request: Option<Type>,
    /// `None` for an answer that is the ranking policy: an open object.
    pub answer: Option<Type>,
    /// Whether it writes, and so takes an `Idempotency-Key`.
    pub writes: bool,
    /// Refusals beyond those that every request may get.
    pub errors: &'static [u16],
}

/// What a row has beside its names.
struct Row {
    request: Option<Type>,
    answer: Option<Type>,
    writes: bool,
    errors: &'static [u16],
}

fn row(
    (method, path, id): (&'static str, &'static str, &'static str),
    (summary, description): (&'static str, &'static str),
    row: Row,
) -> Operation {
    Operation {
        method,
        path,
        id,
        summary,
        description,
        request: row.request,
        answer: row.answer,
        writes: row.writes,
        errors: row.errors,
    }
}

fn reads(request: Option<Type>, answer: Type, errors: &'static [u16]) -> Row {
    Row {
        request,
        answer: Some(answer),
        writes: false,
        errors,
    }
}

fn writes(request: Option<Type>, answer: Type, errors: &'static [u16]) -> Row {
    Row {
        request,
        answer: Some(answer),
        writes: true,
        errors,
    }
}

/// Every request, in the order of an agent's work.
pub fn operations() -> Vec<Operation> {
    let mut all = finding();
    all.extend(reporting());
    all.extend(lessons());
    all.extend(looking());
    all
}

fn finding() -> Vec<Operation> {
    vec![
        row(
            ("post", "/v1/recommend", "recommend"),
            (
                "Lessons for a situation",
                "Ranks the lessons that fit a situation and gives the text to put before an agent. Give at least one of `query`, `project_type`, `tech_stack` or `domain`. With `decision_id` the lessons are tied to a decision, so that their use and its outcome can be tracked. Answered from memory: `stale` says that the store can't be reached and newer lessons may be missing.",
            ),
            writes(
                Some(Type::of::<Recommend>()),
                Type::of::<Recommendations>(),
                &[409],
            ),
        ),
        row(
            ("post", "/v1/search", "search"),
            (
                "Lessons by words or meaning",
                "Finds lessons by meaning once a model is loaded, by keywords before that. Changes nothing.",
            ),
            reads(Some(Type::of::<Search>()), Type::of::<SearchResults>(), &[]),
        ),
        row(
            ("post", "/v1/patterns", "patterns"),
            (
                "Patterns for a feature",
                "Finds the lessons that help to build a feature. Changes nothing.",
            ),
            reads(
                Some(Type::of::<Patterns>()),
                Type::of::<SearchResults>(),
                &[],
            ),
        ),
    ]
}

fn reporting() -> Vec<Operation> {
    vec![
        row(
            ("post", "/v1/track", "track"),
            (
                "Which lessons an agent's reasoning applied",
                "Looks for the lessons recommended for a decision in the agent's reasoning, and records what was seen.",
            ),
            writes(
                Some(Type::of::<Track>()),
                Type::of::<Tracked>(),
                &[404, 409],
            ),
        ),
        row(
            ("post", "/v1/outcome", "outcome"),
            (
                "What came of a decision",
                "Records a decision's outcome and moves the counters of the lessons that were applied in it. Acknowledged once it is stored.",
            ),
            writes(
                Some(Type::of::<Outcome>()),
                Type::of::<OutcomeRecorded>(),
                &[404, 409],
            ),
        ),
        row(
            ("post", "/v1/feedback", "feedback"),
            (
                "What came of a session",
                "Records for lessons that were at hand whether they were a cause of the outcome. Without `causal`, causes are found in `outcome_text`; without both, all lessons are causes. Acknowledged once it is stored.",
            ),
            writes(
                Some(Type::of::<Feedback>()),
                Type::of::<FeedbackGiven>(),
                &[404, 409],
            ),
        ),
        row(
            ("post", "/v1/rate", "rate"),
            (
                "Whether a lesson helped",
                "Rates a lesson, named by its slug or a part of its title. When several fit, the answer is 409 `ambiguous` with the candidates' slugs. Acknowledged once it is stored.",
            ),
            writes(Some(Type::of::<Rate>()), Type::of::<Rated>(), &[404, 409]),
        ),
        row(
            ("post", "/v1/vote", "vote"),
            (
                "A vote for or against a lesson",
                "Votes on a lesson, named by its slug or a part of its title. When several fit, the answer is 409 `ambiguous` with the candidates' slugs.",
            ),
            writes(Some(Type::of::<Vote>()), Type::of::<Rated>(), &[404, 409]),
        ),
        row(
            ("post", "/v1/sessions", "record_session"),
            (
                "Lessons out of a finished session",
                "Reads the `INSIGHT:`, `BLOCKED:`, `DELIVERED:` and `INJECTED:` lines of a transcript: insights become lessons, and the lessons that were shown get feedback.",
            ),
            writes(
                Some(Type::of::<Session>()),
                Type::of::<SessionRecorded>(),
                &[409],
            ),
        ),
        row(
            ("post", "/v1/tools/success", "record_tool_success"),
            (
                "A tool server that did what was asked",
                "Remembers which tool server worked for a request, so that it is suggested for requests like it.",
            ),
            writes(
                Some(Type::of::<ToolSuccess>()),
                Type::of::<ToolRecorded>(),
                &[409],
            ),
        ),
        row(
            ("post", "/v1/tools/suggest", "suggest_tools"),
            (
                "Tool servers for a request",
                "Suggests the tool servers that worked for requests like this one. Changes nothing.",
            ),
            reads(
                Some(Type::of::<SuggestTools>()),
                Type::of::<ToolSuggestions>(),
                &[],
            ),
        ),
    ]
}

fn lessons() -> Vec<Operation> {
    vec![
        row(
            ("get", "/v1/lessons", "list_lessons"),
            (
                "A page of lessons",
                "Lists lessons by filters, a page at a time. Changes nothing.",
            ),
            reads(None, Type::of::<LessonPage>(), &[]),
        ),
        row(
            ("post", "/v1/lessons", "add_lesson"),
            (
                "A new lesson",
                "Adds a lesson. Secrets in it are redacted, hidden characters made visible, and text that speaks to the agent which will read it is quarantined: `trust` and `findings` say so. Nobody stands behind it before a person reviews it.",
            ),
            writes(
                Some(Type::of::<NewLesson>()),
                Type::of::<LessonView>(),
                &[409],
            ),
        ),
        row(
            ("get", "/v1/lessons/{slug}", "get_lesson"),
            ("One lesson", "Changes nothing."),
            reads(None, Type::of::<LessonView>(), &[404]),
        ),
        row(
            ("patch", "/v1/lessons/{slug}", "edit_lesson"),
            (
                "A change of a lesson's text",
                "Changes the fields that are given. An approved lesson has to be reviewed again. When `base_rev` is no longer current, the answer is 409 `conflict`.",
            ),
            writes(
                Some(Type::of::<LessonPatch>()),
                Type::of::<LessonView>(),
                &[404, 409],
            ),
        ),
        row(
            ("get", "/v1/lessons/{slug}/history", "lesson_history"),
            (
                "The events that touched a lesson",
                "Each with the lesson's standing before and after it, oldest first. Changes nothing.",
            ),
            reads(None, Type::of::<History>(), &[404]),
        ),
    ]
}

fn looking() -> Vec<Operation> {
    vec![
        row(
            ("get", "/v1/decisions", "list_decisions"),
            (
                "Your decisions",
                "The decisions that lessons were recommended for with this key, newest first: the situation, what was applied, and what came of it. Changes nothing.",
            ),
            reads(None, Type::of::<DecisionPage>(), &[]),
        ),
        row(
            ("get", "/v1/decisions/{decision_id}", "get_decision"),
            (
                "One decision",
                "What was recommended for it, what was applied, and what came of it. Changes nothing.",
            ),
            reads(None, Type::of::<DecisionView>(), &[404]),
        ),
        row(
            ("get", "/v1/stats", "stats"),
            (
                "Counts over all lessons",
                "The best, the worst, the ones nobody rated, and the activity of the last 30 days. Changes nothing.",
            ),
            reads(None, Type::of::<Stats>(), &[]),
        ),
        row(
            ("get", "/v1/health", "health"),
            (
                "Whether the loop works",
                "Feedback of the last week, lessons by effectiveness, and the condition of model, store and syncing. Changes nothing.",
            ),
            reads(None, Type::of::<Health>(), &[]),
        ),
        row(
            ("get", "/v1/policy", "policy"),
            (
                "Every constant of ranking and feedback",
                "What is under `rank` may be overridden in a request for recommendations. Changes nothing.",
            ),
            Row {
                request: None,
                answer: None,
                writes: false,
                errors: &[],
            },
        ),
    ]
}
