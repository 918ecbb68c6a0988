//! Writes at an edge under a key of the agent's: repeated at another isolate, or the key used again.

use crate::author::Mix;
use crate::plants::events_of;
use crate::trace::Trace;
use crate::world::World;
use lesson_core::EventKind;

/// The latest requests, which are those that are repeated.
const LATEST: usize = 12;

/// A request to an edge.
#[derive(Clone)]
pub struct Asked {
    pub agent: String,
    key: u64,
    /// SHA-256 of it in the real thing.
    request: String,
    pub drafts: Vec<EventKind>,
}

impl Asked {
    /// Returns the id of its event at this place: the same whoever does it, and however often.
    pub fn op_id(&self, place: usize) -> String {
        let hash = |salt: u64| {
            let mut trace = Trace::new();
            trace.text(&self.agent);
            for word in [self.key, place as u64, salt] {
                trace.word(word);
            }
            trace.hash()
        };
        format!("{:016x}{:016x}", hash(1), hash(2))
    }

    pub fn request(&self) -> String {
        self.request.clone()
    }

    fn new(agent: &str, key: u64, drafts: Vec<EventKind>) -> Self {
        let mut trace = Trace::new();
        trace.text(&format!("{drafts:?}"));
        Self {
            agent: agent.to_owned(),
            key,
            request: format!("{:016x}", trace.hash()),
            drafts,
        }
    }
}

impl World {
    /// Draws an agent's request to an edge: what it had in mind, under a new key; the same as somebody
    /// asked before, because no answer came; or, by mistake, something new under an old key.
    ///
    /// `None` for what has no key.
    pub fn asked(
        &mut self,
        device: usize,
        agent: &str,
        drafts: &mut Vec<EventKind>,
    ) -> Option<Asked> {
        let held = &self.devices[device];
        if held.mix != Mix::Edge || !self.dice.one_in(3) {
            return None;
        }
        let latest = &self.asked[self.asked.len().saturating_sub(LATEST)..];
        let before = match latest.is_empty() {
            true => None,
            false => Some(self.dice.of(latest).clone()),
        };
        let drafts = std::mem::take(drafts);
        let asked = match (self.dice.below(6), before) {
            (0..2, Some(before)) => {
                self.counts.add("a request repeated under its key");
                return Some(before);
            }
            (2, Some(before)) => {
                self.counts.add("a key used again for something else");
                return Some(Asked::new(&before.agent, before.key, drafts));
            }
            _ => Asked::new(agent, self.dice.roll(), drafts),
        };
        self.asked.push(asked.clone());
        Some(asked)
    }

    /// True if this isolate knows the key itself: then it gives the first answer again, or refuses,
    /// and nothing is written.
    pub fn knows_key(&mut self, device: usize, asked: &Asked) -> bool {
        let events = events_of(&self.devices[device].store);
        let op_ids: Vec<String> = (0..asked.drafts.len())
            .map(|place| asked.op_id(place))
            .collect();
        let Some(held) = events.iter().find(|event| op_ids.contains(&event.op_id)) else {
            return false;
        };
        self.counts
            .add(match held.request.as_ref() == Some(&asked.request) {
                true => "a repeated request answered by the isolate",
                false => "a reused key refused by the isolate",
            });
        true
    }
}
