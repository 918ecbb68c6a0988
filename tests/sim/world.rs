//! A run: devices, a network and a server in virtual time, from a seed to everything being quiet.

use crate::accounts::Accounts;
use crate::author::Mix;
use crate::config::{Config, Counts, DEVICES, EVENTS, SECOND, START};
use crate::device::Device;
use crate::dice::Dice;
use crate::keys::Asked;
use crate::plants::Plant;
use crate::server::{EDGE, Server, Snapshot};
use crate::trace::Trace;
use crate::{now, oracle};
use lesson_core::{Event, EventKind, Millis};
use lesson_sync::{Change, Entry, Input, Link, Named, Session, Store, uuid7};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A tab of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct At {
    pub device: usize,
    pub tab: usize,
}

/// A scheduled act in the simulated world.
pub enum Action {
    /// Somebody writes.
    Write(At),
    /// Entries that were written reach the store.
    Append(At, u64, Vec<Entry>),
    /// A round begins, unless another timer was set.
    Wake(At, u64),
    /// A step of an effect is done; the number says which effect.
    Do(At, u64, Step),
    /// A closed tab is opened.
    Open(At),
    Connect(usize),
    SignIn(usize),
    BackUp,
    Restore,
    Copy(usize, usize),
    Clock(usize),
    Heal,
}

/// A step of an effect.
pub enum Step {
    ReadLink(usize),
    ReadEvents(usize, Box<Link>),
    Commit(u64, Box<Change>),
    Arrive(Request),
    Answer(Box<Input>, Option<Snapshot>),
}

/// A request under way.
#[derive(Clone)]
pub enum Request {
    Push(Box<Link>, Vec<Event>),
    Pull(Box<Link>, u64, u32),
    Refresh(Box<Link>),
}

struct Due {
    at: Millis,
    serial: u64,
    action: Action,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.serial).cmp(&(other.at, other.serial))
    }
}

pub struct World {
    pub now: Millis,
    pub dice: Dice,
    pub config: Config,
    pub plant: Option<Plant>,
    pub server: Server,
    pub accounts: Accounts,
    pub devices: Vec<Device>,
    /// Every event that a store said it keeps, by id and request.
    pub durable: HashMap<(String, Option<String>), Vec<Made>>,
    /// Requests that agents made of edges under keys of theirs.
    pub asked: Vec<Asked>,
    pub healed: bool,
    pub trace: Trace,
    pub counts: Counts,
    pub serial: u64,
    queue: BinaryHeap<Reverse<Due>>,
    /// Nothing scheduled of itself happens after this.
    last_plan: Millis,
}

/// An event as it was made.
pub struct Made {
    pub device: usize,
    pub at: Millis,
    pub by: String,
    pub event: EventKind,
}

/// The result of a run.
pub struct Report {
    pub trace: u64,
    pub events: usize,
    pub accepted: usize,
    pub refused: usize,
    pub rounds: u32,
    pub counts: Counts,
}

/// Runs a seed until all is quiet.
///
/// # Errors
/// Says which invariant broke, where and when.
pub fn run(seed: u64, plant: Option<Plant>) -> Result<Report, String> {
    let mut world = World::new(seed, plant);
    loop {
        let Some(Reverse(due)) = world.queue.pop() else {
            return Err("nothing is left to happen, but not all is quiet".to_owned());
        };
        world.now = due.at;
        world.trace.word(due.at as u64);
        let quiet = world
            .happen(due.action)
            .map_err(|broken| format!("{broken}, {} s into the run", (due.at - START) / SECOND))?;
        if quiet {
            return Ok(world.report());
        }
    }
}

impl World {
    fn new(seed: u64, plant: Option<Plant>) -> Self {
        let mut dice = Dice::new(seed);
        let config = Config::of(&mut dice);
        let mut world = Self {
            now: START,
            plant,
            server: Server::new(plant),
            accounts: Accounts::default(),
            devices: Vec::new(),
            durable: HashMap::new(),
            asked: Vec::new(),
            healed: false,
            trace: Trace::new(),
            counts: Counts::default(),
            serial: 0,
            queue: BinaryHeap::new(),
            last_plan: START,
            dice,
            config,
        };
        for device in 0..DEVICES {
            world.plan_device(device);
        }
        world.plan_events();
        world
    }

    fn plan_device(&mut self, device: usize) {
        let dice = &mut self.dice;
        // The first is an edge always, so that two are common: an agent may come to either.
        let mix = if dice.one_in(4) || device == 0 {
            Mix::Edge
        } else {
            Mix::Person
        };
        let year = 365 * 24 * 3_600 * SECOND;
        let skew = match dice.below(6) {
            0 => year,
            1 => -year,
            _ => dice.between(-5, 5) * SECOND,
        };
        let tabs = 1 + dice.below(2);
        let copied = matches!(self.config.clone, Some((_, to, _)) if to == device);
        let join = match dice.below(3) {
            0 => dice.between(0, 300) * SECOND,
            _ => dice.between(0, 2_000),
        };
        if dice.one_in(4) {
            let at = START + dice.between(1, 900) * SECOND;
            self.at(at, Action::Clock(device));
        }
        let mut made = Device::new(mix, tabs, skew, EVENTS);
        made.exists = !copied;
        made.user = match mix {
            Mix::Edge => EDGE.to_owned(),
            // Each person has two devices.
            Mix::Person => format!("{}", device / 2),
        };
        let fresh = uuid7(self.now, self.dice.wide());
        if !copied {
            let _ = now(made.store.identity(&fresh));
            made.first_actor = fresh;
        }
        self.devices.push(made);
        if !copied {
            self.at(START + join, Action::Connect(device));
            self.start_writing(device);
        }
    }

    fn start_writing(&mut self, device: usize) {
        for tab in 0..self.devices[device].tabs.len() {
            let wait = self.dice.between(100, 20_000);
            self.soon(wait, Action::Write(At { device, tab }));
        }
    }

    fn plan_events(&mut self) {
        if let Some((backup, restore)) = self.config.restore {
            self.at(backup, Action::BackUp);
            self.at(restore, Action::Restore);
        }
        if let Some((from, to, at)) = self.config.clone {
            self.at(at, Action::Copy(from, to));
        }
    }

    fn at(&mut self, at: Millis, action: Action) {
        self.last_plan = self.last_plan.max(at);
        self.push(at, action);
    }

    fn push(&mut self, at: Millis, action: Action) {
        self.serial += 1;
        self.queue.push(Reverse(Due {
            at,
            serial: self.serial,
            action,
        }));
    }

    /// Lets something happen after so many milliseconds.
    pub fn soon(&mut self, wait: Millis, action: Action) {
        self.push(self.now + wait, action);
    }

    /// Draws a fault with this share of a thousand, and counts it under `name`; true if it happens now.
    pub fn fault(&mut self, share: usize, name: &'static str) -> bool {
        let happens = !self.healed && self.dice.per_mille(share);
        if happens {
            self.counts.add(name);
        }
        happens
    }

    /// Carries out an action; true if everything is quiet after it.
    fn happen(&mut self, action: Action) -> Result<bool, String> {
        match action {
            Action::Write(at) => self.write(at),
            Action::Append(at, expected, entries) => self.append(at, expected, entries)?,
            Action::Wake(at, timer) => self.wake(at, timer)?,
            Action::Do(at, number, step) => self.proceed(at, number, step)?,
            Action::Open(at) => self.open(at)?,
            Action::Connect(device) => self.connect(device)?,
            Action::SignIn(device) => self.sign_in(device)?,
            Action::BackUp => self.server.back_up(),
            Action::Restore => {
                if self.server.restore() {
                    self.counts.add("server restored from a backup");
                }
            }
            Action::Copy(from, to) => self.copy(from, to)?,
            Action::Clock(device) => {
                self.counts.add("clock jumped");
                let days = self.dice.between(-365, 365);
                self.devices[device].skew += days * 24 * 3_600 * SECOND;
            }
            Action::Heal => self.heal()?,
        }
        if self.now > START + 7 * 24 * 3_600 * SECOND {
            return Err("all is not quiet after a week".to_owned());
        }
        if self.healed {
            return oracle::quiet(self);
        }
        Ok(false)
    }

    /// The device's clock.
    pub fn clock(&self, device: usize) -> Millis {
        self.now + self.devices[device].skew
    }

    /// When all is written, the faults stop soon.
    pub fn heal_when_written(&mut self) {
        if self.devices.iter().all(|device| device.left == 0) {
            let at = self.last_plan.max(self.now) + SECOND;
            self.push(at, Action::Heal);
        }
    }

    fn heal(&mut self) -> Result<(), String> {
        if self.now < self.last_plan {
            self.heal_when_written();
            return Ok(());
        }
        self.healed = true;
        for device in 0..self.devices.len() {
            let held = &mut self.devices[device];
            (held.offline_until, held.deaf_until) = (0, 0);
            for tab in &mut held.tabs {
                tab.rounds = 0;
            }
        }
        Ok(())
    }

    /// A new link: what was made here goes to the server under a new actor.
    fn connect(&mut self, device: usize) -> Result<(), String> {
        let actor = uuid7(self.clock(device), self.dice.wide());
        let named = |id: &str| Named {
            id: id.to_owned(),
            name: id.to_owned(),
        };
        let link = Link {
            url: "https://server.test".to_owned(),
            key: "key".to_owned(),
            user: named(&self.devices[device].user),
            space: named("space"),
            actor: actor.clone(),
            session: Some(self.new_session(device)),
            ..Link::default()
        };
        self.devices[device].first_actor = actor;
        let change = Change {
            renumber_after: Some(0),
            ..Change::to(link)
        };
        self.apply(At { device, tab: 0 }, 0, change)?
            .map_err(|error| format!("device {device} could not connect: {error}"))?;
        for tab in 0..self.devices[device].tabs.len() {
            self.soon(10, Action::Open(At { device, tab }));
        }
        Ok(())
    }

    fn new_session(&mut self, device: usize) -> Session {
        let until = self.now + self.config.token;
        self.accounts.sign_in(&self.devices[device].user, until)
    }

    fn sign_in(&mut self, device: usize) -> Result<(), String> {
        self.devices[device].signing_in = false;
        let Some(link) = self.devices[device].link() else {
            return Ok(());
        };
        if link.session.is_some() {
            return Ok(());
        }
        self.counts.add("a person signed in again");
        for tab in &mut self.devices[device].tabs {
            tab.granted = None; // The person's own takes its place.
        }
        let session = Some(self.new_session(device));
        let revision = link.revision;
        let change = Change::to(Link { session, ..link });
        // Nothing comes between.
        let _ = self.apply(At { device, tab: 0 }, revision, change)?;
        self.wake_all(device);
        Ok(())
    }

    /// Copies a profile: another device goes on with the same store, and the same actor.
    fn copy(&mut self, from: usize, to: usize) -> Result<(), String> {
        self.counts.add("profile copied");
        let store = self.devices[from].store.clone();
        let source = &self.devices[from];
        let (hashes, all, covered) = (source.row_hashes.clone(), source.rows_hash, source.covered);
        let first_actor = source.first_actor.clone();
        let (mix, user) = (source.mix, source.user.clone());
        let copy = &mut self.devices[to];
        (copy.row_hashes, copy.rows_hash, copy.covered) = (hashes, all, covered);
        copy.first_actor = first_actor;
        (copy.mix, copy.user) = (mix, user);
        copy.exists = true;
        copy.store = store;
        copy.shown.refresh(&copy.store);
        let through = copy.shown.position;
        copy.copied_through = through;
        if copy.link().is_none() {
            self.soon(100, Action::Connect(to));
        } else {
            for tab in 0..self.devices[to].tabs.len() {
                self.soon(100, Action::Open(At { device: to, tab }));
            }
        }
        self.devices[from].copied_through = through;
        self.start_writing(to);
        Ok(())
    }

    fn report(mut self) -> Report {
        for (_, field) in &self.server.refused {
            self.counts.add(match &**field {
                "request" => "(set aside for a key that was used again)",
                "decision_id" => "(set aside for what was said of the decision before)",
                "base_rev" => "(set aside for another edit)",
                _ => "(set aside for something else)",
            });
        }
        let rounds = self
            .devices
            .iter()
            .flat_map(|device| device.tabs.iter().map(|tab| tab.rounds));
        Report {
            trace: self.trace.hash(),
            events: self.durable.len(),
            accepted: self.server.state.length,
            refused: self.server.refused.len(),
            rounds: rounds.max().unwrap_or(0),
            counts: self.counts,
        }
    }
}
