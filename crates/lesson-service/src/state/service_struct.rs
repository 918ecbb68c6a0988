//! The struct `Service`: what it holds, and how to look at it. What it does is in `impl`s in the files of each purpose.

use crate::host::Host;
use crate::http::idempotency::Answers;
use crate::state::embedder::{Embedder, NoModel};
use crate::state::plan::Draft;
use crate::state::snapshot::State;
use crate::state::vector_exchange::Exchange;
use lesson_core::{Policy, ToolPolicy};
use lesson_sync::{Counted, Link, ListedPage, Machine, Report, Store};
use lesson_types::{StoreName, SyncStatus};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// How to make the store, and the host, of a service over a part of a space.
pub(crate) type Parts<S, H> = (fn() -> S, fn(&H) -> H);

/// The engine over a store and a host: every request of the interface is answered by
/// [`Service::handle`](crate::Service::handle).
///
/// All methods take a shared reference, so that requests can be answered while others wait for
/// the store. State is never borrowed across an await.
pub struct Service<S, H> {
    pub(crate) store: S,
    /// What lessons say of where they lie, where two stores answer as one.
    pub(crate) name: Option<StoreName>,
    pub(crate) host: H,
    pub(crate) policy: Policy,
    /// How tools are suggested here: the policy's constants with the host's own core servers. The
    /// fold goes by `policy`, so that a ledger means the same everywhere.
    pub(crate) tools: ToolPolicy,
    pub(crate) state: RefCell<State>,
    /// Held by the one writer.
    pub(crate) writing: async_lock::Mutex<()>,
    /// The position up to which the store keeps the fold.
    pub(crate) kept: Cell<u64>,
    /// Tracking that waits to be stored.
    pub(crate) queue: RefCell<VecDeque<Draft>>,
    /// The store's last failure, while it fails.
    pub(crate) trouble: RefCell<Option<String>>,
    pub(crate) model: RefCell<Option<Rc<dyn Embedder>>>,
    /// Why there is none, while there is none.
    pub(crate) no_model: Cell<NoModel>,
    /// Whether lessons get their vectors.
    pub(crate) indexes: Cell<bool>,
    /// What syncing does next.
    pub(crate) machine: RefCell<Machine>,
    /// Held by the one round of syncing.
    pub(crate) syncing: async_lock::Mutex<()>,
    /// Whether a round is to end soon.
    pub(crate) leaving: Cell<bool>,
    /// How often the store was found cleared.
    pub(crate) cleared: Cell<u32>,
    /// The state of exchanging vectors with the linked server.
    pub(crate) exchanged: RefCell<Exchange>,
    /// Shared with services over parts of the same space.
    pub(crate) answers: Rc<Answers>,
    /// What has to be known of the whole space, where the state holds but a part of it.
    pub(crate) part_of: RefCell<Option<Counted>>,
    /// The page of a list that the server made, where the state holds but that page.
    pub(crate) listed: RefCell<Option<ListedPage>>,
    /// What the server counted of the whole space, where the state holds but the lessons of its lists.
    pub(crate) report: RefCell<Option<Report>>,
    /// How to make the store and the host of a service over a part of the linked space; `None` where spaces are held whole.
    pub(crate) parts: Option<Parts<S, H>>,
    /// Whether it holds a part of a space, for one request.
    pub(crate) is_part: Cell<bool>,
    /// Of a service over a part: where the syncing of the whole stands, where somebody told.
    pub(crate) whole: RefCell<Option<SyncStatus>>,
    /// Lessons that got another text over parts and may need a vector.
    pub(crate) texts: RefCell<Vec<String>>,
    /// Held by the one write over a part.
    pub(crate) sending: async_lock::Mutex<()>,
}

impl<S, H> std::fmt::Debug for Service<S, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// The host that was given.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// The last position read from the store; it grows with every event.
    pub fn position(&self) -> u64 {
        self.state.borrow().position
    }

    /// How often the store was found cleared while it was open, such as by deleting a site's data. What was held in
    /// memory was then given up, and `position` began anew.
    pub fn cleared(&self) -> u32 {
        self.cleared.get()
    }

    /// The revision of the link that is shown, 0 without one; it changes with every step of
    /// syncing.
    pub fn revision(&self) -> u64 {
        self.state.borrow().revision()
    }

    /// The store that was given.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The id of the account that is signed in to the linked server.
    pub fn account(&self) -> Option<String> {
        let state = self.state.borrow();
        let linked = state.linked.as_ref()?;
        Some(linked.link.user.id.clone())
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
