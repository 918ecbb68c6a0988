//! The state of fetching the model pack.

use lesson_core::Millis;
use lesson_service::NoModel;

/// The state of fetching the pack, shared by the requests of an isolate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Pack {
    #[default]
    NotAsked,
    /// The host was asked for it at this time.
    Asked(Millis),
    /// The host gave none at this time.
    Without(Millis, NoModel),
    Loaded,
}
