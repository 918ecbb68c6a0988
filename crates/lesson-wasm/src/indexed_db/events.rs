//! The ledger's events, by position.

use super::transaction::{
    Durability, EVENTS, META, json, read_head, read_link, read_write, write_head,
};
use indexed_db_futures::KeyRange;
use indexed_db_futures::database::Database;
use indexed_db_futures::error::Error as IdbError;
use indexed_db_futures::prelude::*;
use indexed_db_futures::transaction::Transaction;
use lesson_core::Event;
use lesson_sync::{Entry, Ledger, Stored};

/// Events read in one go; bounds what is in memory twice.
const PAGE: u32 = 4_000;

/// Up to `most` readable events after `position`, and the link's revision, all of one moment.
pub(super) async fn read(
    database: &Database,
    position: u64,
    most: usize,
) -> Result<Ledger, IdbError> {
    let transaction = database.transaction(&[EVENTS, META][..]).build()?;
    let last = read_head(&transaction).await?.position;
    let mut ledger = Ledger {
        position,
        revision: read_link(&transaction)
            .await?
            .map_or(0, |link| link.revision),
        ..Ledger::default()
    };
    // Entries that can't be read don't count: what comes after them would never be reached.
    while ledger.events.len() < most {
        let wanted = u32::try_from(most - ledger.events.len()).unwrap_or(PAGE);
        let limit = wanted.min(PAGE);
        let page = page(&transaction, ledger.position, limit).await?;
        let read = page.len();
        for (position, event) in page {
            ledger.position = position;
            match event {
                Ok(event) => ledger.events.push(Stored { position, event }),
                Err(reason) => ledger.unreadable.push((position, reason)),
            }
        }
        if read < limit as usize {
            // The last ones may be forgotten.
            ledger.position = last;
            break;
        }
    }
    Ok(ledger)
}

/// Up to `limit` entries after `position`; of those that can't be read, the reason.
async fn page(
    transaction: &Transaction<'_>,
    position: u64,
    limit: u32,
) -> Result<Vec<(u64, Result<Event, String>)>, IdbError> {
    let store = transaction.object_store(EVENTS)?;
    let range = KeyRange::<f64>::LowerBound(position as f64, true);
    let keys = store
        .get_all_keys::<f64>()
        .with_query::<f64, _>(range.clone())
        .with_limit(limit)
        .primitive()?;
    let values = store
        .get_all::<String>()
        .with_query::<f64, _>(range.clone())
        .with_limit(limit)
        .primitive()?;
    let (keys, values) = (keys.await?, values.await?);
    keys.zip(values)
        .map(|(key, text)| {
            let event = text.map_err(|error| error.to_string()).and_then(|text| {
                serde_json::from_str::<Event>(&text).map_err(|error| error.to_string())
            });
            // Keys are whole numbers far below 2^53.
            Ok((key? as u64, event))
        })
        .collect()
}

/// Keeps all entries, or none; `None` when the last position is not `expected`.
pub(super) async fn append(
    database: &Database,
    expected: u64,
    entries: &[Entry],
) -> Result<Option<Vec<Stored>>, IdbError> {
    let transaction = read_write(database, &[EVENTS, META], Durability::Strict)?;
    let mut head = read_head(&transaction).await?;
    if head.position != expected {
        transaction.abort().await?;
        return Ok(None);
    }
    let store = transaction.object_store(EVENTS)?;
    let mut kept = Vec::with_capacity(entries.len());
    for entry in entries {
        let event = match entry.clone() {
            Entry::Own {
                op_id,
                at,
                by,
                request,
                event,
            } => {
                head.seq += 1;
                Event {
                    op_id,
                    actor: head.actor.clone(),
                    seq: head.seq,
                    at,
                    by,
                    request,
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
        // Not awaited one by one: the commit below waits for all of them.
        store
            .add(json(&event)?)
            .with_key(head.position as f64)
            .primitive()?;
        kept.push(Stored {
            position: head.position,
            event,
        });
    }
    write_head(&transaction, &head)?;
    transaction.commit().await?;
    Ok(Some(kept))
}

/// Gives the readable events after `after` to `actor`, numbered from 1; how many there are.
pub(super) async fn renumber(
    transaction: &Transaction<'_>,
    after: u64,
    actor: &str,
) -> Result<u64, IdbError> {
    let store = transaction.object_store(EVENTS)?;
    let mut last = after;
    let mut seq = 0;
    loop {
        let entries = page(transaction, last, PAGE).await?;
        let whole = entries.len() < PAGE as usize;
        for (position, event) in entries {
            last = position;
            if let Ok(mut event) = event {
                seq += 1;
                event.seq = seq;
                actor.clone_into(&mut event.actor);
                store
                    .put(json(&event)?)
                    .with_key(position as f64)
                    .primitive()?;
            }
        }
        if whole {
            return Ok(seq);
        }
    }
}

/// Removes the events up to `through`.
pub(super) fn forget(transaction: &Transaction<'_>, through: u64) -> Result<(), IdbError> {
    transaction
        .object_store(EVENTS)?
        .delete::<f64, _>(KeyRange::UpperBound(through as f64, false))
        .primitive()?;
    Ok(())
}
