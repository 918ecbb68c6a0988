//! Work after an answer: sending, syncing, the snapshot cache, embedding.

use crate::edge::Edge;
use crate::space::Space;
use lesson_core::Millis;
use lesson_service::Host;
use lesson_sync::Store;
use std::rc::{Rc, Weak};

/// Time limit of the work after an answer, in milliseconds.
const STAY: Millis = 25_000;

impl<S: Store, H: Host> Edge<S, H> {
    /// To be called after each answer: sends events that wait, pulls what others made, stores the snapshot, embeds
    /// lessons. Returns when nothing is left, or after about 25 seconds. Never fails.
    pub async fn settle(&self) {
        // None of them is kept by waiting for its turn.
        let spaces: Vec<Weak<Space<S, H>>> =
            self.spaces.borrow().iter().map(Rc::downgrade).collect();
        for space in spaces {
            let Some(space) = space.upgrade() else {
                continue;
            };
            let begun = self.host.now();
            let since = space.settling.get();
            if since.is_some_and(|since| (begun - since).abs() < STAY + 5_000) {
                // Somebody stays already, and sends until nothing waits.
                continue;
            }
            space.settling.set(Some(begun));
            self.send(&space, begun).await;
            space.store_snapshot(&self.config).await;
            space.settling.set(None);
            if space.is_on_server() {
                space.service.embed_texts().await;
                continue;
            }
            // Vectors that are missing are tried for again after the next request.
            let until = begun + STAY;
            while space
                .service
                .vectors_round()
                .await
                .is_ok_and(|round| round.more && self.host.now() < until)
            {}
            self.embed(&space).await;
            drop(space);
            self.make_room(None);
        }
    }

    async fn send(&self, space: &Space<S, H>, begun: Millis) {
        while space.is_due() {
            let left = begun + STAY - self.host.now();
            if left <= 0 {
                return;
            }
            let wait = space.wait();
            if wait > 0 {
                let wait = u32::try_from(wait.min(left)).unwrap_or(u32::MAX);
                self.host.sleep(wait).await;
            } else {
                space
                    .sync_for(u32::try_from(left).unwrap_or(u32::MAX))
                    .await;
                // Agents that ask all the time leave no later moment for it.
                space.store_snapshot(&self.config).await;
            }
        }
    }
}
