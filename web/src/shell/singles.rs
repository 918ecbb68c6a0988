//! Whether keys without Ctrl or Cmd do anything, as this browser remembers it.

use crate::dom::Memory;

/// Where it is remembered that they are off.
const KEY: &str = "lessonloop.single-keys";

pub(super) fn load() -> bool {
    Memory::Browser.find(KEY).is_none_or(|word| word != "off")
}

pub(super) fn save(on: bool) {
    Memory::Browser.keep(KEY, if on { "on" } else { "off" });
}
