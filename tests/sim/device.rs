//! A device: a store, the tabs over it, and what they show.

use crate::author::Mix;
use crate::now;
use crate::plants::Sent;
use crate::server::Snapshot;
use lesson_core::{Event, Millis, OptimisticOverlay, Policy, Space};
use lesson_sync::{Link, Machine, MemoryStore, Store, Stored};
use std::collections::HashMap;

pub struct Device {
    pub store: MemoryStore,
    pub tabs: Vec<Tab>,
    pub mix: Mix,
    /// The account that uses it, as the server knows it.
    pub user: String,
    /// Its clock, against the true time.
    pub skew: Millis,
    /// Events that are still to be made.
    pub left: usize,
    pub shown: Shown,
    /// Hashes of the rows in the store, by key, and over all of them.
    pub row_hashes: HashMap<String, u64>,
    pub rows_hash: u64,
    /// The server's state that the rows are a snapshot of.
    pub covered: Option<Snapshot>,
    pub first_actor: String,
    /// No request leaves before this; no answer is heard before that.
    pub offline_until: Millis,
    pub deaf_until: Millis,
    /// A copy of a profile does not exist before it is made.
    pub exists: bool,
    /// The last position of its store when the profile was copied: another device has those events too. 0 before.
    pub copied_through: u64,
    /// True if its session was thrown away because a refresh token was refused.
    pub thrown: bool,
    /// True if a person is about to sign in.
    pub signing_in: bool,
}

/// A tab that syncs.
#[derive(Default)]
pub struct Tab {
    /// `None` while it is closed.
    pub machine: Option<Machine>,
    /// The effect whose answer is awaited; answers to others come too late.
    pub awaiting: u64,
    pub resting: bool,
    /// Something was written meanwhile.
    pub again: bool,
    pub timer: u64,
    pub sent: Sent,
    pub page: Option<Snapshot>,
    pub acked_seq: Option<u64>,
    /// Rounds since the faults stopped.
    pub rounds: u32,
    /// The refresh token of the session that it was given last.
    pub granted: Option<String>,
    /// True if its refresh token was refused when it last tried it.
    pub refused: bool,
}

impl Device {
    pub fn new(mix: Mix, tabs: usize, skew: Millis, left: usize) -> Self {
        Self {
            store: MemoryStore::new(),
            tabs: (0..tabs).map(|_| Tab::default()).collect(),
            mix,
            user: String::new(),
            skew,
            left,
            shown: Shown::default(),
            row_hashes: HashMap::new(),
            rows_hash: 0,
            covered: None,
            first_actor: String::new(),
            offline_until: 0,
            deaf_until: 0,
            copied_through: 0,
            exists: true,
            thrown: false,
            signing_in: false,
        }
    }

    pub fn link(&self) -> Option<Link> {
        now(self.store.link()).unwrap_or_default()
    }

    /// Events that are shown on top of the rows.
    pub fn outbox(&self, link: &Link) -> Vec<Stored> {
        now(self.store.read_after(link.based)).map_or_else(|_| Vec::new(), |ledger| ledger.events)
    }
}

/// A device's view: rows, and its outbox on top.
#[derive(Default)]
pub struct Shown {
    pub space: Space,
    replica: OptimisticOverlay,
    cursor: u64,
    /// Number of times that the store's rows were cleared.
    cleared: u64,
    /// The store's last position.
    pub position: u64,
    policy: Policy,
}

impl Shown {
    /// Follows the store.
    pub fn refresh(&mut self, store: &MemoryStore) {
        let link = now(store.link()).ok().flatten().unwrap_or_default();
        if link.cleared != self.cleared {
            *self = Self {
                cleared: link.cleared,
                ..Self::default()
            };
        }
        self.replica.take_off(&mut self.space);
        let rows = now(store.rows_after(self.cursor)).unwrap_or_default();
        self.replica
            .put(&mut self.space, rows.into_iter().map(|row| row.row));
        self.cursor = link.cursor;
        let ledger = now(store.read_after(link.based)).unwrap_or_default();
        for stored in &ledger.events {
            self.fold(&stored.event);
        }
        self.position = ledger.position;
    }

    /// Shows what was just written.
    pub fn add(&mut self, stored: &[Stored]) {
        for one in stored {
            self.fold(&one.event);
            self.position = one.position;
        }
    }

    fn fold(&mut self, event: &Event) {
        // One that does not fit any more is not shown; the server will say what it thinks of it.
        let _ = self.replica.fold(&mut self.space, event, &self.policy);
    }
}
