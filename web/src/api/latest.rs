//! Reading on demand, where what is read does not follow from signals alone: parts of a list, or what is typed after a pause.

use leptos::prelude::*;
use leptos::task::spawn_local;

/// Questions of which only the latest counts: an earlier one's answer that comes later is dropped, and so is one that comes
/// after the page was left. Cheap to copy.
#[derive(Clone, Copy, Default)]
pub struct Latest(StoredValue<u32>);

/// One of these questions.
pub struct Turn {
    of: StoredValue<u32>,
    number: Option<u32>,
}

impl Turn {
    /// True if nothing was asked since, and the page was not left.
    pub fn is_latest(&self) -> bool {
        self.number.is_some() && self.of.try_get_value() == self.number
    }
}

impl Latest {
    /// Begins a question; the ones before don't count any more.
    pub fn begin(self) -> Turn {
        let number = self.0.try_update_value(|turn| {
            *turn = turn.wrapping_add(1);
            *turn
        });
        Turn { of: self.0, number }
    }

    /// Asks, and hands the answer to `take`.
    pub fn ask<T: 'static>(
        self,
        request: impl Future<Output = T> + 'static,
        take: impl FnOnce(T) + 'static,
    ) {
        let turn = self.begin();
        spawn_local(async move {
            let answer = request.await;
            if turn.is_latest() {
                take(answer);
            }
        });
    }
}
