//! The corpora, and how a case is held against what came of it.

use serde_json::Value;
use std::path::{Path, PathBuf};

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

/// A folder or file of the corpora.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// The files of a folder that end so, by name.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(data(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|has| has == ending))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{folder} has no .{ending}");
    found
}

pub fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// Adds each expectation that does not hold to `found`, by field; fields that are not named may be anything.
pub fn differences(at: &str, expected: &Value, actual: &Value, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, value) in expected {
                let at = format!("{at}.{name}");
                match actual.get(name) {
                    Some(actual) => differences(&at, value, actual, found),
                    None => found.push(format!("{at}: expected {value}, but there is none")),
                }
            }
        }
        _ if expected == actual => {}
        _ => found.push(format!("{at}: expected {expected}, got {actual}")),
    }
}
