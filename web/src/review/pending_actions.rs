//! Acts that are held back for some seconds so that they can be undone: no event takes them back.
//!
//! They are written down meanwhile. A tab that is closed or reloaded leaves them to the next one
//! that is opened; whoever sends an act takes it out first, so that it is sent once.

use super::Act;
use crate::dom::{self, Memory};
use serde::{Deserialize, Serialize};

const KEY: &str = "lessonloop.review.held";
const TAB: &str = "lessonloop.review.tab";
/// Time for which an act is held back, in milliseconds.
pub const HOLD: u32 = 7_000;
/// After this much more its tab is taken for gone, in milliseconds.
const GRACE: f64 = 10_000.0;

/// An act that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingAction {
    /// Names it.
    pub id: String,
    /// The lesson.
    pub slug: String,
    /// The act to be done.
    pub act: Act,
    /// The tab in which it was decided.
    tab: String,
    /// When it is to be sent, in milliseconds.
    due: f64,
}

impl PendingAction {
    /// An act that is decided now.
    pub fn new(slug: &str, act: Act, tab: &str, now: f64) -> Self {
        Self {
            id: dom::random_id(),
            slug: slug.to_owned(),
            act,
            tab: tab.to_owned(),
            due: now + f64::from(HOLD),
        }
    }

    /// True if the tab that decided it will not send it: it is this one, newly loaded, or it is
    /// long past its time. A time that lies far ahead is that of a clock that was set back.
    fn is_left(&self, tab: &str, now: f64) -> bool {
        self.tab == tab || !(now - GRACE..now + f64::from(HOLD) + GRACE).contains(&self.due)
    }
}

/// The name of this tab; the same after a reload.
pub fn tab() -> String {
    // As JSON, as earlier versions wrote it.
    Memory::Tab.find_json(TAB).unwrap_or_else(|| {
        let tab = dom::random_id();
        Memory::Tab.keep_json(TAB, &tab);
        tab
    })
}

/// Writes an act down; `false` where storage does not allow it.
pub fn put(held: &PendingAction) -> bool {
    let mut all = read();
    all.push(held.clone());
    Memory::Browser.keep_json(KEY, &all)
}

/// Takes an act out; `false` when it was not there, so that somebody else has sent it.
pub fn take(id: &str) -> bool {
    let mut all = read();
    let before = all.len();
    all.retain(|held| held.id != id);
    all.len() < before && Memory::Browser.keep_json(KEY, &all)
}

/// Takes out what others have left, oldest first.
pub fn take_left(tab: &str, now: f64) -> Vec<PendingAction> {
    let (left, all): (Vec<PendingAction>, Vec<PendingAction>) =
        read().into_iter().partition(|held| held.is_left(tab, now));
    if left.is_empty() || !Memory::Browser.keep_json(KEY, &all) {
        return Vec::new();
    }
    left
}

fn read() -> Vec<PendingAction> {
    Memory::Browser.find_json(KEY).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_act_is_left_when_its_tab_is_gone() {
        let held = PendingAction {
            id: "1".into(),
            slug: "a".into(),
            act: Act::Archive,
            tab: "here".into(),
            due: 100_000.0,
        };
        for (tab, now, left) in [
            ("here", 95_000.0, true),
            ("there", 95_000.0, false),
            ("there", 109_000.0, false),
            ("there", 111_000.0, true),
            ("there", 80_000.0, true),
        ] {
            assert_eq!(held.is_left(tab, now), left, "{tab} at {now}");
        }
    }
}
