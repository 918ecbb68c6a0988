//! The length bounds of a lesson's fields, wherever the lesson comes from.

use crate::validate::{chars, filled, slug, words};
use lesson_api::{ApiError, limits};
use lesson_core::{Changes, Event, Happening, Lesson, Text};

/// A text within its bounds.
pub(crate) fn text(text: &Text) -> Result<(), ApiError> {
    filled("title", &text.title, limits::TITLE)?;
    chars("description", &text.description, limits::DESCRIPTION)?;
    chars("context", &text.context, limits::CONTEXT)?;
    chars(
        "recommendation",
        &text.recommendation,
        limits::RECOMMENDATION,
    )?;
    chars("domain", &text.domain, limits::WORD)?;
    words("project_types", Some(&text.project_types))?;
    words("tech_stacks", Some(&text.tech_stacks))?;
    words("tags", Some(&text.tags))
}

/// A lesson within its bounds.
pub(crate) fn lesson(lesson: &Lesson) -> Result<(), ApiError> {
    slug("slug", &lesson.slug)?;
    text(&lesson.text)?;
    chars("source", &lesson.source, limits::WORD)
}

/// An event of another ledger within its bounds; the numbers in it are the fold's to judge.
pub(crate) fn event(event: &Event) -> Result<(), ApiError> {
    filled("op_id", &event.op_id, limits::ID)?;
    chars("actor", &event.actor, limits::ID)?;
    chars("by", &event.by, limits::ID)?;
    if let Some(request) = &event.request {
        filled("request", request, limits::ID)?;
    }
    match &event.event {
        Happening::LessonAdded { lesson: added } => lesson(added),
        Happening::LessonEdited { changes, .. } => {
            let Changes { title, .. } = &**changes;
            let mut edited = changes.applied_to(&Text::default());
            // An edit may leave the title as it is.
            if title.is_none() {
                "unchanged".clone_into(&mut edited.title);
            }
            text(&edited)
        }
        Happening::Surfaced {
            retrieval_id,
            context,
            items,
            measured,
            ..
        } => {
            let drawn = measured.as_ref().map_or(0, |measured| measured.drawn.len());
            if drawn > limits::LIMIT {
                return Err(ApiError::invalid(
                    "measured",
                    format!("measured has {drawn} draws; at most {} fit one retrieval", limits::LIMIT),
                ));
            }
            filled("retrieval_id", retrieval_id, limits::ID)?;
            if let Some(id) = &context.decision_id {
                filled("decision_id", id, limits::ID)?;
            }
            chars(
                "query",
                context.query.as_deref().unwrap_or_default(),
                limits::QUERY,
            )?;
            if items.len() > limits::LIMIT {
                return Err(ApiError::invalid(
                    "items",
                    format!(
                        "items has {} entries; at most {} fit one retrieval",
                        items.len(),
                        limits::LIMIT
                    ),
                ));
            }
            Ok(())
        }
        Happening::UsageTracked { decision_id, .. }
        | Happening::OutcomeRecorded { decision_id, .. } => {
            filled("decision_id", decision_id, limits::ID)
        }
        Happening::FeedbackGiven {
            lessons,
            decision_id,
            ..
        } => {
            crate::validate::slugs("lessons", lessons, 1)?;
            about(decision_id.as_ref())
        }
        Happening::LessonsMerged { from, .. } => crate::validate::slugs("from", from, 1),
        Happening::ToolSucceeded { query, server } => {
            filled("query", query, limits::QUERY)?;
            filled("server", server, limits::WORD)
        }
        Happening::LessonArchived { .. }
        | Happening::LessonRestored { .. }
        | Happening::LessonReviewed { .. }
        | Happening::TrialGranted { .. }
        // The fold bounds settings itself, whatever brings them.
        | Happening::PolicyChanged { .. } => Ok(()),
        Happening::Rated { decision_id, .. } | Happening::Voted { decision_id, .. } => {
            about(decision_id.as_ref())
        }
    }
}

/// The decision that an event is about, if it is about one.
fn about(decision_id: Option<&String>) -> Result<(), ApiError> {
    decision_id.map_or(Ok(()), |id| filled("decision_id", id, limits::ID))
}
