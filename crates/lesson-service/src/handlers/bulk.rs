//! `POST /v1/lessons/bulk`: one act on many lessons, stored together, with the requests that take it back.

use crate::handlers::lessons::{WANTS_REASON, kept_verdict, known, wants_reason};
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::bounds;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{Changes, EventKind, Lesson, Text, Trust, Verdict};
use lesson_screen::screen_named;
use lesson_sync::Store;
use lesson_types::{ApiError, Bulk, BulkAct, BulkDone, BulkItem, BulkRefusal, ErrorCode, limits};
use std::collections::{BTreeMap, BTreeSet};

/// The parts that bring one lesson back: the act, its tags, and the text that it will find.
type Back = (BulkAct, Vec<String>, BulkItem);

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn bulk(
        &self,
        context: &RequestContext,
        bulk: Bulk,
    ) -> Result<Answer<BulkDone>, ApiError> {
        let bulk = checked(bulk)?;
        let done = self
            .commit(context, |state, _| {
                let mut done = BulkDone::default();
                let mut own = Vec::new();
                let mut back = BTreeMap::new();
                for item in &bulk.lessons {
                    match step(state, &bulk, item) {
                        Ok(None) => done.unchanged += 1,
                        Ok(Some((happening, undo))) => {
                            done.changed += 1;
                            own.extend(happening);
                            for (act, tags, item) in undo {
                                back.entry((late(act), act, tags))
                                    .or_insert_with(Vec::new)
                                    .push(item);
                            }
                        }
                        Err(error) => done.refused.push(BulkRefusal {
                            slug: item.slug.clone(),
                            code: error.code,
                            message: error.message,
                        }),
                    }
                }
                done.undo = back
                    .into_iter()
                    .map(|((_, act, tags), lessons)| Bulk {
                        act,
                        lessons,
                        tags,
                        // A lesson that was approved before may be so again.
                        reason: (act == BulkAct::Approve).then(|| TAKEN_BACK.to_owned()),
                    })
                    .collect();
                Ok((Plan::of(own), done))
            })
            .await?;
        Ok(Answer::json(done))
    }
}

/// Why a lesson is approved that was held back by the act which is taken back.
const TAKEN_BACK: &str = "Taken back";

/// Approvals come back after the text that they were given to.
fn late(act: BulkAct) -> bool {
    matches!(act, BulkAct::Approve | BulkAct::Quarantine)
}

/// The request within its bounds, each lesson once, tags without blanks around them.
fn checked(mut bulk: Bulk) -> Result<Bulk, ApiError> {
    let slugs: Vec<String> = bulk.lessons.iter().map(|item| item.slug.clone()).collect();
    validate::slugs("lessons", &slugs, 1)?;
    for (at, item) in bulk.lessons.iter().enumerate() {
        let field = format!("lessons[{at}].content_hash");
        validate::optional(&field, item.content_hash.as_ref(), limits::ID)?;
    }
    for tag in &mut bulk.tags {
        *tag = tag.trim().to_owned();
    }
    validate::words("tags", Some(&bulk.tags))?;
    validate::optional("reason", bulk.reason.as_ref(), limits::DESCRIPTION)?;
    let about_tags = matches!(bulk.act, BulkAct::Tag | BulkAct::Untag);
    if about_tags == bulk.tags.is_empty() {
        let message = if about_tags {
            format!("the act `{}` needs at least one tag", bulk.act)
        } else {
            format!("the act `{}` takes no tags; leave them out", bulk.act)
        };
        return Err(ApiError::invalid("tags", message));
    }
    let mut named = BTreeSet::new();
    bulk.lessons.retain(|item| named.insert(item.slug.clone()));
    Ok(bulk)
}

/// Events that an act makes of one lesson, and the acts that take it back.
type Step = (Vec<EventKind>, Vec<Back>);

/// Plans the act for one lesson; `None` when the lesson is so already.
fn step(state: &State, bulk: &Bulk, item: &BulkItem) -> Result<Option<Step>, ApiError> {
    let held = known(state, &item.slug)?;
    let hash = held.text.content_hash();
    if item.content_hash.as_ref().is_some_and(|seen| *seen != hash) {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            format!(
                "`{}` has changed since it was read; look at it again",
                held.slug
            ),
        ));
    }
    let lesson = held.slug.clone();
    let back = |act, tags: Vec<String>| {
        let item = BulkItem {
            slug: held.slug.clone(),
            content_hash: None,
        };
        (act, tags, item)
    };
    let reason = bulk.reason.as_deref().unwrap_or_default().trim();
    if bulk.act == BulkAct::Approve && wants_reason(held, Verdict::Approve, reason) {
        return Err(ApiError::invalid("reason", WANTS_REASON));
    }
    let reviewed = |verdict, wanted| {
        (held.trust != wanted).then(|| {
            let happening = EventKind::LessonReviewed {
                lesson: lesson.clone(),
                verdict,
                content_hash: hash.clone(),
                reason: reason.to_owned(),
            };
            (vec![happening], vec![verdict_of(held, &hash)])
        })
    };
    Ok(match bulk.act {
        BulkAct::Approve => reviewed(Verdict::Approve, Trust::Approved),
        BulkAct::Quarantine => reviewed(Verdict::Quarantine, Trust::Quarantined),
        BulkAct::Unreview => {
            let (screened, _) = screen_named(&held.text, &held.slug, &held.source);
            (held.trust != screened.trust).then(|| {
                let happening = EventKind::LessonEdited {
                    lesson: lesson.clone(),
                    base_rev: held.rev,
                    changes: Box::new(Changes::default()),
                    trust: screened.trust,
                    findings: screened.findings,
                };
                (vec![happening], vec![verdict_of(held, &hash)])
            })
        }
        BulkAct::Archive => (!held.archived).then(|| {
            let happening = EventKind::LessonArchived { lesson };
            (vec![happening], vec![back(BulkAct::Restore, Vec::new())])
        }),
        BulkAct::Restore => held.archived.then(|| {
            let happening = EventKind::LessonRestored { lesson };
            (vec![happening], vec![back(BulkAct::Archive, Vec::new())])
        }),
        BulkAct::Tag | BulkAct::Untag => {
            let add = bulk.act == BulkAct::Tag;
            let moved: Vec<String> = bulk
                .tags
                .iter()
                .filter(|tag| held.text.tags.contains(tag) != add)
                .cloned()
                .collect();
            if moved.is_empty() {
                return Ok(None);
            }
            let mut text = held.text.clone();
            if add {
                text.tags.extend(moved.iter().cloned());
            } else {
                text.tags.retain(|tag| !moved.contains(tag));
            }
            let happening = edited(held, &text)?;
            let opposite = if add { BulkAct::Untag } else { BulkAct::Tag };
            let mut undo = vec![back(opposite, moved)];
            // A text that is as it was has the verdict that it had.
            if add && held.trust != Trust::Unreviewed {
                undo.push(verdict_of(held, &hash));
            }
            Some((happening, undo))
        }
    })
}

/// The request that gives a lesson the trust that it has now.
fn verdict_of(held: &Lesson, hash: &str) -> Back {
    let act = match held.trust {
        Trust::Approved => BulkAct::Approve,
        Trust::Quarantined => BulkAct::Quarantine,
        Trust::Unreviewed => BulkAct::Unreview,
    };
    let item = BulkItem {
        slug: held.slug.clone(),
        content_hash: Some(hash.to_owned()),
    };
    (act, Vec::new(), item)
}

/// The edit, and the verdict that it leaves in force. Acts on many lessons are people's.
pub(crate) fn edited(held: &Lesson, text: &Text) -> Result<Vec<EventKind>, ApiError> {
    bounds::text(text)?;
    let (screened, _) = screen_named(text, &held.slug, &held.source);
    bounds::text(&screened.text)?;
    let kept = kept_verdict(false, held, &screened);
    let edited = EventKind::LessonEdited {
        lesson: held.slug.clone(),
        base_rev: held.rev,
        changes: Box::new(Changes::between(&held.text, &screened.text)),
        trust: screened.trust,
        findings: screened.findings,
    };
    Ok(std::iter::once(edited).chain(kept).collect())
}
