//! A change of an agent's key as a proposal, and a proposal as people read it.

use crate::handlers::text_fields::changed_fields;
use crate::http::context::RequestContext;
use crate::state::snapshot::State;
use lesson_core::{Changes, EventKind, Lesson, Proposal, Trust, to_rfc3339};
use lesson_screen::Screened;
use lesson_types::{ApiError, ErrorCode, ProposalView, limits};

/// The event by which an agent's key proposes a change, or that the lesson be archived.
///
/// # Errors
/// When the key has as many open proposals as it may have.
pub(crate) fn proposal(
    state: &State,
    context: &RequestContext,
    held: &Lesson,
    id: String,
    change: Option<(u32, Changes, Screened)>,
) -> Result<EventKind, ApiError> {
    let by = context.by();
    let replaces = held.proposals.iter().any(|one| one.by == by);
    let open = state.space.proposals_of(by);
    if open >= limits::PROPOSALS && !replaces {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            format!(
                "review first: {open} proposals of this key are open, and it may have {}; ask a person to decide on some of them in Review, then send this again",
                limits::PROPOSALS
            ),
        )
        .at("slug"));
    }
    let (base_rev, changes, trust, findings) = match change {
        Some((base_rev, changes, screened)) => {
            (base_rev, changes, screened.trust, screened.findings)
        }
        None => (held.rev, Changes::default(), Trust::Unreviewed, Vec::new()),
    };
    Ok(EventKind::ChangeProposed {
        lesson: held.slug.clone(),
        proposal: id,
        base_rev,
        archive: changes.is_empty(),
        changes: Box::new(changes),
        trust,
        findings,
    })
}

/// A proposal against the text in force.
pub(crate) fn view(lesson: &Lesson, held: &Proposal) -> ProposalView {
    ProposalView {
        id: held.id.clone(),
        by: held.by.clone(),
        at: to_rfc3339(held.at),
        base_rev: held.base_rev,
        moved_on: held.base_rev != lesson.rev,
        archive: held.archive,
        fields: changed_fields(&lesson.text, &held.changes.applied_to(&lesson.text)),
        trust: held.trust,
        findings: held.findings.clone(),
    }
}
