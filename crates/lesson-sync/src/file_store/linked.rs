//! Work of a store while it is linked to a server: its own events are what is sent.

use super::files::Files;
use super::held::FileStore;
use super::link_state::{self, LinkState, OwnFile, Renumbered, Rows};
use super::own;
use super::reading::reached;
use crate::link::{Change, Link, SetAside};
use crate::store::{Ledger, StoreError};

impl<F: Files> FileStore<F> {
    pub(super) fn read_linked(
        &self,
        state: &LinkState,
        position: u64,
        most: usize,
    ) -> Result<Ledger, StoreError> {
        let held = &mut *self.held.borrow_mut();
        held.lines.follow(&self.files, state)?;
        let events = held.lines.after(&self.files, state, position, most)?;
        let link = &state.link;
        let known = link.tried.max(link.acked).max(link.based);
        let end = held.lines.position().max(known).max(state.forgotten);
        Ok(Ledger {
            position: reached(&events, position, most, end),
            events,
            revision: link.revision,
            epoch: held.log.epoch,
            ..Ledger::default()
        })
    }

    /// The state of the link at the first step: the own files become what the server is sent.
    fn first_state(&self) -> Result<LinkState, StoreError> {
        self.refresh()?;
        let held = self.held.borrow();
        let mut actors = own::actors(&self.files)?;
        if !actors.contains(&held.actor) {
            actors.push(held.actor.clone());
        }
        let count = |actor: &String| {
            let tail = held.log.tails.get(actor.as_str());
            tail.map_or(0, |tail| tail.events)
        };
        let own: u64 = actors.iter().map(count).sum();
        let mut offset = held.log.position.saturating_sub(own);
        let mut state = LinkState::default();
        for actor in actors {
            let events = count(&actor);
            // Others' files of before are not sent, and an empty one has nothing to send.
            if events > 0 || actor == held.actor {
                state.files.push(OwnFile { actor, offset });
                offset += events;
            }
        }
        Ok(state)
    }

    /// One step of syncing; the caller has the lock.
    pub(super) fn step(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        let found = link_state::read(&self.files)?;
        let revision = found.as_ref().map_or(0, |state| state.link.revision);
        if revision != expected {
            return Err(StoreError::Behind);
        }
        self.own_to_write()?;
        let mut state = match found {
            Some(state) => state,
            None => self.first_state()?,
        };
        own::private(&self.files)?;
        let held = &mut *self.held.borrow_mut();
        held.rows
            .put(&self.files, &mut state, change.clear_rows, &change.rows)?;
        held.lines.follow(&self.files, &state)?;
        let end = held.lines.position();
        let numbered = |position: u64| {
            let own = state.number(position, |at| held.lines.count(at));
            own.map(|(actor, seq)| (actor.to_owned(), seq))
        };
        if let Some(after) = change.renumber_after {
            state.renumbered.retain(|one| one.after < after);
            state.renumbered.push(Renumbered {
                after,
                actor: change.link.actor.clone(),
                seq: 0,
            });
        } else if numbered(end + 1).is_none_or(|(actor, _)| actor != change.link.actor) {
            let raw = held.log.tails.get(held.actor.as_str());
            let raw = raw.map_or(0, |tail| tail.seq);
            let seq = numbered(end).map_or(raw, |(_, seq)| seq);
            state.renumbered.push(Renumbered {
                after: end,
                actor: change.link.actor.clone(),
                seq,
            });
        }
        if let Some(through) = change.forget_through {
            state.forgotten = state.forgotten.max(through);
        }
        state
            .set_aside
            .retain(|one| !change.settled.contains(&one.event.op_id));
        for one in change.set_aside {
            let there = |held: &SetAside| held.event.op_id == one.event.op_id;
            if !state.set_aside.iter().any(there) {
                state.set_aside.push(one);
            }
        }
        state.link = Link {
            revision: revision + 1,
            ..change.link
        };
        link_state::keep(&self.files, &state)?;
        Rows::tidy(&self.files, &state);
        Ok(state.link)
    }
}
