//! Tabs that sync: what the machine decides is carried out in steps, and anything may fail between.

use crate::config::SECOND;
use crate::plants::{Plant, Sent, events_of};
use crate::server_rows::row_hash;
use crate::world::{Action, At, Request, Step, World};
use crate::{now, oracle};
use lesson_sync::{Change, Effect, Input, Link, Machine, Phase, Store, StoreError};

impl World {
    /// Opens a tab that is closed, and lets it look at the store.
    pub fn open(&mut self, at: At) -> Result<(), String> {
        let device = &mut self.devices[at.device];
        if !device.exists || device.link().is_none() {
            return Ok(());
        }
        let tab = &mut device.tabs[at.tab];
        if tab.machine.is_some() {
            return Ok(());
        }
        tab.machine = Some(Machine::new());
        tab.resting = true;
        tab.again = false;
        self.wake_soon(at, 0);
        Ok(())
    }

    /// A tab closes in the middle of what it does.
    pub fn crash(&mut self, at: At) {
        let tab = &mut self.devices[at.device].tabs[at.tab];
        tab.machine = None;
        tab.awaiting = 0;
        tab.resting = false;
        tab.granted = None;
        let wait = self.dice.between(1, 60) * SECOND;
        self.soon(wait, Action::Open(at));
    }

    fn crashes(&mut self, at: At) -> bool {
        let dies = self.fault(self.config.crash, "tab crashed");
        if dies {
            self.crash(at);
        }
        dies
    }

    /// Sets the tab's timer.
    fn wake_soon(&mut self, at: At, wait: i64) {
        self.serial += 1;
        let timer = self.serial;
        self.devices[at.device].tabs[at.tab].timer = timer;
        self.soon(wait, Action::Wake(at, timer));
    }

    /// Something was written: tabs at rest begin a round, others another one after theirs.
    pub fn wake_all(&mut self, device: usize) {
        for tab in 0..self.devices[device].tabs.len() {
            let at = At { device, tab };
            if self.devices[device].tabs[tab].resting {
                let wait = self.dice.between(0, 50);
                self.wake_soon(at, wait);
            } else {
                self.devices[device].tabs[tab].again = true;
            }
        }
    }

    pub fn wake(&mut self, at: At, timer: u64) -> Result<(), String> {
        let tab = &mut self.devices[at.device].tabs[at.tab];
        if tab.timer != timer || !tab.resting {
            return Ok(());
        }
        tab.resting = false;
        tab.rounds += 1;
        self.feed(at, Input::Wake)
    }

    /// Gives the machine an input, and begins to carry out what it decides.
    fn feed(&mut self, at: At, mut input: Input) -> Result<(), String> {
        let (clock, random) = (self.clock(at.device), self.dice.wide());
        let plant = self.plant;
        let device = &mut self.devices[at.device];
        let tab = &mut device.tabs[at.tab];
        let Some(machine) = &mut tab.machine else {
            return Ok(());
        };
        if let Some(plant) = plant {
            plant.alter_input(&mut input, &tab.sent);
        }
        match &input {
            Input::Refreshed(Ok(session)) => {
                tab.granted = Some(session.refresh_token.clone());
                tab.refused = false;
            }
            Input::Refreshed(Err(lesson_sync::RemoteError::Unauthorized)) => tab.refused = true,
            _ => {}
        }
        self.trace.word((at.device * 16 + at.tab) as u64);
        self.trace.input(&input);
        let mut effect = machine.step(input, clock, random);
        if let Some(plant) = plant {
            plant.alter_effect(&mut effect, &device.first_actor);
        }
        self.trace.effect(&effect);
        if self.crashes(at) {
            return Ok(());
        }
        self.begin(at, effect)
    }

    fn begin(&mut self, at: At, effect: Effect) -> Result<(), String> {
        self.serial += 1;
        let number = self.serial;
        let disk = self.dice.between(0, 8);
        let tab = &mut self.devices[at.device].tabs[at.tab];
        tab.awaiting = number;
        match effect {
            Effect::Rest(rest) => {
                let signed_out = tab
                    .machine
                    .as_ref()
                    .is_some_and(|machine| machine.status().phase == Phase::SignedOut);
                tab.resting = true;
                if std::mem::take(&mut tab.again) {
                    self.wake_soon(at, 10);
                } else if let Some(until) = rest.until {
                    let wait = (until - self.clock(at.device)).max(0);
                    self.wake_soon(at, wait);
                }
                if signed_out {
                    oracle::session(self, at)?;
                }
                if signed_out && !self.devices[at.device].signing_in {
                    self.devices[at.device].signing_in = true;
                    let wait = self.dice.between(5, 200) * SECOND;
                    self.soon(wait, Action::SignIn(at.device));
                }
            }
            Effect::Read { most } => {
                self.soon(disk, Action::Do(at, number, Step::ReadLink(most)));
            }
            Effect::Commit { expected, change } => {
                let step = Step::Commit(expected, change);
                self.soon(disk, Action::Do(at, number, step));
            }
            Effect::Push { link, events } => {
                tab.sent = Sent {
                    last_seq: events.last().map_or(0, |event| event.seq),
                    ..Sent::default()
                };
                self.send(at, number, Request::Push(link, events));
            }
            Effect::Pull {
                link,
                cursor,
                limit,
            } => {
                tab.sent = Sent {
                    epoch: link.epoch.clone(),
                    cursor,
                    ..Sent::default()
                };
                self.send(at, number, Request::Pull(link, cursor, limit));
            }
            Effect::Refresh { link } => self.send(at, number, Request::Refresh(link)),
        }
        Ok(())
    }

    /// Goes on with the effect of this number, if it is still awaited.
    pub fn proceed(&mut self, at: At, number: u64, step: Step) -> Result<(), String> {
        if let Step::Arrive(request) = step {
            self.arrive(at, number, request);
            return Ok(());
        }
        if self.devices[at.device].tabs[at.tab].awaiting != number {
            return Ok(());
        }
        match step {
            Step::ReadLink(most) => {
                if self.fault(self.config.store, "store could not be read") {
                    let lost = StoreError::Lost("closed".to_owned());
                    return self.feed(at, Input::Read(Err(lost)));
                }
                match self.devices[at.device].link() {
                    None => self.feed(at, Input::Read(Ok(None))),
                    Some(link) => {
                        // Not one transaction: another tab may write between.
                        let wait = self.dice.between(0, 4);
                        let step = Step::ReadEvents(most, Box::new(link));
                        self.soon(wait, Action::Do(at, number, step));
                        Ok(())
                    }
                }
            }
            Step::ReadEvents(most, link) => {
                let read = now(self.devices[at.device].store.read_some(link.acked, most));
                let sent = read.map(|ledger| {
                    Some(Box::new(lesson_sync::Sent {
                        link: *link,
                        events: ledger.events,
                    }))
                });
                self.feed(at, Input::Read(sent))
            }
            Step::Commit(expected, change) => self.commit(at, expected, *change),
            Step::Answer(input, page) => {
                let tab = &mut self.devices[at.device].tabs[at.tab];
                if page.is_some() {
                    tab.page = page;
                }
                if let Input::Pulled(Ok(page)) = &*input {
                    tab.acked_seq = Some(page.acked_seq);
                }
                self.feed(at, *input)
            }
            Step::Arrive(_) => Ok(()),
        }
    }

    fn commit(&mut self, at: At, expected: u64, mut change: Change) -> Result<(), String> {
        let share = self.config.store;
        let failed = if self.fault(share, "storage full") {
            Some(StoreError::Full)
        } else if self.fault(share, "transaction aborted") {
            Some(StoreError::Failed("aborted".to_owned()))
        } else if self.fault(share, "another tab was quicker") {
            Some(StoreError::Behind)
        } else {
            None
        };
        if let Some(error) = failed {
            return self.feed(at, Input::Committed(Err(error)));
        }
        let held = self.devices[at.device].link().unwrap_or_default();
        if let Some(plant) = self.plant {
            if plant.skips(&change, &held) {
                let link = Box::new(change.link);
                return self.feed(at, Input::Committed(Ok(link)));
            }
            let device = &self.devices[at.device];
            let acked_seq = device.tabs[at.tab].acked_seq;
            if plant == Plant::AckByPull
                || plant == Plant::NothingAgain
                || plant == Plant::RowsOnTop
            {
                plant.alter_change(&mut change, &held, &events_of(&device.store), acked_seq);
            }
        }
        let signs_out = held.session.is_some() && change.link.session.is_none();
        let expected = match self.plant {
            Some(Plant::SessionDropped) if signs_out => {
                change.link = Link {
                    session: None,
                    ..held.clone()
                };
                held.revision
            }
            _ => expected,
        };
        let done = if self.plant == Some(Plant::CursorFirst) && !change.rows.is_empty() {
            let rows = Change {
                rows: std::mem::take(&mut change.rows),
                ..Change::to(change.link.clone())
            };
            let first = self.apply(at, expected, change)?;
            if self.fault(self.config.store.max(20), "closed between cursor and rows") {
                self.crash(at);
                return Ok(());
            }
            match first {
                Ok(link) => self.apply(at, link.revision, rows)?,
                Err(error) => Err(error),
            }
        } else {
            self.apply(at, expected, change)?
        };
        if self.crashes(at) {
            return Ok(());
        }
        self.feed(at, Input::Committed(done.map(Box::new)))
    }

    /// A durable step, and what has to hold after it.
    pub fn apply(
        &mut self,
        at: At,
        expected: u64,
        change: Change,
    ) -> Result<Result<Link, StoreError>, String> {
        let device = &mut self.devices[at.device];
        let before = device.link().unwrap_or_default();
        let hashes: Vec<(String, u64)> = change
            .rows
            .iter()
            .map(|row| {
                let key = row.row.key();
                let hash = row_hash(&key, row);
                (key, hash)
            })
            .collect();
        let cleared = change.clear_rows;
        let done = now(device.store.commit(expected, change));
        let Ok(link) = &done else {
            return Ok(done);
        };
        if cleared {
            device.row_hashes.clear();
            device.rows_hash = 0;
        }
        if before.session.is_some() && link.session.is_none() {
            device.thrown = device.tabs[at.tab].refused;
        }
        let put = !hashes.is_empty();
        for (key, hash) in hashes {
            device.rows_hash ^= hash ^ device.row_hashes.insert(key, hash).unwrap_or(0);
        }
        // A pull's commit, and nothing else, moves one of these.
        let pulled = put || cleared || link.cursor != before.cursor || link.based != before.based;
        if pulled {
            device.covered = device.tabs[at.tab].page;
            device.shown.refresh(&device.store);
            let (based, link) = (before.based, link.clone());
            oracle::shown(self, at.device, &link, if cleared { 0 } else { based })?;
        }
        Ok(done)
    }
}
