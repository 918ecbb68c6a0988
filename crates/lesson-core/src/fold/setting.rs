//! The fold of settings: values that a space's people change, such as which tool servers are core.

use crate::fold_error::{FoldError, invalid};
use crate::space::Space;
use serde_json::Value;
use std::collections::BTreeMap;

/// The most settings in one event.
const MOST: usize = 100;
/// The longest name, in characters.
const NAME: usize = 64;
/// The longest text, in characters.
const TEXT: usize = 1_000;
/// The most entries of a list.
const ENTRIES: usize = 100;

impl Space {
    /// Takes settings by any name, so that those of a newer version are kept.
    pub(super) fn set(&mut self, changes: &BTreeMap<String, Value>) -> Result<(), FoldError> {
        if changes.is_empty() || changes.len() > MOST {
            return Err(invalid(
                "changes",
                format!("1 to {MOST} settings are changed at once"),
            ));
        }
        for (name, value) in changes {
            if !is_name(name) {
                return Err(invalid(
                    "changes",
                    format!(
                        "a setting's name has 1 to {NAME} lower-case letters, digits, `_` and `.`"
                    ),
                ));
            }
            if !is_value(value) {
                return Err(invalid(
                    "changes",
                    format!(
                        "`{name}` has to be null, true, false, a number, a text of at most {TEXT} characters, or a list of at most {ENTRIES} such texts"
                    ),
                ));
            }
        }
        for (name, value) in changes {
            if value.is_null() {
                self.settings.remove(name);
            } else {
                self.settings.insert(name.clone(), value.clone());
            }
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    (1..=NAME).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'.'))
}

fn is_value(value: &Value) -> bool {
    let short = |value: &Value| {
        value
            .as_str()
            .is_some_and(|text| text.chars().count() <= TEXT)
    };
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(_) => short(value),
        Value::Array(entries) => entries.len() <= ENTRIES && entries.iter().all(short),
        Value::Object(_) => false,
    }
}
