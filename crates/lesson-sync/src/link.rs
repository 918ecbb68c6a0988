//! State that a store keeps of its link to a server.

use lesson_core::{Event, Millis, Row};
use serde::{Deserialize, Serialize};

/// The link between a store and a space on a server. It changes only by [`crate::Store::commit`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// Grows by one with every commit, so that of two tabs that sync at once one notices.
    pub revision: u64,
    /// The server's address, such as `https://abc.supabase.co`, without a slash at its end.
    pub url: String,
    /// The publishable key.
    pub key: String,
    /// The person who is signed in.
    pub user: Named,
    /// The space.
    pub space: Named,
    /// The actor of events made here.
    pub actor: String,
    /// The tokens; `None` when a person has to sign in again.
    pub session: Option<Session>,
    /// The server's epoch, once known. Nothing is sent before it is.
    pub epoch: String,
    /// Version up to which the rows kept here are those of the server.
    pub cursor: u64,
    /// Position up to which the events kept here are part of the rows. Those after it are shown on
    /// top of the rows: they are the outbox.
    pub based: u64,
    /// Position up to which the server has acknowledged events.
    pub acked: u64,
    /// Position up to which events may have reached the server.
    pub tried: u64,
    /// Grows whenever the rows kept here are thrown away for others.
    pub cleared: u64,
    /// Set if events are sent and no rows read: the space is too large to be held here. What was acknowledged is then not
    /// kept either.
    pub sends_only: bool,
    /// Set if all rows are to be read anew, because the server was restored from a backup.
    pub resync: bool,
    /// When everything was last the same on both sides, by this device's clock.
    pub synced_at: Option<Millis>,
}

/// An id, and the name that people know it by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// A UUID.
    pub id: String,
    /// An e-mail address or a name.
    pub name: String,
}

/// Tokens of a person who signed in. Both are empty where nobody signs in, and the host sends agents' keys instead.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Sent with every request; short-lived.
    pub access_token: String,
    /// Good for one new session.
    pub refresh_token: String,
}

impl std::fmt::Debug for Session {
    /// Tokens stay out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// A row as it is kept: with the version at which it last changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VersionedRow {
    /// The server's version.
    pub version: u64,
    /// The row.
    pub row: Row,
}

/// An event that the server did not take, kept for a person to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetAside {
    /// The event.
    pub event: Event,
    /// The field at fault; `base_rev` for an edit that came too late.
    pub field: String,
    /// Why, in the server's words.
    pub reason: String,
}

/// One durable step of syncing: all of it is kept, or nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// The link from now on; its `revision` is set by the store.
    pub link: Link,
    /// Set if all rows are removed before `rows` are put.
    pub clear_rows: bool,
    /// Rows to put in place of those with the same key.
    pub rows: Vec<VersionedRow>,
    /// Give the events after this position to `link.actor`, numbered from 1 in their order. Entries
    /// that can't be read are left as they are. Events made later go on after the last of them.
    pub renumber_after: Option<u64>,
    /// Events up to this position are not needed any more.
    pub forget_through: Option<u64>,
    /// Events to be set aside.
    pub set_aside: Vec<SetAside>,
    /// `op_id`s of events that a person has dealt with.
    pub settled: Vec<String>,
}

impl Change {
    /// A step that changes the link only.
    pub fn to(link: Link) -> Self {
        Self {
            link,
            ..Self::default()
        }
    }
}
