//! Random ledgers from a seed, the same on every machine, each with what the core folds it into.

mod dice;
mod happening;
#[path = "../space_json.rs"]
mod space_json;

use dice::Dice;
use lesson_core::{Event, EventKind, Millis, Policy, Space};
use serde_json::{Value, json};
use std::collections::HashMap;

/// 2026-01-01, when no other is asked for.
pub const START: Millis = 1_767_225_600_000;

/// The ledger of this number: `seed` gives a row of them. The first is the one that outgrows the book of tools.
///
/// # Panics
/// When it folds to something else once it was written as JSON and read again.
pub fn ledger(seed: u64, number: u64, start: Millis, only: Option<String>) -> Author {
    let seed = seed.wrapping_mul(1_000_003).wrapping_add(number);
    let mut author = Author::new(seed, start, only);
    if number == 0 {
        author.many_tools();
    } else {
        author.write();
    }
    assert!(
        author.space == author.read_back(),
        "ledger {number} folds to something else when it is read from its JSON"
    );
    author
}

/// A ledger under way.
pub struct Author {
    dice: Dice,
    policy: Policy,
    space: Space,
    now: Millis,
    next: u64,
    seqs: [u64; 3],
    only: Option<String>,
    op_ids: Vec<String>,
    /// The request of each event that was taken, by its `op_id`.
    requests: HashMap<String, Option<String>>,
    batches: Vec<(usize, Vec<String>)>,
    /// Events that were folded, in their order.
    taken: Vec<Event>,
    refused: Vec<Value>,
    /// Number of times that a person's approval let count what had waited.
    released: usize,
    /// Number of times that a voice was withdrawn, or that taken back.
    refolds: usize,
}

/// The last is an edge's, which answers for both agents.
const ACTORS: [&str; 3] = ["phone", "läptop", "isolate"];
const PERSONS: [&str; 2] = ["person:ada", "person:ben"];
/// Keys of the space, as the edge sends them along.
const AGENTS: [&str; 2] = ["agent:one", "agent:two"];
/// Names that a client may give itself.
const CLAIMS: [&str; 9] = [
    "",
    "local",
    "person:ada",
    "person:ben",
    "agent:one",
    "agent:two",
    "agent:two",
    "agent:foreign",
    "agent:Ω'",
];

impl Author {
    fn new(seed: u64, start: Millis, only: Option<String>) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.roll();
        }
        Self {
            dice,
            policy: Policy::default(),
            space: Space::new(),
            now: start,
            next: 0,
            seqs: [0; 3],
            only,
            op_ids: Vec::new(),
            requests: HashMap::new(),
            batches: Vec::new(),
            taken: Vec::new(),
            refused: Vec::new(),
            released: 0,
            refolds: 0,
        }
    }

    /// Any kind of event, most of them about lessons and decisions that are there.
    fn write(&mut self) {
        for _ in 0..5 {
            let event = self.added();
            self.tell(event);
        }
        for _ in 0..8 + self.dice.below(42) {
            let event = self.happening();
            self.tell(event);
        }
    }

    fn many_tools(&mut self) {
        for number in 0..10_050 {
            let query = format!("Task  {}", number % 10_020);
            let server = self.dice.of(&["git", "vercel"]).to_owned();
            self.tell(EventKind::ToolSucceeded { query, server });
        }
    }

    fn tell(&mut self, event: EventKind) {
        self.now += match self.dice.below(20) {
            0 => -90_000_000,
            1 => 100_000_000,
            2 => 0,
            _ => self.dice.below(100_000) as Millis,
        };
        let who = match self.batches.last() {
            // A reviewer is mostly somebody else than who spoke last.
            Some((who, _))
                if !self.dice.one_in(15) && !matches!(event, EventKind::LessonReviewed { .. }) =>
            {
                *who
            }
            _ => self.dice.below(ACTORS.len()),
        };
        self.next += 1;
        let op_id = if self.dice.one_in(25) && !self.op_ids.is_empty() {
            self.dice.of(&self.op_ids)
        } else if self.dice.one_in(80) {
            String::new()
        } else {
            format!("op-{}", self.next)
        };
        self.op_ids.push(op_id.clone());
        self.seqs[who] += 1;
        let at = if self.dice.one_in(60) {
            -self.now
        } else {
            self.now
        };
        let (claim, by) = self.who(who);
        let request = match self.dice.below(3) {
            _ if self.only.is_some() => None,
            0 => None,
            n => Some(n.to_string().repeat(64)),
        };
        let event = Event {
            op_id,
            actor: ACTORS[who].to_owned(),
            seq: self.seqs[who],
            at,
            by,
            request,
            event,
        };
        if let Some(field) = self.fold(&event) {
            self.refused.push(
                json!({ "actor": event.actor, "seq": event.seq, "op_id": event.op_id, "field": field }),
            );
        }
        let event = Event { by: claim, ..event };
        // Texts and numbers only, which is all that could fail here.
        let text = serde_json::to_string(&event).unwrap_or_default();
        match self.batches.last_mut() {
            Some((last, batch)) if *last == who && batch.len() < 500 => batch.push(text),
            _ => self.batches.push((who, vec![text])),
        }
    }

    /// Draws the voice that an actor claims to be, and returns it with the one that it is.
    fn who(&mut self, actor: usize) -> (String, String) {
        if let Some(only) = &self.only {
            return (only.clone(), only.clone());
        }
        let claim = if actor + 1 == ACTORS.len() && !self.dice.one_in(4) {
            self.dice.of(&AGENTS)
        } else {
            self.dice.of(&CLAIMS)
        };
        let by = match PERSONS.get(actor) {
            Some(person) => person,
            None if AGENTS.contains(&claim) => claim,
            // A name that is no agent of the space is taken for the first.
            None => AGENTS[0],
        };
        (claim.to_owned(), by.to_owned())
    }

    /// Folds an event; answers the field for which a server sets it aside.
    fn fold(&mut self, event: &Event) -> Option<&'static str> {
        let held = self.requests.get(&event.op_id).cloned().flatten();
        // Folding it is no error: only a server holds requests against each other.
        if held.is_some() && event.request.is_some() && held != event.request {
            return Some("request");
        }
        let waiting = self.waiting();
        if let Err(error) = self.space.fold(event, &self.policy) {
            return Some(error.field());
        }
        self.released += usize::from(self.waiting() < waiting);
        self.requests
            .entry(event.op_id.clone())
            .or_insert_with(|| event.request.clone());
        self.taken.push(event.clone());
        if event.event.refolds() {
            self.space = self.read_back();
            self.refolds += 1;
        }
        None
    }

    /// Lessons of which something waits.
    fn waiting(&self) -> usize {
        let lessons = self.space.lessons();
        lessons
            .filter(|held| held.pending_standing.is_some())
            .count()
    }

    /// Folds anew the events that were folded, each written as JSON and read again.
    fn read_back(&self) -> Space {
        let mut space = Space::for_ledger(&self.taken, &self.policy);
        for event in &self.taken {
            let text = serde_json::to_string(event).expect("an event is text and numbers");
            let event: Event = serde_json::from_str(&text).expect("it was just written");
            let folded = space.fold(&event, &self.policy);
            folded.expect("it was folded before");
        }
        space
    }

    /// The ledger in batches, and what the core makes of it.
    pub fn line(&self) -> Value {
        let batches: Vec<Value> = self
            .batches
            .iter()
            .map(|(who, events)| {
                json!({ "actor": ACTORS[*who], "events": format!("[{}]", events.join(",")) })
            })
            .collect();
        let last_seq: serde_json::Map<String, Value> = ACTORS
            .iter()
            .filter(|actor| self.space.last_seq(actor) > 0)
            .map(|actor| ((*actor).to_owned(), json!(self.space.last_seq(actor))))
            .collect();
        let mut line = space_json::of(&self.space);
        line["batches"] = json!(batches);
        line["last_seq"] = json!(last_seq);
        line["refused"] = json!(self.refused);
        line["released"] = json!(self.released);
        line["refolds"] = json!(self.refolds);
        line
    }
}
