//! The trace of a run as one number: what was done and answered, when, by whom.

use lesson_sync::{Change, Effect, Input, Link, VersionedRow};

/// FNV-1a over words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace(u64);

impl Trace {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn hash(self) -> u64 {
        self.0
    }

    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    pub fn text(&mut self, text: &str) {
        for chunk in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(text.len() as u64);
    }

    pub fn input(&mut self, input: &Input) {
        match input {
            Input::Wake => self.word(1),
            Input::Read(Ok(Some(sent))) => {
                self.word(2);
                self.link(&sent.link);
                for stored in &sent.events {
                    self.word(stored.position);
                    self.word(stored.event.seq);
                    self.text(&stored.event.op_id);
                }
            }
            Input::Read(Ok(None)) => self.word(3),
            Input::Pushed(Ok(pushed)) => {
                self.word(4);
                self.word(pushed.status as u64);
                self.word(pushed.acked_seq);
                for one in &pushed.rejected {
                    self.word(one.seq);
                    self.text(&one.reason);
                }
            }
            Input::Pulled(Ok(page)) => {
                self.word(5);
                self.word(page.next_cursor);
                self.word(page.version);
                self.word(page.acked_seq);
                self.text(&page.epoch);
                self.rows(&page.rows);
            }
            Input::Refreshed(Ok(session)) => self.text(&session.access_token),
            Input::Committed(Ok(link)) => {
                self.word(6);
                self.link(link);
            }
            Input::Read(Err(error)) | Input::Committed(Err(error)) => self.text(error.code()),
            Input::Pushed(Err(error)) => self.text(&format!("push {error:?}")),
            Input::Pulled(Err(error)) => self.text(&format!("pull {error:?}")),
            Input::Refreshed(Err(error)) => self.text(&format!("refresh {error:?}")),
        }
    }

    pub fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Read { most } => self.word(*most as u64),
            Effect::Push { link, events } => {
                self.word(11);
                self.text(&link.actor);
                for event in events {
                    self.word(event.seq);
                    self.text(&event.op_id);
                }
            }
            Effect::Pull { cursor, limit, .. } => {
                self.word(12);
                self.word(*cursor);
                self.word(u64::from(*limit));
            }
            Effect::Refresh { .. } => self.word(13),
            Effect::Commit { expected, change } => {
                self.word(14);
                self.word(*expected);
                self.change(change);
            }
            Effect::Rest(rest) => self.word(rest.until.unwrap_or(-1) as u64),
        }
    }

    fn change(&mut self, change: &Change) {
        self.link(&change.link);
        self.word(u64::from(change.clear_rows));
        self.word(change.renumber_after.map_or(u64::MAX, |after| after));
        self.word(change.set_aside.len() as u64);
        self.rows(&change.rows);
    }

    fn rows(&mut self, rows: &[VersionedRow]) {
        for row in rows {
            self.word(row.version);
        }
    }

    fn link(&mut self, link: &Link) {
        for word in [
            link.revision,
            link.cursor,
            link.based,
            link.acked,
            link.tried,
        ] {
            self.word(word);
        }
        self.word(u64::from(link.resync));
        self.text(&link.actor);
    }
}
