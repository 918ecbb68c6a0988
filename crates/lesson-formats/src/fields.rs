//! The fields of one record: read by any of their names, each at most once, with what is left over.

use super::limits::COUNT;
use super::node::{Node, Value, shown};
use super::{json_tree, words};
use lesson_core::{LAST, Millis, parse_rfc3339};

/// Why a field is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldError {
    pub line: u32,
    pub code: &'static str,
    pub message: String,
}

/// The fields of a record that have not been read yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    /// Name as it was written, name in snake_case, value; taken ones are None.
    entries: Vec<(String, String, Option<Node>)>,
}

impl Fields {
    /// The fields of a map; other values have none.
    pub fn of(node: Node) -> Self {
        let Value::Map(entries) = node.value else {
            return Self::default();
        };
        Self {
            entries: entries
                .into_iter()
                .map(|(name, node)| {
                    let plain = snake(&name);
                    (name, plain, Some(node))
                })
                .collect(),
        }
    }

    /// Sets a field, in place of what it had.
    pub fn set(&mut self, name: &str, node: Node) {
        self.drop(&[name]);
        self.entries
            .push((name.to_owned(), name.to_owned(), Some(node)));
    }

    /// Whether a field with one of these names is there and says something.
    pub fn has(&self, names: &[&str]) -> bool {
        self.entries.iter().any(|(_, plain, node)| {
            names.contains(&plain.as_str()) && node.as_ref().is_some_and(|node| !node.is_null())
        })
    }

    /// Takes the first of these names that says something.
    pub fn take(&mut self, names: &[&str]) -> Option<Node> {
        for name in names {
            for (_, plain, node) in &mut self.entries {
                if plain == name && node.as_ref().is_some_and(|node| !node.is_null()) {
                    return node.take();
                }
            }
        }
        None
    }

    /// Takes fields that are known and not needed.
    pub fn drop(&mut self, names: &[&str]) {
        for (_, plain, node) in &mut self.entries {
            if names.contains(&plain.as_str()) {
                *node = None;
            }
        }
    }

    /// Names of the fields that nobody took and that say something.
    pub fn left(&self) -> Vec<&str> {
        self.entries
            .iter()
            .filter(|(_, _, node)| node.as_ref().is_some_and(|node| !node.is_null()))
            .map(|(name, _, _)| name.as_str())
            .collect()
    }

    /// A text; None when it is not there.
    pub fn text(&mut self, names: &[&str]) -> Result<Option<String>, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(None);
        };
        match node.value {
            Value::Text(text) | Value::Plain(text) => Ok(Some(text)),
            _ => Err(wrong(&node, names, "text", "write it as one string")),
        }
    }

    /// A list of words: a list, a JSON list inside a string, or words with commas between.
    pub fn words(&mut self, names: &[&str]) -> Result<Vec<String>, FieldError> {
        let mut found = Vec::new();
        // Every name counts, so that `tags` and `keywords` come together.
        while let Some(node) = self.take(names) {
            words_of(node, names, &mut found)?;
        }
        Ok(found)
    }

    /// A whole number of 0 or more.
    pub fn count(&mut self, names: &[&str], default: u32) -> Result<u32, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(default);
        };
        let value = number(&node, names)?;
        if value >= 0.0 && value <= f64::from(COUNT) && value == value.trunc() {
            // In range and whole, so the cast is exact.
            return Ok(value as u32);
        }
        Err(wrong(
            &node,
            names,
            &format!("a whole number from 0 to {COUNT}"),
            "correct or remove it",
        ))
    }

    /// A number from 0 to 1.
    pub fn share(&mut self, names: &[&str], default: f64) -> Result<f64, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(default);
        };
        let value = number(&node, names)?;
        if (0.0..=1.0).contains(&value) {
            return Ok(value);
        }
        Err(wrong(
            &node,
            names,
            "a number from 0 to 1",
            "correct or remove it",
        ))
    }

    /// True or false; SQL's 1 and 0 too.
    pub fn flag(&mut self, names: &[&str]) -> Result<Option<bool>, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(None);
        };
        if let Value::Plain(word) | Value::Text(word) = &node.value {
            match word.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => return Ok(Some(true)),
                "false" | "0" | "no" => return Ok(Some(false)),
                _ => {}
            }
        }
        Err(wrong(&node, names, "true or false", "correct or remove it"))
    }

    /// A time: RFC 3339, the same without an offset (taken as UTC), a day, or an epoch number in
    /// seconds or milliseconds.
    pub fn time(&mut self, names: &[&str]) -> Result<Option<Millis>, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(None);
        };
        let read = match &node.value {
            Value::Text(text) | Value::Plain(text) => time_of(text.trim()),
            _ => None,
        };
        match read {
            Some(at) if at <= LAST => Ok(Some(at)),
            _ => Err(wrong(
                &node,
                names,
                "a time such as 2026-11-22T08:30:00Z",
                "correct or remove it",
            )),
        }
    }
}

fn words_of(node: Node, names: &[&str], found: &mut Vec<String>) -> Result<(), FieldError> {
    match node.value {
        Value::List(items) => {
            for item in items {
                match item.value {
                    _ if item.is_null() => {}
                    Value::Text(word) | Value::Plain(word) => found.push(word),
                    _ => {
                        return Err(wrong(
                            &item,
                            names,
                            "a list of words",
                            "write each entry as text",
                        ));
                    }
                }
            }
            Ok(())
        }
        Value::Text(text) | Value::Plain(text) => {
            if text.trim_start().starts_with('[')
                && let Ok(inner) = json_tree::read(&text, node.line)
                && matches!(inner.value, Value::List(_))
            {
                return words_of(inner, names, found);
            }
            found.extend(text.split(',').map(str::to_owned));
            Ok(())
        }
        Value::Map(_) => Err(wrong(&node, names, "a list of words", "write `[a, b]`")),
    }
}

fn number(node: &Node, names: &[&str]) -> Result<f64, FieldError> {
    match &node.value {
        Value::Plain(word) => word
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())
            .ok_or_else(|| wrong(node, names, "a finite number", "correct or remove it")),
        _ => Err(wrong(node, names, "a number", "write it without quotes")),
    }
}

fn wrong(node: &Node, names: &[&str], wanted: &str, remedy: &str) -> FieldError {
    let name = names.first().copied().unwrap_or("field");
    let found = match &node.value {
        Value::Plain(word) => format!("`{}`", shown(word)),
        Value::Text(text) => format!("\"{}\"", shown(text)),
        _ => node.kind().to_owned(),
    };
    FieldError {
        line: node.line,
        code: "invalid_field",
        message: format!("{name} is {found}, but has to be {wanted}; {remedy}"),
    }
}

fn time_of(text: &str) -> Option<Millis> {
    if let Some(at) = parse_rfc3339(text) {
        return Some(at);
    }
    if let Ok(number) = text.parse::<f64>() {
        // Seconds until the year 5138; milliseconds from 1973 on.
        let millis = if number < 100_000_000_000.0 {
            number * 1000.0
        } else {
            number
        };
        return (millis.is_finite() && millis >= 0.0 && millis <= LAST as f64)
            .then_some(millis as Millis);
    }
    let text = text.replacen(' ', "T", 1);
    if text.len() == 10 {
        parse_rfc3339(&format!("{text}T00:00:00Z"))
    } else {
        parse_rfc3339(&format!("{text}Z"))
    }
}

/// `timesHelpful`, `times-helpful` and `Times Helpful` as `times_helpful`.
fn snake(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.trim().chars() {
        if c.is_ascii_uppercase() {
            if lower {
                plain.push('_');
            }
            plain.push(c.to_ascii_lowercase());
        } else if matches!(c, '-' | ' ') {
            plain.push('_');
        } else {
            plain.push(c);
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    plain
}

/// Words trimmed, without empty ones and repeats, in their order.
pub(super) fn tidy(list: Vec<String>) -> Vec<String> {
    words::distinct(list.into_iter().map(|word| word.trim().to_owned()))
}
