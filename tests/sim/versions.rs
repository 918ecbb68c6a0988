//! Versions of the ledger: a server before its migration, apps of both versions, and their update.

use crate::config::SECOND;
use crate::now;
use crate::plants::Plant;
use crate::world::{Action, At, Request, World};
use lesson_core::LEDGER_VERSION;
use lesson_sync::{Change, Link, Machine, Phase, RemoteError, Store};

impl World {
    /// What a server says to apps of another version.
    pub fn refusal_by_version(&mut self, at: At, request: &Request) -> Option<RemoteError> {
        let app = self.devices[at.device].version;
        let server = self.server.state.ledger_version;
        // An old server's functions lack the parameter that tells the version, so the call is
        // refused. A pull may be answered all the same: then the page tells the server's version.
        let unknown = match request {
            Request::Push(..) => true,
            Request::Pull(..) => self.dice.one_in(2),
            Request::Refresh(..) => false,
        };
        if app > server && unknown && self.plant != Some(Plant::OldServerFed) {
            self.counts.add("a new app at an old server");
            let lacks = "the project lacks a function; apply the files of supabase/migrations";
            return Some(RemoteError::Refused(lacks.to_owned()));
        }
        // The minimum is part of the migrated server: one restored to before that has none.
        if app < self.minimum.min(server) && !matches!(request, Request::Refresh(..)) {
            self.counts
                .add("an old app at a server that wants a newer one");
            let old = "the server needs a newer version of this app";
            return Some(RemoteError::Refused(old.to_owned()));
        }
        None
    }

    /// The operator applies the migration.
    pub fn migrate(&mut self) {
        self.counts.add("server migrated");
        self.server.migrate(self.now);
    }

    /// From now on old apps are not served; those that use them update soon.
    pub fn want_newer(&mut self) {
        self.minimum = LEDGER_VERSION;
        for device in 0..self.devices.len() {
            let wait = self.dice.between(1, 400) * SECOND;
            self.plan(wait, Action::Update(device));
        }
    }

    /// The app is updated: its tabs are loaded anew, over the store that is there.
    pub fn update(&mut self, number: usize) {
        let device = &mut self.devices[number];
        if device.version == LEDGER_VERSION {
            return;
        }
        device.version = LEDGER_VERSION;
        self.counts.add("app updated");
        if !self.devices[number].exists {
            return;
        }
        for tab in 0..self.devices[number].tabs.len() {
            self.crash(At {
                device: number,
                tab,
            });
        }
        let device = &mut self.devices[number];
        // The server left out rows that the old app did not know: all are read again.
        if let Some(link) = device.link()
            && self.plant != Some(Plant::CursorKept)
        {
            let revision = link.revision;
            // An earlier app had no such field: the machine sees by that that its rows are of one.
            let change = Change::to(Link {
                ledger_version: 1,
                ..link
            });
            // Nothing comes between.
            let _ = now(device.store.commit(revision, change));
        }
        device.shown.refresh(&device.store);
    }
}

/// After a page of an older server: nothing is synced, and it is said what to do.
///
/// # Errors
/// Says what the client did instead.
pub fn blocked(machine: &Machine) -> Result<(), String> {
    let status = machine.status();
    let named = status
        .message
        .as_ref()
        .is_some_and(|message| message.contains("supabase/migrations"));
    if status.phase != Phase::Blocked || !named {
        return Err(format!(
            "a server of an older version was met with {status:?}"
        ));
    }
    Ok(())
}
