//! The switch for keys without Ctrl or Cmd, as this browser remembers it.

use crate::dom::Memory;

/// Where it is remembered that they are off.
const KEY: &str = "lessonloop.single-keys";
/// Where earlier versions remembered it for Review alone.
const OF_REVIEW: &str = "lessonloop.review.keys_off";

pub(super) fn load() -> bool {
    match Memory::Browser.find(KEY) {
        Some(word) => word != "off",
        None => !Memory::Browser.find_json(OF_REVIEW).unwrap_or(false),
    }
}

pub(super) fn save(on: bool) {
    Memory::Browser.keep(KEY, if on { "on" } else { "off" });
}
