//! Withdrawn voices: nothing that one says counts, from a time on.
//!
//! The traces of a withdrawn voice can't be taken off a fold, as means don't say what went into them. So a ledger with a
//! withdrawal is folded anew, from a space that knows from the first event on which voices the ledger withdraws:
//! [`Space::for_ledger`]. Texts and lives keep the changes of a withdrawn voice, as what others did afterwards stands on them:
//! a key changes nothing but unapproved lessons of its own, and those are archived.

use super::Folded;
use super::self_vote_guard::{Uncounted, Voice, WhyUncounted, is_person};
use super::withdrawal::Withdrawal;
use crate::event::{Event, EventKind};
use crate::fold_error::{FoldError, conflict, invalid};
use crate::instant::Millis;
use crate::lesson::Lesson;
use crate::policy::Policy;
use crate::space::Space;
use lesson_types::{Verdict, limits};
use std::collections::BTreeSet;

impl EventKind {
    /// True if it changes what events before it count for, so that its ledger is folded anew.
    pub fn refolds(&self) -> bool {
        matches!(
            self,
            Self::VoiceWithdrawn { .. } | Self::VoiceReinstated { .. }
        )
    }
}

impl Space {
    /// An empty space to fold these events into: it knows which voices they withdraw, and, where they do, which of the events were
    /// refused when they came. Costs a fold for each withdrawal, and each end of one.
    pub fn for_ledger<'a>(
        events: impl IntoIterator<Item = &'a Event, IntoIter: Clone>,
        policy: &Policy,
    ) -> Self {
        let events = events.into_iter();
        if !events.clone().any(|event| event.event.refolds()) {
            return Self::new();
        }
        // As a server takes them: each by the ledger before it, which is folded anew after each word on a voice.
        let mut taken: Vec<&Event> = Vec::new();
        let mut refused = BTreeSet::new();
        let mut space = Self::new();
        for event in events {
            match space.fold(event, policy) {
                Ok(Folded::Applied) => taken.push(event),
                Ok(Folded::Duplicate) => continue,
                Err(_) => {
                    refused.insert(named(event));
                    continue;
                }
            }
            if event.event.refolds() {
                space = Self::knowing(&taken);
                for event in &taken {
                    // None is refused: all were taken.
                    let _ = space.fold(event, policy);
                }
            }
        }
        Self {
            refused,
            ..Self::knowing(&taken)
        }
    }

    /// An empty space that knows which voices these events, which were all taken, withdraw.
    fn knowing(events: &[&Event]) -> Self {
        let mut space = Self::new();
        for event in events {
            let (voice, since, lifted) = match &event.event {
                EventKind::VoiceWithdrawn { voice, since } => (voice, *since, false),
                EventKind::VoiceReinstated { voice } => (voice, None, true),
                _ => continue,
            };
            let ahead = space.withdrawn.get(voice).map_or(0, |held| held.ahead) + 1;
            let held = Withdrawal {
                since,
                ahead,
                lifted,
            };
            space.withdrawn.insert(voice.clone(), held);
        }
        space
    }

    /// True if an event was refused when it came, by a ledger that is folded anew.
    pub(super) fn was_refused(&self, event: &Event) -> bool {
        !self.refused.is_empty() && self.is_refolding() && self.refused.contains(&named(event))
    }

    /// True while events are folded that a withdrawal, or the end of one, is yet to follow. They were taken when other voices
    /// counted, and stay taken: none is refused for what it contradicts now. Texts and lives change as they say; a word that
    /// was said before, or on what is not there, counts for nothing.
    pub(super) fn is_refolding(&self) -> bool {
        self.withdrawn.values().any(|held| held.ahead > 0)
    }

    /// The voices that count for nothing, in the order of their names.
    pub fn withdrawn(&self) -> impl ExactSizeIterator<Item = (&str, &Withdrawal)> {
        self.withdrawn
            .iter()
            .map(|(voice, held)| (voice.as_str(), held))
    }

    /// True if nothing counts that `by` says at this time.
    pub fn is_muted(&self, by: &str, at: Millis) -> bool {
        self.withdrawn.get(by).is_some_and(|held| held.covers(at))
    }

    /// Lessons that the withdrawal of a voice archives: those that it added since then and that are in use.
    pub fn lessons_of<'a>(
        &'a self,
        voice: &'a str,
        since: Option<Millis>,
    ) -> impl Iterator<Item = &'a Lesson> {
        self.lessons().filter(move |lesson| {
            lesson.by == voice && since.is_none_or(|since| lesson.created_at >= since)
        })
    }

    /// Folds an event of a withdrawn voice: what would be refused is refused, and of the rest nothing counts.
    pub(super) fn fold_muted(
        &mut self,
        event: &EventKind,
        voice: Voice<'_>,
        policy: &Policy,
    ) -> Result<Vec<Uncounted>, FoldError> {
        if !voice.anew {
            self.check_alone(event, voice.by, voice.at, policy)?;
        }
        let is_past = self
            .withdrawn
            .get(voice.by)
            .is_some_and(|held| held.ahead == 0);
        let of = |lessons: &[&String]| {
            let of = |lesson: &&String| Uncounted {
                lesson: (*lesson).clone(),
                why: WhyUncounted::Withdrawn,
            };
            lessons.iter().map(of).collect()
        };
        match event {
            EventKind::LessonAdded { lesson } => {
                self.live(event, voice, policy)?;
                if is_past && let Some(mut held) = self.lessons.get_mut(&lesson.slug) {
                    held.archived = true;
                }
                Ok(Vec::new())
            }
            EventKind::LessonRestored { .. } | EventKind::ChangeProposed { .. } if is_past => {
                Ok(Vec::new())
            }
            EventKind::LessonEdited { .. }
            | EventKind::LessonArchived { .. }
            | EventKind::LessonRestored { .. }
            | EventKind::LessonsMerged { .. }
            | EventKind::ChangeProposed { .. }
            | EventKind::ProposalSettled { .. }
            // A lesson that was held back stays so: what agents did since stands on it.
            | EventKind::LessonReviewed {
                verdict: Verdict::Quarantine,
                ..
            } => {
                self.live(event, voice, policy)?;
                Ok(Vec::new())
            }
            EventKind::Surfaced { .. } => self.experience(event, voice),
            EventKind::OutcomeRecorded { decision_id, .. } => {
                // Others may have spoken of it since.
                self.decisions.entry(decision_id.clone()).or_default();
                Ok(Vec::new())
            }
            EventKind::Rated { lesson, .. }
            | EventKind::Voted { lesson, .. }
            | EventKind::TrialGranted { lesson } => Ok(of(&[lesson])),
            EventKind::FeedbackGiven { lessons, .. } => {
                let mut named: Vec<&String> = lessons.iter().collect();
                named.sort_unstable();
                named.dedup();
                Ok(of(&named))
            }
            EventKind::UsageTracked { .. }
            | EventKind::LessonReviewed { .. }
            | EventKind::PolicyChanged { .. }
            | EventKind::ToolSucceeded { .. }
            | EventKind::VoiceWithdrawn { .. }
            | EventKind::VoiceReinstated { .. } => Ok(Vec::new()),
        }
    }

    /// Withdraws a voice: what it says later counts for nothing, its lessons are archived, its proposals are gone. What it said
    /// before counts until the ledger is folded anew.
    pub(super) fn withdraw(
        &mut self,
        name: &str,
        since: Option<Millis>,
        voice: Voice<'_>,
    ) -> Result<(), FoldError> {
        check_withdrawal(name, voice.by)?;
        match self.withdrawn.get_mut(name) {
            Some(held) if held.ahead > 0 => held.ahead -= 1,
            _ => {
                let held = Withdrawal {
                    since,
                    ..Withdrawal::default()
                };
                self.withdrawn.insert(name.to_owned(), held);
            }
        }
        // The last event about it decides.
        let Some(&Withdrawal {
            since, ahead: 0, ..
        }) = self.withdrawn.get(name)
        else {
            return Ok(());
        };
        let in_use = self
            .lessons_of(name, since)
            .filter(|lesson| !lesson.archived);
        let archived: Vec<String> = in_use.map(|lesson| lesson.slug.clone()).collect();
        for slug in archived {
            let mut held = self.known_mut(&slug)?;
            held.archived = true;
            held.proposals.clear();
            held.updated_at = voice.at;
        }
        let proposed = self.lessons().filter(|lesson| {
            let mut proposals = lesson.proposals.iter();
            proposals.any(|held| held.by == name && since.is_none_or(|since| held.at >= since))
        });
        let proposed: Vec<String> = proposed.map(|lesson| lesson.slug.clone()).collect();
        for slug in proposed {
            self.known_mut(&slug)?
                .proposals
                .retain(|held| held.by != name || since.is_some_and(|since| held.at < since));
        }
        Ok(())
    }

    /// Takes a withdrawal back. What it undid is there again once the ledger is folded anew.
    pub(super) fn reinstate(&mut self, name: &str, by: &str) -> Result<(), FoldError> {
        check_withdrawal(name, by)?;
        if let Some(held) = self.withdrawn.get_mut(name) {
            held.ahead = held.ahead.saturating_sub(1);
            if held.ahead == 0 {
                self.withdrawn.remove(name);
            }
        }
        Ok(())
    }
}

/// Identifies an event, apart from another with its id.
fn named(event: &Event) -> (String, String, u64) {
    (event.op_id.clone(), event.actor.clone(), event.seq)
}

/// Refuses a withdrawal of what is no voice, by no person, or of one's own voice.
fn check_withdrawal(voice: &str, by: &str) -> Result<(), FoldError> {
    let is_named = ["agent:", "person:"]
        .iter()
        .any(|kind| voice.strip_prefix(kind).is_some_and(|id| !id.is_empty()));
    if !is_named || voice.chars().count() > limits::ID {
        return Err(invalid(
            "voice",
            "a voice is `agent:` and the id of a key, or `person:` and the id of an account",
        ));
    }
    if !is_person(by) {
        return Err(conflict(
            "voice",
            "a person withdraws a voice, and takes that back; no key does",
        ));
    }
    if voice == by {
        return Err(conflict(
            "voice",
            "nobody withdraws their own voice, or takes its withdrawal back; another member of the space does",
        ));
    }
    Ok(())
}
