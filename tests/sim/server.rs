//! The server: what `push_events` and `pull_changes` of `supabase/migrations` do, in memory.
//!
//! Days and times of feedback are given whole; the server in SQL leaves out those of long ago.

use crate::dice::Dice;
use crate::plants::Plant;
use lesson_core::{
    DAY, Event, Folded, Happening, Lesson, Millis, Policy, Recommendation, Row, Space,
    tool_query_hash,
};
use lesson_sync::{Page, PushStatus, Pushed, Rejected, VersionedRow};
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
    changed_days: BTreeMap<i64, u64>,
    /// Over all rows; see [`row_hash`].
    pub rows_hash: u64,
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
    /// Whether an event is among the first `length`.
    pub fn has(&self, op_id: &str, length: usize) -> bool {
        self.places.get(op_id).is_some_and(|place| *place < length)
    }
}

/// What a page is a snapshot of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    pub epoch: usize,
    pub length: usize,
    pub version: u64,
    pub rows_hash: u64,
    /// Whether it is the last page.
    pub last: bool,
}

#[derive(Default)]
pub struct Server {
    pub state: State,
    pub ledgers: Vec<Ledger>,
    pub plant: Option<Plant>,
    /// Everything that was ever set aside.
    pub refused: BTreeSet<String>,
    policy: Policy,
    backup: Option<(State, Ledger)>,
}

/// What a row adds to the hash over all rows: its key, and its version or, for a day, its count.
pub fn row_hash(row: &VersionedRow) -> u64 {
    let mut trace = crate::trace::Trace::new();
    trace.text(&row.row.key());
    match &row.row {
        Row::Day { events, .. } => trace.word(u64::from(*events)),
        _ => trace.word(row.version),
    }
    trace.hash()
}

impl Server {
    pub fn new(plant: Option<Plant>) -> Self {
        Self {
            plant,
            ledgers: vec![Ledger::default()],
            ..Self::default()
        }
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

    /// `push_events`, as one transaction.
    pub fn push(&mut self, name: &str, events: &[Event], now: Millis, dice: &mut Dice) -> Pushed {
        let mut actor = self.state.actors.get(name).cloned().unwrap_or_default();
        let mut answer = Pushed {
            status: PushStatus::Ok,
            acked_seq: actor.last_seq,
            rejected: Vec::new(),
        };
        let seen = match self.plant {
            Some(Plant::LateCommit) => now + dice.between(0, 3_000),
            _ => now,
        };
        if self.plant == Some(Plant::AckEarly) && dice.one_in(25) {
            answer.acked_seq = events.last().map_or(0, |event| event.seq);
            return answer;
        }
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
                        held == event || self.plant == Some(Plant::CloneIgnored)
                    }
                    None => self.has(&event.op_id),
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
            if self.has(&event.op_id) {
                self.duplicate(event, seen);
                continue;
            }
            let refused = self.accept(event, seen).err();
            if let Some((field, reason)) = &refused {
                self.refused.insert(event.op_id.clone());
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
            && let Happening::LessonEdited {
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
        self.state.version += 1;
        let version = self.state.version;
        if let Happening::FeedbackGiven { .. } = &event.event {
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
        if let Happening::ToolSucceeded { query, server } = &event.event {
            self.put_tool(&tool_query_hash(query, server), seen);
        }
        self.count_day(event.at);
        let ledger = self.ledgers.last_mut().expect("there is an epoch");
        ledger
            .places
            .insert(event.op_id.clone(), ledger.events.len());
        ledger.events.push(event.clone());
        self.state.length += 1;
        Ok(())
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
        let row = |events| VersionedRow {
            version: 0,
            row: Row::Day { day, events },
        };
        if *count > 0 {
            self.state.rows_hash ^= row_hash(&row(*count));
        }
        *count += 1;
        self.state.rows_hash ^= row_hash(&row(*count));
        self.state.changed_days.insert(day, self.state.version);
    }

    fn put(&mut self, version: u64, row: Row, seen: Millis) {
        let key = row.key();
        let row = VersionedRow { version, row };
        self.state.rows_hash ^= row_hash(&row);
        if let Some(old) = self.state.versions.insert(key, version)
            && let Some((_, old_row)) = self.state.rows.remove(&old)
        {
            self.state.rows_hash ^= row_hash(&VersionedRow {
                version: old,
                row: old_row,
            });
        }
        self.state.rows.insert(version, (seen, row.row));
    }

    /// `pull_changes`; with what the page is a snapshot of.
    pub fn pull(&self, actor: &str, cursor: u64, limit: usize, now: Millis) -> (Page, Snapshot) {
        let state = &self.state;
        let mut rows: Vec<VersionedRow> = state
            .rows
            .range(cursor + 1..)
            .filter(|(_, (seen, _))| *seen <= now)
            .take(limit + 1)
            .map(|(version, (_, row))| VersionedRow {
                version: *version,
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
            epoch: format!("epoch-{}", self.epoch()),
        };
        let snapshot = Snapshot {
            epoch: self.epoch(),
            length: state.length,
            version: state.version,
            rows_hash: state.rows_hash,
            last: !has_more,
        };
        (page, snapshot)
    }
}

/// What an event may change, as it was.
struct Before {
    lessons: Vec<(String, Option<Lesson>)>,
    decision: Option<(String, Vec<Recommendation>)>,
}

impl Before {
    fn of(space: &Space, event: &Happening) -> Self {
        let mut slugs: BTreeSet<&str> = BTreeSet::new();
        let mut decision = None;
        match event {
            Happening::LessonAdded { lesson } => slugs.extend([&*lesson.slug]),
            Happening::LessonEdited { lesson, .. }
            | Happening::LessonArchived { lesson }
            | Happening::LessonRestored { lesson }
            | Happening::LessonReviewed { lesson, .. }
            | Happening::Rated { lesson, .. }
            | Happening::Voted { lesson, .. } => slugs.extend([&**lesson]),
            Happening::LessonsMerged { into, from } => {
                slugs.extend([&**into]);
                slugs.extend(from.iter().map(|slug| &**slug));
            }
            Happening::Surfaced { context, items, .. } => {
                slugs.extend(items.iter().map(|item| &*item.lesson));
                decision = context.decision_id.as_ref();
            }
            Happening::UsageTracked { decision_id, .. }
            | Happening::OutcomeRecorded { decision_id, .. } => decision = Some(decision_id),
            Happening::FeedbackGiven { lessons, .. } => {
                slugs.extend(lessons.iter().map(|slug| &**slug));
            }
            Happening::ToolSucceeded { .. } => {}
        }
        let records = |id: &String| {
            space
                .decision(id)
                .map(|held| held.records.clone())
                .unwrap_or_default()
        };
        let decision = decision.map(|id| (id.clone(), records(id)));
        if let Some((_, records)) = &decision {
            slugs.extend(records.iter().map(|record| &*record.lesson));
        }
        let lessons = slugs
            .into_iter()
            .map(|slug| (slug.to_owned(), space.lesson(slug).cloned()))
            .collect();
        Self { lessons, decision }
    }

    fn changed(self, space: &Space) -> Vec<Row> {
        let mut rows = Vec::new();
        if let Some((id, before)) = self.decision
            && let Some(held) = space.decision(&id)
        {
            for (place, record) in held.records.iter().enumerate() {
                if before.get(place) != Some(record) {
                    rows.push(Row::Recommendation {
                        decision_id: id.clone(),
                        position: place as u32 + 1,
                        record: Box::new(record.clone()),
                    });
                }
            }
        }
        for (slug, before) in self.lessons {
            let held = space.lesson(&slug);
            if let Some(held) = held
                && before.as_ref() != Some(held)
            {
                rows.push(Row::Lesson(Box::new(held.clone())));
            }
        }
        rows
    }
}
