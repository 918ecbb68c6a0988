//! Rounds of syncing with the linked server.

use crate::host::Host;
use crate::remote::network::Network;
use crate::state::service_struct::Service;
use lesson_core::Millis;
use lesson_sync::{Phase, Store, Supabase, run};

/// From a round to the next one when vectors were left over, in milliseconds.
const MORE: Millis = 1_000;

/// Result of a round of syncing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncRound {
    /// When the next one is due by itself; `None`: when a person does something about it.
    pub next_at: Option<Millis>,
    /// True if lessons, or what waits, may have changed; where syncing stands always may.
    pub changed: bool,
}

impl<S: Store, H: Host> Service<S, H> {
    /// One round of syncing: [`Service::sync_rows`], and when that ended well, vectors in both
    /// directions ([`Service::vectors_round`]), which never make a round fail.
    pub async fn sync_round(&self) -> SyncRound {
        let mut round = self.sync_rows().await;
        let idle = self.sync.machine.borrow().status().phase == Phase::Idle && !self.is_on_server();
        if idle && self.exchange(true).await.is_ok_and(|vectors| vectors.more) {
            let soon = self.host.now().saturating_add(MORE);
            round.next_at = Some(round.next_at.map_or(soon, |at| at.min(soon)));
        }
        round
    }

    /// Sends what was made here, reads what others made. Does nothing without a link. Requests are
    /// answered meanwhile. One round at a time: a second call waits.
    pub async fn sync_rows(&self) -> SyncRound {
        let _turn = self.sync.turn.lock().await;
        self.round(|| !self.sync.leaving.get()).await
    }

    /// A round that ends early once `goes_on` says so. The caller sees to it that there is one at a
    /// time.
    pub async fn round(&self, goes_on: impl Fn() -> bool) -> SyncRound {
        let revision = self.revision();
        // Events that wait to be stored go along; a store that fails is shown by health.
        let _ = self.flush().await;
        let clock = || {
            let mut random = [0; 16];
            self.host.random(&mut random);
            (self.host.now(), u128::from_be_bytes(random))
        };
        let network = Network(&self.host);
        let rest = run(
            &self.sync.machine,
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
}
