//! The author of the text of a lesson that is in force.

use crate::api::use_get;
use crate::format;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::History;

/// The name of whoever made a revision of a lesson; `None` while it is read, and where the ledger does not say.
pub fn editor_of(slug: &str, rev: u32) -> Memo<Option<String>> {
    let path = format!("/v1/lessons/{}/history?limit=1", format::encode(slug));
    let history = use_get::<History>(move || path.clone());
    let me = Syncing::get_from_context().me();
    Memo::new(move |_| {
        let me = me.get();
        history.data.with(|history| match history {
            Some(Ok(history)) => {
                let marks = history.revisions.iter();
                let mark = marks.rev().find(|mark| mark.rev == rev)?;
                who::or_device(&mark.by, me.as_deref(), &mark.actor)
            }
            _ => None,
        })
    })
}
