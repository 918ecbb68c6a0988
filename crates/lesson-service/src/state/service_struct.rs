//! The struct `Service`: what it holds, and how to look at it. What it does is in `impl`s in the files of each purpose.

use crate::host::Host;
use crate::http::idempotency::Answers;
use crate::state::embedder::{Embedder, NoModel};
use crate::state::held::Held;
use crate::state::plan::Draft;
use crate::state::snapshot::State;
use crate::state::vector_exchange::Exchange;
use lesson_core::{Policy, ToolPolicy};
use lesson_sync::{Link, Machine, Store};
use lesson_types::StoreName;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Functions that make the store, and the host, of a service over a part of a space.
pub(crate) type Parts<S, H> = (fn() -> S, fn(&H) -> H);

/// The engine over a store and a host: every request of the interface is answered by
/// [`Service::handle`](crate::Service::handle).
///
/// All methods take a shared reference, so that requests can be answered while others wait for
/// the store. State is never borrowed across an await.
pub struct Service<S, H> {
    pub(crate) store: S,
    pub(crate) host: H,
    /// The place that lessons say they lie in, where two stores answer as one.
    pub(crate) name: Option<StoreName>,
    pub(crate) policy: Policy,
    /// The constants of tool suggestions here: the policy's constants with the host's own core servers. The
    /// fold goes by `policy`, so that a ledger means the same everywhere.
    pub(crate) tools: ToolPolicy,
    pub(crate) state: RefCell<State>,
    /// The extent of the space that the state holds.
    pub(crate) held: Held,
    pub(crate) writer: Writer,
    pub(crate) embedding: Embedding,
    pub(crate) sync: Syncing,
    pub(crate) on_server: OnServer<S, H>,
    /// Answers to requests that may come again; shared with services over parts of the same space.
    pub(crate) answers: Rc<Answers>,
}

/// The state of writing.
#[derive(Default)]
pub(crate) struct Writer {
    /// Held by the one writer.
    pub turn: async_lock::Mutex<()>,
    /// Tracking that waits to be stored.
    pub queue: RefCell<VecDeque<Draft>>,
    /// Set where the ledger keeps of a query only its hash and the words that lessons have.
    pub words_only: Cell<bool>,
    /// The store's last failure, while it fails.
    pub trouble: RefCell<Option<String>>,
    /// The position up to which the store keeps the fold.
    pub kept: Cell<u64>,
    /// Counts the times that the store was found cleared.
    pub cleared: Cell<u32>,
}

/// The state of embedding.
pub(crate) struct Embedding {
    pub model: RefCell<Option<Rc<dyn Embedder>>>,
    /// The reason while there is none.
    pub no_model: Cell<NoModel>,
    /// Set where lessons get their vectors here.
    pub indexes: Cell<bool>,
    /// The state of exchanging vectors with the linked server.
    pub exchanged: RefCell<Exchange>,
}

impl Default for Embedding {
    fn default() -> Self {
        Self {
            model: RefCell::default(),
            no_model: Cell::default(),
            indexes: Cell::new(true),
            exchanged: RefCell::default(),
        }
    }
}

/// The state of syncing.
#[derive(Default)]
pub(crate) struct Syncing {
    /// The next step.
    pub machine: RefCell<Machine>,
    /// Held by the one round.
    pub turn: async_lock::Mutex<()>,
    /// Set while a round is to end soon.
    pub leaving: Cell<bool>,
}

/// The state of answering over parts of a space.
pub(crate) struct OnServer<S, H> {
    /// Functions that make the store and the host of a service over a part; `None` where spaces are held whole.
    pub parts: Option<Parts<S, H>>,
    /// Lessons that got another text over parts and may need a vector.
    pub texts: RefCell<Vec<String>>,
    /// Held by the one write.
    pub sending: async_lock::Mutex<()>,
}

impl<S, H> Default for OnServer<S, H> {
    fn default() -> Self {
        Self {
            parts: None,
            texts: RefCell::default(),
            sending: async_lock::Mutex::default(),
        }
    }
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

    /// Counts the times that the store was found cleared while it was open, such as by deleting a site's data. What was
    /// held in memory was then given up, and `position` began anew.
    pub fn cleared(&self) -> u32 {
        self.writer.cleared.get()
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
