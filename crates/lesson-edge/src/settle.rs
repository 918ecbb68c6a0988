//! What is done once an answer is out.

use crate::edge::Edge;
use crate::space::Space;
use lesson_core::Millis;
use lesson_service::Host;
use lesson_sync::Store;
use std::rc::Rc;

/// How long is stayed after an answer to send what waits, in milliseconds.
const STAY: Millis = 25_000;

impl<S: Store, H: Host> Edge<S, H> {
    /// What is to be done once an answer is out: sends what waits, reads what others made, gives
    /// lessons their vectors. Returns when nothing waits or after some 25 seconds. Never fails.
    pub async fn settle(&self) {
        let spaces: Vec<Rc<Space<S, H>>> = self.spaces.borrow().clone();
        for space in spaces {
            let begun = self.host.now();
            let since = space.staying.get();
            if since.is_some_and(|since| (begun - since).abs() < STAY + 5_000) {
                // Somebody stays already, and sends until nothing waits.
                continue;
            }
            space.staying.set(Some(begun));
            self.send(&space, begun).await;
            space.keep(&self.tokens, &self.config).await;
            space.staying.set(None);
            // Vectors that are missing are tried for again after the next request.
            let until = begun + STAY;
            while space
                .service
                .vectors_round()
                .await
                .is_ok_and(|round| round.more && self.host.now() < until)
            {}
            self.embed(&space).await;
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
                space.turn(u32::try_from(left).unwrap_or(u32::MAX)).await;
                // Agents that ask all the time leave no later moment for it.
                space.keep(&self.tokens, &self.config).await;
            }
        }
    }
}
