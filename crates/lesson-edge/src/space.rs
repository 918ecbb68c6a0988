//! A space in this isolate: its lessons in memory, kept the same as the server's.
//!
//! It is a replica like a browser's, over a store in memory. No request awaits another request's work, because on workerd
//! that work ends with the request that began it. So a round of syncing has an owner and a start time, other requests
//! poll, and a round that takes too long is taken over.

use crate::agent::Agent;
use crate::config::Config;
use crate::host::WithKeys;
use crate::key_ring::KeyRing;
use crate::limits::LOOK_MS;
use crate::snapshot_cache;
use crate::unanswered::Unanswered;
use lesson_core::Millis;
use lesson_service::timeout;
use lesson_service::{Host, Service, fresh_id};
use lesson_sync::{Link, Named, Phase, Session, SpaceSize, Store, lacks_function};
use lesson_types::ApiError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// After this time another round may begin, in milliseconds: the request that ran the last one is gone.
const ROUND: Millis = 35_000;
/// A snapshot older than this is refreshed after the answer.
pub(crate) const FRESH: Millis = 5_000;
/// A snapshot older than this is refreshed before the answer, for a moment at most.
pub(crate) const OLD: Millis = 60_000;
/// Time between a failed round and the next, in milliseconds.
const PAUSE: Millis = 1_000;
/// The same after a first failure that came quickly: writes wait for the next round.
const SOON: Millis = 300;
/// A failure within this time is quick, in milliseconds.
const QUICK: Millis = 2_000;
/// Time limit of loading a snapshot from the cache, in milliseconds.
const RECALL_MS: u32 = 400;
/// Time limit of asking if the server gives parts of a space, in milliseconds.
const PARTS_MS: u32 = 2_000;
/// With fewer lessons a space is not looked at between two pages.
const LOOKED_AT: u64 = 5_000;
/// A count of a space that large holds for so long while no lesson comes or goes, in milliseconds: texts grow, but not at once.
const COUNTED: Millis = 10_000;
/// Time between two snapshots that are stored, in milliseconds: the next pull brings what changed since.
const KEEP: Millis = 5 * 60_000;
/// The same when nothing changed: a stored snapshot expires.
const RENEW: Millis = snapshot_cache::MAX_AGE / 2;

/// Form in which this isolate has a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// Nobody has asked yet how large it is.
    Unknown,
    /// All of it is in memory.
    Replica,
    /// It is too large: each request reads its part from the server, and what was made is sent from here.
    OnServer,
    /// It is too large, and the server lacks the functions that read parts.
    TooLarge,
}

/// Makes a store, and the host that its requests go by.
pub(crate) struct SpaceDeps<S, H> {
    pub store: fn() -> S,
    pub host: Rc<H>,
}

/// A space and the state of its syncing.
pub(crate) struct Space<S, H> {
    pub service: Service<S, WithKeys<H>>,
    /// The keys of its agents, with which its requests are sent.
    pub keys: Rc<KeyRing>,
    /// The epoch of the space as its agents' keys tell it, which names what the host keeps.
    epoch: RefCell<String>,
    /// When a request last came for it.
    pub used: Cell<Millis>,
    /// Its form in this isolate.
    pub held: Cell<Held>,
    /// Bytes that it takes in memory, about, as of the last round.
    pub bytes: Cell<u64>,
    /// Number of lessons when they were last counted, and the time of that.
    counted: Cell<(usize, Millis)>,
    /// Bytes that it would take if it were held, as far as anybody asked.
    pub bytes_if_held: Cell<u64>,
    /// Bytes that a replica may take.
    most_bytes: u64,
    /// Writes whose asker was told to try again.
    pub unanswered: RefCell<Unanswered>,
    /// When the round that is under way began.
    running: Cell<Option<Millis>>,
    /// Counts rounds, so that one that was taken over notices.
    round: Cell<u64>,
    /// When everything was last the same as on the server.
    synced: Cell<Option<Millis>>,
    /// The last round, when it failed.
    failed: Cell<Option<Failed>>,
    /// State of the request to the host for what it keeps.
    recall: Cell<Recall>,
    /// The cursor of what the host keeps, and since when.
    kept: Cell<Option<(u64, Millis)>>,
    /// Start of the stay after an answer to send what waits; `None` while nobody stays.
    pub settling: Cell<Option<Millis>>,
    /// When the server last did not give its vectors in time.
    pub vectors_silent: Cell<Option<Millis>>,
}

/// A round that came to nothing.
#[derive(Clone, Copy)]
struct Failed {
    at: Millis,
    /// No other is tried before.
    until: Millis,
    /// Failures in a row.
    times: u32,
    /// True if the next round is worth waiting for.
    soon: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Recall {
    Not,
    /// Somebody asks, since then.
    Since(Millis),
    /// There was nothing of use, or no answer.
    Nothing,
    Taken,
}

impl<S: Store, H: Host> Space<S, H> {
    /// An empty replica of a space.
    pub async fn open(
        deps: SpaceDeps<S, H>,
        config: &Config,
        agent: &Agent,
    ) -> Result<Self, ApiError> {
        let host = &deps.host;
        let keys = Rc::new(KeyRing::default());
        keys.asked(agent);
        let own = WithKeys::of(host, &keys);
        let space = Named {
            id: agent.space.clone(),
            name: agent.space_name.clone(),
        };
        let service = Service::open((deps.store)(), own)
            .await?
            .with_parts(deps.store, WithKeys::clone);
        service
            .link_up(link(config, space, fresh_id(&**host)))
            .await?;
        Ok(Self {
            service,
            keys,
            epoch: RefCell::new(agent.epoch.clone()),
            used: Cell::new(host.now()),
            held: Cell::new(Held::Unknown),
            bytes: Cell::new(0),
            counted: Cell::new((0, 0)),
            bytes_if_held: Cell::new(u64::MAX),
            most_bytes: config.replica_bytes,
            unanswered: RefCell::default(),
            running: Cell::new(None),
            round: Cell::new(0),
            synced: Cell::new(None),
            failed: Cell::new(None),
            recall: Cell::new(Recall::Not),
            kept: Cell::new(None),
            settling: Cell::new(None),
            vectors_silent: Cell::new(None),
        })
    }

    /// Notes who asks for it: requests are sent with their key from now on, and what is kept of it is known by the server's state.
    pub fn asked(&self, agent: &Agent) {
        if self.keys.asked(agent) {
            // A round that failed for want of a key may be tried at once.
            self.failed.set(None);
        }
        if *self.epoch.borrow() != agent.epoch {
            self.epoch.replace(agent.epoch.clone());
        }
    }

    /// True if all that was made here has been sent.
    pub fn has_nothing_to_send(&self) -> bool {
        self.service.has_nothing_to_send()
    }

    /// True if requests read their part of it from the server.
    pub fn is_on_server(&self) -> bool {
        self.held.get() == Held::OnServer
    }

    /// Asks how large it is, once, before anything of it is read. `within`: milliseconds, all that the request may wait: a
    /// server that is slow to say this is slower to send it all, which may be more than the isolate's memory. `room`: the
    /// bytes that are left for it.
    pub async fn measure(&self, within: u32, room: impl FnOnce() -> u64) {
        if self.held.get() != Held::Unknown {
            return;
        }
        let rest = self.service.host().sleep(within);
        let size = timeout(self.service.space_size(), rest).await;
        // Another request may have been quicker.
        if self.held.get() != Held::Unknown {
            return;
        }
        if let Some(Ok(size)) = &size {
            self.bytes_if_held.set(size.replica_bytes());
        }
        let held = match size {
            // None is held at all where none may be, an empty one neither: it may grow.
            Some(Ok(size))
                if self.most_bytes == 0 || size.replica_bytes() > room().min(self.most_bytes) =>
            {
                if !self.send_only(&size).await {
                    return;
                }
                Held::OnServer
            }
            Some(Ok(size)) => {
                self.bytes.set(size.replica_bytes());
                Held::Replica
            }
            // A server that can't say: the whole space, for as long as it fits.
            Some(Err(error)) if lacks_function(&error) => Held::Replica,
            // The round that follows meets the same server, and says what is wrong.
            _ => return,
        };
        // Another request may have been quicker.
        if self.held.get() == Held::Unknown {
            self.held.set(held);
        }
    }

    async fn send_only(&self, size: &SpaceSize) -> bool {
        let done = self.service.send_only(size).await;
        if done {
            self.synced.set(Some(self.now()));
        }
        done
    }

    /// True if it has outgrown what may be held, as of the last round.
    pub fn is_outgrown(&self) -> bool {
        self.held.get() != Held::OnServer && self.bytes.get() > self.most_bytes
    }

    /// Asks if the server gives parts of a space that has outgrown its memory; true if requests may read these instead.
    pub async fn outgrow(&self) -> bool {
        let rest = self.service.host().sleep(PARTS_MS);
        match timeout(self.service.space_size(), rest).await {
            Some(Ok(_)) => true,
            Some(Err(error)) if lacks_function(&error) => {
                self.held.set(Held::TooLarge);
                false
            }
            _ => false,
        }
    }

    fn now(&self) -> Millis {
        self.service.host().now()
    }

    /// True if there is a snapshot to answer from.
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
            Some(failed) if self.now() >= failed.at => (failed.until - self.now()).max(0),
            _ => 0,
        }
    }

    /// True if no round may be tried for longer than a write waits.
    pub fn is_server_away(&self) -> bool {
        self.wait() > 0 && self.failed.get().is_some_and(|failed| !failed.soon)
    }

    /// Rests until the next round may be tried, if that is soon; whether it did.
    pub async fn wait_for_retry(&self) -> bool {
        let wait = self.wait();
        if wait == 0 || self.is_server_away() {
            return false;
        }
        let wait = u32::try_from(wait).unwrap_or_default();
        self.service.host().sleep(wait).await;
        true
    }

    /// True if there is a snapshot from before this isolate.
    pub fn is_from_cache(&self) -> bool {
        self.recall.get() == Recall::Taken
    }

    /// Takes what the host keeps of the space, once, unless it has its lessons already. While
    /// another request does so, waits for a moment.
    pub async fn load_snapshot(&self, config: &Config) {
        let host = self.service.host();
        loop {
            match self.recall.get() {
                Recall::Not => break,
                Recall::Since(at) if (self.now() - at).abs() <= Millis::from(RECALL_MS) => {
                    host.sleep(LOOK_MS).await;
                }
                _ => return,
            }
        }
        self.recall.set(Recall::Since(self.now()));
        let asking = Asking(&self.recall);
        let space = self.service.space_id();
        let name = self.snapshot_name(config);
        let asked = snapshot_cache::load(host, &name, config, &space);
        let found = timeout(asked, host.sleep(RECALL_MS)).await.flatten();
        if let Some(found) = found {
            let (cursor, at) = (found.cursor, found.at);
            if self.service.adopt(found.epoch, cursor, found.parts).await {
                self.kept.set(Some((cursor, at)));
                self.count_bytes();
                self.recall.set(Recall::Taken);
            }
        }
        drop(asking);
    }

    /// Gives the host the space to keep, if it is the same as on the server and has changed since.
    pub async fn store_snapshot(&self, config: &Config) {
        if self.is_on_server() {
            return;
        }
        let now = self.now();
        let (Some(synced), Some(cursor)) = (self.synced.get(), self.service.bare_cursor()) else {
            return;
        };
        let rests = self.kept.get().is_some_and(|(kept, at)| {
            let wait = if kept == cursor { RENEW } else { KEEP };
            (now - at).abs() < wait
        });
        if rests || self.has_failed() || !self.service.with_space(snapshot_cache::fits) {
            return;
        }
        self.kept.set(Some((cursor, now)));
        let name = self.snapshot_name(config);
        snapshot_cache::store(&self.service, &name, synced).await;
    }

    fn snapshot_name(&self, config: &Config) -> String {
        snapshot_cache::name(config, &self.service.space_id(), &self.epoch.borrow())
    }

    /// True if the last round failed.
    pub fn has_failed(&self) -> bool {
        self.failed.get().is_some()
    }

    /// True if a round is under way.
    pub fn is_running(&self) -> bool {
        self.running
            .get()
            .is_some_and(|since| (self.now() - since).abs() < ROUND)
    }

    /// True if there is something to send or, by now, to look for.
    pub fn is_due(&self) -> bool {
        let looks = !self.is_on_server() && self.age() > FRESH;
        !self.has_nothing_to_send() || looks
    }

    /// Costs a look at every lesson, so where none came they are counted again only some time later.
    fn count_bytes(&self) -> u64 {
        let (lessons, now) = (self.service.lessons_held(), self.now());
        let (before, at) = self.counted.get();
        if lessons < LOOKED_AT as usize || lessons != before || (now - at).abs() > COUNTED {
            self.counted.set((lessons, now));
            self.bytes.set(self.service.bytes_held());
        }
        self.bytes.get()
    }

    /// One round, when none is under way: sends what was made here, reads what others made. Gives
    /// up after `limit` milliseconds; what was sent then may have arrived. While another's round is
    /// under way, waits a moment instead.
    pub async fn sync_for(&self, limit: u32) {
        self.sync_until(self.service.host().sleep(limit)).await;
    }

    /// The same, given up when `limit` ends.
    pub async fn sync_until(&self, limit: impl Future) {
        if self.is_running() {
            self.service.host().sleep(LOOK_MS).await;
            return;
        }
        let mine = self.round.get().wrapping_add(1);
        let begun = self.now();
        self.round.set(mine);
        self.running.set(Some(begun));
        let ended = Ended(self, mine);
        let still_mine = || self.round.get() == mine;
        // A page at a time, so that a space which is too large after all does not end the isolate.
        let goes_on = || {
            let lessons = self.service.lessons_held() as u64;
            still_mine() && (lessons < LOOKED_AT || self.count_bytes() <= self.most_bytes * 5 / 4)
        };
        let done = timeout(self.service.round(goes_on), limit).await;
        drop(ended);
        if !still_mine() {
            return;
        }
        let now = self.now();
        if !self.is_on_server() {
            self.count_bytes();
        }
        let phase = self.service.phase();
        if done.is_some() && phase == Phase::Idle {
            self.synced.set(Some(now));
            self.failed.set(None);
            return;
        }
        let next = self.service.next_at().filter(|_| done.is_some());
        // A server that is busy says for how long, a second at least.
        let passing = match next {
            Some(at) => matches!(phase, Phase::Offline | Phase::Trouble) && at < now + PAUSE,
            None => done.is_none(),
        };
        let times = self
            .failed
            .get()
            .map_or(0, |failed| failed.times)
            .saturating_add(1);
        let soon = times == 1 && passing && (now - begun).abs() < QUICK;
        let until = match next {
            _ if soon => now + SOON,
            Some(at) => at.clamp(now + PAUSE, now + 30 * PAUSE),
            None => now + PAUSE,
        };
        self.failed.set(Some(Failed {
            at: now,
            until,
            times,
            soon,
        }));
        if phase == Phase::SignedOut {
            // There is no session here that could end: the next round asks again.
            self.service.sign_in_anew(Session::default()).await;
        }
    }
}

/// Ends asking the host, also when it is dropped half-way.
struct Asking<'a>(&'a Cell<Recall>);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if let Recall::Since(_) = self.0.get() {
            self.0.set(Recall::Nothing);
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
        // Nobody signs in: keys are put in by `WithKeys`.
        session: Some(Session::default()),
        ..Link::default()
    }
}
