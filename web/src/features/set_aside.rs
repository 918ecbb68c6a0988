//! Edits that came too late for the server, to be decided on, and changes that it refused.

mod conflict;
mod refused;
mod set_aside_page;

use crate::api::{Asking, Client, use_get};
use crate::components::{Empty, ErrorNote, Loading, Page, use_toasts};
use crate::dom;
use crate::format;
pub use conflict::ConflictCard;
use leptos::prelude::*;
use lesson_types::{EditConflict, SetAsideList};
use refused::Refused;
pub use set_aside_page::SetAsidePage;

/// Everything that was set aside.
#[component]
pub fn SetAsidePage() -> impl IntoView {
    let page = SetAsidePage {
        client: Client::get_from_context(),
        list: use_get(|| "/v1/sync/set-aside".to_owned()),
        asking: Asking::default(),
        toasts: use_toasts(),
    };
    provide_context(page);
    // The error stands above all cards.
    Effect::new(move |_| {
        if page.asking.error.read().is_some() {
            dom::focus("set-aside-error");
        }
    });
    let read = move |read: fn(&SetAsideList) -> bool| {
        Memo::new(move |_| {
            page.list.data.with(|list| {
                list.as_ref()
                    .is_some_and(|list| list.as_ref().is_ok_and(read))
            })
        })
    };
    let empty = read(|list| list.conflicts.is_empty() && list.others.is_empty());
    let has_conflicts = read(|list| !list.conflicts.is_empty());
    let has_others = read(|list| !list.others.is_empty());
    let failed = Memo::new(move |_| {
        page.list
            .data
            .with(|list| list.as_ref()?.as_ref().err().cloned())
    });
    let waiting = Memo::new(move |_| page.list.data.with(Option::is_none));
    view! {
        <p class="back"><a href="/settings#sync">"← Sync"</a></p>
        <Page title="Sync conflicts" intro="Changes made here that the server did not accept. They are kept until you decide.">
            <div id="set-aside-error" tabindex="-1">{move || page.asking.error.get().map(|error| view! { <ErrorNote error/> })}</div>
            {move || failed.get().map(|error| view! { <ErrorNote error/> })}
            <Show when=move || waiting.get()><Loading/></Show>
            <Show when=move || empty.get()>
                <Empty title="Nothing is set aside" text="The server accepted every change. If somebody else edits a lesson at the same time as you, your edit waits here.">
                    <a href="/settings#sync" class="button">"Back to sync"</a>
                </Empty>
            </Show>
            <Show when=move || has_conflicts.get()><Conflicts/></Show>
            <Show when=move || has_others.get()><Refused/></Show>
        </Page>
    }
}

#[component]
fn Conflicts() -> impl IntoView {
    let page: SetAsidePage = expect_context();
    let conflicts = Memo::new(move |_| page.known(|list| list.conflicts.clone()));
    view! {
        <section class="stack" aria-labelledby="conflicts-title">
            <div>
                <h2 id="conflicts-title">{move || format::plural(conflicts.read().len() as u32, "conflicting edit", "conflicting edits")}</h2>
                <p class="muted">"The same lesson was edited first by who is named beside it. That text is in force; yours is kept here."</p>
            </div>
            <For each=move || conflicts.get() key=|conflict: &EditConflict| same(conflict) let:conflict>
                <ConflictCard conflict/>
            </For>
        </section>
    }
}

/// Drawn anew only when something in it changed.
fn same(conflict: &EditConflict) -> String {
    let mut words = vec![conflict.id.as_str(), &conflict.at];
    if let Some(now) = &conflict.now {
        words.extend([now.content_hash.as_str(), now.updated_at.as_str()]);
    }
    for field in &conflict.fields {
        words.extend([field.name.as_str(), &field.theirs, &field.mine]);
    }
    words.join("\n")
}
