//! Decisions of the machine, round by round, over a store in memory and answers by script.

use lesson_core::{EventKind, Row};
use lesson_sync::{
    Change, Effect, Entry, Input, Link, Machine, MemoryStore, Page, Phase, PushStatus, Pushed,
    RemoteError, SCHEMA_VERSION, Sent, Session, Store, VersionedRow,
};
use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

/// A store in memory waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a store in memory waited"),
    }
}

fn session(name: &str) -> Session {
    Session {
        access_token: format!("access {name}"),
        refresh_token: format!("refresh {name}"),
    }
}

/// A store that is linked and has read the server once, with so many events in its outbox.
fn linked(events: usize) -> MemoryStore {
    let store = MemoryStore::new();
    now(store.identity("me")).unwrap();
    let link = Link {
        actor: "me".to_owned(),
        session: Some(session("1")),
        epoch: "e".to_owned(),
        cursor: 10,
        ..Link::default()
    };
    now(store.commit(0, Change::to(link))).unwrap();
    write(&store, events);
    store
}

fn write(store: &MemoryStore, events: usize) {
    for _ in 0..events {
        let at = now(store.read_after(0)).unwrap().position;
        let entry = Entry::Own {
            op_id: format!("op-{at}"),
            by: "local".to_owned(),
            request: None,
            at: 5,
            event: EventKind::Rated {
                lesson: "a".to_owned(),
                helpful: true,
                decision_id: None,
            },
        };
        now(store.append(at, vec![entry])).unwrap();
    }
}

fn link(store: &MemoryStore) -> Link {
    now(store.link()).unwrap().unwrap()
}

fn pushed(status: PushStatus, acked_seq: u64) -> Input {
    Input::Pushed(Ok(Pushed {
        status,
        acked_seq,
        rejected: Vec::new(),
    }))
}

/// The last page, of a server at version 20, with one row.
fn page(acked_seq: u64) -> Page {
    Page {
        rows: vec![VersionedRow {
            version: 20,
            row: Row::Day { day: 1, events: 3 },
        }],
        next_cursor: 20,
        version: 20,
        has_more: false,
        acked_seq,
        epoch: "e".to_owned(),
        schema_version: SCHEMA_VERSION,
    }
}

fn pulled(acked_seq: u64) -> Input {
    Input::Pulled(Ok(page(acked_seq)))
}

fn trouble() -> Input {
    Input::Pushed(Err(RemoteError::Trouble("500".to_owned())))
}

/// One effect on the store.
fn on_store(store: &MemoryStore, effect: Effect) -> Input {
    match effect {
        Effect::Read { most } => {
            let link = link(store);
            let events = now(store.read_some(link.acked, most)).unwrap().events;
            Input::Read(Ok(Some(Box::new(Sent { link, events }))))
        }
        Effect::Commit { expected, change } => {
            Input::Committed(now(store.commit(expected, *change)).map(Box::new))
        }
        other => panic!("{other:?} is not for the store"),
    }
}

/// Runs a round; the server answers by script. Gives what was asked of it, one word each.
fn round(machine: &mut Machine, store: &MemoryStore, script: Vec<Input>) -> Vec<&'static str> {
    let mut script = VecDeque::from(script);
    let mut asked = Vec::new();
    let mut input = Input::Wake;
    for step in 0.. {
        assert!(step < 1_000, "the round does not end: {asked:?}");
        let effect = machine.step(input, 1_000, step);
        let word = match &effect {
            Effect::Rest(_) => break,
            Effect::Push { .. } => "push",
            Effect::Pull { .. } => "pull",
            Effect::Refresh { .. } => "refresh",
            Effect::Read { .. } | Effect::Commit { .. } => {
                input = on_store(store, effect);
                continue;
            }
        };
        asked.push(word);
        input = match script.len() {
            0 => panic!("nothing is scripted for {asked:?}"),
            1 => script[0].clone(),
            _ => script.pop_front().unwrap(),
        };
    }
    asked
}

#[test]
fn a_round_sends_what_was_made_and_takes_it_off_with_the_rows() {
    let store = linked(3);
    let mut machine = Machine::new();
    let asked = round(
        &mut machine,
        &store,
        vec![pushed(PushStatus::Ok, 3), pulled(3)],
    );
    assert_eq!(asked, ["push", "pull"]);
    let link = link(&store);
    assert_eq!((link.acked, link.based, link.cursor), (3, 3, 20));
    assert_eq!(machine.status().phase, Phase::Idle);
}

/// The second batch fails, maybe after the server kept it: nothing is read, since rows may hold what is still on top.
#[test]
fn nothing_is_read_while_something_may_have_arrived() {
    let store = linked(501);
    let mut machine = Machine::new();
    let script = vec![pushed(PushStatus::Ok, 500), trouble()];
    assert_eq!(round(&mut machine, &store, script), ["push", "push"]);
    assert_eq!(machine.status().phase, Phase::Trouble);
    let link = link(&store);
    assert_eq!((link.acked, link.based, link.cursor), (500, 0, 10));
    assert_eq!(link.synced_at, None, "both sides are not the same yet");
    // The next round goes on where this one stopped.
    let script = vec![pushed(PushStatus::Ok, 501), pulled(501)];
    assert_eq!(round(&mut machine, &store, script), ["push", "pull"]);
    let link = self::link(&store);
    assert_eq!((link.acked, link.based, link.cursor), (501, 501, 20));
}

/// A token that was refused elsewhere is traded once, and not again once another is there.
#[test]
fn a_refused_session_is_renewed_where_there_is_nothing_to_send_or_read() {
    let store = linked(0);
    let held = link(&store);
    let sends_only = Link {
        sends_only: true,
        ..held.clone()
    };
    now(store.commit(held.revision, Change::to(sends_only))).unwrap();
    let mut machine = Machine::new();
    assert!(round(&mut machine, &store, vec![]).is_empty());
    let refused = link(&store);
    machine.renew(&refused);
    let script = vec![Input::Refreshed(Ok(session("2")))];
    assert_eq!(round(&mut machine, &store, script), ["refresh"]);
    assert_eq!(link(&store).session, Some(session("2")));
    assert_eq!(machine.status().phase, Phase::Idle);
    // Somebody was quicker.
    machine.renew(&refused);
    assert!(round(&mut machine, &store, vec![]).is_empty());
}

/// The server lost what it had acknowledged: its rows are others, too.
#[test]
fn a_gap_before_what_was_acknowledged_reads_everything_anew() {
    let store = linked(3);
    let mut machine = Machine::new();
    let script = vec![pushed(PushStatus::Ok, 3), pulled(3)];
    round(&mut machine, &store, script);
    let stale = VersionedRow {
        version: 15,
        row: Row::Day { day: 9, events: 9 },
    };
    let held = link(&store);
    let change = Change {
        rows: vec![stale],
        ..Change::to(held.clone())
    };
    now(store.commit(held.revision, change)).unwrap();
    write(&store, 1);
    let script = vec![
        pushed(PushStatus::Gap, 1),
        pushed(PushStatus::Ok, 4),
        pulled(4),
    ];
    assert_eq!(
        round(&mut machine, &store, script),
        ["push", "push", "pull"]
    );
    let link = link(&store);
    assert_ne!(link.actor, "me");
    assert_eq!((link.acked, link.based, link.resync), (4, 4, false));
    let days: Vec<String> = now(store.rows_after(0))
        .unwrap()
        .iter()
        .map(|row| row.row.key())
        .collect();
    assert_eq!(
        days,
        ["day|1"],
        "rows that the server does not have are gone"
    );
}

/// The server has all that was sent: another fold of it is read whole, and nothing is sent twice.
#[test]
fn a_space_that_was_folded_anew_is_read_whole_and_sent_nothing() {
    let store = linked(1);
    let mut machine = Machine::new();
    let folded = |epoch: &str| {
        let epoch = epoch.to_owned();
        Input::Pulled(Ok(Page { epoch, ..page(1) }))
    };
    let script = vec![pushed(PushStatus::Ok, 1), folded("e.1"), folded("e.1")];
    assert_eq!(
        round(&mut machine, &store, script),
        ["push", "pull", "pull"]
    );
    let once = link(&store);
    assert_eq!((&*once.actor, &*once.epoch), ("me", "e.1"));
    assert_eq!((once.acked, once.based, once.resync), (1, 1, false));
    let script = vec![folded("f.1"), folded("f.1")];
    round(&mut machine, &store, script);
    assert_ne!(link(&store).actor, "me", "another ledger knows nobody here");
}

/// A server of an older schema, or of none that it tells: nothing is taken from it, nothing given up.
#[test]
fn a_server_of_an_older_schema_is_named_and_the_outbox_stays() {
    let store = linked(1);
    let mut machine = Machine::new();
    let old = Page {
        schema_version: SCHEMA_VERSION - 1,
        ..page(0)
    };
    let script = vec![pushed(PushStatus::Ok, 0), Input::Pulled(Ok(old))];
    round(&mut machine, &store, script);
    assert_eq!(machine.status().phase, Phase::Blocked);
    let said = machine.status().message.clone().unwrap();
    assert!(
        said.contains("0.1.0-pre") && said.contains("all files of supabase/migrations"),
        "{said}"
    );
    assert_eq!(
        (link(&store).cursor, now(store.rows_after(0)).unwrap().len()),
        (10, 0)
    );
}

/// A server that wants a newer app, or that is too old: what is written does not make it be asked again and again.
#[test]
fn a_server_that_blocks_is_asked_at_a_bounded_rate_or_when_a_person_wants_it() {
    let store = linked(1);
    let refused = || RemoteError::Refused("The server needs a newer version of this app.".into());
    let mut machine = Machine::new();
    // Gives whether the server was asked, and until when the machine rests.
    let wake = |machine: &mut Machine, now| {
        if let Some(rest) = machine.held_back(now) {
            return (0, rest.until);
        }
        let mut input = Input::Wake;
        let mut asked = 0;
        loop {
            input = match machine.step(input, now, 0) {
                Effect::Rest(rest) => return (asked, rest.until),
                Effect::Push { .. } => {
                    asked += 1;
                    Input::Pushed(Err(refused()))
                }
                effect => on_store(&store, effect),
            };
        }
    };
    assert_eq!(wake(&mut machine, 1_000), (1, Some(301_000)));
    // A person writes for ten minutes, twice a second.
    let asked: i32 = (0..1_200)
        .map(|n| wake(&mut machine, 1_000 + n * 500).0)
        .sum();
    assert_eq!(asked, 600 / 30 - 1);
    let status = machine.status().clone();
    assert_eq!(status.phase, Phase::Blocked);
    assert!(status.message.unwrap().contains("newer version"));
    // Events that wait are sent as soon as they may be.
    let last = 1_000 + 570_000;
    assert_eq!(wake(&mut machine, last + 1), (0, Some(last + 30_000)));
    assert_eq!(machine.status().next_at, Some(last + 30_000));
    // A person does not wait, and neither does anybody whose clock was set back.
    machine.ask();
    assert_eq!(wake(&mut machine, last + 2).0, 1);
    assert_eq!(wake(&mut machine, last + 3).0, 0);
    assert_eq!(wake(&mut machine, 5).0, 1);
    // Where it was no refusal, nothing is held back.
    machine.ask();
    for at in [6, 7, 8] {
        assert_eq!(machine.held_back(at), None);
        let effect = machine.step(Input::Wake, at, 0);
        assert!(matches!(effect, Effect::Read { .. }));
        let input = on_store(&store, effect);
        machine.step(input, at, 0);
        let rest = machine.step(trouble(), at, 0);
        assert!(matches!(rest, Effect::Rest(_)));
    }
}

#[test]
fn a_server_that_refuses_every_actor_is_not_asked_for_ever() {
    for (answer, word) in [
        (pushed(PushStatus::Cloned, 0), "cloned"),
        (pushed(PushStatus::Gap, 0), "gap"),
        (pushed(PushStatus::Ok, 0), "ok, but nothing arrived"),
        (Input::Pushed(Err(RemoteError::ActorTaken)), "taken"),
    ] {
        let store = linked(2);
        let mut machine = Machine::new();
        let asked = round(&mut machine, &store, vec![answer]);
        assert!(asked.len() < 10, "{word}: {asked:?}");
        assert_eq!(machine.status().phase, Phase::Trouble, "{word}");
        assert_eq!(now(store.read_after(0)).unwrap().events.len(), 2, "{word}");
    }
}

/// Two tabs trade the same token at once. The one that comes too late signs out before the other
/// has kept its new session.
#[test]
fn a_session_that_was_given_is_kept_although_another_tab_has_signed_out() {
    let store = linked(0);
    let (mut first, mut second) = (Machine::new(), Machine::new());
    let refused = || Input::Pulled(Err(RemoteError::Unauthorized));
    let mut commits = Vec::new();
    for (machine, answer) in [
        (&mut first, Ok(session("2"))),
        (&mut second, Err(RemoteError::Unauthorized)),
    ] {
        let read = machine.step(Input::Wake, 0, 0);
        let read = on_store(&store, read);
        let pull = machine.step(read, 0, 0);
        assert!(matches!(pull, Effect::Pull { .. }));
        assert!(matches!(
            machine.step(refused(), 0, 0),
            Effect::Refresh { .. }
        ));
        commits.push(machine.step(Input::Refreshed(answer), 0, 0));
    }
    let out = on_store(&store, commits.pop().unwrap());
    assert!(matches!(second.step(out, 0, 0), Effect::Rest(_)));
    assert_eq!(second.status().phase, Phase::SignedOut);
    assert_eq!(link(&store).session, None);

    let behind = on_store(&store, commits.pop().unwrap());
    let mut effect = first.step(behind, 0, 0);
    while !matches!(effect, Effect::Pull { .. }) {
        let input = on_store(&store, effect);
        effect = first.step(input, 0, 0);
    }
    assert_eq!(link(&store).session, Some(session("2")));
}

/// Whoever signs out on purpose is not signed in again by a session that came late.
#[test]
fn a_session_is_not_kept_for_another_person() {
    let store = linked(0);
    let mut machine = Machine::new();
    let read = machine.step(Input::Wake, 0, 0);
    let read = on_store(&store, read);
    machine.step(read, 0, 0);
    machine.step(Input::Pulled(Err(RemoteError::Unauthorized)), 0, 0);
    let commit = machine.step(Input::Refreshed(Ok(session("2"))), 0, 0);
    let held = link(&store);
    let mut other = Link {
        session: None,
        ..held.clone()
    };
    "another".clone_into(&mut other.user.id);
    now(store.commit(held.revision, Change::to(other))).unwrap();
    let mut effect = machine.step(on_store(&store, commit), 0, 0);
    while !matches!(effect, Effect::Rest(_)) {
        let input = on_store(&store, effect);
        effect = machine.step(input, 0, 0);
    }
    assert_eq!(link(&store).session, None);
    assert_eq!(machine.status().phase, Phase::SignedOut);
}
