//! People and agents write, whether or not there is a network.

use crate::author::{Mix, happening};
use crate::config::SECOND;
use crate::now;
use crate::plants::Plant;
use crate::world::{Action, At, World};
use lesson_core::{Happening, Policy};
use lesson_sync::{Entry, Store, StoreError, uuid7};

/// Events written at once, at most.
const BURST: usize = 6;

impl World {
    /// Decides what is written, by what the device shows now.
    pub fn write(&mut self, at: At) {
        let clock = self.clock(at.device);
        let device = &self.devices[at.device];
        let many = (1 + self.dice.below(BURST)).min(device.left);
        let space = &device.shown.space;
        let mut drafts: Vec<Happening> = Vec::with_capacity(many);
        let mut tries = 0;
        while drafts.len() < many {
            tries += 1;
            drafts.push(happening(&mut self.dice, device.mix, space, clock));
            // An agent at the edge has no copy to check against.
            let unchecked = device.mix == Mix::Edge && self.dice.one_in(4);
            let bad = !unchecked && space.check(&drafts, clock, &Policy::default()).is_err();
            if bad && tries < 100 {
                drafts.pop();
            }
        }
        let expected = device.shown.position;
        let entries = drafts
            .into_iter()
            .map(|event| Entry::Own {
                op_id: uuid7(clock, self.dice.wide()),
                at: clock,
                event,
            })
            .collect();
        let disk = self.dice.between(0, 10);
        self.soon(disk, Action::Append(at, expected, entries));
    }

    /// What was decided reaches the store, unless another tab was quicker.
    pub fn append(&mut self, at: At, expected: u64, entries: Vec<Entry>) -> Result<(), String> {
        let many = entries.len();
        if many == 0 {
            return Ok(());
        }
        let op_ids: Vec<String> = entries
            .iter()
            .map(|entry| match entry {
                Entry::Own { op_id, .. } => op_id.clone(),
                Entry::Foreign(event) => event.op_id.clone(),
            })
            .collect();
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
                for op_id in op_ids {
                    self.trace.text(&op_id);
                    self.durable.insert(op_id, at.device);
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
