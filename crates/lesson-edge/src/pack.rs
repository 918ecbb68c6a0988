//! Where getting the model pack stands.

use lesson_core::Millis;
use lesson_service::NoModel;

/// Where getting the pack stands, for all requests of an isolate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Pack {
    #[default]
    NotAsked,
    /// The host was asked for it then.
    Asked(Millis),
    /// It said then that there is none.
    Without(Millis, NoModel),
    Loaded,
}
