//! The state that the cards about rejected changes share: the list, and the request that settles one.

use crate::api::{Asking, Client, Query};
use crate::components::{Toasts, use_toasts};
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::{LessonPatch, LessonView, SetAsideEvent, SetAsideList, Settle, Settlement};

/// The state that the parts of the page share; cheap to copy.
#[derive(Clone, Copy)]
pub struct SetAsidePage {
    pub(super) client: Client,
    pub(super) list: Query<SetAsideList>,
    pub(super) asking: Asking,
    pub(super) toasts: Toasts,
}

impl SetAsidePage {
    /// Provides one for cards that stand on another page; tells what their requests come to.
    pub fn provide(list: Query<SetAsideList>) -> Asking {
        let page = Self {
            client: Client::get_from_context(),
            list,
            asking: Asking::default(),
            toasts: use_toasts(),
        };
        provide_context(page);
        page.asking
    }

    /// Deals with events; the focus goes back to the top, where what is left begins.
    pub(super) fn settle(self, ids: Vec<String>, keep: Settlement, done: impl Into<String>) {
        let (client, list, toasts, done) = (self.client, self.list, self.toasts, done.into());
        let request = Settle { ids, keep };
        self.asking.run(
            client.post_json("/v1/sync/settle", &request),
            move |answer: SetAsideList| {
                list.set(Ok(answer));
                toasts.good(done);
                dom::focus("main");
            },
        );
    }

    /// Saves a text made of both sides over the one in force; the edit that came too late is dealt with then.
    pub(super) fn merge(self, id: String, slug: String, patch: LessonPatch) {
        let client = self.client;
        let path = format!("/v1/lessons/{}", format::encode(&slug));
        let request = Settle {
            ids: vec![id],
            keep: Settlement::Theirs,
        };
        let (list, toasts) = (self.list, self.toasts);
        self.asking.run(
            async move {
                client.patch_json::<LessonView>(path, &patch).await?;
                client.post_json("/v1/sync/settle", &request).await
            },
            move |answer: SetAsideList| {
                list.set(Ok(answer));
                toasts.good("The merged text is in force and waits to be sent");
                dom::focus("main");
            },
        );
    }

    pub(super) fn known<T: Default>(self, read: impl Fn(&SetAsideList) -> T) -> T {
        self.list.map(read).unwrap_or_default()
    }

    pub(super) fn others(self) -> Vec<SetAsideEvent> {
        self.known(|list| list.others.clone())
    }
}
