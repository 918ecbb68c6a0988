//! Failures of the server or the store: whom the machine tells what, and when it tries again.

use super::Machine;
use crate::effect::{Effect, Phase};
use crate::link::Change;
use crate::measure::{BACK_OFF, LONGEST, back_off, renumber};
use crate::remote::RemoteError;
use crate::store::StoreError;
use lesson_core::Millis;

impl Machine {
    pub(super) fn push_failed(&mut self, error: RemoteError, now: Millis, random: u128) -> Effect {
        match error {
            RemoteError::TooLarge if self.batch.len() > 1 => {
                self.most = Some(self.batch.len() / 2);
                self.again()
            }
            RemoteError::TooLarge => self.failed(
                RemoteError::Refused("The server refuses a single event as too large. Raise the limit for requests on the server or on the proxy before it.".to_owned()),
                now,
                random,
            ),
            RemoteError::ActorTaken => {
                let mut change = Change::to(self.link.clone());
                let after = self.link.acked;
                renumber(&mut change, after, now, random);
                self.commit_renumbered(change, now, random)
            }
            // Nothing is read meanwhile: rows may hold what is on top of them.
            other => self.failed(other, now, random),
        }
    }

    pub(super) fn failed(&mut self, error: RemoteError, now: Millis, random: u128) -> Effect {
        self.failures = self.failures.saturating_add(1);
        let wait = back_off(self.failures, random);
        let at = |wait: Millis| Some(now.saturating_add(wait));
        match error {
            RemoteError::Unauthorized if self.refreshed => self.sign_in_again(),
            RemoteError::Unauthorized => Effect::Refresh {
                link: Box::new(self.link.clone()),
            },
            RemoteError::NoAnswer(cause) => self.rest(
                Phase::Offline,
                Some(format!("The server can't be reached ({cause}). It is tried again by itself; everything is kept here meanwhile.")),
                at(wait),
            ),
            RemoteError::Trouble(cause) => self.rest(Phase::Trouble, Some(cause), at(wait)),
            RemoteError::TooLarge => self.rest(
                Phase::Trouble,
                Some("The server refuses a request as too large. It is tried again by itself.".to_owned()),
                at(wait),
            ),
            RemoteError::Busy(told) => {
                let told = told.map_or(wait, |told| Millis::try_from(told).unwrap_or(LONGEST));
                self.rest(
                    Phase::Trouble,
                    Some("The server is busy. It is tried again by itself.".to_owned()),
                    at(told.clamp(BACK_OFF, LONGEST)),
                )
            }
            RemoteError::ActorTaken => self.block("The server says that this device's events are another person's. Sign out and connect again.".to_owned(), now),
            RemoteError::NotFound => self.block("The space is not there, or you are no member of it any more. Ask its owner, or sign out and choose another.".to_owned(), now),
            RemoteError::Refused(cause) => self.block(cause, now),
        }
    }

    /// The server refuses in a way that repeating does not mend; it is asked now and then all the same.
    fn block(&mut self, cause: String, now: Millis) -> Effect {
        self.blocked = Some(now);
        self.rest(
            Phase::Blocked,
            Some(cause),
            Some(now.saturating_add(LONGEST)),
        )
    }

    pub(super) fn store_failed(&mut self, error: &StoreError, now: Millis, random: u128) -> Effect {
        self.failures = self.failures.saturating_add(1);
        let wait = back_off(self.failures, random);
        self.rest(
            Phase::Trouble,
            Some(format!(
                "What came from the server could not be kept here: {error}."
            )),
            Some(now.saturating_add(wait)),
        )
    }
}
