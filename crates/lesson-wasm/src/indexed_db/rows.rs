//! Rows of the server's projections, and events that it did not take.

use super::transaction::{BY_OP_ID, BY_VERSION, JSON, ROWS, SET_ASIDE, json, left_out};
use indexed_db_futures::KeyRange;
use indexed_db_futures::database::Database;
use indexed_db_futures::error::Error as IdbError;
use indexed_db_futures::prelude::*;
use indexed_db_futures::transaction::Transaction;
use js_sys::{Object, Reflect};
use lesson_sync::{SetAside, VersionedRow};
use wasm_bindgen::JsValue;

/// Rows read in one go; bounds what is in memory twice.
const PAGE: u32 = 4_000;
/// Rows put before one of them is waited for; bounds what the browser has yet to take.
const SLICE: usize = 2_000;

/// Rows with a version after `version`, in order. One that can't be read is left out: it comes
/// again when it changes on the server, or when all rows are read anew.
pub(super) async fn read_after(
    database: &Database,
    version: u64,
) -> Result<Vec<VersionedRow>, IdbError> {
    let transaction = database.transaction(ROWS).build()?;
    let store = transaction.object_store(ROWS)?;
    let index = store.index(BY_VERSION)?;
    let mut rows = Vec::new();
    let mut last = version;
    loop {
        // A version is one row's, so a page may end anywhere.
        let page = index
            .get_all::<JsValue>()
            .with_query::<f64, _>(KeyRange::LowerBound(last as f64, true))
            .with_limit(PAGE)
            .primitive()?
            .await?;
        let whole = page.len() < PAGE as usize;
        for value in page {
            let value = value?;
            last = Reflect::get(&value, &BY_VERSION.into())?
                .as_f64()
                .unwrap_or_default() as u64;
            match parse(&value) {
                Ok(row) => rows.push(VersionedRow { version: last, row }),
                Err(reason) => left_out("a row", &reason),
            }
        }
        if whole {
            return Ok(rows);
        }
    }
}

/// Removes all rows if `clear`, then puts these in place of those with the same keys.
pub(super) async fn put(
    transaction: &Transaction<'_>,
    clear: bool,
    rows: &[VersionedRow],
) -> Result<(), IdbError> {
    let store = transaction.object_store(ROWS)?;
    if clear {
        store.clear()?;
    }
    for (at, row) in rows.iter().enumerate() {
        let value = object(BY_VERSION, &(row.version as f64).into(), &json(&row.row)?)?;
        let put = store.put(value).with_key(row.row.key()).primitive()?;
        if at % SLICE == SLICE - 1 {
            put.await?;
        }
    }
    Ok(())
}

/// Events that the server did not take, in the order in which they were put.
pub(super) async fn read_set_aside(database: &Database) -> Result<Vec<SetAside>, IdbError> {
    let transaction = database.transaction(SET_ASIDE).build()?;
    let store = transaction.object_store(SET_ASIDE)?;
    let values = store.get_all::<JsValue>().primitive()?.await?;
    let mut events = Vec::with_capacity(values.len());
    for value in values {
        match parse(&value?) {
            Ok(event) => events.push(event),
            Err(reason) => left_out("an event that was set aside", &reason),
        }
    }
    Ok(events)
}

/// Removes the events with these `op_id`s, then puts those that are not there yet.
pub(super) async fn put_set_aside(
    transaction: &Transaction<'_>,
    settled: &[String],
    events: &[SetAside],
) -> Result<(), IdbError> {
    let store = transaction.object_store(SET_ASIDE)?;
    let index = store.index(BY_OP_ID)?;
    let find = async |op_id: &str| {
        index
            .get_key(op_id)
            .with_key_type::<f64>()
            .primitive()?
            .await
    };
    for op_id in settled {
        if let Some(key) = find(op_id).await? {
            store.delete(key).primitive()?;
        }
    }
    for one in events {
        let op_id = &one.event.op_id;
        if find(op_id).await?.is_none() {
            let value = object(BY_OP_ID, &op_id.into(), &json(one)?)?;
            store.add(value).primitive()?;
        }
    }
    Ok(())
}

/// `{[name]: value, j: text}`.
fn object(name: &str, value: &JsValue, text: &str) -> Result<JsValue, IdbError> {
    let object = Object::new();
    Reflect::set(&object, &name.into(), value)?;
    Reflect::set(&object, &JSON.into(), &text.into())?;
    Ok(object.into())
}

fn parse<T: serde::de::DeserializeOwned>(value: &JsValue) -> Result<T, String> {
    let text = Reflect::get(value, &JSON.into())
        .ok()
        .and_then(|text| text.as_string())
        .ok_or_else(|| "it has no text".to_owned())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}
