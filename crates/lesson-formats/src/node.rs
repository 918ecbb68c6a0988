//! The tree that YAML and JSON are both read into: its parts know their line.

/// A value with its line, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub line: u32,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A bare word: `null`, `true`, a number, `NaN`; in YAML any unquoted text.
    Plain(String),
    /// A quoted string, or a block of text.
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// A fault that no part of the file can be read past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub line: u32,
    pub code: &'static str,
    pub message: String,
}

impl Node {
    pub fn text(line: u32, text: impl Into<String>) -> Self {
        Self {
            line,
            value: Value::Text(text.into()),
        }
    }

    /// True if nothing is said: `null`, `~` or an empty bare word.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Plain(word) if matches!(word.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, node)| node),
            _ => None,
        }
    }

    /// Names the kind of value, for a person.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Plain(_) if self.is_null() => "nothing",
            Value::Plain(_) => "a bare word",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
        }
    }
}

/// A line number as it is shown; lines past `u32::MAX` all read as the last.
pub(super) fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// `text` cut to about 60 characters, for a message.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let mut cut: String = text
        .chars()
        .take(MOST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MOST).is_some() {
        cut.push('…');
    }
    cut
}
