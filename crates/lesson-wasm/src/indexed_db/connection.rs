//! Opening the database, and letting go of it when another tab wants to change its version.

use super::transaction::{FIRST_VERSION, VERSION, upgrade};
use indexed_db_futures::database::Database;
use indexed_db_futures::error::OpenDbError;
use indexed_db_futures::factory::DBFactory;
use indexed_db_futures::prelude::*;
use js_sys::{Function, Promise};
use lesson_core::OLD_LEDGER;
use lesson_sync::StoreError;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// The connection at hand.
pub(super) type Held = Rc<RefCell<Option<Rc<Database>>>>;

/// Opens or makes the database. Fails at once when another tab holds an older version and does not
/// let go of it: waiting would show nothing.
pub(super) async fn open(name: &str) -> Result<Database, StoreError> {
    if is_old(name).await {
        return Err(StoreError::Failed(format!(
            "the lessons that this browser keeps are old ones: {OLD_LEDGER}; to begin anew instead, remove this site's data in the browser"
        )));
    }
    let mut tell: Option<Function> = None;
    let blocked = Promise::new(&mut |resolve, _| tell = Some(resolve));
    let opening = Database::open(name)
        .with_version(VERSION)
        .with_on_blocked(move |_| {
            if let Some(tell) = tell {
                tell.call0(&JsValue::UNDEFINED)?;
            }
            Ok(())
        })
        .with_on_upgrade_needed(|event, database| upgrade(&event, &database))
        .build()
        .map_err(failed)?;
    let mut opening = Box::pin(opening);
    let mut blocked = pin!(JsFuture::from(blocked));
    let opened = poll_fn(|context| match opening.as_mut().poll(context) {
        Poll::Ready(opened) => Poll::Ready(Some(opened)),
        Poll::Pending => blocked.as_mut().poll(context).map(|_| None),
    })
    .await;
    if let Some(opened) = opened {
        return opened.map_err(failed);
    }
    // It still takes place once the other tab is gone. Dropped, it would do so without the step
    // that makes the new stores.
    spawn_local(async move {
        if let Ok(database) = opening.await {
            database.close();
        }
    });
    Err(StoreError::Lost(
        "another tab has it open with an older version of this page; close that tab first"
            .to_owned(),
    ))
}

/// Tells whether the database is one of 0.1.0-pre. A browser that lists no databases finds out by [`upgrade`], in its own words.
async fn is_old(name: &str) -> bool {
    let Some(listing) = DBFactory::new().ok().and_then(|all| all.databases().ok()) else {
        return false;
    };
    listing.await.is_ok_and(|mut listed| {
        listed.any(|one| {
            one.is_ok_and(|one| one.name() == name && one.version() < f64::from(FIRST_VERSION))
        })
    })
}

fn failed(error: OpenDbError) -> StoreError {
    StoreError::Lost(error.to_string())
}

/// Closes the connection when another tab wants to change the version of the database, and drops
/// one that the browser has closed. The next call opens a fresh one.
pub(super) fn close_when_asked(database: &Rc<Database>, open: &Held) {
    // Without listeners other tabs are told to have this one closed.
    let Ok(mut changes) = database.version_changes() else {
        return;
    };
    let database = Rc::clone(database);
    let open = Rc::downgrade(open);
    spawn_local(async move {
        changes.recv().await;
        Database::clone(&database).close();
        if let Some(open) = open.upgrade() {
            open.borrow_mut()
                .take_if(|held| Rc::ptr_eq(held, &database));
        }
    });
}
