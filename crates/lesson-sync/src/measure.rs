//! How much is sent at once and kept, under which actor, and how long to wait after failures.

use crate::link::Change;
use crate::store::{Stored, uuid7};
use lesson_core::Millis;

/// Events in a batch; the server takes a thousand.
pub(crate) const BATCH: usize = 500;
/// Bytes in a batch, as far as it has more than one event; the server takes 16 MiB.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Events that are kept after they arrived, to be sent again when the server is restored from a
/// backup.
pub(crate) const KEPT: u64 = 20_000;
/// The first wait after a failure; it doubles.
pub(crate) const BACK_OFF: Millis = 1_000;
/// The longest wait after failures.
pub const LONGEST: Millis = 300_000;

/// Events after `after` get a new actor; all that the server knows of them is their `op_id`.
pub(crate) fn renumber(change: &mut Change, after: u64, now: Millis, random: u128) {
    change.link.actor = uuid7(now, random);
    change.link.acked = after;
    change.link.tried = after;
    change.renumber_after = Some(after);
}

/// As many events as a batch may have by its size, one at least.
pub(crate) fn in_bounds(mut events: Vec<Stored>) -> Vec<Stored> {
    let mut bytes = 0;
    let fit = events
        .iter()
        .take_while(|stored| {
            // What can't be written is refused by the server by name.
            bytes += serde_json::to_string(&stored.event).map_or(0, |text| text.len());
            bytes <= BATCH_BYTES
        })
        .count();
    events.truncate(fit.max(1));
    events
}

/// How long to wait after so many failures in a row: half to all of a wait that doubles from a
/// second to [`LONGEST`].
pub fn back_off(failures: u32, random: u128) -> Millis {
    let whole = BACK_OFF
        .saturating_mul(1 << failures.saturating_sub(1).min(16))
        .min(LONGEST);
    let half = whole / 2;
    let part = u64::try_from(random % 1_000).unwrap_or(0);
    half + half * Millis::try_from(part).unwrap_or(0) / 1_000
}
