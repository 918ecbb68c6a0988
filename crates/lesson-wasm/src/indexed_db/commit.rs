//! One durable step of syncing.

use super::transaction::{
    Durability, EVENTS, META, ROWS, SET_ASIDE, read_head, read_link, read_write, write_head,
    write_link,
};
use super::{events, rows};
use indexed_db_futures::database::Database;
use indexed_db_futures::error::Error as IdbError;
use lesson_sync::{Change, Link};

/// Does all of `change` in one transaction, or nothing; `None` when the link's revision is not
/// `expected`.
pub(super) async fn commit(
    database: &Database,
    expected: u64,
    change: &Change,
) -> Result<Option<Link>, IdbError> {
    let stores = [EVENTS, META, ROWS, SET_ASIDE];
    let transaction = read_write(database, &stores, Durability::Strict)?;
    let revision = read_link(&transaction)
        .await?
        .map_or(0, |link| link.revision);
    if revision != expected {
        transaction.abort().await?;
        return Ok(None);
    }
    // An error from here on drops the transaction, and that takes all of it back.
    rows::put(&transaction, change.clear_rows, &change.rows).await?;
    let mut head = read_head(&transaction).await?;
    head.actor.clone_from(&change.link.actor);
    if let Some(after) = change.renumber_after {
        head.seq = events::renumber(&transaction, after, &head.actor).await?;
    }
    write_head(&transaction, &head)?;
    if let Some(through) = change.forget_through {
        events::forget(&transaction, through)?;
    }
    rows::put_set_aside(&transaction, &change.settled, &change.set_aside).await?;
    let link = Link {
        revision: revision + 1,
        ..change.link.clone()
    };
    write_link(&transaction, &link)?;
    transaction.commit().await?;
    Ok(Some(link))
}
