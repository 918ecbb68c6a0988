//! The length bounds of a lesson's fields, wherever the lesson comes from.

use crate::validate::{chars, filled, slug, too_large, words};
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

/// A text that an agent can read beside others. `before` is what is stored: what was longer when it
/// came may stay so, but not grow.
pub(crate) fn size(text: &Text, before: Option<&Text>) -> Result<(), ApiError> {
    let bytes = bytes(text);
    if bytes <= limits::LESSON_BYTES || before.is_some_and(|before| bytes <= self::bytes(before)) {
        return Ok(());
    }
    Err(too_large(
        "recommendation",
        format!(
            "the lesson's texts have {bytes} bytes together; shorten them to at most {}, or make several lessons of it",
            limits::LESSON_BYTES
        ),
    ))
}

fn bytes(text: &Text) -> usize {
    let lists = [&text.project_types, &text.tech_stacks, &text.tags];
    [
        &text.title,
        &text.description,
        &text.context,
        &text.recommendation,
        &text.domain,
    ]
    .into_iter()
    .chain(lists.into_iter().flatten())
    .map(String::len)
    .sum()
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
