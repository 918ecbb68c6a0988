//! The schema, what every transaction needs of it, and how its failures are told.

use indexed_db_futures::database::{Database, VersionChangeEvent};
use indexed_db_futures::error::{DomException, Error as IdbError, UnexpectedDataError};
use indexed_db_futures::prelude::*;
use indexed_db_futures::transaction::{Transaction, TransactionMode, TransactionOptions};
use indexed_db_futures::{KeyPath, Result as IdbResult};
use lesson_core::OLD_LEDGER;
use lesson_sync::{Link, StoreError};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

pub(super) use indexed_db_futures::transaction::TransactionDurability as Durability;

/// The schema's version. From [`FIRST_VERSION`] on, each step up keeps what the one before held.
pub(super) const VERSION: u32 = FIRST_VERSION;
/// The first version that is read. 1 and 2 were those of 0.1.0-pre.
pub(super) const FIRST_VERSION: u32 = 3;
/// Position (number) → event as a JSON string.
pub(super) const EVENTS: &str = "events";
/// `head` → [`Head`], `link` → [`Link`], as JSON strings.
pub(super) const META: &str = "meta";
/// `model|hash` → quantised vector.
pub(super) const VECTORS: &str = "vectors";
/// [`lesson_core::Row::key`] → `{v: version, j: row as a JSON string}`.
pub(super) const ROWS: &str = "rows";
/// Growing number → `{id: the event's op_id, j: as a JSON string}`.
pub(super) const SET_ASIDE: &str = "set_aside";
/// Every object store.
pub(super) const ALL: [&str; 5] = [EVENTS, META, VECTORS, ROWS, SET_ASIDE];

/// The index of [`ROWS`], and the property that it is on.
pub(super) const BY_VERSION: &str = "v";
/// The index of [`SET_ASIDE`], and the property that it is on.
pub(super) const BY_OP_ID: &str = "id";
/// The property that holds the JSON text.
pub(super) const JSON: &str = "j";

const HEAD: &str = "head";
const LINK: &str = "link";

/// Where the ledger stands; read and written in every transaction that appends.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Head {
    pub actor: String,
    pub position: u64,
    pub seq: u64,
}

/// Makes a new database. One of 0.1.0-pre is refused: the failure ends the transaction of the upgrade, so it stays as it was, and the
/// build that made it opens it again.
pub(super) fn upgrade(event: &VersionChangeEvent, database: &Database) -> IdbResult<()> {
    if event.old_version() > 0.0 {
        return Err(js_sys::Error::new(OLD_LEDGER).into());
    }
    database.create_object_store(EVENTS).build()?;
    database.create_object_store(META).build()?;
    database.create_object_store(VECTORS).build()?;
    let rows = database.create_object_store(ROWS).build()?;
    rows.create_index(BY_VERSION, KeyPath::One(BY_VERSION))
        .build()?;
    let set_aside = database
        .create_object_store(SET_ASIDE)
        .with_auto_increment(true)
        .build()?;
    set_aside
        .create_index(BY_OP_ID, KeyPath::One(BY_OP_ID))
        .build()?;
    Ok(())
}

pub(super) fn read_write<'a>(
    database: &'a Database,
    stores: &[&str],
    durability: Durability,
) -> Result<Transaction<'a>, IdbError> {
    let mut options = TransactionOptions::new();
    options.set_durability(durability);
    database
        .transaction(stores)
        .with_mode(TransactionMode::Readwrite)
        .with_options(options)
        .build()
}

async fn read_meta<T: serde::de::DeserializeOwned>(
    transaction: &Transaction<'_>,
    name: &str,
) -> Result<Option<T>, IdbError> {
    let text: Option<String> = transaction
        .object_store(META)?
        .get(name)
        .primitive()?
        .await?;
    // To begin anew with one that can't be read would mean writing over events: fail instead.
    text.map(|text| {
        serde_json::from_str(&text).map_err(|error| {
            js_sys::Error::new(&format!("the store's {name} can't be read: {error}")).into()
        })
    })
    .transpose()
}

fn write_meta(
    transaction: &Transaction<'_>,
    name: &str,
    value: &impl Serialize,
) -> Result<(), IdbError> {
    transaction
        .object_store(META)?
        .put(json(value)?)
        .with_key(name)
        .primitive()?;
    Ok(())
}

pub(super) async fn read_head(transaction: &Transaction<'_>) -> Result<Head, IdbError> {
    Ok(read_meta(transaction, HEAD).await?.unwrap_or_default())
}

pub(super) fn write_head(transaction: &Transaction<'_>, head: &Head) -> Result<(), IdbError> {
    write_meta(transaction, HEAD, head)
}

pub(super) async fn read_link(transaction: &Transaction<'_>) -> Result<Option<Link>, IdbError> {
    read_meta(transaction, LINK).await
}

pub(super) fn write_link(transaction: &Transaction<'_>, link: &Link) -> Result<(), IdbError> {
    write_meta(transaction, LINK, link)
}

/// The value as JSON text.
pub(super) fn json(value: &impl Serialize) -> Result<String, IdbError> {
    serde_json::to_string(value).map_err(|error| {
        js_sys::Error::new(&format!("what is to be stored can't be written: {error}")).into()
    })
}

/// Says on the console that an entry was left out.
pub(super) fn left_out(what: &str, reason: &str) {
    web_sys::console::warn_1(
        &format!("Lessonloop: {what} can't be read and is left out ({reason})").into(),
    );
}

pub(super) fn is_closed(error: &IdbError) -> bool {
    matches!(
        error,
        IdbError::DomException(DomException::InvalidStateError(_))
    )
}

pub(super) fn store_error(error: &IdbError) -> StoreError {
    let text = error.to_string();
    let full = match error {
        // No request failed and nobody here aborted: the browser would not write the commit. That
        // is its quota; its own word for it does not get here.
        IdbError::MissingData(UnexpectedDataError::TransactionAborted) => true,
        IdbError::DomException(exception) => {
            let exception: &JsValue = exception.as_ref();
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
