//! Limits that several files share.

use lesson_core::Millis;

/// The longest body that is read, in bytes.
pub const BODY_BYTES: usize = 1_048_576;
/// Interval at which a request polls for the work of another request, in milliseconds.
pub(crate) const LOOK_MS: u32 = 5;
/// Time that a read waits for a sync when it is answered from the snapshot cache, in milliseconds.
pub(crate) const GLANCE: Millis = 100;
