//! The store in IndexedDB: one database, one total order of events for all tabs, and the rows of a
//! server's space when there is a link to one.
//!
//! An event gets its sequence number in the very transaction that keeps it, and that transaction
//! is durable before it is acknowledged (`durability: "strict"`). A step of syncing is one such
//! transaction too.

mod commit;
mod connection;
mod events;
mod rows;
mod transaction;

use indexed_db_futures::KeyRange;
use indexed_db_futures::database::Database;
use indexed_db_futures::error::Error as IdbError;
use indexed_db_futures::prelude::*;
use indexed_db_futures::typed_array::{TypedArray, TypedArraySlice};
use lesson_sync::{
    Change, Entry, Identity, Ledger, Link, SetAside, Store, StoreError, Stored, VectorRow,
    VersionedRow,
};
use std::cell::RefCell;
use std::rc::Rc;
use transaction::{Durability, Head, META, VECTORS, read_head, read_link, read_write, write_head};

/// A store in IndexedDB. A lost connection is opened again once per call.
#[derive(Debug)]
pub struct IndexedDbStore {
    name: String,
    open: connection::Held,
}

impl IndexedDbStore {
    /// Opens or makes the database.
    ///
    /// # Errors
    /// When the browser refuses IndexedDB, when a newer version of this product made the database,
    /// or when another tab keeps an older one open.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        let store = Self {
            name: name.to_owned(),
            open: Rc::new(RefCell::new(None)),
        };
        store.database().await?;
        Ok(store)
    }

    async fn database(&self) -> Result<Rc<Database>, StoreError> {
        if let Some(database) = self.open.borrow().as_ref() {
            return Ok(Rc::clone(database));
        }
        let database = Rc::new(connection::open(&self.name).await?);
        *self.open.borrow_mut() = Some(Rc::clone(&database));
        connection::close_when_asked(&database, &self.open);
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
            Err(error) if transaction::is_closed(&error) => {
                self.open.borrow_mut().take();
                let database = self.database().await?;
                work(&database).await.map_err(|error| {
                    if transaction::is_closed(&error) {
                        StoreError::Lost(error.to_string())
                    } else {
                        transaction::store_error(&error)
                    }
                })
            }
            other => other.map_err(|error| transaction::store_error(&error)),
        }
    }
}

impl Drop for IndexedDbStore {
    fn drop(&mut self) {
        if let Some(database) = self.open.borrow_mut().take() {
            Database::clone(&database).close();
        }
    }
}

impl Store for IndexedDbStore {
    fn kind(&self) -> &'static str {
        "indexed_db"
    }

    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError> {
        self.with_database(async |database| {
            let transaction = read_write(database, &[META], Durability::Strict)?;
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
        self.read_some(position, usize::MAX).await
    }

    async fn read_some(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        self.with_database(async |database| events::read(database, position, most).await)
            .await
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        self.with_database(async |database| events::append(database, expected, &entries).await)
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
            let transaction = read_write(database, &[VECTORS], Durability::Relaxed)?;
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

    async fn link(&self) -> Result<Option<Link>, StoreError> {
        self.with_database(async |database| {
            let transaction = database.transaction(META).build()?;
            read_link(&transaction).await
        })
        .await
    }

    async fn rows_after(&self, version: u64) -> Result<Vec<VersionedRow>, StoreError> {
        self.with_database(async |database| rows::read_after(database, version).await)
            .await
    }

    async fn set_aside(&self) -> Result<Vec<SetAside>, StoreError> {
        self.with_database(async |database| rows::read_set_aside(database).await)
            .await
    }

    async fn commit(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        self.with_database(async |database| commit::commit(database, expected, &change).await)
            .await?
            .ok_or(StoreError::Behind)
    }

    async fn wipe(&self) -> Result<(), StoreError> {
        self.with_database(async |database| {
            let transaction = read_write(database, &transaction::ALL, Durability::Strict)?;
            // A head that can't be read goes too.
            let position = read_head(&transaction)
                .await
                .map_or(0, |head| head.position);
            for name in transaction::ALL {
                transaction.object_store(name)?.clear()?;
            }
            // Positions never come again, so that who still has the old state finds itself behind.
            let head = Head {
                position: position + 1,
                ..Head::default()
            };
            write_head(&transaction, &head)?;
            transaction.commit().await
        })
        .await
    }
}
