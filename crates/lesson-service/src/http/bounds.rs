//! The bounds of what lessons and events hold, wherever they come from.

use crate::http::validate::{chars, filled, slug, too_large, words};
use lesson_core::{Changes, Event, EventKind, Lesson, Standing, SurfacedContext, Text};
use lesson_types::{ApiError, limits};

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
    words("tags", Some(&text.tags))?;
    extra(text)
}

/// Fields that lessons lack: a JSON object, as it is read again on export.
fn extra(text: &Text) -> Result<(), ApiError> {
    chars("extra", &text.extra, limits::EXTRA)?;
    if text.extra.is_empty() {
        return Ok(());
    }
    let Some(fields) = text.extra_fields() else {
        return Err(ApiError::invalid(
            "extra",
            "extra is no JSON object; write it as `{\"name\": \"value\"}`, or leave it empty",
        ));
    };
    entries("extra", fields.len(), limits::EXTRA_FIELDS)
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

/// A lesson within its bounds, with the counts that it brings.
pub(crate) fn lesson(lesson: &Lesson) -> Result<(), ApiError> {
    slug("slug", &lesson.slug)?;
    text(&lesson.text)?;
    chars("source", &lesson.source, limits::WORD)?;
    chars("by", &lesson.by, limits::ID)?;
    if let Some(into) = &lesson.merged_into {
        name("merged_into", into)?;
    }
    findings(&lesson.findings)?;
    standing(&lesson.standing, lesson.rev)
}

/// Counts that somebody can have counted, each part within its whole.
fn standing(standing: &Standing, rev: u32) -> Result<(), ApiError> {
    for (field, count) in [
        ("frequency", standing.frequency),
        ("upvotes", standing.upvotes),
        ("downvotes", standing.downvotes),
        ("times_surfaced", standing.times_surfaced),
        ("times_helpful", standing.times_helpful),
        ("times_not_helpful", standing.times_not_helpful),
        ("use_count", standing.use_count),
        ("causal_hits", standing.causal_hits),
        ("times_applied", standing.times_applied),
        ("success_count", standing.success_count),
        ("consecutive_failures", standing.consecutive_failures),
        ("trial_from", standing.trial_from),
        ("rev", rev),
    ] {
        if count > limits::COUNT {
            return Err(ApiError::invalid(
                field,
                format!(
                    "{field} is {count}; a count that a lesson brings is at most {}",
                    limits::COUNT
                ),
            ));
        }
    }
    for (part, count, whole, most) in [
        (
            "causal_hits",
            standing.causal_hits,
            "use_count",
            standing.use_count,
        ),
        (
            "success_count",
            standing.success_count,
            "times_applied",
            standing.times_applied,
        ),
    ] {
        if count > most {
            return Err(ApiError::invalid(
                part,
                format!("{part} is {count}, but {whole} is only {most}; correct one of them"),
            ));
        }
    }
    Ok(())
}

fn findings(findings: &[String]) -> Result<(), ApiError> {
    entries("findings", findings.len(), limits::FINDINGS)?;
    findings
        .iter()
        .try_for_each(|finding| chars("findings", finding, limits::FINDING))
}

/// The name of a lesson that is there; the fold says whether it is.
fn name(field: &str, slug: &str) -> Result<(), ApiError> {
    filled(field, slug, limits::ID)
}

fn names(field: &str, slugs: &[String]) -> Result<(), ApiError> {
    entries(field, slugs.len(), limits::SLUGS)?;
    slugs.iter().try_for_each(|slug| name(field, slug))
}

fn entries(field: &str, count: usize, most: usize) -> Result<(), ApiError> {
    if count <= most {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!("{field} has {count} entries; at most {most} are taken"),
    ))
}

fn optional(field: &str, text: Option<&String>, most: usize) -> Result<(), ApiError> {
    text.map_or(Ok(()), |text| chars(field, text, most))
}

/// An event of another ledger within its bounds, which are those of a server's push
/// (`supabase/migrations`, `lessonloop.fields`); shares and settings are the fold's to judge.
pub(crate) fn event(event: &Event) -> Result<(), ApiError> {
    filled("op_id", &event.op_id, limits::ID)?;
    chars("actor", &event.actor, limits::ID)?;
    chars("by", &event.by, limits::ID)?;
    optional("request", event.request.as_ref(), limits::REQUEST)?;
    match &event.event {
        EventKind::LessonAdded { lesson: added } => lesson(added),
        EventKind::LessonEdited {
            lesson,
            changes,
            findings: found,
            ..
        } => {
            name("lesson", lesson)?;
            change(changes)?;
            findings(found)
        }
        EventKind::ChangeProposed {
            lesson,
            proposal,
            changes,
            findings: found,
            ..
        } => {
            name("lesson", lesson)?;
            filled("proposal", proposal, limits::ID)?;
            change(changes)?;
            findings(found)
        }
        EventKind::ProposalSettled {
            lesson,
            proposal,
            reason,
            ..
        } => {
            name("lesson", lesson)?;
            filled("proposal", proposal, limits::ID)?;
            chars("reason", reason, limits::DESCRIPTION)
        }
        EventKind::VoiceWithdrawn { voice, .. } | EventKind::VoiceReinstated { voice } => {
            filled("voice", voice, limits::ID)
        }
        EventKind::Surfaced {
            retrieval_id,
            purpose,
            context,
            items,
            policy,
            measured,
        } => {
            filled("retrieval_id", retrieval_id, limits::ID)?;
            chars("purpose", purpose, limits::ID)?;
            chars("policy", policy, limits::ID)?;
            situation(context)?;
            entries("items", items.len(), limits::LIMIT)?;
            items
                .iter()
                .try_for_each(|item| name("lesson", &item.lesson))?;
            let drawn = measured
                .as_ref()
                .map_or(&[][..], |measured| &measured.drawn);
            entries("drawn", drawn.len(), limits::LIMIT)?;
            drawn
                .iter()
                .try_for_each(|drawn| name("lesson", &drawn.lesson))
        }
        EventKind::UsageTracked {
            decision_id,
            detections,
        } => {
            filled("decision_id", decision_id, limits::ID)?;
            entries("detections", detections.len(), limits::DETECTIONS)?;
            detections.iter().try_for_each(|seen| {
                name("lesson", &seen.lesson)?;
                optional("quote", seen.quote.as_ref(), limits::QUOTE)
            })
        }
        EventKind::OutcomeRecorded { decision_id, .. } => {
            filled("decision_id", decision_id, limits::ID)
        }
        EventKind::FeedbackGiven {
            lessons,
            causal,
            decision_id,
            ..
        } => {
            names("lessons", lessons)?;
            names("causal", causal)?;
            about(decision_id.as_ref())
        }
        EventKind::LessonsMerged { into, from } => {
            name("into", into)?;
            names("from", from)
        }
        EventKind::ToolSucceeded { query, server } => {
            filled("query", query, limits::QUERY)?;
            filled("server", server, limits::WORD)
        }
        EventKind::LessonReviewed {
            lesson,
            content_hash,
            reason,
            ..
        } => {
            name("lesson", lesson)?;
            chars("content_hash", content_hash, limits::ID)?;
            chars("reason", reason, limits::DESCRIPTION)
        }
        EventKind::LessonArchived { lesson }
        | EventKind::LessonRestored { lesson }
        | EventKind::TrialGranted { lesson } => name("lesson", lesson),
        // The fold bounds settings itself, whatever brings them.
        EventKind::PolicyChanged { .. } => Ok(()),
        EventKind::Rated {
            lesson,
            decision_id,
            ..
        }
        | EventKind::Voted {
            lesson,
            decision_id,
            ..
        } => {
            name("lesson", lesson)?;
            about(decision_id.as_ref())
        }
    }
}

fn change(changes: &Changes) -> Result<(), ApiError> {
    let mut edited = changes.applied_to(&Text::default());
    // An edit may leave the title as it is.
    if changes.title.is_none() {
        "unchanged".clone_into(&mut edited.title);
    }
    text(&edited)
}

fn situation(context: &SurfacedContext) -> Result<(), ApiError> {
    about(context.decision_id.as_ref())?;
    optional("query", context.query.as_ref(), limits::QUERY)?;
    optional("domain", context.domain.as_ref(), limits::WORD)?;
    optional("project_type", context.project_type.as_ref(), limits::WORD)?;
    words("tech_stack", Some(&context.tech_stack))?;
    optional("phase", context.phase.as_ref(), limits::WORD)
}

/// The decision that an event is about, if it is about one.
fn about(decision_id: Option<&String>) -> Result<(), ApiError> {
    decision_id.map_or(Ok(()), |id| filled("decision_id", id, limits::ID))
}

#[cfg(test)]
mod tests;
