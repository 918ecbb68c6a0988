//! Events that the server refused, and how a person settles them.

use crate::convert;
use crate::handlers::text_fields::changed_fields;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::{clip, of_store};
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::{Linked, State};
use lesson_core::{Changes, EventKind, Lesson, Text, to_rfc3339};
use lesson_screen::screen_named;
use lesson_sync::{Change, SetAside, Store};
use lesson_types::{
    ApiError, ConflictField, EditConflict, ErrorCode, SetAsideEvent, SetAsideList, Settle,
    Settlement,
};
use serde_json::Value;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn list_set_aside(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<SetAsideList>, ApiError> {
        validate::no_body(body)?;
        Ok(Answer::json(self.set_aside()))
    }

    fn set_aside(&self) -> SetAsideList {
        let state = self.state.borrow();
        let Some(linked) = &state.linked else {
            return SetAsideList::default();
        };
        let (conflicts, others) = sorted(&state, linked);
        SetAsideList {
            conflicts: conflicts
                .into_iter()
                .filter_map(|one| self.conflict(&state, one))
                .collect(),
            others: others.into_iter().map(event).collect(),
        }
    }

    fn conflict(&self, state: &State, one: &SetAside) -> Option<EditConflict> {
        let (slug, changes) = edit(one)?;
        let now = state.space.lesson(slug);
        let theirs = now.map(|lesson| lesson.text.clone()).unwrap_or_default();
        Some(EditConflict {
            id: one.event.op_id.clone(),
            at: to_rfc3339(one.event.at),
            now: now.map(|lesson| convert::lesson(lesson, &self.reading(state))),
            slug: slug.to_owned(),
            fields: conflicting(&theirs, &changes.applied_to(&theirs)),
        })
    }

    pub(crate) async fn settle(
        &self,
        context: &RequestContext,
        asked: Settle,
    ) -> Result<Answer<SetAsideList>, ApiError> {
        if asked.ids.is_empty() {
            return Err(ApiError::invalid(
                "ids",
                "ids is empty; name at least one event of GET /v1/sync/set-aside",
            ));
        }
        self.linked_or_refuse()?;
        let chosen: Vec<SetAside> = {
            let state = self.state.borrow();
            let held = state
                .linked
                .as_ref()
                .map_or(&[][..], |linked| &linked.set_aside);
            asked
                .ids
                .iter()
                .map(|id| {
                    held.iter()
                        .find(|one| one.event.op_id == *id)
                        .cloned()
                        .ok_or_else(|| {
                            ApiError::new(
                                ErrorCode::NotFound,
                                format!(
                                    "no event `{}` is set aside; ask for the list again",
                                    clip(id)
                                ),
                            )
                            .at("ids")
                        })
                })
                .collect::<Result<_, _>>()?
        };
        if asked.keep == Settlement::Mine {
            self.edit_again(context, &chosen).await?;
        }
        let _turn = self.sync.turn.lock().await;
        let link = self.linked_or_refuse()?;
        let change = Change {
            settled: asked.ids,
            ..Change::to(link.clone())
        };
        self.store
            .commit(link.revision, change)
            .await
            .map_err(|error| of_store(&error))?;
        self.catch_up().await?;
        Ok(Answer::json(self.set_aside()))
    }

    /// Makes edits again on top of the texts that are in force.
    async fn edit_again(
        &self,
        context: &RequestContext,
        chosen: &[SetAside],
    ) -> Result<(), ApiError> {
        self.commit(context, |state, _| {
            let mut own: Vec<EventKind> = Vec::new();
            for one in chosen {
                let Some((slug, changes)) = edit(one) else {
                    return Err(ApiError::invalid(
                        "keep",
                        "only edits can be made again; choose `theirs` for other events",
                    ));
                };
                let held = crate::handlers::lessons::known(state, slug)?;
                let again = edited(held, changes, own.iter());
                own.extend(again);
            }
            Ok((Plan::of(own), ()))
        })
        .await
    }
}

/// The event that makes an edit again; nothing when the text says it already. `before` are events
/// of the same batch.
fn edited<'a>(
    held: &Lesson,
    changes: &Changes,
    before: impl Iterator<Item = &'a EventKind>,
) -> Option<EventKind> {
    let (mut text, mut rev) = (held.text.clone(), held.rev);
    for event in before {
        if let EventKind::LessonEdited {
            lesson, changes, ..
        } = event
            && *lesson == held.slug
        {
            text = changes.applied_to(&text);
            rev = rev.saturating_add(1);
        }
    }
    let (screened, _) = screen_named(&changes.applied_to(&text), &held.slug, &held.source);
    let changes = Changes::between(&text, &screened.text);
    (!changes.is_empty()).then(|| EventKind::LessonEdited {
        lesson: held.slug.clone(),
        base_rev: rev,
        changes: Box::new(changes),
        trust: screened.trust,
        findings: screened.findings,
    })
}

/// Events that were refused and that a person should see: conflicting edits, and the others. Conflicts that are already
/// in effect are hidden.
pub(crate) fn sorted<'a>(
    state: &State,
    linked: &'a Linked,
) -> (Vec<&'a SetAside>, Vec<&'a SetAside>) {
    linked
        .set_aside
        .iter()
        .filter(|one| !is_there(state, one))
        .partition(|one| one.field == "base_rev" && edit(one).is_some())
}

/// True if the event's effect is there already: another device added the same lesson, or the text equals the edit's.
fn is_there(state: &State, one: &SetAside) -> bool {
    match &one.event.event {
        EventKind::LessonAdded { lesson } => state
            .space
            .lesson(&lesson.slug)
            .is_some_and(|held| held.text == lesson.text),
        EventKind::LessonEdited {
            lesson, changes, ..
        } => state
            .space
            .lesson(lesson)
            .is_some_and(|held| changes.applied_to(&held.text) == held.text),
        _ => false,
    }
}

fn edit(one: &SetAside) -> Option<(&str, &Changes)> {
    match &one.event.event {
        EventKind::LessonEdited {
            lesson, changes, ..
        } => Some((lesson, changes)),
        _ => None,
    }
}

fn event(one: &SetAside) -> SetAsideEvent {
    SetAsideEvent {
        id: one.event.op_id.clone(),
        at: to_rfc3339(one.event.at),
        kind: one.event.event.name().to_owned(),
        subject: subject(&one.event.event),
        field: one.field.clone(),
        reason: one.reason.clone(),
    }
}

/// The lesson or decision that an event is about.
fn subject(event: &EventKind) -> String {
    match event {
        EventKind::LessonAdded { lesson } => lesson.slug.clone(),
        EventKind::LessonEdited { lesson, .. }
        | EventKind::LessonArchived { lesson }
        | EventKind::LessonRestored { lesson }
        | EventKind::LessonReviewed { lesson, .. }
        | EventKind::TrialGranted { lesson }
        | EventKind::ChangeProposed { lesson, .. }
        | EventKind::ProposalSettled { lesson, .. }
        | EventKind::Rated { lesson, .. }
        | EventKind::Voted { lesson, .. } => lesson.clone(),
        EventKind::LessonsMerged { into, .. } => into.clone(),
        EventKind::Surfaced { context, .. } => context.decision_id.clone().unwrap_or_default(),
        EventKind::UsageTracked { decision_id, .. }
        | EventKind::OutcomeRecorded { decision_id, .. } => decision_id.clone(),
        EventKind::FeedbackGiven { lessons, .. } => lessons.join(", "),
        EventKind::ToolSucceeded { server, .. } => server.clone(),
        EventKind::VoiceWithdrawn { voice, .. } | EventKind::VoiceReinstated { voice } => {
            voice.clone()
        }
        EventKind::PolicyChanged { changes } => {
            let names: Vec<&str> = changes.keys().map(String::as_str).collect();
            names.join(", ")
        }
    }
}

/// The fields in which two texts differ.
fn conflicting(theirs: &Text, mine: &Text) -> Vec<ConflictField> {
    changed_fields(theirs, mine)
        .into_iter()
        .map(|field| ConflictField {
            name: field.name,
            theirs: field.before.unwrap_or_default(),
            mine: field.after,
        })
        .collect()
}
