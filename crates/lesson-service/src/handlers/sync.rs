//! Syncing: its rounds, and where it stands.

use crate::handlers::set_aside::sorted;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::validate;
use crate::service::{Answer, Service};
use lesson_core::{Millis, to_rfc3339};
use lesson_sync::{Http, HttpRequest, HttpResponse, Link, NoAnswer, Phase, Store, Supabase, run};
use lesson_types::{ApiError, ErrorCode, SyncPhase, SyncProgress, SyncStatus};
use serde_json::Value;

/// From a round to the next one when vectors were left over, in milliseconds.
const MORE: Millis = 1_000;

/// What a round of syncing came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncRound {
    /// When the next one is due by itself; `None`: when a person does something about it.
    pub next_at: Option<Millis>,
    /// Whether lessons, or what waits, may have changed; where syncing stands always may.
    pub changed: bool,
}

/// The host's network.
pub(crate) struct Network<'a, H>(pub &'a H);

impl<H: Host> Http for Network<'_, H> {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        self.0.send(request).await
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// The revision of the link that is shown, 0 without one; it changes with every step of
    /// syncing.
    pub fn revision(&self) -> u64 {
        self.state.borrow().revision()
    }

    /// One round of syncing: [`Service::sync_rows`], and when that ended well, vectors in both
    /// directions ([`Service::vectors_round`]), which never make a round fail.
    pub async fn sync_round(&self) -> SyncRound {
        let mut round = self.sync_rows().await;
        let idle = self.machine.borrow().status().phase == Phase::Idle;
        if idle && self.exchange(true).await.is_ok_and(|vectors| vectors.more) {
            let soon = self.host.now().saturating_add(MORE);
            round.next_at = Some(round.next_at.map_or(soon, |at| at.min(soon)));
        }
        round
    }

    /// Sends what was made here, reads what others made. Does nothing without a link. Requests are
    /// answered meanwhile. One round at a time: a second call waits.
    pub async fn sync_rows(&self) -> SyncRound {
        let _turn = self.syncing.lock().await;
        self.round(|| !self.leaving.get()).await
    }

    /// A round that ends early once `goes_on` says so. The caller sees to it that there is one at a
    /// time.
    pub(crate) async fn round(&self, goes_on: impl Fn() -> bool) -> SyncRound {
        let revision = self.revision();
        // What waits to be stored goes along; a store that fails is shown by health.
        let _ = self.flush().await;
        let clock = || {
            let mut random = [0; 16];
            self.host.random(&mut random);
            (self.host.now(), u128::from_be_bytes(random))
        };
        let network = Network(&self.host);
        let rest = run(
            &self.machine,
            &self.store,
            &Supabase::new(&network),
            clock,
            async || {
                let _ = self.catch_up().await;
                goes_on()
            },
        )
        .await;
        SyncRound {
            next_at: rest.until,
            changed: self.revision() != revision,
        }
    }

    pub(crate) fn sync_status(&self, body: &Value) -> Result<Answer, ApiError> {
        validate::no_body(body)?;
        Answer::json(&self.status())
    }

    /// The worker that hosts the engine begins a round after this.
    pub(crate) fn sync_now(&self, body: &Value) -> Result<Answer, ApiError> {
        validate::no_body(body)?;
        self.linked_or_refuse()?;
        self.machine.borrow_mut().ask();
        Answer::json(&self.status())
    }

    /// Where syncing stands, in one word as it stands in JSON.
    pub(crate) fn sync_word(&self) -> String {
        serde_json::to_value(self.status().phase)
            .ok()
            .and_then(|word| word.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    pub(crate) fn status(&self) -> SyncStatus {
        let state = self.state.borrow();
        let machine = self.machine.borrow();
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
        }
    }

    pub(crate) fn linked_or_refuse(&self) -> Result<Link, ApiError> {
        self.state
            .borrow()
            .linked
            .as_ref()
            .map(|linked| linked.link.clone())
            .ok_or_else(|| {
                ApiError::new(
                    ErrorCode::Conflict,
                    "no server is connected; connect one with POST /v1/sync/connect",
                )
            })
    }

    /// The link, for requests that read from the server.
    pub(crate) fn link(&self) -> Option<Link> {
        self.state
            .borrow()
            .linked
            .as_ref()
            .map(|linked| linked.link.clone())
    }
}
