//! The server: what `push_events` and `pull_changes` of `supabase/migrations` do, in memory.
//!
//! Days and times of feedback are given whole; the server in SQL leaves out those of long ago.

use crate::dice::Dice;
use crate::plants::Plant;
use crate::server_rows::{Before, hash_of};
use lesson_core::{DAY, Event, EventKind, Folded, Millis, Policy, Row, Space, tool_query_hash};
use lesson_sync::{Page, PushStatus, Pushed, Rejected, SCHEMA_VERSION, VersionedRow};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A space on the server, with all that a backup holds.
#[derive(Clone, Default)]
pub struct State {
    pub space: Space,
    pub version: u64,
    actors: BTreeMap<String, Actor>,
    /// By version: when it can be seen, and the row.
    rows: BTreeMap<u64, (Millis, Row)>,
    versions: HashMap<String, u64>,
    tools: HashMap<String, u64>,
    pub days: BTreeMap<i64, u32>,
    /// Number of times that the ledger was folded anew, which its epoch tells.
    folds: u32,
    /// Over all rows, see [`crate::server_rows::row_hash`].
    rows_hash: u64,
    /// Events accepted.
    pub length: usize,
}

#[derive(Clone, Default)]
struct Actor {
    last_seq: u64,
    /// By number; with field and reason when it was set aside.
    events: BTreeMap<u64, (Event, Option<(String, String)>)>,
}

/// The ledger since the last restore, and before: one per epoch.
#[derive(Clone, Default)]
pub struct Ledger {
    pub events: Vec<Event>,
    places: HashMap<String, usize>,
}

impl Ledger {
    fn held(&self, op_id: &str) -> Option<&Event> {
        self.events.get(*self.places.get(op_id)?)
    }

    /// True if an event is among the first `length`.
    pub fn has(&self, op_id: &str, length: usize) -> bool {
        self.places.get(op_id).is_some_and(|place| *place < length)
    }
}

/// The state that a page is a snapshot of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    pub epoch: usize,
    pub length: usize,
    pub version: u64,
    pub rows_hash: u64,
    /// True if it is the last page.
    pub last: bool,
}

/// The account of the edge; all others are members.
pub const EDGE: &str = "edge";
/// Keys of agents that the space has; `agent:3` was made up, or its key deleted.
pub const AGENTS: &[&str] = &["agent:0", "agent:1", "agent:2"];

#[derive(Default)]
pub struct Server {
    pub state: State,
    pub ledgers: Vec<Ledger>,
    pub plant: Option<Plant>,
    /// Everything that was ever set aside, by the field at fault.
    pub refused: BTreeSet<(String, String)>,
    policy: Policy,
    backup: Option<(State, Ledger)>,
}

impl Server {
    pub fn new(plant: Option<Plant>) -> Self {
        let mut server = Self {
            plant,
            ledgers: vec![Ledger::default()],
            ..Self::default()
        };
        if plant == Some(Plant::OwnWordCounts) {
            server.policy.fold.shared_from_keys = u32::MAX;
        }
        server
    }

    pub fn epoch(&self) -> usize {
        self.ledgers.len() - 1
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledgers[self.epoch()]
    }

    fn has(&self, op_id: &str) -> bool {
        self.ledger().places.contains_key(op_id)
    }

    pub fn back_up(&mut self) {
        self.backup = Some((self.state.clone(), self.ledger().clone()));
    }

    /// The operator restores the backup, and asks for a new epoch.
    pub fn restore(&mut self) -> bool {
        let Some((state, ledger)) = self.backup.take() else {
            return false;
        };
        self.state = state;
        self.ledgers.push(ledger);
        true
    }

    /// Returns the maker of an event, by the token that it came with: the edge names an agent's key, a
    /// member is the account, whatever is claimed.
    pub fn by(user: &str, claimed: &str) -> String {
        match user {
            EDGE if AGENTS.contains(&claimed) => claimed.to_owned(),
            EDGE => String::new(),
            user => format!("person:{user}"),
        }
    }

    /// An event as the ledger keeps it, or why it is set aside unread.
    fn read(&self, user: &str, event: &Event) -> Result<Event, (String, String)> {
        let by = match self.plant {
            Some(Plant::ByClaimed) if user != EDGE => event.by.clone(),
            _ => Self::by(user, &event.by),
        };
        Ok(Event {
            by,
            ..event.clone()
        })
    }

    /// True if the event's key was used before, for something else.
    fn is_key_reused(&self, event: &Event) -> bool {
        let known = self.ledger().held(&event.op_id);
        let known = known.and_then(|known| known.request.as_ref());
        self.plant != Some(Plant::KeyReuse)
            && known.is_some()
            && event.request.is_some()
            && known != event.request.as_ref()
    }

    /// `push_events`, as one transaction.
    pub fn push(
        &mut self,
        (user, name): (&str, &str),
        events: &[Event],
        now: Millis,
        dice: &mut Dice,
    ) -> Pushed {
        if self.plant == Some(Plant::AckEarly) && dice.one_in(25) {
            return Pushed {
                status: PushStatus::Ok,
                acked_seq: events.last().map_or(0, |event| event.seq),
                rejected: Vec::new(),
            };
        }
        let mut actor = self.state.actors.remove(name).unwrap_or_default();
        let mut answer = Pushed {
            status: PushStatus::Ok,
            acked_seq: actor.last_seq,
            rejected: Vec::new(),
        };
        let seen = match self.plant {
            Some(Plant::LateCommit) => now + dice.between(0, 3_000),
            _ => now,
        };
        for event in events {
            let number = event.seq;
            if number <= actor.last_seq {
                let known = match actor.events.get(&number) {
                    Some((held, refused)) => {
                        if let Some((field, reason)) = refused {
                            answer.rejected.push(Rejected {
                                seq: number,
                                field: field.clone(),
                                reason: reason.clone(),
                            });
                        }
                        // The maker is the server's word.
                        let same = Event {
                            by: held.by.clone(),
                            ..event.clone()
                        };
                        *held == same || self.plant == Some(Plant::CloneIgnored)
                    }
                    None => self.has(&event.op_id) && !self.is_key_reused(event),
                };
                if !known {
                    answer.rejected.retain(|one| one.seq != number);
                    answer.status = PushStatus::Cloned;
                    break;
                }
                self.duplicate(event, seen);
                continue;
            }
            if number > actor.last_seq + 1 {
                answer.status = PushStatus::Gap;
                break;
            }
            actor.last_seq = number;
            let reused = self.is_key_reused(event);
            if self.has(&event.op_id) && !reused {
                self.duplicate(event, seen);
                continue;
            }
            let refused = if reused {
                let reason = "this key was used before, for something else";
                Some(("request".to_owned(), reason.to_owned()))
            } else {
                let read = self.read(user, event);
                read.and_then(|event| self.accept(&event, seen)).err()
            };
            if let Some((field, reason)) = &refused {
                self.refused.insert((event.op_id.clone(), field.clone()));
                answer.rejected.push(Rejected {
                    seq: number,
                    field: field.clone(),
                    reason: reason.clone(),
                });
            }
            actor.events.insert(number, (event.clone(), refused));
        }
        answer.acked_seq = actor.last_seq;
        self.state.actors.insert(name.to_owned(), actor);
        answer
    }

    /// An event that is there already: nothing happens, without a planted bug.
    fn duplicate(&mut self, event: &Event, seen: Millis) {
        match self.plant {
            Some(Plant::NoDedup) => {
                let op_id = format!("{}+", event.op_id);
                if !self.has(&op_id) {
                    let _ = self.accept(
                        &Event {
                            op_id,
                            ..event.clone()
                        },
                        seen,
                    );
                }
            }
            Some(Plant::DayTwice) => self.count_day(event.at),
            _ => {}
        }
    }

    /// Folds an event, and gives every row that changed the next version.
    fn accept(&mut self, event: &Event, seen: Millis) -> Result<(), (String, String)> {
        let before = Before::of(&self.state.space, &event.event);
        let mut folded = event.clone();
        if self.plant == Some(Plant::LastWriteWins)
            && let EventKind::LessonEdited {
                lesson, base_rev, ..
            } = &mut folded.event
            && let Some(held) = self.state.space.lesson(lesson)
        {
            *base_rev = held.rev;
        }
        match self.state.space.fold(&folded, &self.policy) {
            Err(error) => return Err((error.field().to_owned(), error.to_string())),
            Ok(Folded::Duplicate) => return Ok(()),
            Ok(Folded::Applied) => {}
        }
        let anew = event.event.refolds() && self.plant != Some(Plant::WithdrawnCounts);
        if !anew {
            self.put_changed(event, before, seen);
        }
        self.count_day(event.at);
        let ledger = self.ledgers.last_mut().expect("there is an epoch");
        ledger
            .places
            .insert(event.op_id.clone(), ledger.events.len());
        ledger.events.push(event.clone());
        self.state.length += 1;
        if anew {
            self.refold(seen);
        }
        Ok(())
    }

    /// Folds the ledger anew, knowing which voices count for nothing: every row gets another version.
    fn refold(&mut self, seen: Millis) {
        let events = self.ledger().events.clone();
        let state = &mut self.state;
        state.space = Space::for_ledger(&events, &self.policy);
        state.rows.clear();
        state.versions.clear();
        state.tools.clear();
        let days = state.days.iter();
        state.rows_hash = days.fold(0, |hash, (day, count)| {
            hash ^ hash_of(&format!("day|{day}"), u64::from(*count))
        });
        if self.plant != Some(Plant::RefoldUntold) {
            state.folds += 1;
        }
        for event in &events {
            let before = Before::of(&self.state.space, &event.event);
            // Events that can't be folded are for the oracle to find.
            if let Ok(Folded::Applied) = self.state.space.fold(event, &self.policy) {
                self.put_changed(event, before, seen);
            }
        }
    }

    /// Gives the event and every row that it changed the next version.
    fn put_changed(&mut self, event: &Event, before: Before, seen: Millis) {
        self.state.version += 1;
        let version = self.state.version;
        if before.is_feedback(&self.state.space) {
            let row = Row::Feedback {
                position: version,
                at: event.at,
            };
            self.put(version, row, seen);
        }
        for row in before.changed(&self.state.space) {
            self.state.version += 1;
            self.put(self.state.version, row, seen);
        }
        if let EventKind::ToolSucceeded { query, server } = &event.event {
            self.put_tool(&tool_query_hash(query, server), seen);
        }
    }

    fn put_tool(&mut self, hash: &str, seen: Millis) {
        let records = self.state.space.tools().records();
        let Some(record) = records.iter().find(|record| record.query_hash == hash) else {
            return; // Not every server is remembered.
        };
        self.state.version += 1;
        let version = self.state.version;
        let position = *self.state.tools.entry(hash.to_owned()).or_insert(version);
        let row = Row::Tool {
            record: record.clone(),
            position,
            dropped: false,
        };
        self.put(version, row, seen);
    }

    fn count_day(&mut self, at: Millis) {
        let day = at.div_euclid(DAY);
        let count = self.state.days.entry(day).or_insert(0);
        let key = format!("day|{day}");
        if *count > 0 {
            self.state.rows_hash ^= hash_of(&key, u64::from(*count));
        }
        *count += 1;
        self.state.rows_hash ^= hash_of(&key, u64::from(*count));
    }

    fn put(&mut self, version: u64, row: Row, seen: Millis) {
        let key = row.key();
        let hash = &mut self.state.rows_hash;
        *hash ^= hash_of(&key, version);
        if let Some(old) = self.state.versions.get(&key).copied() {
            *hash ^= hash_of(&key, old);
            self.state.rows.remove(&old);
        }
        self.state.versions.insert(key, version);
        self.state.rows.insert(version, (seen, row));
    }

    /// The hash over all rows.
    pub fn rows_hash(&self) -> u64 {
        self.state.rows_hash
    }

    /// `pull_changes`, with what the page is a snapshot of.
    pub fn pull(&self, actor: &str, cursor: u64, limit: usize, now: Millis) -> (Page, Snapshot) {
        let state = &self.state;
        let mut rows: Vec<VersionedRow> = state
            .rows
            .range(cursor + 1..)
            .filter(|(_, (seen, _))| *seen <= now)
            .take(limit + 1)
            .map(|(at, (_, row))| VersionedRow {
                version: *at,
                row: row.clone(),
            })
            .collect();
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().map_or(cursor, |row| row.version);
        // Without the planted bug the last page's cursor is the space's version.
        let late = self.plant == Some(Plant::LateCommit);
        let next_cursor = if has_more || late {
            last
        } else {
            state.version
        };
        if !has_more && state.version > cursor {
            rows.extend(state.days.iter().map(|(day, events)| VersionedRow {
                version: next_cursor,
                row: Row::Day {
                    day: *day,
                    events: *events,
                },
            }));
        }
        let page = Page {
            rows,
            next_cursor,
            version: state.version,
            has_more,
            acked_seq: state.actors.get(actor).map_or(0, |actor| actor.last_seq),
            epoch: match state.folds {
                0 => format!("epoch-{}", self.epoch()),
                folds => format!("epoch-{}.{folds}", self.epoch()),
            },
            schema_version: SCHEMA_VERSION,
        };
        let snapshot = Snapshot {
            epoch: self.epoch(),
            length: state.length,
            version: state.version,
            rows_hash: self.rows_hash(),
            last: !has_more,
        };
        (page, snapshot)
    }
}
