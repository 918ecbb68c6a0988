//! The interface for a host that runs the syncing of a linked service itself, such as the edge.

use crate::host::Host;
use crate::http::fault::clip;
use crate::state::service_struct::Service;
use lesson_core::{KeywordIndex, Millis, OptimisticOverlay, Space};
use lesson_sync::{Change, Link, Phase, Session, Store};

impl<S: Store, H: Host> Service<S, H> {
    /// True if it is linked to this space.
    pub fn is_space(&self, id: &str) -> bool {
        let state = self.state.borrow();
        state
            .linked
            .as_ref()
            .is_some_and(|linked| linked.link.space.id == id)
    }

    /// The linked space's id.
    pub fn space_id(&self) -> String {
        self.link().map(|link| link.space.id).unwrap_or_default()
    }

    /// Calls `look` with the space.
    pub fn with_space<T>(&self, look: impl FnOnce(&Space) -> T) -> T {
        look(&self.state.borrow().space)
    }

    /// Looks at the rows of the linked space and at what is derived from them; does nothing without a link.
    pub fn with_replica(
        &self,
        look: impl FnOnce(&Link, &Space, &OptimisticOverlay, &KeywordIndex),
    ) {
        let state = self.state.borrow();
        if let Some(linked) = &state.linked {
            look(&linked.link, &state.space, linked.replica(), &state.index);
        }
    }

    /// True if a request with this `Idempotency-Key` was seen lately, or is being answered.
    pub fn knows_key(&self, key: &str) -> bool {
        self.answers.knows(key)
    }

    /// True if a request with this `Idempotency-Key` is being answered.
    pub fn awaits_key(&self, key: &str) -> bool {
        self.answers.is_awaited(key)
    }

    /// Lessons in memory, archived ones too.
    pub fn lessons_held(&self) -> usize {
        self.state.borrow().space.lessons().len()
    }

    /// Installs a snapshot: rows as they were on the server at `cursor`. Returns whether it did; a service that has rows
    /// already does not.
    pub async fn adopt(
        &self,
        epoch: String,
        cursor: u64,
        parts: (Space, OptimisticOverlay, KeywordIndex),
    ) -> bool {
        let _turn = self.writer.turn.lock().await;
        let fresh = {
            let state = self.state.borrow();
            state.linked.as_ref().and_then(|linked| {
                let link = &linked.link;
                let none = link.cursor == 0 && linked.replica().is_bare();
                (none && state.space.lessons().len() == 0).then(|| link.clone())
            })
        };
        let Some(link) = fresh else { return false };
        let expected = link.revision;
        let link = Link {
            epoch,
            cursor,
            ..link
        };
        match self.store.commit(expected, Change::to(link)).await {
            Ok(link) => {
                self.state.borrow_mut().adopt(link, parts);
                true
            }
            Err(_) => false,
        }
    }

    /// The cursor of the rows, when no events of this device are on top of them.
    pub fn bare_cursor(&self) -> Option<u64> {
        let state = self.state.borrow();
        let linked = state.linked.as_ref()?;
        linked.replica().is_bare().then_some(linked.link.cursor)
    }

    /// Events of the store that were read, those that were left out too.
    pub fn events_held(&self) -> usize {
        self.state.borrow().events
    }

    /// True if there is a lesson with this slug, archived ones too.
    pub fn has_lesson(&self, slug: &str) -> bool {
        self.state.borrow().space.lesson(slug).is_some()
    }

    /// True if this proposal for a lesson is open.
    pub fn has_proposal(&self, slug: &str, id: &str) -> bool {
        let state = self.state.borrow();
        let lesson = state.space.lesson(slug);
        lesson.is_some_and(|lesson| lesson.proposal(id).is_some())
    }

    /// True if there is a decision with this id.
    pub fn has_decision(&self, id: &str) -> bool {
        let state = self.state.borrow();
        state.space.decision(id).is_some()
    }

    /// True if tracking waits to be stored.
    pub fn has_queue(&self) -> bool {
        !self.writer.queue.borrow().is_empty()
    }

    /// Events that the server has not acknowledged.
    pub fn unsent(&self) -> usize {
        let state = self.state.borrow();
        state.linked.as_ref().map_or(0, |linked| linked.unsent())
    }

    /// The position up to which the server has acknowledged events; as far as there are any when
    /// nothing is unsent.
    pub fn sent_through(&self) -> u64 {
        let state = self.state.borrow();
        match &state.linked {
            Some(linked) if linked.unsent() > 0 => linked.link.acked,
            _ => state.position,
        }
    }

    /// The ids of the events between two positions.
    pub async fn made_between(&self, after: u64, through: u64) -> Vec<String> {
        let most = usize::try_from(through.saturating_sub(after)).unwrap_or(usize::MAX);
        if most == 0 {
            return Vec::new();
        }
        let read = self.store.read_some(after, most).await.unwrap_or_default();
        read.events
            .into_iter()
            .filter(|stored| stored.position <= through)
            .map(|stored| stored.event.op_id)
            .collect()
    }

    /// Why the server set one of these events aside, if it did.
    pub fn why_set_aside(&self, op_ids: &[String]) -> Option<String> {
        let state = self.state.borrow();
        let linked = state.linked.as_ref()?;
        let one = linked
            .set_aside
            .iter()
            .find(|one| op_ids.contains(&one.event.op_id))?;
        Some(clip(&one.reason))
    }

    /// Where syncing stands.
    pub fn phase(&self) -> Phase {
        self.sync.machine.borrow().status().phase
    }

    /// When the next round is due by itself.
    pub fn next_at(&self) -> Option<Millis> {
        self.sync.machine.borrow().status().next_at
    }

    /// The cause of a failing sync in brackets, to be put into a message; empty without one.
    pub fn trouble_of_sync(&self) -> String {
        let machine = self.sync.machine.borrow();
        let message = machine.status().message.as_deref();
        message.map_or_else(String::new, |message| {
            format!(" ({})", message.trim_end_matches('.'))
        })
    }

    /// Replaces a session that the server refused. When the store fails, the next round tries again.
    pub async fn sign_in_anew(&self, session: Session) {
        let Some(link) = self.link() else { return };
        let change = Change::to(Link {
            session: Some(session),
            ..link.clone()
        });
        if self.store.commit(link.revision, change).await.is_ok() {
            let _ = self.catch_up().await;
        }
    }
}
