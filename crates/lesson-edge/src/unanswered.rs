//! Writes whose events exist here, but whose asker got 503 because the server had not acknowledged them yet.

use lesson_core::Millis;
use lesson_types::Response;
use std::collections::VecDeque;

/// Time for which the same request can take up again a write that was not answered, in milliseconds.
const KEPT_FOR: Millis = 15 * 60_000;
/// The most of them.
const KEPT: usize = 1_000;

/// Writes that are made here, but whose asker was told to try again. The same request then goes on
/// waiting for the same events, so that nothing is counted twice.
#[derive(Default)]
pub(crate) struct Unanswered {
    held: VecDeque<Waiting>,
}

struct Waiting {
    print: [u8; 32],
    since: Millis,
    made: Made,
}

/// Response and events of a write.
#[derive(Clone)]
pub(crate) struct Made {
    pub response: Response,
    /// Its events.
    pub events: Vec<String>,
    /// The position of the last of them, or one after it.
    pub through: u64,
}

impl Unanswered {
    /// Takes out what the request of this hash made, if it waits.
    pub fn take(&mut self, print: &[u8; 32], now: Millis) -> Option<Made> {
        self.held
            .retain(|waiting| (now - waiting.since).abs() <= KEPT_FOR);
        let at = self
            .held
            .iter()
            .position(|waiting| waiting.print == *print)?;
        self.held.remove(at).map(|waiting| waiting.made)
    }

    /// Keeps what the request of this hash made at `since`.
    pub fn keep(&mut self, print: [u8; 32], since: Millis, made: Made) {
        self.held.push_back(Waiting { print, since, made });
        if self.held.len() > KEPT {
            self.held.pop_front();
        }
    }
}
