//! A tool's answer, once as a text and once as data: clients give the model one of them or both, so each says everything.

use lesson_core::one_line;
use serde::Serialize;
use serde_json::Error;
use serde_json::value::{RawValue, to_raw_value};
use std::fmt::{Display, Write};

/// A tool's answer.
#[derive(Debug)]
pub(super) struct Answer {
    /// The text that an agent reads.
    pub text: String,
    /// The same as data.
    pub data: Box<RawValue>,
}

impl Answer {
    /// The bytes of the longer one.
    fn bytes(&self) -> usize {
        self.text.len().max(self.data.get().len())
    }
}

/// The data of an answer: its fields, and notes.
#[derive(Serialize)]
struct WithNotes<T> {
    #[serde(flatten)]
    data: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// An answer that is being put together.
#[derive(Default)]
pub(super) struct Told {
    text: String,
    notes: Vec<String>,
}

impl Told {
    /// Adds a sentence to text and data.
    pub fn note(&mut self, said: impl Display) {
        let said = said.to_string();
        line(&mut self.text, &said);
        self.notes.push(said);
    }

    /// Adds a sentence to the data, which the text says in words of its own.
    pub fn note_of_text(&mut self, said: impl Display) {
        self.notes.push(said.to_string());
    }

    /// Adds to the text what fields of the data say.
    pub fn say(&mut self, said: impl Display) {
        line(&mut self.text, said);
    }

    /// The whole answer; `data` are its fields.
    pub fn with(self, data: impl Serialize) -> Result<Answer, Error> {
        let data = WithNotes {
            data,
            notes: self.notes,
        };
        Ok(Answer {
            text: self.text,
            data: to_raw_value(&data)?,
        })
    }
}

/// Puts an answer together again with less room for its rows until it takes no more than so many bytes, or has none left.
pub(super) fn within(
    bytes: usize,
    build: impl Fn(usize) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let mut room = bytes;
    loop {
        let answer = build(room)?;
        let over = answer.bytes().saturating_sub(bytes);
        if over == 0 || room == 0 {
            return Ok(answer);
        }
        room = room.saturating_sub(over);
    }
}

/// Rows that take room from one another.
pub(super) struct Rows {
    room: usize,
    left_out: usize,
}

impl Rows {
    pub fn within(room: usize) -> Self {
        Self { room, left_out: 0 }
    }

    /// The first of these rows that there is room for, as data and as lines.
    pub fn fit<T: Serialize>(
        &mut self,
        items: Vec<T>,
        told: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, Vec<String>), Error> {
        let all = items.len();
        let (mut kept, mut lines) = (Vec::new(), Vec::new());
        for item in items {
            let line = told(&item);
            let data = serde_json::to_string(&item)?;
            let Some(left) = self.room.checked_sub(line.len().max(data.len()) + 1) else {
                break;
            };
            self.room = left;
            kept.push(item);
            lines.push(line);
        }
        self.left_out += all - kept.len();
        Ok((kept, lines))
    }

    /// The number of rows that were left out.
    pub fn left_out(&self) -> Option<usize> {
        (self.left_out > 0).then_some(self.left_out)
    }
}

/// Adds a line, on a line of its own.
pub(super) fn line(out: &mut String, text: impl Display) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    // Writing to a String can't fail.
    let _ = writeln!(out, "{text}");
}

pub(super) fn many(count: usize, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

/// Names on one line.
pub(super) fn names(of: &[String]) -> String {
    let names: Vec<String> = of.iter().map(|name| one_line(name)).collect();
    names.join(", ")
}

/// The way to what was left out of a reading tool's answer.
pub(super) fn more(left_out: usize, thing: &str) -> String {
    format!(
        "{} left out to keep this short: call again with max_tokens, up to 32000, to read more.",
        match left_out {
            1 => format!("1 more {thing} is"),
            count => format!("{count} more {thing}s are"),
        }
    )
}
