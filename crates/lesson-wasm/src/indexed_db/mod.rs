//! The ledger in IndexedDB: one database, one total order of events for all tabs.
//!
//! An event gets its sequence number in the very transaction that keeps it, and that transaction
//! is durable before it is acknowledged (`durability: "strict"`).

use indexed_db_futures::database::{Database, VersionChangeEvent};
use indexed_db_futures::error::{
    DomException, Error as IdbError, OpenDbError, UnexpectedDataError,
};
use indexed_db_futures::prelude::*;
use indexed_db_futures::transaction::{
    Transaction, TransactionDurability, TransactionMode, TransactionOptions,
};
use indexed_db_futures::typed_array::{TypedArray, TypedArraySlice};
use indexed_db_futures::{KeyRange, OpenDbResult};
use lesson_core::Event;
use lesson_sync::{Entry, Identity, Ledger, Store, StoreError, Stored, VectorRow};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;

/// Schema version; each step up keeps what the one before held.
const VERSION: u32 = 1;
/// Position (number) → event as a JSON string.
const EVENTS: &str = "events";
/// `head` → [`Head`] as a JSON string.
const META: &str = "meta";
/// `model|hash` → quantised vector.
const VECTORS: &str = "vectors";
const HEAD: &str = "head";
/// Events read in one go; bounds what is in memory twice.
const PAGE: u32 = 4_000;

/// Where the ledger stands; read and written in every transaction that appends.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Head {
    actor: String,
    position: u64,
    seq: u64,
}

/// A store in IndexedDB. A lost connection is opened again once per call.
#[derive(Debug)]
pub struct IndexedDbStore {
    name: String,
    open: RefCell<Option<Rc<Database>>>,
}

impl IndexedDbStore {
    /// Opens or makes the database.
    ///
    /// # Errors
    /// When the browser refuses IndexedDB, or a newer version of this product made the database.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        let store = Self {
            name: name.to_owned(),
            open: RefCell::new(None),
        };
        store.database().await?;
        Ok(store)
    }

    async fn database(&self) -> Result<Rc<Database>, StoreError> {
        if let Some(database) = self.open.borrow().as_ref() {
            return Ok(Rc::clone(database));
        }
        let database = Rc::new(open_database(&self.name).await.map_err(open_error)?);
        *self.open.borrow_mut() = Some(Rc::clone(&database));
        Ok(database)
    }

    /// Runs `work`, and once more on a fresh connection when the one at hand was closed under it
    /// (cleared site data, a version change, a sleeping phone).
    async fn with_database<T>(
        &self,
        work: impl AsyncFn(&Database) -> Result<T, IdbError>,
    ) -> Result<T, StoreError> {
        let database = self.database().await?;
        match work(&database).await {
            Err(error) if is_closed(&error) => {
                self.open.borrow_mut().take();
                let database = self.database().await?;
                work(&database).await.map_err(|error| {
                    if is_closed(&error) {
                        StoreError::Lost(error.to_string())
                    } else {
                        store_error(&error)
                    }
                })
            }
            other => other.map_err(|error| store_error(&error)),
        }
    }
}

async fn open_database(name: &str) -> OpenDbResult<Database> {
    Database::open(name)
        .with_version(VERSION)
        .with_on_upgrade_needed(|event: VersionChangeEvent, database: Database| {
            // Steps are added below this one and never change what a step before made.
            if event.old_version() < 1.0 {
                database.create_object_store(EVENTS).build()?;
                database.create_object_store(META).build()?;
                database.create_object_store(VECTORS).build()?;
            }
            Ok(())
        })
        .await
}

fn is_closed(error: &IdbError) -> bool {
    matches!(
        error,
        IdbError::DomException(DomException::InvalidStateError(_))
    )
}

fn open_error(error: OpenDbError) -> StoreError {
    StoreError::Lost(error.to_string())
}

fn store_error(error: &IdbError) -> StoreError {
    let text = error.to_string();
    let full = match error {
        // No request failed and nobody here aborted: the browser would not write the commit. That
        // is its quota; its own word for it does not get here.
        IdbError::MissingData(UnexpectedDataError::TransactionAborted) => true,
        IdbError::DomException(exception) => {
            let exception: &wasm_bindgen::JsValue = exception.as_ref();
            js_sys::Reflect::get(exception, &"name".into())
                .ok()
                .and_then(|name| name.as_string())
                .is_some_and(|name| name == "QuotaExceededError")
        }
        _ => false,
    };
    if full || text.contains("QuotaExceeded") {
        StoreError::Full
    } else {
        StoreError::Failed(text)
    }
}

fn read_write<'a>(
    database: &'a Database,
    store: &[&str],
    durability: TransactionDurability,
) -> Result<Transaction<'a>, IdbError> {
    let mut options = TransactionOptions::new();
    options.set_durability(durability);
    database
        .transaction(store)
        .with_mode(TransactionMode::Readwrite)
        .with_options(options)
        .build()
}

async fn read_head(transaction: &Transaction<'_>) -> Result<Head, IdbError> {
    let text: Option<String> = transaction
        .object_store(META)?
        .get(HEAD)
        .primitive()?
        .await?;
    // A head that can't be read would mean writing over events: fail rather than begin anew.
    text.map_or_else(
        || Ok(Head::default()),
        |text| {
            serde_json::from_str(&text).map_err(|error| {
                js_sys::Error::new(&format!("the store's head can't be read: {error}")).into()
            })
        },
    )
}

fn json_error(error: &serde_json::Error) -> IdbError {
    js_sys::Error::new(&format!("an event can't be written as JSON: {error}")).into()
}

fn write_head(transaction: &Transaction<'_>, head: &Head) -> Result<(), IdbError> {
    let text = serde_json::to_string(head).map_err(|error| json_error(&error))?;
    transaction
        .object_store(META)?
        .put(text)
        .with_key(HEAD)
        .primitive()?;
    Ok(())
}

impl Store for IndexedDbStore {
    fn kind(&self) -> &'static str {
        "indexed_db"
    }

    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError> {
        self.with_database(async |database| {
            let transaction = read_write(database, &[META], TransactionDurability::Strict)?;
            let mut head = read_head(&transaction).await?;
            if head.actor.is_empty() {
                fresh.clone_into(&mut head.actor);
                write_head(&transaction, &head)?;
            }
            transaction.commit().await?;
            Ok(Identity { actor: head.actor })
        })
        .await
    }

    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError> {
        self.with_database(async |database| {
            let mut ledger = Ledger {
                position,
                ..Ledger::default()
            };
            loop {
                let transaction = database.transaction(EVENTS).build()?;
                let store = transaction.object_store(EVENTS)?;
                let range = KeyRange::<f64>::LowerBound(ledger.position as f64, true);
                let keys = store
                    .get_all_keys::<f64>()
                    .with_query::<f64, _>(range.clone())
                    .with_limit(PAGE)
                    .primitive()?;
                let values = store
                    .get_all::<String>()
                    .with_query::<f64, _>(range.clone())
                    .with_limit(PAGE)
                    .primitive()?;
                let (keys, values) = (keys.await?, values.await?);
                let read = keys.len();
                for (key, text) in keys.zip(values) {
                    // Keys are whole numbers far below 2^53.
                    let key = key? as u64;
                    ledger.position = key;
                    match text.map_err(|error| error.to_string()).and_then(|text| {
                        serde_json::from_str::<Event>(&text).map_err(|error| error.to_string())
                    }) {
                        Ok(event) => ledger.events.push(Stored {
                            position: key,
                            event,
                        }),
                        Err(reason) => ledger.unreadable.push((key, reason)),
                    }
                }
                if read < PAGE as usize {
                    return Ok(ledger);
                }
            }
        })
        .await
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        self.with_database(async |database| {
            let transaction = read_write(database, &[EVENTS, META], TransactionDurability::Strict)?;
            let mut head = read_head(&transaction).await?;
            if head.position != expected {
                transaction.abort().await?;
                return Ok(None);
            }
            let store = transaction.object_store(EVENTS)?;
            let mut kept = Vec::with_capacity(entries.len());
            for entry in &entries {
                let event = match entry.clone() {
                    Entry::Own { op_id, at, event } => {
                        head.seq += 1;
                        Event {
                            op_id,
                            actor: head.actor.clone(),
                            seq: head.seq,
                            at,
                            event,
                        }
                    }
                    Entry::Foreign(event) => {
                        // Our own events coming back from an export: go on after them.
                        if event.actor == head.actor {
                            head.seq = head.seq.max(event.seq);
                        }
                        event
                    }
                };
                head.position += 1;
                let text = serde_json::to_string(&event).map_err(|error| json_error(&error))?;
                // Not awaited one by one: the commit below waits for all of them.
                store.add(text).with_key(head.position as f64).primitive()?;
                kept.push(Stored {
                    position: head.position,
                    event,
                });
            }
            write_head(&transaction, &head)?;
            transaction.commit().await?;
            Ok(Some(kept))
        })
        .await?
        .ok_or(StoreError::Behind)
    }

    async fn vectors(&self, model: &str) -> Result<Vec<VectorRow>, StoreError> {
        self.with_database(async |database| {
            let transaction = database.transaction(VECTORS).build()?;
            let store = transaction.object_store(VECTORS)?;
            let range = KeyRange::Bound(
                format!("{model}|"),
                false,
                format!("{model}|\u{10ffff}"),
                false,
            );
            let keys = store
                .get_all_keys::<String>()
                .with_query::<String, _>(range.clone())
                .primitive()?;
            let values = store
                .get_all::<TypedArray<u8>>()
                .with_query::<String, _>(range.clone())
                .primitive()?;
            let (keys, values) = (keys.await?, values.await?);
            let mut rows = Vec::new();
            for (key, bytes) in keys.zip(values) {
                if let Some(hash) = key?.rsplit('|').next() {
                    rows.push((hash.to_owned(), bytes?.into()));
                }
            }
            Ok(rows)
        })
        .await
    }

    async fn put_vectors(&self, model: &str, rows: &[VectorRow]) -> Result<(), StoreError> {
        self.with_database(async |database| {
            // Vectors can be computed again: losing the last few to a power cut costs time only.
            let transaction = read_write(database, &[VECTORS], TransactionDurability::Relaxed)?;
            let store = transaction.object_store(VECTORS)?;
            for (hash, bytes) in rows {
                store
                    .put(TypedArraySlice::new(bytes))
                    .with_key(format!("{model}|{hash}"))
                    .primitive()?;
            }
            transaction.commit().await
        })
        .await
    }
}
