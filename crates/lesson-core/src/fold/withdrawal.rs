//! From when on a voice counts for nothing.

use crate::instant::{Millis, serde_rfc3339_option};
use serde::{Deserialize, Serialize};

/// From when on a voice counts for nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// The time of the first event that does not count; `None` for all of them.
    #[serde(default, with = "serde_rfc3339_option")]
    pub since: Option<Millis>,
    /// Events about it that the ledger has and that are yet to be folded. Its lessons are archived by the last of them, so that
    /// what others did before finds them in use.
    #[serde(skip)]
    pub(crate) ahead: u32,
    /// True if the last of them takes the withdrawal back, so that it never was one.
    #[serde(skip)]
    pub(crate) lifted: bool,
}

impl Withdrawal {
    pub(crate) fn covers(&self, at: Millis) -> bool {
        !self.lifted && self.since.is_none_or(|since| at >= since)
    }
}
