//! The state that the parts of the agents' page share: the keys, and the one that was just made.

use crate::api::{Client, Query, use_fetch};
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{AgentKey, AgentKeys, ApiError, MadeAgentKey, SyncPhase};

/// The id of the card with the keys.
pub(super) const CARD: &str = "agent-keys";

/// The state that the parts of the page share; cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct AgentsPage {
    pub(super) client: Client,
    asked: Query<Option<Vec<AgentKey>>>,
    /// The keys as they were last read.
    pub(super) keys: Memo<Option<Vec<AgentKey>>>,
    /// Why they could not be read the last time.
    pub(super) error: Memo<Option<ApiError>>,
    /// True while they are being read.
    pub(super) busy: RwSignal<bool>,
    /// The key that was just made; only here, until the person is done with it or leaves the page.
    pub(super) fresh: RwSignal<Option<MadeAgentKey>>,
}

impl AgentsPage {
    pub(super) fn new() -> Self {
        let client = Client::get_from_context();
        let syncing = Syncing::get_from_context();
        let space = Memo::new(move |_| syncing.read(|status| status.space_id.clone()));
        // The connection's state decides whether the server answers: the keys are read anew when it changes.
        let reach = Memo::new(move |_| {
            syncing.read(|status| {
                let out = matches!(status.phase, SyncPhase::Offline | SyncPhase::Trouble);
                (out, status.phase == SyncPhase::SignedOut)
            })
        });
        let asked = use_fetch(
            move || space.get(),
            move || {
                reach.track();
                let is_on = !space.read().is_empty();
                async move {
                    if !is_on {
                        return Ok(None);
                    }
                    let list = client.get::<AgentKeys>("/v1/agent-keys").await?;
                    Ok(Some(list.keys))
                }
            },
        );
        let kept = asked.kept();
        let fresh = RwSignal::new(None);
        Effect::new(move |before: Option<String>| {
            let now = space.get();
            if before.is_some_and(|before| before != now) {
                fresh.set(None);
            }
            now
        });
        Self {
            client,
            asked,
            keys: Memo::new(move |_| kept.get().flatten()),
            error: Memo::new(move |_| asked.error()),
            busy: asked.busy,
            fresh,
        }
    }

    /// Reads the keys. What was read before stays until then.
    pub(super) fn read(self) {
        self.asked.ask_again();
    }
}
