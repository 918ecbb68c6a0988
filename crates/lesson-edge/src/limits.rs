//! Sizes and times that several files go by.

use lesson_core::Millis;

/// The longest body that is read, in bytes.
pub const BODY_BYTES: usize = 1_048_576;
/// How often a request looks whether what another request does is done, in milliseconds.
pub(crate) const LOOK_MS: u32 = 5;
/// How long a request waits for what changed since the snapshot was kept that it is answered from, in milliseconds.
pub(crate) const GLANCE: Millis = 100;
