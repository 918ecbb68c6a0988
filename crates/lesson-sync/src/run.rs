//! Carrying out what the machine decides.

use crate::effect::{Effect, Input, Rest, Sent};
use crate::machine::Machine;
use crate::remote::Remote;
use crate::store::Store;
use lesson_core::Millis;
use std::cell::RefCell;

/// Carries out one effect; `None` for a rest.
pub async fn perform(effect: Effect, store: &impl Store, remote: &impl Remote) -> Option<Input> {
    Some(match effect {
        Effect::Read { most } => Input::Read(read(store, most).await),
        Effect::Push { link, events } => Input::Pushed(remote.push(&link, &events).await),
        Effect::Pull {
            link,
            cursor,
            limit,
        } => Input::Pulled(remote.pull(&link, cursor, limit).await),
        Effect::Refresh { link } => Input::Refreshed(remote.refresh(&link).await),
        Effect::Commit { expected, change } => {
            Input::Committed(store.commit(expected, *change).await.map(Box::new))
        }
        Effect::Rest(_) => return None,
    })
}

async fn read(store: &impl Store, most: usize) -> Result<Option<Box<Sent>>, crate::StoreError> {
    let Some(link) = store.link().await? else {
        return Ok(None);
    };
    let ledger = store.read_some(link.acked, most).await?;
    Ok(Some(Box::new(Sent {
        link,
        events: ledger.events,
    })))
}

/// One round, from waking to rest, unless it is [held back](Machine::held_back). `changed` is called after each durable step, so that what is
/// shown follows; when it gives `false`, the round ends there. No borrow of the machine is held
/// while anything is awaited.
pub async fn run(
    machine: &RefCell<Machine>,
    store: &impl Store,
    remote: &impl Remote,
    clock: impl Fn() -> (Millis, u128),
    changed: impl AsyncFn() -> bool,
) -> Rest {
    let held_back = machine.borrow_mut().held_back(clock().0);
    if let Some(rest) = held_back {
        return rest;
    }
    let mut input = Input::Wake;
    loop {
        let (now, random) = clock();
        let committed = matches!(input, Input::Committed(Ok(_)));
        let effect = machine.borrow_mut().step(input, now, random);
        if committed && !changed().await {
            return Rest { until: None };
        }
        if let Effect::Rest(rest) = effect {
            return rest;
        }
        match perform(effect, store, remote).await {
            Some(next) => input = next,
            None => return Rest { until: None },
        }
    }
}
