//! The invariants, told from the server's ledger and from what was written, not from the client.

use crate::plants::Plant;
use crate::server::{Ledger, Server};
use crate::world::{At, World};
use crate::{POLICY, now, oracle_counts};
use lesson_core::{Event, Space};
use lesson_sync::{Link, Store};
use std::collections::HashSet;

/// Rounds after which a device has to be quiet once the faults have stopped.
const ROUNDS: u32 = 20;
/// One in so many steps is checked whole: everything that is shown against a fold of its own.
const WHOLE: u64 = 100;

/// After rows were put: what is shown holds every event once, and every own one.
///
/// # Errors
/// Says what is lost or doubled.
pub fn shown(world: &mut World, device: usize, link: &Link, from: u64) -> Result<(), String> {
    let held = &world.devices[device];
    let Some(page) = held.covered else {
        return Ok(()); // A new link.
    };
    let ledger = &world.server.ledgers[page.epoch];
    let outbox = held.outbox(link);
    for stored in &outbox {
        let op_id = &stored.event.op_id;
        // Another isolate did the same request meanwhile, or a copy of the profile sent the same event between a look at
        // what waits and the server's answer: nobody here can know. The next round sends it and learns.
        let elsewhere = stored.event.request.is_some() || stored.position <= held.copied_through;
        if ledger.has(op_id, page.length) && !elsewhere {
            return Err(format!(
                "device {device} shows event {op_id} in its rows and again on top of them"
            ));
        }
    }
    if !page.last {
        return Ok(());
    }
    let aside = now(held.store.set_aside()).unwrap_or_default();
    let based = now(held
        .store
        .read_some(from, link.based.saturating_sub(from) as usize));
    for stored in based.unwrap_or_default().events {
        let op_id = &stored.event.op_id;
        if !ledger.has(op_id, page.length) && !aside.iter().any(|one| one.event.op_id == *op_id) {
            return Err(format!(
                "device {device} shows its own event {op_id} neither in its rows nor on top of them"
            ));
        }
    }
    // A late commit is not seen yet; whether it ever is, shows at the end.
    if held.rows_hash != page.rows_hash && world.plant != Some(Plant::LateCommit) {
        return Err(format!(
            "device {device} has other rows at cursor {} than the server had",
            link.cursor
        ));
    }
    world
        .counts
        .add("(steps at which what is shown was checked)");
    if world.plant != Some(Plant::LateCommit)
        && world
            .counts
            .0
            .get("(steps at which what is shown was checked)")
            .copied()
            .unwrap_or(0)
            % WHOLE
            == 0
    {
        let events = &ledger.events[..page.length];
        let on_top: Vec<&Event> = outbox.iter().map(|stored| &stored.event).collect();
        let done_elsewhere = |event: &&Event| ledger.has(&event.op_id, page.length);
        if on_top.iter().any(done_elsewhere) {
            return Ok(());
        }
        // A withdrawal on top undoes nothing yet: the server folds anew.
        let (mut space, _) = Space::of_ledger(events, &POLICY);
        for event in on_top {
            let _ = space.fold(event, &POLICY);
        }
        same(&space, &held.shown.space)
            .map_err(|what| format!("device {device} shows other {what} than its events make"))?;
    }
    Ok(())
}

/// When a tab rests because it is signed out: it was given no session that holds.
///
/// # Errors
/// Says which device was signed out.
pub fn session(world: &World, at: At) -> Result<(), String> {
    let device = &world.devices[at.device];
    let granted = device.tabs[at.tab].granted.as_ref();
    if device.thrown && granted.is_some_and(|token| world.accounts.is_current(token)) {
        return Err(format!(
            "device {} is signed out, although a tab was given a session that holds",
            at.device
        ));
    }
    Ok(())
}

/// After the faults have stopped: whether everything is quiet, and then all that has to hold.
///
/// # Errors
/// Says what is not the same, or who needs too many rounds.
pub fn quiet(world: &World) -> Result<bool, String> {
    let state = &world.server.state;
    let mut still = true;
    for (number, device) in world.devices.iter().enumerate() {
        let rounds = device.tabs.iter().map(|tab| tab.rounds).max().unwrap_or(0);
        let resting = device.tabs.iter().all(|tab| tab.resting && !tab.again);
        if !resting && rounds <= ROUNDS {
            still = false;
            continue; // As it is after most steps: its link need not be looked at.
        }
        let Some(link) = device.link() else {
            still = false;
            continue;
        };
        let sent = !link.resync && link.acked == device.shown.position && link.based == link.acked;
        // One that has sent everything goes on looking while others still send.
        if rounds > if sent { 2 * ROUNDS } else { ROUNDS } {
            return Err(format!(
                "device {number} is not quiet after {rounds} rounds: all sent {sent}, {link:?}"
            ));
        }
        let drained = sent && link.cursor == state.version;
        still &= drained && resting;
    }
    if still {
        everything(world)?;
    }
    Ok(still)
}

fn everything(world: &World) -> Result<(), String> {
    let server = &world.server;
    let ledger = &server.ledger().events;
    let distinct: HashSet<&str> = ledger.iter().map(|event| &*event.op_id).collect();
    if distinct.len() != ledger.len() {
        return Err("an event is in the server's ledger twice".to_owned());
    }
    as_made(world, server.ledger())?;
    let mut arrived: HashSet<(&str, Option<&str>)> = HashSet::new();
    arrived.extend(ledger.iter().map(named));
    let aside: Vec<_> = world
        .devices
        .iter()
        .flat_map(|device| now(device.store.set_aside()).unwrap_or_default())
        .collect();
    arrived.extend(aside.iter().map(|one| named(&one.event)));
    if let Some(one) = aside.iter().find(|one| one.reason == "unknown event") {
        return Err(format!(
            "event {} was set aside by a server that is too old for it",
            one.event.op_id
        ));
    }
    let of_key = |op_id: &str| world.durable.keys().filter(|(id, _)| id == op_id).count();
    if let Some(one) = aside
        .iter()
        .find(|one| one.field == "request" && of_key(&one.event.op_id) < 2)
    {
        return Err(format!(
            "event {} was set aside for its key, which is no other's",
            one.event.op_id
        ));
    }
    if let Some((op_id, device)) = world
        .durable
        .iter()
        .filter(|((op_id, request), _)| !arrived.contains(&(&**op_id, request.as_deref())))
        .map(|((op_id, _), made)| (op_id, made.first().map(|made| made.device)))
        .min()
    {
        return Err(format!("event {op_id} of device {device:?} is lost"));
    }
    let (space, refused) = Space::of_ledger(ledger, &POLICY);
    if let Some((event, error)) = refused.first() {
        return Err(format!(
            "the server took event {}, which can't be folded: {error}",
            event.op_id
        ));
    }
    if let Some((number, _)) = world
        .devices
        .iter()
        .enumerate()
        .find(|(_, held)| !held.shown.space.withdrawn().eq(space.withdrawn()))
    {
        return Err(format!(
            "device {number} knows other withdrawn voices than the server"
        ));
    }
    if space != server.state.space
        || !space.activity().eq(server
            .state
            .days
            .iter()
            .map(|(day, events)| (*day, *events)))
    {
        return Err("the server's projections are not the fold of its ledger".to_owned());
    }
    oracle_counts::hold(&space, ledger)?;
    for (number, device) in world.devices.iter().enumerate() {
        if device.rows_hash != server.rows_hash() {
            return Err(format!("device {number} has other rows than the server"));
        }
        same(&space, &device.shown.space)
            .map_err(|what| format!("device {number} shows other {what} than the server has"))?;
    }
    Ok(())
}

/// Returns the parts that tell a write from others: of one key there may be two, for different requests.
fn named(event: &Event) -> (&str, Option<&str>) {
    (&event.op_id, event.request.as_deref())
}

/// Checks that every event in the ledger is one that was made, unchanged but for who made it, which
/// is what the token said.
fn as_made(world: &World, ledger: &Ledger) -> Result<(), String> {
    for event in &ledger.events {
        let key = (event.op_id.clone(), event.request.clone());
        let Some(made) = world.durable.get(&key) else {
            return Err(format!(
                "the server has an event that nobody made: {}",
                event.op_id
            ));
        };
        let Some(made) = made
            .iter()
            .find(|made| made.at == event.at && made.event == event.event)
        else {
            return Err(format!("the server changed event {}", event.op_id));
        };
        let by = Server::by(&world.devices[made.device].user, &made.by);
        if event.by != by {
            return Err(format!(
                "event {} is said to be by `{}`, but is by `{by}`",
                event.op_id, event.by
            ));
        }
    }
    Ok(())
}

/// Tells what of two spaces is not the same.
fn same(one: &Space, other: &Space) -> Result<(), &'static str> {
    if !one.lessons().eq(other.lessons()) {
        return Err("lessons");
    }
    if !one.decisions().eq(other.decisions()) {
        return Err("decisions");
    }
    if !one.settings().eq(other.settings()) {
        return Err("settings");
    }
    if one.agents() != other.agents() {
        return Err("agents' keys");
    }
    if !one.bases().eq(other.bases()) {
        return Err("base rates");
    }
    if one.tools().records() != other.tools().records() {
        return Err("tools");
    }
    if one.feedback_times() != other.feedback_times() {
        return Err("times of feedback");
    }
    if !one.activity().eq(other.activity()) {
        return Err("days");
    }
    Ok(())
}
