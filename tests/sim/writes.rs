//! People and agents write, whether or not there is a network.

use crate::author::{Mix, happening};
use crate::config::SECOND;
use crate::plants::Plant;
use crate::server::AGENTS;
use crate::world::{Action, At, Made, World};
use crate::{POLICY, now};
use lesson_core::EventKind;
use lesson_sync::{Entry, Store, StoreError, uuid7};

/// Events written at once, at most.
const BURST: usize = 6;

impl World {
    /// Returns the writer on a device, as it names itself.
    fn writer(&mut self, device: usize) -> String {
        let held = &self.devices[device];
        match held.mix {
            Mix::Edge => format!("agent:{}", self.dice.below(AGENTS.len() + 1)),
            // Nobody is signed in yet.
            Mix::Person if held.link().is_none() => "local".to_owned(),
            // Not everybody is honest.
            Mix::Person if self.dice.one_in(60) => "agent:0".to_owned(),
            Mix::Person => format!("person:{}", held.user),
        }
    }

    /// Decides what is written, by what the device shows now.
    pub fn write(&mut self, at: At) {
        let clock = self.clock(at.device);
        let by = self.writer(at.device);
        let device = &self.devices[at.device];
        let many = (1 + self.dice.below(BURST)).min(device.left);
        if many == 0 {
            return;
        }
        let space = &device.shown.space;
        let mut drafts: Vec<EventKind> = Vec::with_capacity(many);
        let mut tries = 0;
        while drafts.len() < many {
            tries += 1;
            drafts.push(happening(&mut self.dice, device.mix, space, clock));
            // An agent at the edge has no copy to check against.
            let unchecked = device.mix == Mix::Edge && self.dice.one_in(4);
            let bad = !unchecked && space.check(&drafts, &by, clock, &POLICY).is_err();
            if bad && tries < 100 {
                drafts.pop();
            }
        }
        let expected = device.shown.position;
        let asked = self.asked(at.device, &by, &mut drafts);
        if asked
            .as_ref()
            .is_some_and(|asked| self.knows_key(at.device, asked))
        {
            let wait = self.dice.between(100, 5_000);
            self.soon(wait, Action::Write(at));
            return;
        }
        let (by, request) = match &asked {
            Some(asked) => (asked.agent.clone(), Some(asked.request())),
            None => (by, None),
        };
        let drafts = match &asked {
            Some(asked) => asked.drafts.clone(),
            None => drafts,
        };
        let entries = drafts
            .into_iter()
            .enumerate()
            .map(|(place, event)| Entry::Own {
                op_id: match &asked {
                    Some(asked) => asked.op_id(place),
                    None => uuid7(clock, self.dice.wide()),
                },
                at: clock,
                by: by.clone(),
                request: request.clone(),
                event,
            })
            .collect();
        let disk = self.dice.between(0, 10);
        self.soon(disk, Action::Append(at, expected, entries));
    }

    /// Appends what was decided to the store, unless another tab was quicker.
    pub fn append(&mut self, at: At, expected: u64, entries: Vec<Entry>) -> Result<(), String> {
        let many = entries.len();
        let own = entries.clone();
        if self.fault(self.config.store, "write failed") {
            self.soon(SECOND, Action::Write(at));
            return Ok(());
        }
        let lost = match self.plant {
            Some(plant) => plant.loses_write(&mut self.dice),
            None => false,
        };
        let written = if lost {
            self.crash(at);
            Ok(Vec::new())
        } else {
            let device = &mut self.devices[at.device];
            let written = now(device.store.append(expected, entries));
            match (written, self.plant) {
                (Err(StoreError::Behind), Some(Plant::PlaceOutside)) => Ok(Vec::new()),
                (written, _) => written,
            }
        };
        match written {
            Ok(stored) => {
                for entry in own {
                    self.made(at.device, entry);
                }
                let device = &mut self.devices[at.device];
                device.shown.add(&stored);
                device.left = device.left.saturating_sub(many);
                let left = device.left;
                self.wake_all(at.device);
                self.wander_off(at.device);
                if left > 0 {
                    let wait = self.dice.between(100, 50_000);
                    self.soon(wait, Action::Write(at));
                } else {
                    self.heal_when_written();
                }
            }
            // The other tab's events are shown by now.
            Err(_) => self.soon(5, Action::Write(at)),
        }
        Ok(())
    }

    fn made(&mut self, device: usize, entry: Entry) {
        let Entry::Own {
            op_id,
            at,
            by,
            request,
            event,
        } = entry
        else {
            return; // Nobody imports here.
        };
        self.trace.text(&op_id);
        let made = Made {
            device,
            at,
            by,
            event,
        };
        self.durable.entry((op_id, request)).or_default().push(made);
    }

    /// Sometimes a device goes offline, or hears nothing more, for a while.
    fn wander_off(&mut self, device: usize) {
        let share = self.config.offline;
        if self.fault(share, "device offline") {
            let long = *self.dice.of(&[10, 120, 900]);
            self.devices[device].offline_until = self.now + long * SECOND;
        }
        if self.fault(share, "one-way partition") {
            self.devices[device].deaf_until = self.now + 90 * SECOND;
        }
    }
}
