//! The state of one isolate's edge.

use crate::budget::Budget;
use crate::config::{Config, EdgeConfig};
use crate::keys::Keys;
use crate::lookups::Lookups;
use crate::pack::Pack;
use crate::space::Space;
use lesson_core::Millis;
use lesson_service::{Embedder, Host};
use lesson_sync::{ProjectState, Store};
use lesson_types::ApiError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The edge of one isolate: its settings, known keys, rate limits, spaces and model.
pub struct Edge<S, H> {
    pub(crate) host: Rc<H>,
    /// Makes the store of a space: in memory, without keeping rows.
    pub(crate) store: fn() -> S,
    pub(crate) config: Config,
    pub(crate) keys: Keys,
    pub(crate) budget: Budget,
    pub(crate) lookups: Lookups,
    /// State of the project when it was last asked for, and the time of that.
    pub(crate) project_state: RefCell<Option<(Millis, ProjectState)>>,
    pub(crate) spaces: RefCell<Vec<Rc<Space<S, H>>>>,
    pub(crate) model: RefCell<Option<Rc<dyn Embedder>>>,
    pub(crate) pack: Cell<Pack>,
    /// Milliseconds that embedding one lesson took lately; `None` before the first.
    pub(crate) pace: Cell<Option<f64>>,
}

impl<S, H> std::fmt::Debug for Edge<S, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edge").finish_non_exhaustive()
    }
}

impl<S: Store, H: Host> Edge<S, H> {
    /// An edge over a project. `store` makes the store of a space, such as
    /// [`lesson_sync::MemoryStore::passing_rows_on`].
    ///
    /// # Errors
    /// Names the setting that is wrong and what it has to be.
    pub fn new(config: EdgeConfig, host: H, store: fn() -> S) -> Result<Self, ApiError> {
        let config = Config::check(config)?;
        Ok(Self {
            host: Rc::new(host),
            store,
            keys: Keys::default(),
            budget: Budget::new(&config),
            project_state: RefCell::default(),
            lookups: Lookups::default(),
            spaces: RefCell::default(),
            model: RefCell::default(),
            pack: Cell::default(),
            pace: Cell::new(None),
            config,
        })
    }
}
