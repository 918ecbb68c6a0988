//! Where syncing stands.

use crate::handlers::set_aside::sorted;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_core::to_rfc3339;
use lesson_sync::{Phase, Store};
use lesson_types::{ApiError, SyncPhase, SyncProgress, SyncStatus};
use serde_json::Value;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn sync_status(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<SyncStatus>, ApiError> {
        validate::no_body(body)?;
        Ok(Answer::json(self.status()))
    }

    /// The worker that hosts the engine begins a round after this.
    pub(crate) fn sync_now(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<SyncStatus>, ApiError> {
        validate::no_body(body)?;
        self.linked_or_refuse()?;
        self.sync.machine.borrow_mut().ask();
        Ok(Answer::json(self.status()))
    }

    /// Where syncing stands, in one word as it stands in JSON.
    pub(crate) fn sync_word(&self) -> String {
        serde_json::to_value(self.status().phase)
            .ok()
            .and_then(|word| word.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    pub(crate) fn status(&self) -> SyncStatus {
        if let Some(told) = self.held.syncing() {
            return told.clone();
        }
        let state = self.state.borrow();
        let machine = self.sync.machine.borrow();
        let status = machine.status();
        let Some(linked) = &state.linked else {
            return SyncStatus::default();
        };
        let (conflicts, others) = sorted(&state, linked);
        let link = &linked.link;
        SyncStatus {
            phase: match status.phase {
                // Before the first round.
                Phase::Off if link.session.is_none() => SyncPhase::SignedOut,
                Phase::Off | Phase::Idle => SyncPhase::Idle,
                Phase::Pushing => SyncPhase::Pushing,
                Phase::Pulling => SyncPhase::Pulling,
                Phase::Offline => SyncPhase::Offline,
                Phase::Trouble => SyncPhase::Trouble,
                Phase::SignedOut => SyncPhase::SignedOut,
                Phase::Blocked => SyncPhase::Blocked,
            },
            message: status.message.clone(),
            url: link.url.clone(),
            email: link.user.name.clone(),
            account: link.user.id.clone(),
            space: link.space.name.clone(),
            space_id: link.space.id.clone(),
            unsent: count(linked.unsent()),
            progress: status.progress.map(|(done, total)| SyncProgress {
                done: u32::try_from(done).unwrap_or(u32::MAX),
                total: u32::try_from(total).unwrap_or(u32::MAX),
            }),
            synced_at: status.synced_at.max(link.synced_at).map(to_rfc3339),
            next_at: status.next_at.map(to_rfc3339),
            conflicts: count(conflicts.len()),
            set_aside: count(others.len()),
            on_server: link.sends_only,
        }
    }
}
