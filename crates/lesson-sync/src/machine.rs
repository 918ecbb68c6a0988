//! Syncing as a step function that decides what to do next: `(state, input, now, random) → (state, effect)`.
//!
//! A round sends what was made here, batch by batch, then asks for rows until there are no more, and
//! rests. Three rules keep every event counted once in what is shown, which is the rows with the
//! outbox on top:
//!
//! 1. Everything that was made here is sent before anything is read, and again until the server has
//!    said what it had. Before a batch goes, it is noted durably (`tried`): so another tab that reads
//!    at that moment finds itself behind.
//! 2. Rows that may hold events of the outbox are put only together with taking those events out of
//!    it, in one commit, after the last page of a pull. Otherwise pages are put as they come.
//! 3. Only the answer to a push says that an event has arrived. The number in a pull may be that of
//!    another device with the same actor (a cloned profile).

mod failures;

use crate::effect::{Effect, Input, Phase, Rest, Sent, Status};
use crate::link::{Change, Link, Session, SetAside, VersionedRow};
use crate::measure::{AGAIN, BATCH, KEPT, Sizes, ledger_of, renumber};
use crate::remote::{Page, PushStatus, Pushed, RemoteError};
use crate::schema::{MIGRATE, SCHEMA_VERSION, older};
use crate::store::{StoreError, Stored};
use lesson_core::Millis;

/// Rows in a page; the server gives at most this many.
const PAGE: u32 = 5_000;
/// From the end of a round to the next look at the server.
const INTERVAL: Millis = 20_000;
/// New actors in one round, at most. A server that was restored and a copied profile together take three.
const RENUMBERED: u32 = 5;

/// Purpose of a commit, and so what follows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum After {
    /// Read again.
    #[default]
    Read,
    /// Send the batch at hand.
    Push,
    /// Ask for the next page.
    Pull,
    /// The round is over.
    Done,
    /// A person has to sign in again.
    SignedOut,
}

/// The state between steps. All of it may be lost at any time.
#[derive(Debug, Default)]
pub struct Machine {
    status: Status,
    link: Link,
    /// The batch at hand.
    batch: Vec<Stored>,
    sizes: Sizes,
    /// The most events in a batch, while the server wants smaller ones.
    most: Option<usize>,
    /// Rows of pages that are not put yet, and the cursor after them.
    rows: Vec<VersionedRow>,
    cursor: u64,
    after: After,
    /// True if the session was refreshed in this round.
    refreshed: bool,
    /// A session that was given and may not be kept yet.
    granted: Option<Granted>,
    /// Times that events were given a new actor in this round.
    renumbered: u32,
    /// Failures in a row.
    failures: u32,
    /// Position up to which events were acknowledged when the round began, for the progress.
    began: Option<u64>,
    /// An access token that the server refused elsewhere: it is traded for another before a round rests.
    refused: Option<String>,
    /// When the server last answered that repeating mends nothing, until a person asks anew.
    blocked: Option<Millis>,
}

/// A new session, for whom, and the refresh token that was traded for it.
#[derive(Debug)]
struct Granted {
    user: String,
    traded: Option<String>,
    session: Session,
}

impl Machine {
    /// A machine at rest.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where syncing stands.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// A person wants the next round to ask the server, whatever it said before.
    pub fn ask(&mut self) {
        self.blocked = None;
    }

    /// The server refused this link's session: the next round trades it for another, also where it has nothing to send or
    /// read.
    pub fn renew(&mut self, link: &Link) {
        self.ask();
        self.refused = link
            .session
            .as_ref()
            .map(|session| session.access_token.clone());
    }

    /// Holds back a round that is to begin now if it comes too soon after one that a server refused in a way that
    /// repeating does not mend: what is written meanwhile does not make it be asked again and again. A clock that was set
    /// back stops nothing. [`crate::run`] goes by it.
    pub fn held_back(&mut self, now: Millis) -> Option<Rest> {
        let at = self.blocked?;
        let until = at.saturating_add(AGAIN);
        (at..until).contains(&now).then(|| {
            self.status.next_at = Some(until);
            Rest { until: Some(until) }
        })
    }

    /// Decides what to do after `input`, at `now` by this device's clock. `random` is drawn anew for every
    /// step.
    pub fn step(&mut self, input: Input, now: Millis, random: u128) -> Effect {
        match input {
            Input::Wake => self.begin(),
            Input::Read(read) => match read {
                Ok(Some(sent)) => self.read(*sent, now),
                Ok(None) => {
                    *self = Self::default();
                    Effect::Rest(Rest { until: None })
                }
                Err(error) => self.store_failed(&error, now, random),
            },
            Input::Committed(Ok(link)) => {
                self.link = *link;
                self.committed(now)
            }
            Input::Committed(Err(StoreError::Behind)) => self.begin(),
            Input::Committed(Err(error)) => self.store_failed(&error, now, random),
            Input::Pushed(Ok(pushed)) => self.pushed(&pushed, now, random),
            Input::Pulled(Ok(page)) => self.pulled(page, now, random),
            Input::Refreshed(Ok(session)) => {
                self.refreshed = true;
                self.granted = Some(Granted {
                    user: self.link.user.id.clone(),
                    traded: self
                        .link
                        .session
                        .as_ref()
                        .map(|old| old.refresh_token.clone()),
                    session: session.clone(),
                });
                self.keep_session(session)
            }
            Input::Refreshed(Err(RemoteError::Unauthorized)) => self.sign_in_again(),
            Input::Pushed(Err(error)) => self.push_failed(error, now, random),
            Input::Pulled(Err(error)) | Input::Refreshed(Err(error)) => {
                self.failed(error, now, random)
            }
        }
    }

    fn begin(&mut self) -> Effect {
        self.blocked = None;
        self.batch.clear();
        self.rows.clear();
        self.refreshed = false;
        self.renumbered = 0;
        self.began = None;
        self.again()
    }

    fn again(&self) -> Effect {
        Effect::Read {
            most: self.most.unwrap_or(BATCH),
        }
    }

    fn commit(&mut self, change: Change, after: After) -> Effect {
        self.after = after;
        Effect::Commit {
            expected: self.link.revision,
            change: Box::new(change),
        }
    }

    fn committed(&mut self, now: Millis) -> Effect {
        match self.after {
            After::Read => self.again(),
            After::Push => self.push(),
            After::Pull => self.pull(),
            After::Done => self.done(now),
            After::SignedOut => {
                self.rest(Phase::SignedOut, Some("You are signed out of the server. Sign in again to go on syncing; everything is kept here meanwhile.".to_owned()), None)
            }
        }
    }

    fn read(&mut self, sent: Sent, now: Millis) -> Effect {
        self.link = sent.link;
        self.status.synced_at = self.status.synced_at.max(self.link.synced_at);
        self.batch = self.sizes.in_bounds(sent.events);
        if let Some(session) = self.unkept() {
            return self.keep_session(session);
        }
        if self.link.session.is_none() {
            self.after = After::SignedOut;
            return self.committed(now);
        }
        let refused = self.refused.take();
        let held = self.link.session.as_ref().map(|held| &held.access_token);
        if !self.refreshed && refused.is_some() && refused.as_ref() == held {
            return Effect::Refresh {
                link: Box::new(self.link.clone()),
            };
        }
        if self.link.epoch.is_empty() {
            // Known before anything is sent: else a server that is restored from a backup between
            // the first push and the first pull would pass for the one that has it all.
            self.cursor = 0;
            return self.pull_at_most(1);
        }
        let Some(last) = self.batch.last().map(|stored| stored.position) else {
            self.began = None;
            if self.link.sends_only {
                return self.settle_sent(now);
            }
            self.cursor = if self.link.resync {
                0
            } else {
                self.link.cursor
            };
            self.rows.clear();
            return self.pull();
        };
        self.began.get_or_insert(self.link.acked);
        if last > self.link.tried {
            let link = Link {
                tried: last,
                ..self.link.clone()
            };
            return self.commit(Change::to(link), After::Push);
        }
        self.push()
    }

    /// Nothing waits, and no rows are read: what was sent is done with.
    fn settle_sent(&mut self, now: Millis) -> Effect {
        self.status.synced_at = Some(now);
        let link = Link {
            based: self.link.acked,
            resync: false,
            ..self.link.clone()
        };
        if link == self.link {
            return self.done(now);
        }
        let change = Change {
            forget_through: Some(link.based),
            ..Change::to(link)
        };
        self.commit(change, After::Done)
    }

    fn keep_session(&mut self, session: Session) -> Effect {
        let link = Link {
            session: Some(session),
            ..self.link.clone()
        };
        self.commit(Change::to(link), After::Read)
    }

    /// The session that was given, as long as the store has none, or still the one whose token was
    /// traded for it: the commit failed, or another tab tried the same token too late and signed out.
    fn unkept(&mut self) -> Option<Session> {
        let granted = self.granted.as_ref()?;
        let held = self.link.session.as_ref().map(|held| &held.refresh_token);
        if granted.user == self.link.user.id && (held.is_none() || held == granted.traded.as_ref())
        {
            return Some(granted.session.clone());
        }
        self.granted = None;
        None
    }

    fn push(&mut self) -> Effect {
        self.show(Phase::Pushing);
        Effect::Push {
            link: Box::new(self.link.clone()),
            events: self
                .batch
                .iter()
                .map(|stored| stored.event.clone())
                .collect(),
        }
    }

    fn pushed(&mut self, pushed: &Pushed, now: Millis, random: u128) -> Effect {
        self.failures = 0;
        let arrived = self
            .batch
            .iter()
            .rev()
            .find(|stored| stored.event.seq <= pushed.acked_seq)
            .map_or(self.link.acked, |stored| stored.position);
        let first = self.batch.first().map_or(0, |stored| stored.event.seq);
        let mut change = Change::to(self.link.clone());
        change.set_aside = pushed
            .rejected
            .iter()
            .filter_map(|rejected| {
                let stored = self
                    .batch
                    .iter()
                    .find(|stored| stored.event.seq == rejected.seq)?;
                Some(SetAside {
                    event: stored.event.clone(),
                    field: rejected.field.clone(),
                    reason: rejected.reason.clone(),
                })
            })
            .collect();
        match pushed.status {
            PushStatus::Ok if arrived > self.link.acked => {
                change.link.acked = arrived;
                change.link.tried = change.link.tried.max(arrived);
            }
            // The one that is missing is among those at hand: it can't be read here.
            PushStatus::Gap if pushed.acked_seq.saturating_add(1) >= first => {
                change.link.acked = arrived;
                renumber(&mut change, arrived, now, random);
            }
            PushStatus::Cloned => {
                let after = self.link.acked;
                renumber(&mut change, after, now, random);
            }
            // The server does not have what it once acknowledged, so its rows are others too.
            PushStatus::Gap | PushStatus::Ok => {
                renumber(&mut change, 0, now, random);
                change.link.resync = true;
            }
        }
        self.commit_renumbered(change, now, random)
    }

    /// A server that refuses every actor is not asked for ever.
    fn commit_renumbered(&mut self, change: Change, now: Millis, random: u128) -> Effect {
        if change.renumber_after.is_some() {
            self.renumbered += 1;
            if self.renumbered > RENUMBERED {
                return self.failed(RemoteError::Trouble("The server's answers to what was sent contradict each other. It is tried again by itself.".to_owned()), now, random);
            }
        }
        self.commit(change, After::Read)
    }

    fn pull(&mut self) -> Effect {
        self.pull_at_most(PAGE)
    }

    fn pull_at_most(&mut self, limit: u32) -> Effect {
        self.show(Phase::Pulling);
        Effect::Pull {
            link: Box::new(self.link.clone()),
            cursor: self.cursor,
            limit,
        }
    }

    fn pulled(&mut self, page: Page, now: Millis, random: u128) -> Effect {
        if page.epoch.is_empty() {
            let wrong = format!("The server does not say which of its states it is in. {MIGRATE}");
            return self.failed(RemoteError::Trouble(wrong), now, random);
        }
        if page.schema_version < SCHEMA_VERSION {
            let old = format!(
                "{} Everything is kept here meanwhile.",
                older(page.schema_version)
            );
            return self.failed(RemoteError::Refused(old), now, random);
        }
        if self.link.epoch.is_empty() {
            let link = Link {
                epoch: page.epoch,
                ..self.link.clone()
            };
            return self.commit(Change::to(link), After::Read);
        }
        if self.link.epoch != page.epoch || page.version < self.cursor {
            // Everything is read anew, and what is still kept here is sent again, unless the server has all of it and only
            // folded it anew. What is shown stays as it is until both are done.
            let same_ledger = ledger_of(&self.link.epoch) == ledger_of(&page.epoch)
                && page.version >= self.cursor;
            let mut change = Change::to(Link {
                epoch: page.epoch,
                resync: true,
                ..self.link.clone()
            });
            if !same_ledger {
                renumber(&mut change, 0, now, random);
            }
            return self.commit(change, After::Read);
        }
        self.cursor = page.next_cursor;
        self.status.progress = (page.has_more || self.status.progress.is_some())
            .then_some((page.next_cursor, page.version));
        let more = page.has_more;
        self.rows.extend(page.rows);
        let together = self.link.resync || self.link.acked > self.link.based;
        if more && together {
            return self.pull();
        }
        let mut link = Link {
            cursor: self.cursor,
            ..self.link.clone()
        };
        if !more {
            link.cleared = link.cleared.saturating_add(u64::from(link.resync));
            link.based = link.acked;
            link.resync = false;
            self.status.synced_at = Some(now);
        }
        if link == self.link && self.rows.is_empty() {
            return if more { self.pull() } else { self.done(now) };
        }
        link.synced_at = self.status.synced_at;
        let forget = link.based.saturating_sub(KEPT);
        let change = Change {
            clear_rows: self.link.resync,
            rows: std::mem::take(&mut self.rows),
            forget_through: (!more && forget > 0).then_some(forget),
            ..Change::to(link)
        };
        self.commit(change, if more { After::Pull } else { After::Done })
    }

    fn done(&mut self, now: Millis) -> Effect {
        self.failures = 0;
        self.most = None;
        self.rest(Phase::Idle, None, Some(now.saturating_add(INTERVAL)))
    }

    /// The session is not accepted any more. Another tab may have a newer one: then this commit is behind, and
    /// the round begins again.
    fn sign_in_again(&mut self) -> Effect {
        let link = Link {
            session: None,
            ..self.link.clone()
        };
        self.commit(Change::to(link), After::SignedOut)
    }

    fn show(&mut self, phase: Phase) {
        if phase == Phase::Pushing {
            // Positions are as good as a count: they have few gaps.
            let began = self.began.unwrap_or(self.link.acked);
            let last = self.batch.last().map_or(0, |stored| stored.position);
            self.status.progress =
                (last > began).then(|| (self.link.acked.saturating_sub(began), last - began));
        } else if self.status.phase == Phase::Pushing {
            self.status.progress = None;
        }
        self.status.phase = phase;
        self.status.next_at = None;
    }

    fn rest(&mut self, phase: Phase, message: Option<String>, until: Option<Millis>) -> Effect {
        self.status.phase = phase;
        self.status.message = message;
        self.status.progress = None;
        self.status.next_at = until;
        self.rows.clear();
        Effect::Rest(Rest { until })
    }
}
