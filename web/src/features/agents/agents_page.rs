//! What the parts of the agents' page share: the keys, and the one that was just made.

use crate::api::Client;
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{AgentKey, AgentKeys, ApiError, MadeAgentKey};

/// The id of the card with the keys.
pub(super) const CARD: &str = "agent-keys";

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub(super) struct AgentsPage {
    pub(super) client: Client,
    /// The keys as they were last read.
    pub(super) keys: RwSignal<Option<Vec<AgentKey>>>,
    /// Why they could not be read the last time.
    pub(super) error: RwSignal<Option<ApiError>>,
    /// Whether they are being read.
    pub(super) busy: RwSignal<bool>,
    /// The latest reading; an earlier one that comes later is dropped.
    turn: StoredValue<u32>,
    /// The key that was just made; only here, until the person is done with it or leaves the page.
    pub(super) fresh: RwSignal<Option<MadeAgentKey>>,
}

impl AgentsPage {
    pub(super) fn new() -> Self {
        Self {
            client: Client::get_from_context(),
            keys: RwSignal::new(None),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            turn: StoredValue::new(0),
            fresh: RwSignal::new(None),
        }
    }

    /// Reads the keys. What was read before stays until then.
    pub(super) fn read(self) {
        let turn = self.turn.try_update_value(|turn| {
            *turn = turn.wrapping_add(1);
            *turn
        });
        if turn.is_none() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let answer = self.client.get::<AgentKeys>("/v1/agent-keys").await;
            // The page may have been left meanwhile, or asks something newer.
            if self.turn.try_get_value() != turn {
                return;
            }
            self.busy.set(false);
            match answer {
                Ok(list) => {
                    self.keys.set(Some(list.keys));
                    self.error.set(None);
                }
                Err(error) => self.error.set(Some(error)),
            }
        });
    }
}
