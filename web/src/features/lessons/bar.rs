//! Acts on the selected lessons: a bar that stays in view while there are any.

use super::feed::Feed;
use super::selection::Selection;
use crate::components::{Dialog, TextField};
use crate::format;
use crate::shell::{Act, use_acts};
use leptos::prelude::*;
use lesson_types::BulkAct;

/// The bar. `archived` is whether the list shows archived lessons.
#[component]
pub fn SelectionBar(
    feed: Feed,
    selection: Selection,
    #[prop(into)] archived: Signal<bool>,
) -> impl IntoView {
    let tagging = RwSignal::new(false);
    let tags = RwSignal::new(String::new());
    let on = Memo::new(move |_| selection.count() > 0 || selection.work.read().is_some());
    let some = move || selection.count() > 0 && selection.work.read().is_none();
    let shelve = move || {
        if archived.get_untracked() {
            BulkAct::Restore
        } else {
            BulkAct::Archive
        }
    };
    use_acts([
        Act::new("Select all that fit", move || selection.choose_all(feed))
            .when(move || feed.total.get() > 0),
        Act::new("Approve the selected lessons", move || {
            selection.act(BulkAct::Approve, Vec::new());
        })
        .when(some),
        Act::new("Archive the selected lessons", move || {
            selection.act(BulkAct::Archive, Vec::new());
        })
        .when(move || some() && !archived.get()),
        Act::new("Restore the selected lessons", move || {
            selection.act(BulkAct::Restore, Vec::new());
        })
        .when(move || some() && archived.get()),
        Act::new("Tag the selected lessons", move || tagging.set(true)).when(some),
        Act::new("Select nothing", move || selection.clear()).when(some),
        Act::new("Undo the last act", move || selection.undo())
            .key("u")
            .when(move || selection.can_undo.get()),
    ]);
    let send_tags = move || {
        let words = format::words(&tags.get_untracked());
        if !words.is_empty() {
            tagging.set(false);
            tags.set(String::new());
            selection.act(BulkAct::Tag, words);
        }
    };
    view! {
        <Show when=move || on.get()>
            <div class="pick-bar" role="region" aria-label="Selected lessons" data-testid="pick-bar">
                {move || match selection.work.get() {
                    Some(work) => view! {
                        <p role="status" data-testid="pick-work">{format!("{}… {} of {}", work.name, format::count(work.done), format::count(work.total))}</p>
                        <progress max=work.total.max(1).to_string() value=work.done.to_string() aria-label=work.name></progress>
                        <button type="button" on:click=move |_| selection.stop()>"Stop"</button>
                    }.into_any(),
                    None => view! {
                        <div class="actions">
                            <p role="status" data-testid="pick-count">{move || format!("{} selected", format::count(selection.count()))}</p>
                            <Show when=move || selection.count() < feed.total.get()>
                                <button type="button" class="plain" data-testid="pick-all" on:click=move |_| selection.choose_all(feed)>
                                    {move || format!("Select all {}", format::count(feed.total.get()))}
                                </button>
                            </Show>
                            <button type="button" class="plain" data-testid="pick-none" on:click=move |_| selection.clear()>"Select none"</button>
                        </div>
                        <div class="actions">
                            <button type="button" data-testid="bulk-approve" on:click=move |_| selection.act(BulkAct::Approve, Vec::new())>"Approve"</button>
                            <button type="button" data-testid="bulk-archive" on:click=move |_| selection.act(shelve(), Vec::new())>
                                {move || if archived.get() { "Restore" } else { "Archive" }}
                            </button>
                            <button type="button" data-testid="bulk-tag" on:click=move |_| tagging.set(true)>"Tag…"</button>
                        </div>
                    }.into_any(),
                }}
            </div>
        </Show>
        <Dialog id="tagging" title=Signal::derive(move || format!("Tag {}", format::plural(selection.count(), "lesson", "lessons"))) open=tagging>
            <form class="form" on:submit=move |event| { event.prevent_default(); send_tags(); }>
                <TextField id="bulk-tags" label="Tags to add" value=tags required=true
                    hint="With commas between them. What was approved stays so."/>
                <div class="actions">
                    <button type="button" on:click=move |_| tagging.set(false)>"Cancel"</button>
                    <button type="submit" class="primary" data-testid="bulk-tag-send">"Add tags"</button>
                </div>
            </form>
        </Dialog>
    }
}
