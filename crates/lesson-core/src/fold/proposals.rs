//! Proposals: what an agent's key would change of a lesson that is not its own unapproved one. A person decides; until then the text
//! in force stays as it is.

use super::self_vote_guard::Voice;
use crate::fold_error::{FoldError, conflict, invalid};
use crate::lesson::{Lesson, Proposal, is_agent};
use crate::space::Space;
use crate::text::Changes;
use lesson_types::limits;

impl Voice<'_> {
    /// Refuses an agent's change of a lesson that is not its own unapproved one: of text, life or verdict.
    pub(super) fn may_change(&self, lesson: &Lesson) -> Result<(), FoldError> {
        if !self.anew && lesson.is_changed_only_by_proposal(self.by) {
            return Err(conflict(
                "lesson",
                format!(
                    "`{}` is not an unapproved lesson of this key's own; propose the change, and a person decides",
                    lesson.slug
                ),
            ));
        }
        Ok(())
    }
}

impl Lesson {
    /// True if `by` is an agent's key that may only propose to change this lesson: it is another's, or a person stands
    /// behind it.
    pub fn is_changed_only_by_proposal(&self, by: &str) -> bool {
        is_agent(by) && (self.by != by || self.is_vouched_for())
    }

    /// An open proposal by its id.
    pub fn proposal(&self, id: &str) -> Option<&Proposal> {
        self.proposals.iter().find(|held| held.id == id)
    }
}

impl Space {
    /// Counts the open proposals of `by`. Costs a pass over the lessons.
    pub fn proposals_of(&self, by: &str) -> usize {
        let of = |lesson: &Lesson| lesson.proposals.iter().filter(|held| held.by == by).count();
        self.lessons().map(of).sum()
    }

    /// Keeps a proposal beside its lesson. A voice has one for a lesson: another takes the place of the one before.
    pub(super) fn propose(
        &mut self,
        slug: &str,
        new: Proposal,
        anew: bool,
    ) -> Result<(), FoldError> {
        let mut held = self.known_mut(slug)?;
        if anew {
            held.proposals.retain(|one| one.by != new.by);
            held.proposals.push(new);
            return Ok(());
        }
        if held.archived {
            return Err(conflict(
                "lesson",
                format!(
                    "{}; nothing is proposed for it until it is restored",
                    out_of_use(&held)
                ),
            ));
        }
        if new.id.is_empty() {
            return Err(invalid("proposal", "a proposal needs an id; use a UUIDv7"));
        }
        if new.archive != new.changes.is_empty() {
            return Err(invalid(
                "changes",
                "a proposal changes something of the lesson, or archives it: one of both",
            ));
        }
        check_title(&new.changes)?;
        if new.base_rev > held.rev {
            return Err(conflict(
                "base_rev",
                format!(
                    "the proposal started from revision {}, but `{slug}` is at revision {}; read it again and repeat the proposal",
                    new.base_rev, held.rev
                ),
            ));
        }
        if held.proposal(&new.id).is_some() {
            return Err(conflict(
                "proposal",
                format!("`{slug}` has a proposal `{}` already", new.id),
            ));
        }
        let others = held.proposals.iter().filter(|one| one.by != new.by).count();
        if others >= limits::LESSON_PROPOSALS {
            return Err(conflict(
                "lesson",
                format!(
                    "{others} proposals for `{slug}` wait for a person already; review them first"
                ),
            ));
        }
        held.proposals.retain(|one| one.by != new.by);
        held.proposals.push(new);
        Ok(())
    }

    /// Ends a proposal; what an accepted one changes comes as events of its own. An agent only takes back its own.
    pub(super) fn settle_proposal(
        &mut self,
        slug: &str,
        id: &str,
        is_accepted: bool,
        voice: Voice<'_>,
    ) -> Result<(), FoldError> {
        let mut held = self.known_mut(slug)?;
        let by = voice.by;
        if voice.anew {
            held.proposals.retain(|one| one.id != id);
            return Ok(());
        }
        let Some(proposal) = held.proposal(id) else {
            let why = if held.archived {
                format!("{}, which settled its proposals", out_of_use(&held))
            } else {
                format!(
                    "`{slug}` has no open proposal `{id}`; it was settled, or another took its place"
                )
            };
            return Err(conflict("proposal", why));
        };
        if is_agent(by) && (is_accepted || proposal.by != by) {
            return Err(conflict(
                "proposal",
                "a person decides on proposals; a key only takes back its own",
            ));
        }
        held.proposals.retain(|one| one.id != id);
        Ok(())
    }
}

/// Refuses a change to a title without a letter.
pub(super) fn check_title(changes: &Changes) -> Result<(), FoldError> {
    match &changes.title {
        Some(title) if title.trim().is_empty() => Err(invalid("title", "a lesson needs a title")),
        _ => Ok(()),
    }
}

fn out_of_use(lesson: &Lesson) -> String {
    match &lesson.merged_into {
        Some(into) => format!("`{}` was merged into `{into}`", lesson.slug),
        None => format!("`{}` is archived", lesson.slug),
    }
}
