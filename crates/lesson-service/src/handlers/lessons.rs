//! Lessons: making, reading, changing, reviewing, merging them, and their history.

use crate::convert::{self, Reading};
use crate::handlers::lift_view::{in_short, measured_of};
use crate::handlers::proposing::{proposal, view};
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::bounds;
use crate::http::context::RequestContext;
use crate::http::fault::{no_lesson, of_fold};
use crate::http::redact;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{
    Changes, DAY, EventKind, FoldError, Lesson, Millis, Space, Text, Trust, Verdict, slug_for,
};
use lesson_screen::{Screened, screen_named};
use lesson_sync::Store;
use lesson_types::{
    ApiError, Badge, ErrorCode, LessonPatch, LessonView, Merge, NewLesson, Review, limits,
};
use serde_json::Value;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn add_lesson(
        &self,
        context: &RequestContext,
        new: NewLesson,
    ) -> Result<Answer<LessonView>, ApiError> {
        if let Some(slug) = &new.slug {
            redact::new_slug(slug, &new.title)?;
        }
        validate::optional("source", new.source.as_ref(), limits::WORD)?;
        let (slug, source) = (new.slug.clone(), new.source.clone().unwrap_or_default());
        let text = new_text(new);
        bounds::text(&text)?;
        bounds::size(&text, None)?;
        let (screened, source) = screen_named(&text, slug.as_deref().unwrap_or_default(), &source);
        // Screening writes out what is invisible, which takes more room.
        bounds::text(&screened.text)?;
        validate::optional("source", Some(&source), limits::WORD)?;
        let slug = self
            .commit(context, |state, at| {
                let slug = match &slug {
                    Some(slug) => slug.clone(),
                    None => free_slug(&state.space, &screened.text),
                };
                let mut lesson = Lesson::new(slug.clone(), screened.text.clone(), &source, at);
                lesson.trust = screened.trust;
                lesson.findings.clone_from(&screened.findings);
                has_room(state, context, 1, "title")?;
                let added = EventKind::LessonAdded {
                    lesson: Box::new(lesson),
                };
                Ok((Plan::one(added), slug))
            })
            .await?;
        self.shown(context.is_agent(), &slug)
    }

    pub(crate) fn get_lesson(
        &self,
        context: &RequestContext,
        slug: &str,
        body: &Value,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::no_body(body)?;
        self.readable(context, slug)?;
        self.shown(context.is_agent(), slug)
    }

    pub(crate) async fn edit_lesson(
        &self,
        context: &RequestContext,
        slug: &str,
        patch: LessonPatch,
    ) -> Result<Answer<LessonView>, ApiError> {
        let base_rev = patch.base_rev;
        let wanted = changes(patch);
        self.readable(context, slug)?;
        let proposed = self
            .commit(context, |state, at| {
                let held = known(state, slug)?;
                let text = wanted.applied_to(&held.text);
                bounds::text(&text)?;
                bounds::size(&text, Some(&held.text))?;
                let (screened, _) = screen_named(&text, &held.slug, &held.source);
                bounds::text(&screened.text)?;
                let changes = Changes::between(&held.text, &screened.text);
                if changes.is_empty() && held.rev == base_rev {
                    return Ok((Plan::default(), None));
                }
                if held.is_changed_only_by_proposal(context.by()) {
                    if held.rev != base_rev {
                        return Err(moved_on(held, base_rev));
                    }
                    let id = self.id(at);
                    let change = Some((base_rev, changes, screened));
                    let proposed = proposal(state, context, held, id.clone(), change)?;
                    return Ok((Plan::one(proposed), Some(id)));
                }
                let kept = kept_verdict(context.is_agent(), held, &screened);
                let edited = EventKind::LessonEdited {
                    lesson: slug.to_owned(),
                    base_rev,
                    changes: Box::new(changes),
                    trust: screened.trust,
                    findings: screened.findings,
                };
                let plan = Plan::of(std::iter::once(edited).chain(kept).collect());
                Ok((plan, None))
            })
            .await?;
        match proposed {
            Some(id) => self.proposed(slug, &id),
            None => self.shown(context.is_agent(), slug),
        }
    }

    pub(crate) async fn archive(
        &self,
        context: &RequestContext,
        slug: &str,
        body: &Value,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::no_body(body)?;
        self.readable(context, slug)?;
        let proposed = self
            .commit(context, |state, at| {
                let held = known(state, slug)?;
                if held.archived {
                    return Ok((Plan::default(), None));
                }
                if held.is_changed_only_by_proposal(context.by()) {
                    let id = self.id(at);
                    let proposed = proposal(state, context, held, id.clone(), None)?;
                    return Ok((Plan::one(proposed), Some(id)));
                }
                let lesson = slug.to_owned();
                Ok((Plan::one(EventKind::LessonArchived { lesson }), None))
            })
            .await?;
        match proposed {
            Some(id) => self.proposed(slug, &id),
            None => self.shown(context.is_agent(), slug),
        }
    }

    pub(crate) async fn restore(
        &self,
        context: &RequestContext,
        slug: &str,
        body: &Value,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::no_body(body)?;
        self.commit(context, |state, _| {
            let lesson = slug.to_owned();
            Ok((
                if known(state, slug)?.archived {
                    Plan::one(EventKind::LessonRestored { lesson })
                } else {
                    Plan::default()
                },
                (),
            ))
        })
        .await?;
        self.shown(context.is_agent(), slug)
    }

    pub(crate) async fn review(
        &self,
        context: &RequestContext,
        slug: &str,
        review: Review,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::optional("content_hash", review.content_hash.as_ref(), limits::ID)?;
        validate::optional("reason", review.reason.as_ref(), limits::DESCRIPTION)?;
        let reason = review.reason.as_deref().unwrap_or_default().trim();
        let verdict: Verdict = review.verdict;
        self.commit(context, |state, _| {
            let held = known(state, slug)?;
            let current = held.text.content_hash();
            let content_hash = review
                .content_hash
                .clone()
                .unwrap_or_else(|| current.clone());
            let wanted = match verdict {
                Verdict::Approve => Trust::Approved,
                Verdict::Quarantine => Trust::Quarantined,
            };
            if held.trust == wanted && content_hash == current {
                return Ok((Plan::default(), ()));
            }
            if wants_reason(held, verdict, reason) {
                return Err(ApiError::invalid("reason", WANTS_REASON));
            }
            let reviewed = EventKind::LessonReviewed {
                lesson: slug.to_owned(),
                verdict,
                content_hash,
                reason: reason.to_owned(),
            };
            Ok((Plan::one(reviewed), ()))
        })
        .await?;
        self.shown(context.is_agent(), slug)
    }

    pub(crate) async fn merge(
        &self,
        context: &RequestContext,
        merge: Merge,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::slug("into", &merge.into)?;
        validate::slugs("from", &merge.from, 1)?;
        self.commit(context, |state, _| {
            // The fold names only the lesson; say which field it stood in.
            for (field, slug) in std::iter::once(("into", &merge.into))
                .chain(merge.from.iter().map(|slug| ("from", slug)))
            {
                if state.space.lesson(slug).is_none() {
                    return Err(of_fold(&FoldError::UnknownLesson(slug.clone())).at(field));
                }
            }
            let merged = EventKind::LessonsMerged {
                into: merge.into.clone(),
                from: merge.from.clone(),
            };
            Ok((Plan::one(merged), ()))
        })
        .await?;
        self.shown(context.is_agent(), &merge.into)
    }

    /// A lesson as people and agents see it.
    pub(crate) fn view(&self, lesson: &Lesson) -> LessonView {
        LessonView {
            store: self.name,
            ..convert::lesson(lesson, &self.reading(&self.state.borrow()))
        }
    }

    /// Returns the constants and the time by which standings are read now.
    pub(crate) fn reading(&self, state: &State) -> Reading {
        Reading {
            policy: state.in_force(&self.policy),
            now: self.today(),
        }
    }

    /// The beginning of this day, by UTC: what is believed of a lesson is read as of then, so that answers of a day are alike
    /// until something happens.
    pub(crate) fn today(&self) -> Millis {
        let now = self.host.now();
        now - now.rem_euclid(DAY)
    }

    /// A lesson's badge as it reads now.
    pub(crate) fn badge(&self, lesson: &Lesson) -> Badge {
        self.reading(&self.state.borrow()).badge(&lesson.standing)
    }

    /// The answer that shows a lesson.
    pub(crate) fn shown(
        &self,
        is_for_agent: bool,
        slug: &str,
    ) -> Result<Answer<LessonView>, ApiError> {
        let state = self.state.borrow();
        Ok(Answer::json(self.measured_view(
            is_for_agent,
            &state,
            known(&state, slug)?,
        )))
    }

    /// A lesson with what was measured of it.
    pub(crate) fn measured_view(
        &self,
        is_for_agent: bool,
        state: &State,
        lesson: &Lesson,
    ) -> LessonView {
        let measured = self
            .held
            .measured(|| measured_of(state, &self.reading(state), &lesson.slug));
        // Proposals of one key are for people to read, not for other agents.
        let proposals = match is_for_agent {
            true => &[][..],
            false => &lesson.proposals,
        };
        LessonView {
            measured: measured.map(|held| in_short(&held, is_for_agent)),
            proposals: proposals.iter().map(|held| view(lesson, held)).collect(),
            extra: match is_for_agent {
                true => String::new(),
                false => lesson.text.extra.clone(),
            },
            ..self.view(lesson)
        }
    }
}

/// A lesson by its slug.
pub(crate) fn known<'a>(state: &'a State, slug: &str) -> Result<&'a Lesson, ApiError> {
    state.space.lesson(slug).ok_or_else(|| no_lesson(slug))
}

/// A slug made of the title that no lesson has: with a number behind it if need be, and of the
/// content's hash when the title has no letter that fits.
fn free_slug(space: &Space, text: &Text) -> String {
    let mut stem = slug_for(&text.title);
    if stem.is_empty() {
        let hash = text.content_hash();
        stem = format!("lesson-{}", &hash[..8.min(hash.len())]);
    }
    if space.lesson(&stem).is_none() {
        return stem;
    }
    // One of the first n + 1 numbers is free when there are n lessons.
    (2u64..)
        .map(|n| {
            let number = format!("-{n}");
            let head = stem.get(..limits::NEW_SLUG - number.len()).unwrap_or(&stem);
            format!("{}{number}", head.trim_end_matches('-'))
        })
        .find(|slug| space.lesson(slug).is_none())
        .unwrap_or(stem)
}

fn new_text(new: NewLesson) -> Text {
    Text {
        title: new.title.trim().to_owned(),
        description: new.description.unwrap_or_default(),
        context: new.context.unwrap_or_default(),
        recommendation: new.recommendation.unwrap_or_default(),
        category: new.category.unwrap_or_default(),
        domain: trimmed(new.domain.unwrap_or_default()),
        project_types: new.project_types.unwrap_or_default(),
        tech_stacks: new.tech_stacks.unwrap_or_default(),
        tags: new.tags.unwrap_or_default(),
        extra: String::new(),
    }
}

fn changes(patch: LessonPatch) -> Changes {
    Changes {
        title: patch.title.map(trimmed),
        description: patch.description,
        context: patch.context,
        recommendation: patch.recommendation,
        category: patch.category,
        domain: patch.domain.map(trimmed),
        project_types: patch.project_types,
        tech_stacks: patch.tech_stacks,
        tags: patch.tags,
        extra: patch.extra,
    }
}

fn trimmed(text: String) -> String {
    text.trim().to_owned()
}

/// The verdict that an edit of nothing but tags leaves in force: tags are for finding a lesson, nobody is told them as advice.
/// An agent keeps no approval of its own accord, and none stays where the tags themselves are what was found.
pub(crate) fn kept_verdict(is_agent: bool, held: &Lesson, now: &Screened) -> Option<EventKind> {
    let verdict = match held.trust {
        Trust::Approved
            if !is_agent && !held.approved_by_agent && held.findings == now.findings =>
        {
            Verdict::Approve
        }
        Trust::Quarantined if now.trust != Trust::Quarantined => Verdict::Quarantine,
        _ => return None,
    };
    let untagged = Text {
        tags: held.text.tags.clone(),
        ..now.text.clone()
    };
    (untagged == held.text && now.text != held.text).then(|| EventKind::LessonReviewed {
        lesson: held.slug.clone(),
        verdict,
        content_hash: now.text.content_hash(),
        reason: "Only tags were changed".to_owned(),
    })
}

/// Words of the refusal when a text that is held back is approved without a reason.
pub(crate) const WANTS_REASON: &str = "this text is held back because of what was found in it; say why it may be recommended all the same";

/// True if an approval needs a reason: nobody lets out by a slip of the hand what screening held back.
pub(crate) fn wants_reason(held: &Lesson, verdict: Verdict, reason: &str) -> bool {
    verdict == Verdict::Approve && held.trust == Trust::Quarantined && reason.is_empty()
}

/// Says that a lesson is at another revision than the one that a change started from.
fn moved_on(held: &Lesson, base_rev: u32) -> ApiError {
    of_fold(&FoldError::Conflict {
        field: "base_rev",
        reason: format!(
            "the edit started from revision {base_rev}, but `{}` is at revision {}; read it again and repeat the edit",
            held.slug, held.rev
        ),
    })
}

/// Refuses an agent's key more unreviewed lessons than it may have.
///
/// # Errors
/// A conflict at `field`, where these `added` ones are too many.
pub(crate) fn has_room(
    state: &State,
    context: &RequestContext,
    added: usize,
    field: &str,
) -> Result<(), ApiError> {
    if added == 0 {
        return Ok(());
    }
    let held = state.space.unvouched_of(context.by());
    // Only a key's lessons are counted.
    if held == 0 || held + added <= limits::UNREVIEWED {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::Conflict,
        format!(
            "review first: {held} lessons of this key are unreviewed, and it may have {}; ask a person to approve or archive some of them in Review, then send this again",
            limits::UNREVIEWED
        ),
    )
    .at(field))
}
