//! Planted bugs: what a client, a store or a server might do wrong. The simulator has to catch each.

use crate::dice::Dice;
use lesson_core::{Event, Row};
use lesson_sync::{
    Change, Effect, Input, Link, MemoryStore, PushStatus, Pushed, RemoteError, Store,
};

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plant {
    /// Server: versions are taken before the commit, so that a later one can be seen first.
    LateCommit,
    /// Server: acknowledges a batch that it loses.
    AckEarly,
    /// Server: an event that is sent again counts again.
    NoDedup,
    /// Server: another event under a known number passes for a duplicate.
    CloneIgnored,
    /// Server: the last edit wins, whatever it started from.
    LastWriteWins,
    /// Server: a day counts what is sent again.
    DayTwice,
    /// Server: an event of a known id passes for a duplicate, whatever was asked for.
    KeyReuse,
    /// Server: a member is who their app says.
    ByClaimed,
    /// Store: a write is reported before it is durable.
    WriteEarly,
    /// Store: the place of an event is chosen outside the transaction.
    PlaceOutside,
    /// Client: the cursor is kept before the rows.
    CursorFirst,
    /// Client: a 500 passes for success.
    DropOn500,
    /// Client: the number in a pull passes for an acknowledgement.
    AckByPull,
    /// Client: rows are put while the events in them are still shown on top.
    RowsOnTop,
    /// Client: it is not noted that a batch may reach the server.
    TriedNotNoted,
    /// Client: events get new ids with their new numbers.
    NewOpIds,
    /// Client: a refresh token that was used ends the session, whatever another tab has.
    SessionDropped,
    /// Client: after a restore rows are read anew, but nothing is sent again.
    NothingAgain,
    /// Client: does not look at the epoch.
    EpochIgnored,
    /// Client: forgets what the server did not take.
    SetAsideForgotten,
    /// Server: an agent's word on its own lesson counts as anybody's.
    OwnWordCounts,
    /// Client: is not told whose keys have written.
    AgentsUnknown,
    /// Server: what a withdrawn voice said before goes on counting.
    WithdrawnCounts,
    /// Server: the epoch does not tell that the ledger was folded anew.
    RefoldUntold,
}

impl Plant {
    pub const ALL: &'static [Self] = &[
        Self::LateCommit,
        Self::AckEarly,
        Self::NoDedup,
        Self::CloneIgnored,
        Self::LastWriteWins,
        Self::DayTwice,
        Self::KeyReuse,
        Self::ByClaimed,
        Self::WriteEarly,
        Self::PlaceOutside,
        Self::CursorFirst,
        Self::DropOn500,
        Self::AckByPull,
        Self::RowsOnTop,
        Self::TriedNotNoted,
        Self::NewOpIds,
        Self::SessionDropped,
        Self::NothingAgain,
        Self::EpochIgnored,
        Self::SetAsideForgotten,
        Self::OwnWordCounts,
        Self::AgentsUnknown,
        Self::WithdrawnCounts,
        Self::RefoldUntold,
    ];

    /// Alters an answer into what the client makes of it.
    pub fn alter_input(self, input: &mut Input, sent: &Sent) {
        match (self, input) {
            (Self::DropOn500, Input::Pushed(answer)) => {
                if let Err(RemoteError::Trouble(_)) = answer {
                    *answer = Ok(Pushed {
                        status: PushStatus::Ok,
                        acked_seq: sent.last_seq,
                        rejected: Vec::new(),
                    });
                }
            }
            (Self::EpochIgnored, Input::Pulled(Ok(page))) if !sent.epoch.is_empty() => {
                page.epoch.clone_from(&sent.epoch);
                page.version = page.version.max(sent.cursor);
            }
            (Self::AgentsUnknown, Input::Pulled(Ok(page))) => {
                page.rows
                    .retain(|one| !matches!(one.row, Row::Agents { .. }));
            }
            _ => {}
        }
    }

    /// Alters an effect into what the client does instead.
    pub fn alter_effect(self, effect: &mut Effect, first_actor: &str) {
        match (self, effect) {
            (Self::NewOpIds, Effect::Push { events, .. }) => {
                for event in events.iter_mut().filter(|event| event.actor != first_actor) {
                    event.op_id = format!("{}-{}", event.op_id, event.seq);
                }
            }
            (Self::SetAsideForgotten, Effect::Commit { change, .. }) => change.set_aside.clear(),
            _ => {}
        }
    }

    /// Alters a change into what the client asks of its store instead.
    pub fn alter_change(
        self,
        change: &mut Change,
        held: &Link,
        events: &[Event],
        acked_seq: Option<u64>,
    ) {
        let pulled = !change.rows.is_empty();
        match self {
            Self::RowsOnTop if pulled && !change.clear_rows => change.link.based = held.based,
            Self::NothingAgain if change.link.resync && change.renumber_after == Some(0) => {
                change.renumber_after = None;
                change.link.acked = held.acked;
                change.link.actor.clone_from(&held.actor);
            }
            Self::AckByPull => {
                let Some(acked) = acked_seq else {
                    return;
                };
                // Positions are from 1 and without gaps here.
                let through = events
                    .iter()
                    .rposition(|event| event.actor == change.link.actor && event.seq <= acked)
                    .map_or(0, |place| place as u64 + 1);
                change.link.acked = change.link.acked.max(through);
                change.link.based = change.link.based.max(through);
            }
            _ => {}
        }
    }

    /// True if a commit is only said to have been done.
    pub fn skips(self, change: &Change, held: &Link) -> bool {
        self == Self::TriedNotNoted
            && change.link.tried != held.tried
            && *change
                == Change::to(Link {
                    tried: change.link.tried,
                    ..held.clone()
                })
    }

    /// True if a write dies unkept, although it was reported.
    pub fn loses_write(self, dice: &mut Dice) -> bool {
        self == Self::WriteEarly && dice.one_in(30)
    }
}

/// The request that an answer belongs to.
#[derive(Default, Clone)]
pub struct Sent {
    pub last_seq: u64,
    pub epoch: String,
    pub cursor: u64,
}

/// All events of a store.
pub fn events_of(store: &MemoryStore) -> Vec<Event> {
    crate::now(store.read_after(0))
        .map(|ledger| {
            ledger
                .events
                .into_iter()
                .map(|stored| stored.event)
                .collect()
        })
        .unwrap_or_default()
}
