//! Proposals: made by agents' keys in place of edits, listed and settled by people.

use crate::handlers::lessons::{WANTS_REASON, known};
use crate::handlers::proposing::view;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::bounds;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use lesson_core::{Changes, EventKind, Lesson, Proposal, Trust, Verdict};
use lesson_screen::screen_named;
use lesson_sync::Store;
use lesson_types::{
    ApiError, ErrorCode, LessonView, OpenProposal, Proposals, SettleProposal, limits,
};
use serde_json::Value;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn list_proposals(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Proposals>, ApiError> {
        validate::no_body(body)?;
        let state = self.state.borrow();
        let mut open: Vec<(&Lesson, &Proposal)> = state
            .space
            .lessons()
            .flat_map(|lesson| lesson.proposals.iter().map(move |held| (lesson, held)))
            .collect();
        open.sort_by_key(|(lesson, held)| (held.at, &lesson.slug));
        let total = count(open.len());
        open.truncate(limits::PAGE);
        Ok(Answer::json(Proposals {
            proposals: open.into_iter().map(|(of, held)| one(of, held)).collect(),
            total,
        }))
    }

    pub(crate) async fn settle_proposal(
        &self,
        context: &RequestContext,
        slug: &str,
        id: &str,
        word: SettleProposal,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::optional("content_hash", word.content_hash.as_ref(), limits::ID)?;
        validate::optional("reason", word.reason.as_ref(), limits::DESCRIPTION)?;
        let reason = word.reason.as_deref().unwrap_or_default().trim();
        self.commit(context, |state, _| {
            let held = known(state, slug)?;
            let settled = EventKind::ProposalSettled {
                lesson: slug.to_owned(),
                proposal: id.to_owned(),
                accepted: word.accept,
                reason: reason.to_owned(),
            };
            let mut plan = vec![settled];
            // One that is not there is refused by the fold, which knows why.
            if let Some(proposal) = held.proposal(id).filter(|_| word.accept) {
                if word
                    .content_hash
                    .as_ref()
                    .is_some_and(|seen| *seen != held.text.content_hash())
                {
                    return Err(ApiError::new(
                        ErrorCode::Conflict,
                        format!(
                            "`{slug}` has changed since the proposal was read; look at the proposal against the text now in force"
                        ),
                    )
                    .at("content_hash"));
                }
                plan.extend(accepted(held, proposal, reason)?);
            }
            Ok((Plan::of(plan), ()))
        })
        .await?;
        self.shown(context.is_agent(), slug)
    }

    /// The answer to a change that became a proposal: the lesson as it is in force, and the proposal's id.
    pub(crate) fn proposed(&self, slug: &str, id: &str) -> Result<Answer<LessonView>, ApiError> {
        let state = self.state.borrow();
        let mut view = self.measured_view(true, &state, known(&state, slug)?);
        view.proposed = Some(id.to_owned());
        Ok(Answer::json(view).accepted())
    }
}

/// Makes the events of an accepted proposal, for the lesson as it is now.
fn accepted(held: &Lesson, proposal: &Proposal, reason: &str) -> Result<Vec<EventKind>, ApiError> {
    if proposal.archive {
        return Ok(vec![EventKind::LessonArchived {
            lesson: held.slug.clone(),
        }]);
    }
    let text = proposal.changes.applied_to(&held.text);
    bounds::text(&text)?;
    bounds::size(&text, Some(&held.text))?;
    let (screened, _) = screen_named(&text, &held.slug, &held.source);
    bounds::text(&screened.text)?;
    let changes = Changes::between(&held.text, &screened.text);
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    if screened.trust == Trust::Quarantined && reason.is_empty() {
        return Err(ApiError::invalid("reason", WANTS_REASON));
    }
    let content_hash = screened.text.content_hash();
    let edited = EventKind::LessonEdited {
        lesson: held.slug.clone(),
        base_rev: held.rev,
        changes: Box::new(changes),
        trust: screened.trust,
        findings: screened.findings,
    };
    // A person who accepts stands behind the change, not behind a text that nobody has approved.
    let approved = held.is_vouched_for().then(|| EventKind::LessonReviewed {
        lesson: held.slug.clone(),
        verdict: Verdict::Approve,
        content_hash,
        reason: reason.to_owned(),
    });
    Ok(std::iter::once(edited).chain(approved).collect())
}

fn one(lesson: &Lesson, held: &Proposal) -> OpenProposal {
    OpenProposal {
        slug: lesson.slug.clone(),
        title: lesson.text.title.clone(),
        trust: lesson.trust,
        content_hash: lesson.text.content_hash(),
        proposal: view(lesson, held),
    }
}
