//! The fields of one record: read by any of their names, each at most once, with what is left over.

use super::limits::COUNT;
use super::node::{Node, Value, shown};
use super::{json_tree, words};
use lesson_core::{LAST, Millis, is_slug, parse_rfc3339};

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
    /// Faults in fields of a file that people write; `None` where a bad field costs the record.
    faults: Option<Vec<FieldError>>,
}

impl Fields {
    /// The fields of a map; other values have none.
    pub fn of(node: Node) -> Self {
        let Value::Map(entries) = node.value else {
            return Self::default();
        };
        Self {
            entries: named(entries),
            faults: None,
        }
    }

    /// Fields of front matter: one that can't be taken is left where it is, and [`Self::faults`] says why.
    pub fn lenient(entries: Vec<(String, Node)>) -> Self {
        Self {
            entries: named(entries),
            faults: Some(Vec::new()),
        }
    }

    /// True if bad fields cost nothing but themselves.
    pub fn is_lenient(&self) -> bool {
        self.faults.is_some()
    }

    /// Takes the faults of fields that were left where they are.
    pub fn faults(&mut self) -> Vec<FieldError> {
        self.faults.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A number in quotes, or a confidence in a word, as people write it.
    fn unquoted(&self, node: Node) -> Node {
        let (Some(_), Value::Text(text) | Value::Plain(text)) = (&self.faults, &node.value) else {
            return node;
        };
        let text = text.trim();
        let number = match (text.strip_suffix('%'), words::confidence(text)) {
            (_, Some(value)) => value.to_string(),
            (Some(percent), None) => match percent.trim().parse::<f64>() {
                Ok(percent) => (percent / 100.0).to_string(),
                Err(_) => return node,
            },
            (None, None) => text.to_owned(),
        };
        Node {
            line: node.line,
            value: Value::Plain(number),
        }
    }

    /// A fault of a field: an error, or a remark and the default where a bad field costs nothing else.
    fn fault<T>(&mut self, error: FieldError, default: T) -> Result<T, FieldError> {
        match &mut self.faults {
            Some(faults) => {
                faults.push(error);
                Ok(default)
            }
            None => Err(error),
        }
    }

    /// Sets a field, in place of what it had.
    pub fn set(&mut self, name: &str, node: Node) {
        self.drop(&[name]);
        self.entries
            .push((name.to_owned(), name.to_owned(), Some(node)));
    }

    /// Adds a field beside one of its name.
    pub fn push(&mut self, name: &str, node: Node) {
        self.entries
            .push((name.to_owned(), snake(name), Some(node)));
    }

    /// The text of a field that stays where it is.
    pub fn peek(&self, name: &str) -> Option<&str> {
        self.entries.iter().find_map(|(_, plain, node)| match node {
            Some(Node {
                value: Value::Text(text) | Value::Plain(text),
                ..
            }) if plain == name => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        })
    }

    /// True if a field with one of these names is there and says something.
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

    /// Takes the fields that nobody took and that say something.
    pub fn rest(&mut self) -> Vec<(String, Node)> {
        std::mem::take(&mut self.entries)
            .into_iter()
            .filter_map(|(name, _, node)| Some((name, node.filter(|node| !node.is_null())?)))
            .collect()
    }

    /// Names of the fields that nobody took and that say something.
    pub fn left(&self) -> Vec<&str> {
        self.entries
            .iter()
            .filter(|(_, _, node)| node.as_ref().is_some_and(|node| !node.is_null()))
            .map(|(name, _, _)| name.as_str())
            .collect()
    }

    /// The title that is written: a title, or a name in words.
    pub fn said_title(&self) -> Option<&str> {
        let text = |names: &[&str]| {
            self.entries.iter().find_map(|(_, plain, node)| match node {
                Some(Node {
                    value: Value::Text(text) | Value::Plain(text),
                    ..
                }) if names.contains(&plain.as_str()) && !text.trim().is_empty() => {
                    Some(text.trim())
                }
                _ => None,
            })
        };
        text(&["title", "headline"])
            .or_else(|| text(&["name"]).filter(|name| !is_slug(name)))
            .filter(|title| !matches!(*title, "~" | "null" | "Null" | "NULL"))
    }

    /// A text; None when it is not there.
    pub fn text(&mut self, names: &[&str]) -> Result<Option<String>, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(None);
        };
        match node.value {
            Value::Text(text) | Value::Plain(text) => Ok(Some(text)),
            _ => self.fault(wrong(&node, names, "text", "write it as one string"), None),
        }
    }

    /// A list of words: a list, a JSON list inside a string, or words with commas between.
    pub fn words(&mut self, names: &[&str]) -> Result<Vec<String>, FieldError> {
        let mut found = Vec::new();
        // Every name counts, so that `tags` and `keywords` come together.
        while let Some(node) = self.take(names) {
            if let Err(error) = words_of(node, names, &mut found) {
                self.fault(error, ())?;
            }
        }
        Ok(found)
    }

    /// A whole number of 0 or more.
    pub fn count(&mut self, names: &[&str], default: u32) -> Result<u32, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(default);
        };
        let node = self.unquoted(node);
        let value = match number(&node, names) {
            Ok(value) => value,
            Err(error) => return self.fault(error, default),
        };
        if value >= 0.0 && value <= f64::from(COUNT) && value == value.trunc() {
            // In range and whole, so the cast is exact.
            return Ok(value as u32);
        }
        let wanted = format!("a whole number from 0 to {COUNT}");
        self.fault(
            wrong(&node, names, &wanted, "correct or remove it"),
            default,
        )
    }

    /// A number from 0 to 1.
    pub fn share(&mut self, names: &[&str], default: f64) -> Result<f64, FieldError> {
        self.within(names, default, (0.0, 1.0))
    }

    /// A number from the least to the most.
    pub fn within(
        &mut self,
        names: &[&str],
        default: f64,
        (least, most): (f64, f64),
    ) -> Result<f64, FieldError> {
        let Some(node) = self.take(names) else {
            return Ok(default);
        };
        let node = self.unquoted(node);
        let value = match number(&node, names) {
            Ok(value) => value,
            Err(error) => return self.fault(error, default),
        };
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        let wanted = format!("a number from {least} to {most}");
        let error = wrong(&node, names, &wanted, "correct or remove it");
        self.fault(error, default)
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
        let error = wrong(&node, names, "true or false", "correct or remove it");
        self.fault(error, None)
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
            _ => {
                let wanted = "a time such as 2026-11-22T08:30:00Z";
                self.fault(wrong(&node, names, wanted, "correct or remove it"), None)
            }
        }
    }
}

fn named(entries: Vec<(String, Node)>) -> Vec<(String, String, Option<Node>)> {
    entries
        .into_iter()
        .map(|(name, node)| {
            let plain = snake(&name);
            (name, plain, Some(node))
        })
        .collect()
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
pub(super) fn snake(name: &str) -> String {
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
