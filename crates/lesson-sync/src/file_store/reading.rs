//! Reading events: what is new, or all of them again.

use super::files::Files;
use super::held::FileStore;
use super::link_state;
use crate::store::{Ledger, StoreError, Stored};

impl<F: Files> FileStore<F> {
    /// Reads what is new; what was read before comes along where it no longer stands.
    pub(super) fn refresh(&self) -> Result<Vec<Stored>, StoreError> {
        let held = &mut *self.held.borrow_mut();
        if let Some(news) = held.log.read_on(&self.files)? {
            return Ok(held.log.follow(news));
        }
        let mut log = held.log.anew();
        // Nothing was read before, so nothing comes too early.
        let news = log.read_on(&self.files)?.unwrap_or_default();
        let stored = log.follow(news);
        held.log = log;
        Ok(stored)
    }

    pub(super) fn read(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        if let Some(state) = link_state::read(&self.files)? {
            return self.read_linked(&state, position, most);
        }
        let before = {
            let held = self.held.borrow();
            held.log.position
        };
        let news = self.refresh()?;
        let held = self.held.borrow();
        let log = &held.log;
        // Events that were read before do not stay in memory.
        let mut events = if position < before && log.base < before {
            log.again(&self.files)?
        } else {
            news
        };
        events.retain(|stored| stored.position > position);
        events.truncate(most);
        Ok(Ledger {
            position: reached(&events, position, most, log.position),
            events,
            epoch: log.epoch,
            ..Ledger::default()
        })
    }
}

/// The position up to which was read.
pub(super) fn reached(events: &[Stored], position: u64, most: usize, end: u64) -> u64 {
    if events.len() < most {
        return end;
    }
    events.last().map_or(position, |last| last.position)
}
