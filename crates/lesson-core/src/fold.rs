//! The fold: how each ledger event changes a space.
//!
//! Floats here use only `+ - * /` and comparisons, so that the same ledger gives the same bits
//! natively, in wasm and in SQL. An event that is refused changes nothing.

use crate::counts::{add_counts, qualify};
use crate::event::{Event, EventKind};
use crate::fold_error::{FoldError, conflict, invalid};
use crate::instant::{DAY, Millis};
use crate::learning::lift::{Belief, FIRST_VARIANCE};
use crate::lesson::{Lesson, Proposal};
use crate::lessons::Changing;
use crate::policy::Policy;
use crate::slug::is_slug;
use crate::space::Space;
use lesson_types::{Trust, Verdict};
use self_vote_guard::Voice;
use std::collections::{BTreeMap, BTreeSet};

mod decision;
mod proposals;
mod self_vote_guard;
mod setting;
mod teaching;
mod withdrawal;
mod withdrawn;

pub use self_vote_guard::{Uncounted, WhyUncounted};
pub use withdrawal::Withdrawal;

/// Result of folding an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    /// It was new and took effect.
    Applied,
    /// Its `op_id` had been folded before; nothing changed.
    Duplicate,
}

impl Space {
    /// Folds a whole ledger in its order; events that are refused are returned with their reason.
    pub fn of_ledger<'a>(
        events: impl IntoIterator<Item = &'a Event, IntoIter: Clone>,
        policy: &Policy,
    ) -> (Self, Vec<(&'a Event, FoldError)>) {
        let events = events.into_iter();
        let mut space = Self::for_ledger(events.clone(), policy);
        let mut refused = Vec::new();
        for event in events {
            if let Err(error) = space.fold(event, policy) {
                refused.push((event, error));
            }
        }
        (space, refused)
    }

    /// Folds one event.
    ///
    /// # Errors
    /// When the event contradicts the space or holds a value out of bounds; nothing has changed
    /// then.
    pub fn fold(&mut self, event: &Event, policy: &Policy) -> Result<Folded, FoldError> {
        self.fold_telling(event, policy).map(|(folded, _)| folded)
    }

    /// Folds one event, and tells what it says that does not count.
    ///
    /// # Errors
    /// As [`Space::fold`].
    pub fn fold_telling(
        &mut self,
        event: &Event,
        policy: &Policy,
    ) -> Result<(Folded, Vec<Uncounted>), FoldError> {
        if self.seen.contains(&event.op_id) {
            return Ok((Folded::Duplicate, Vec::new()));
        }
        if event.op_id.is_empty() {
            return Err(invalid("op_id", "an event needs an op_id; use a UUIDv7"));
        }
        if self.was_refused(event) {
            return Err(conflict("event", "it was refused when it came"));
        }
        let uncounted = self.apply(&event.event, &event.by, event.at, policy)?;
        self.seen.insert(event.op_id.clone());
        let last = self.last_seq.entry(event.actor.clone()).or_insert(0);
        *last = (*last).max(event.seq);
        *self.activity.entry(event.at.div_euclid(DAY)).or_insert(0) += 1;
        Ok((Folded::Applied, uncounted))
    }

    /// Changes the space by what happened, and tells what of it does not count.
    pub(crate) fn apply(
        &mut self,
        event: &EventKind,
        by: &str,
        at: Millis,
        policy: &Policy,
    ) -> Result<Vec<Uncounted>, FoldError> {
        let voice = self.voice(by, at, &policy.fold);
        let uncounted = match event {
            EventKind::VoiceWithdrawn { voice: name, since } => {
                self.withdraw(name, *since, voice)?;
                Vec::new()
            }
            EventKind::VoiceReinstated { voice: name } => {
                self.reinstate(name, by)?;
                Vec::new()
            }
            _ if self.is_muted(by, at) => self.fold_muted(event, voice, policy)?,
            EventKind::TrialGranted { lesson } => {
                let mut held = self.known_mut(lesson)?;
                held.updated_at = at;
                let why = voice.moves(&mut held, |standing| {
                    standing.consecutive_failures = 0;
                    standing.trial_from = standing.times_applied;
                    standing.believe(Belief::default());
                });
                uncounted(lesson, why)
            }
            EventKind::Surfaced { .. }
            | EventKind::UsageTracked { .. }
            | EventKind::OutcomeRecorded { .. }
            | EventKind::FeedbackGiven { .. }
            | EventKind::Rated { .. }
            | EventKind::Voted { .. } => self.experience(event, voice)?,
            _ => {
                self.live(event, voice, policy)?;
                Vec::new()
            }
        };
        self.note_writer(by, &policy.fold);
        Ok(uncounted)
    }

    /// Folds what changes texts, life and settings; another event changes nothing.
    fn live(
        &mut self,
        event: &EventKind,
        voice: Voice<'_>,
        policy: &Policy,
    ) -> Result<(), FoldError> {
        let at = voice.at;
        match event {
            EventKind::LessonAdded { lesson } => self.add(lesson, voice),
            EventKind::LessonEdited {
                lesson,
                base_rev,
                changes,
                trust,
                findings,
            } => {
                let mut held = self.known_mut(lesson)?;
                voice.may_change(&held)?;
                if held.rev != *base_rev {
                    return Err(conflict(
                        "base_rev",
                        format!(
                            "the edit started from revision {base_rev}, but `{lesson}` is at revision {}; read it again and repeat the edit",
                            held.rev
                        ),
                    ));
                }
                proposals::check_title(changes)?;
                let text = changes.applied_to(&held.text);
                if text.embedded() != held.text.embedded() {
                    held.move_standing(|standing| standing.believe(standing.lift().widened()));
                }
                held.text = text;
                if changes.is_read() {
                    held.text_at = Some(at);
                }
                held.rev = held.rev.saturating_add(1);
                voice.trusts(&mut held, *trust);
                held.findings.clone_from(findings);
                held.updated_at = at;
                Ok(())
            }
            EventKind::LessonArchived { lesson } => {
                let mut held = self.known_mut(lesson)?;
                voice.may_change(&held)?;
                held.archived = true;
                held.proposals.clear();
                held.updated_at = at;
                Ok(())
            }
            EventKind::LessonRestored { lesson } => {
                let mut held = self.known_mut(lesson)?;
                voice.may_change(&held)?;
                held.archived = false;
                held.merged_into = None;
                held.updated_at = at;
                Ok(())
            }
            EventKind::LessonReviewed {
                lesson,
                verdict,
                content_hash,
                ..
            } => {
                let mut held = self.known_mut(lesson)?;
                voice.may_change(&held)?;
                if held.text.content_hash() != *content_hash {
                    return Err(conflict(
                        "content_hash",
                        format!(
                            "`{lesson}` has changed since it was read; read it again before reviewing it"
                        ),
                    ));
                }
                let trust = match verdict {
                    Verdict::Approve => Trust::Approved,
                    Verdict::Quarantine => Trust::Quarantined,
                };
                voice.trusts(&mut held, trust);
                held.updated_at = at;
                Ok(())
            }
            EventKind::LessonsMerged { into, from } => self.merge(into, from, voice),
            EventKind::ChangeProposed {
                lesson,
                proposal,
                base_rev,
                changes,
                archive,
                trust,
                findings,
            } => self.propose(
                lesson,
                Proposal {
                    id: proposal.clone(),
                    by: voice.by.to_owned(),
                    at,
                    base_rev: *base_rev,
                    changes: (**changes).clone(),
                    archive: *archive,
                    trust: *trust,
                    findings: findings.clone(),
                },
                voice.anew,
            ),
            EventKind::ProposalSettled {
                lesson,
                proposal,
                accepted,
                ..
            } => self.settle_proposal(lesson, proposal, *accepted, voice),
            EventKind::PolicyChanged { changes } => self.set(changes),
            EventKind::ToolSucceeded { query, server } => {
                self.tools.record(query, server, at, &policy.tools);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn known(&self, slug: &str) -> Result<&Lesson, FoldError> {
        self.lessons
            .get(slug)
            .ok_or_else(|| FoldError::UnknownLesson(slug.to_owned()))
    }

    fn known_mut(&mut self, slug: &str) -> Result<Changing<'_>, FoldError> {
        self.lessons
            .get_mut(slug)
            .ok_or_else(|| FoldError::UnknownLesson(slug.to_owned()))
    }

    fn add(&mut self, lesson: &Lesson, voice: Voice<'_>) -> Result<(), FoldError> {
        if !is_slug(&lesson.slug) {
            return Err(invalid(
                "slug",
                format!(
                    "`{}` is not a slug; use lower-case letters, digits and single hyphens, at most 128",
                    lesson.slug
                ),
            ));
        }
        if lesson.text.title.trim().is_empty() {
            return Err(invalid("title", "a lesson needs a title"));
        }
        for (field, value, least, most) in [
            ("confidence", lesson.standing.confidence, 0.0, 1.0),
            ("effectiveness", lesson.standing.effectiveness, 0.0, 1.0),
            ("lift_mean", lesson.standing.lift_mean, -1.0, 1.0),
            (
                "lift_variance",
                lesson.standing.lift_variance,
                0.0,
                FIRST_VARIANCE,
            ),
        ] {
            if !(least..=most).contains(&value) {
                return Err(invalid(
                    field,
                    format!("{field} is {value}; it has to be between {least} and {most}"),
                ));
            }
        }
        if self.lessons.contains_key(&lesson.slug) {
            return Err(FoldError::SlugTaken(lesson.slug.clone()));
        }
        // Whatever it says of who added it, of when its text changed, and of what is to be counted: the ledger knows.
        let mut lesson = Lesson {
            by: voice.by.to_owned(),
            text_at: None,
            pending_standing: None,
            counted_on: BTreeMap::new(),
            proposals: Vec::new(),
            ..lesson.clone()
        };
        let trust = lesson.trust;
        voice.trusts(&mut lesson, trust);
        self.lessons.insert(lesson);
        Ok(())
    }

    fn merge(&mut self, into: &str, from: &[String], voice: Voice<'_>) -> Result<(), FoldError> {
        let Voice {
            at, policy, anew, ..
        } = voice;
        let from: BTreeSet<&String> = from.iter().collect();
        if from.is_empty() {
            return Err(invalid("from", "name at least one lesson to merge"));
        }
        if from.iter().any(|slug| *slug == into) {
            return Err(invalid(
                "from",
                format!("`{into}` can't be merged into itself"),
            ));
        }
        let target = self.known(into)?;
        voice.may_change(target)?;
        if target.archived && !anew {
            return Err(conflict(
                "into",
                format!("`{into}` is archived; restore it before merging into it"),
            ));
        }
        let mut sum = target.standing.clone();
        let mut pending_standing = target.pending_standing.clone();
        for slug in &from {
            let other = self.known(slug)?;
            voice.may_change(other)?;
            if other.archived && !anew {
                return Err(conflict(
                    "from",
                    format!("`{slug}` is archived; restore it before merging it"),
                ));
            }
            add_counts(&mut sum, &other.standing);
            if let Some(pending_standing) = &mut pending_standing {
                add_counts(pending_standing, &other.standing);
            }
        }
        for slug in from {
            let mut other = self.known_mut(slug)?;
            other.archived = true;
            other.proposals.clear();
            other.merged_into = Some(into.to_owned());
            other.updated_at = at;
        }
        let mut target = self.known_mut(into)?;
        target.standing = sum;
        target.pending_standing = pending_standing;
        target.move_standing(|held| qualify(held, at, policy));
        target.updated_at = at;
        Ok(())
    }
}

fn uncounted(lesson: &str, why: Option<WhyUncounted>) -> Vec<Uncounted> {
    let lesson = || lesson.to_owned();
    why.map(|why| Uncounted {
        lesson: lesson(),
        why,
    })
    .into_iter()
    .collect()
}
