//! The stores that are open, and what is done for both.

use lesson_service::{Host, Indexing, Service};
use lesson_sync::Store;
use lesson_types::{ApiError, DecisionOutcome, ErrorCode, StoreName};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};

/// Events after which the fold is kept anew: reading so many takes some milliseconds.
const KEEP_AFTER: u64 = 1_000;

/// One of the two stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The project's.
    Project,
    /// The person's own.
    Personal,
}

/// A service over one of the stores.
pub struct Named<S, H> {
    /// The store: the project's or the person's.
    pub which: Which,
    /// The service.
    pub service: Service<S, H>,
    /// The position up to which its fold was kept, or where that failed last.
    kept: Cell<u64>,
}

/// A project's store, a personal one, or both.
pub struct Local<S, H> {
    /// The one that takes what is new.
    first: Named<S, H>,
    second: Option<Named<S, H>>,
    /// The revision of the protocol that the client on standard input settled on.
    pub(crate) revision: RefCell<Option<String>>,
}

impl<S, H> std::fmt::Debug for Local<S, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}

impl<S: Store, H: Host> Named<S, H> {
    async fn open(
        which: Which,
        (store, host): (S, H),
        core_servers: &[String],
        is_alone: bool,
    ) -> Result<Self, ApiError> {
        let mut service = Service::open(store, host).await?;
        if !is_alone {
            service = service.with_name(match which {
                Which::Project => StoreName::Project,
                Which::Personal => StoreName::Personal,
            });
        }
        Ok(Self {
            which,
            kept: Cell::new(service.kept_position()),
            service: service.with_core_servers(core_servers.to_vec()),
        })
    }
}

impl<S: Store, H: Host> Local<S, H> {
    /// Opens the stores that are given, each with a host.
    ///
    /// # Errors
    /// When none is given, or one can't be read.
    pub async fn open(
        project: Option<(S, H)>,
        personal: Option<(S, H)>,
        core_servers: Vec<String>,
    ) -> Result<Self, ApiError> {
        let is_alone = project.is_none() || personal.is_none();
        let project = match project {
            Some(given) => Some(Named::open(Which::Project, given, &core_servers, is_alone).await?),
            None => None,
        };
        let personal = match personal {
            Some(given) => {
                Some(Named::open(Which::Personal, given, &core_servers, is_alone).await?)
            }
            None => None,
        };
        let (first, second) = match (project, personal) {
            (Some(project), personal) => (project, personal),
            (None, Some(personal)) => (personal, None),
            (None, None) => {
                return Err(ApiError::invalid(
                    "project",
                    "there is no store; give `project`, `personal` or both",
                ));
            }
        };
        Ok(Self {
            first,
            second,
            revision: RefCell::default(),
        })
    }

    /// The stores, the one that takes what is new first.
    pub fn stores(&self) -> impl Iterator<Item = &Named<S, H>> {
        std::iter::once(&self.first).chain(&self.second)
    }

    /// The service that takes what is new.
    pub fn first(&self) -> &Service<S, H> {
        &self.first.service
    }

    /// The other one.
    pub fn second(&self) -> Option<&Service<S, H>> {
        self.second.as_ref().map(|named| &named.service)
    }

    /// The service of one store.
    ///
    /// # Errors
    /// When it is not open.
    pub fn service(&self, which: Which) -> Result<&Service<S, H>, ApiError> {
        let found = self.stores().find(|named| named.which == which);
        found.map(|named| &named.service).ok_or_else(|| {
            let name = match which {
                Which::Project => "project",
                Which::Personal => "personal",
            };
            ApiError::new(
                ErrorCode::NotFound,
                format!("the {name} store is not open here"),
            )
            .at("store")
        })
    }

    /// Reads what other processes have written; whether there was anything. A store that can't be read goes on with what
    /// is in memory, and its health says why.
    pub async fn catch_up(&self) -> bool {
        let mut news = false;
        for named in self.stores() {
            news |= named.service.catch_up().await.unwrap_or(false);
        }
        news
    }

    /// Stores what waits to be recorded.
    ///
    /// # Errors
    /// When a store fails; what waits goes on waiting.
    pub async fn flush(&self) -> Result<(), ApiError> {
        let mut failed = None;
        for named in self.stores() {
            failed = named.service.flush().await.err().or(failed);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Does what is due after an answer: stores what waits, and now and then keeps the fold. A failure is told by health.
    pub async fn settle(&self) {
        let _ = self.flush().await;
        for named in self.stores() {
            let position = named.service.position();
            if position.abs_diff(named.kept.get()) >= KEEP_AFTER {
                named.kept.set(position);
                // It is made again with the next thousand.
                let _ = named.service.keep_fold().await;
            }
        }
    }

    /// Keeps what a session suggests of its decision's outcome, for a person to confirm; whether it waits for one now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn suggest(
        &self,
        decision_id: String,
        outcome: DecisionOutcome,
        because: String,
    ) -> Result<bool, ApiError> {
        self.catch_up().await;
        self.first().suggest(decision_id, outcome, because).await
    }

    /// Has one store keep of each query its hash and the words that lessons have, in place of the whole.
    ///
    /// # Errors
    /// When it is not open.
    pub fn keep_words_only(&self, which: Which) -> Result<(), ApiError> {
        self.service(which)?.keep_words_only(true);
        Ok(())
    }

    /// Sets whether lessons get their vectors here: off in a process that lives for one answer.
    pub fn set_indexing(&self, on: bool) {
        for named in self.stores() {
            named.service.set_indexing(on);
        }
    }

    /// True if lessons get their vectors here.
    pub fn indexes(&self) -> bool {
        self.first().indexes()
    }

    /// Returns the progress of embedding, summed over both stores.
    pub fn indexing(&self) -> Indexing {
        self.stores().fold(Indexing::default(), |sum, named| {
            let one = named.service.indexing();
            Indexing {
                done: sum.done + one.done,
                total: sum.total + one.total,
                elsewhere: sum.elsewhere + one.elsewhere,
            }
        })
    }

    /// A slice of vectors for each store; how far both are.
    ///
    /// # Errors
    /// When a store or the model fails.
    pub async fn index_step(&self) -> Result<Indexing, ApiError> {
        let mut sum = Indexing::default();
        for named in self.stores() {
            let one = named.service.index_step().await?;
            sum.done += one.done;
            sum.total += one.total;
            sum.elsewhere += one.elsewhere;
        }
        Ok(sum)
    }

    /// Returns when everything is stored and every lesson has its vector, where a model is loaded.
    ///
    /// # Errors
    /// When a store or the model fails.
    pub async fn idle(&self) -> Result<(), ApiError> {
        for named in self.stores() {
            named.service.idle().await?;
        }
        Ok(())
    }

    /// Checks and loads a model pack, once for both stores; returns the model's id.
    ///
    /// # Errors
    /// When the pack is refused or a store fails; both go on without it.
    pub async fn load_model(
        &self,
        pack: Vec<u8>,
        sha256: Option<[u8; 32]>,
    ) -> Result<String, ApiError> {
        let model = std::rc::Rc::new(lesson_service::loaded(pack, sha256)?);
        for named in self.stores() {
            let model = std::rc::Rc::clone(&model);
            named.service.use_model(model).await?;
        }
        Ok(lesson_service::Embedder::id(&*model).to_owned())
    }

    /// Grows with every event that was read or written.
    pub fn position(&self) -> u64 {
        self.stores().map(|named| named.service.position()).sum()
    }
}
