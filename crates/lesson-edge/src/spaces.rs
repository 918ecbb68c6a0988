//! The spaces of an isolate: opening them, waiting for their lessons, and forgetting those that nobody asks for.

use crate::agent::Agent;
use crate::edge::Edge;
use crate::message::Refusal;
use crate::snapshot_cache;
use crate::space::{Held, OLD, Space, SpaceDeps};
use lesson_core::Millis;
use lesson_service::Host;
use lesson_sync::Store;
use std::rc::Rc;

/// Time that the first request for a space waits for its lessons, in milliseconds.
const FIRST: Millis = 20_000;
/// Time that a request waits for a snapshot that has grown old, in milliseconds.
const REFRESH_MS: u32 = 500;
/// The most spaces that are kept in memory; their bytes are bounded by `Config::replica_bytes`.
const SPACES: usize = 16;

/// Why a space can't be answered for.
const TOO_LARGE: &str = "this space is too large to be held in the memory of an edge, and its server lacks the functions that read parts of it, which are part of version 1 of the schema: the operator has to apply all files of supabase/migrations; nothing was done";

impl<S: Store, H: Host> Edge<S, H> {
    /// The agent's space, with a snapshot to answer from; what `writes` waits until it is one of
    /// the server's. `embeds`: whether the model is waited for.
    pub(crate) async fn space(
        &self,
        agent: &Agent,
        writes: bool,
        embeds: bool,
    ) -> Result<Rc<Space<S, H>>, Refusal> {
        let begun = self.host.now();
        let mut space = self.open(agent).await?;
        if self.fits_again(&space) {
            self.forget(&space);
            space = self.open(agent).await?;
        }
        space.used.set(begun);
        space.asked(agent);
        if space.is_outgrown() {
            space = self.outgrown(agent, space, begun).await?;
        }
        if !space.is_ready() {
            // The size of a snapshot shows when it is there: one is taken where any fits.
            if self.room(&space) >= self.config.replica_bytes.min(snapshot_cache::MOST_HELD) {
                space.load_snapshot(&self.config).await;
            }
            if !space.is_from_cache() {
                space.measure(self.left(begun), || self.room(&space)).await;
            }
        }
        self.make_room(Some(&space));
        if space.is_on_server() {
            return Ok(space);
        }
        if space.is_from_cache() && !space.is_ready() && !writes {
            if space.wait() == 0 {
                space.sync_until(self.glance(embeds)).await;
            }
            return Ok(space);
        }
        while !space.is_ready() {
            let left = self.left(begun);
            if left > 0 && space.wait_for_retry().await {
                continue;
            }
            if left == 0 || space.wait() > 0 {
                let cause = space.service.trouble_of_sync();
                return Err(Refusal::unavailable(
                    format!(
                        "the lessons of this space could not be read yet{cause}; nothing was done, try again"
                    ),
                    u64::try_from(space.wait() / 1_000).unwrap_or_default() + 1,
                ));
            }
            space.sync_for(left).await;
            if space.is_outgrown() {
                space = self.outgrown(agent, space, begun).await?;
                if space.is_on_server() {
                    return Ok(space);
                }
            }
        }
        if space.age() > OLD && space.wait() == 0 {
            space.sync_for(REFRESH_MS).await;
        }
        self.make_room(Some(&space));
        Ok(space)
    }

    async fn open(&self, agent: &Agent) -> Result<Rc<Space<S, H>>, Refusal> {
        if let Some(space) = self.held(&agent.space) {
            return Ok(space);
        }
        let deps = SpaceDeps {
            store: self.store,
            host: Rc::clone(&self.host),
        };
        let space = Space::open(deps, &self.config, agent).await?;
        let model = self.model.borrow().clone();
        if let Some(model) = model {
            // Without its vectors a space is ranked by keywords.
            let _ = space.service.use_model(model).await;
        }
        if let Some(space) = self.held(&agent.space) {
            return Ok(space);
        }
        let space = Rc::new(space);
        self.spaces.borrow_mut().push(Rc::clone(&space));
        Ok(space)
    }

    /// A space that has outgrown what an isolate may hold: what is held is given up for reading parts, once everything
    /// made here has been sent. Until then it is answered from memory. It is not ready if nobody said how large it is.
    async fn outgrown(
        &self,
        agent: &Agent,
        space: Rc<Space<S, H>>,
        begun: Millis,
    ) -> Result<Rc<Space<S, H>>, Refusal> {
        if space.held.get() == Held::TooLarge || !space.outgrow().await {
            return match space.held.get() {
                Held::TooLarge => Err(Refusal::unavailable(TOO_LARGE, 60)),
                _ if space.is_ready() => Ok(space),
                _ => Err(Refusal::unavailable(
                    "the store can't be reached just now; nothing was done, try again",
                    1,
                )),
            };
        }
        if !space.has_nothing_to_send() {
            space.sync_for(REFRESH_MS).await;
        }
        if !space.has_nothing_to_send() {
            return Ok(space);
        }
        self.forget(&space);
        let space = self.open(agent).await?;
        space.measure(self.left(begun), || self.room(&space)).await;
        Ok(space)
    }

    /// Milliseconds that a request may go on waiting for a space's lessons.
    fn left(&self, begun: Millis) -> u32 {
        u32::try_from(begun + FIRST - self.host.now()).unwrap_or_default()
    }

    fn forget(&self, space: &Rc<Space<S, H>>) {
        self.spaces
            .borrow_mut()
            .retain(|held| !Rc::ptr_eq(held, space));
    }

    /// Bytes that a space may take beside those that are in use just now.
    fn room(&self, mine: &Rc<Space<S, H>>) -> u64 {
        let spaces = self.spaces.borrow();
        let others = spaces.iter().filter(|space| !Rc::ptr_eq(space, mine));
        let in_use: u64 = others
            .filter(|space| !is_idle(space))
            .map(|space| space.bytes.get())
            .sum();
        self.config.replica_bytes.saturating_sub(in_use)
    }

    /// True if a space that is read by parts for want of memory fits by now, and nothing of it is under way.
    fn fits_again(&self, space: &Rc<Space<S, H>>) -> bool {
        // The list's, and the one at hand.
        let nobody_else = Rc::strong_count(space) <= 2;
        space.is_on_server()
            && space.bytes_if_held.get() <= self.room(space)
            && nobody_else
            && space.has_nothing_to_send()
    }

    fn held(&self, id: &str) -> Option<Rc<Space<S, H>>> {
        let spaces = self.spaces.borrow();
        spaces
            .iter()
            .find(|space| space.service.is_space(id))
            .cloned()
    }

    /// Forgets spaces that were not asked for in the longest time until all that are held, with this one, are within
    /// their bytes; never one with something to send, or that a request is at work with.
    pub(crate) fn make_room(&self, mine: Option<&Rc<Space<S, H>>>) {
        let mut spaces = self.spaces.borrow_mut();
        spaces.sort_by_key(|space| space.used.get());
        let bytes = |spaces: &[Rc<Space<S, H>>]| -> u64 {
            spaces.iter().map(|space| space.bytes.get()).sum()
        };
        while spaces.len() > SPACES || bytes(&spaces) > self.config.replica_bytes {
            let is_mine = |space| mine.is_some_and(|mine| Rc::ptr_eq(space, mine));
            let idle = spaces
                .iter()
                .position(|space| !is_mine(space) && is_idle(space));
            match idle {
                Some(at) => spaces.remove(at),
                None => return,
            };
        }
    }
}

/// True if forgetting a space loses nothing and makes nothing in vain: only the list of spaces holds it.
fn is_idle<S: Store, H: Host>(space: &Rc<Space<S, H>>) -> bool {
    // Nor what was made with keys that were all revoked since: nobody could send it any more.
    let is_settled = space.has_nothing_to_send() || space.keys.is_refused();
    Rc::strong_count(space) == 1 && !space.is_running() && is_settled
}
