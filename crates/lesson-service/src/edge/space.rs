//! A space in this isolate: its lessons in memory, kept the same as the server's.
//!
//! It is a replica like a browser's, over a store in memory. Nothing here waits for another
//! request's work: on a host such as workerd that work ends with the request that began it. So a
//! round has an owner and a time, others look again after a while, and one that lasts too long is
//! taken over.

use super::config::Config;
use super::host::Signed;
use super::race::within;
use super::sure::Unanswered;
use super::token::Tokens;
use crate::host::{Host, fresh_id};
use crate::service::Service;
use lesson_api::ApiError;
use lesson_core::Millis;
use lesson_sync::{Link, Named, Phase, Session, Store};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A round that takes longer has lost its request, and another may begin.
const ROUND: Millis = 35_000;
/// A snapshot older than this is refreshed after the answer.
pub(super) const FRESH: Millis = 5_000;
/// A snapshot older than this is refreshed before the answer, for a moment at most.
pub(super) const OLD: Millis = 60_000;
/// Between two looks whether another's round is over.
const LOOK_MS: u32 = 5;
/// After a round that came to nothing, before the next is tried.
const PAUSE: Millis = 1_000;

/// A space, and where syncing it stands.
pub(super) struct Space<S, H> {
    pub service: Service<S, Signed<H>>,
    /// When a request last came for it.
    pub used: Cell<Millis>,
    /// Writes whose asker was told to try again.
    pub unanswered: RefCell<Unanswered>,
    /// When the round that is under way began.
    running: Cell<Option<Millis>>,
    /// Counts rounds, so that one that was taken over notices.
    round: Cell<u64>,
    /// When everything was last the same as on the server.
    synced: Cell<Option<Millis>>,
    /// When the last round failed, and until when none is tried.
    failed: Cell<Option<(Millis, Millis)>>,
    /// Who stays after the answer to send what waits, and since when.
    pub staying: Cell<Option<Millis>>,
}

impl<S: Store, H: Host> Space<S, H> {
    /// An empty replica of a space.
    pub async fn open(
        store: S,
        host: &Rc<H>,
        tokens: &Rc<Tokens>,
        config: &Config,
        space: Named,
    ) -> Result<Self, ApiError> {
        let own = Signed::by(host, tokens, &space.id);
        let service = Service::open(store, own).await?;
        service
            .link_up(link(config, space, fresh_id(&**host)))
            .await?;
        Ok(Self {
            service,
            used: Cell::new(host.now()),
            unanswered: RefCell::default(),
            running: Cell::new(None),
            round: Cell::new(0),
            synced: Cell::new(None),
            failed: Cell::new(None),
            staying: Cell::new(None),
        })
    }

    fn now(&self) -> Millis {
        self.service.host().now()
    }

    /// Whether there is a snapshot to answer from.
    pub fn is_ready(&self) -> bool {
        self.synced.get().is_some()
    }

    /// The age of the snapshot, in milliseconds.
    pub fn age(&self) -> Millis {
        self.synced
            .get()
            .map_or(Millis::MAX, |at| (self.now() - at).abs())
    }

    /// Milliseconds until a round may be tried again, while the last one failed; 0 when one may be.
    pub fn wait(&self) -> Millis {
        match self.failed.get() {
            // A clock that was set back does not stop rounds.
            Some((at, until)) if self.now() >= at => (until - self.now()).max(0),
            _ => 0,
        }
    }

    /// Whether the last round failed.
    pub fn has_failed(&self) -> bool {
        self.failed.get().is_some()
    }

    /// Whether a round is under way.
    pub fn is_running(&self) -> bool {
        self.running
            .get()
            .is_some_and(|since| (self.now() - since).abs() < ROUND)
    }

    /// Whether there is something to send or, by now, to look for.
    pub fn is_due(&self) -> bool {
        self.service.has_queue() || self.service.unsent() > 0 || self.age() > FRESH
    }

    /// One round, when none is under way: sends what was made here, reads what others made. Gives
    /// up after `limit` milliseconds; what was sent then may have arrived. While another's round is
    /// under way, waits a moment instead.
    pub async fn turn(&self, limit: u32) {
        if self.is_running() {
            self.service.host().sleep(LOOK_MS).await;
            return;
        }
        let mine = self.round.get().wrapping_add(1);
        self.round.set(mine);
        self.running.set(Some(self.now()));
        let ended = Ended(self, mine);
        let still_mine = || self.round.get() == mine;
        let done = within(
            self.service.round(still_mine),
            self.service.host().sleep(limit),
        )
        .await;
        drop(ended);
        if !still_mine() {
            return;
        }
        let now = self.now();
        let phase = self.service.phase();
        if done.is_some() && phase == Phase::Idle {
            self.synced.set(Some(now));
            self.failed.set(None);
            return;
        }
        let until = match self.service.next_at() {
            Some(at) if done.is_some() => at.clamp(now + PAUSE, now + 30 * PAUSE),
            _ => now + PAUSE,
        };
        self.failed.set(Some((now, until)));
        if phase == Phase::SignedOut {
            // Tokens are made here, so there is always another to try.
            self.service.sign_in_anew(session()).await;
        }
    }
}

/// Ends a round, also one that is dropped half-way.
struct Ended<'a, S, H>(&'a Space<S, H>, u64);

impl<S, H> Drop for Ended<'_, S, H> {
    fn drop(&mut self) {
        if self.0.round.get() == self.1 {
            self.0.running.set(None);
        }
    }
}

/// The tokens are put in by [`Signed`]; there is nothing to keep.
fn session() -> Session {
    Session {
        access_token: String::new(),
        refresh_token: String::new(),
    }
}

fn link(config: &Config, space: Named, actor: String) -> Link {
    Link {
        url: config.url.clone(),
        key: config.key.clone(),
        user: Named {
            id: space.id.clone(),
            name: "edge".to_owned(),
        },
        space,
        actor,
        session: Some(session()),
        ..Link::default()
    }
}
