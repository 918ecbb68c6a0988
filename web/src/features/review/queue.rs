//! The list of what waits, and how far one has come.

use super::entry::Entry;
use super::review_page::ReviewPage;
use crate::format;
use crate::review::Reviewing;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The entries of this visit that wait, are done or were skipped, as counts and a bar.
#[component]
pub fn Progress() -> impl IntoView {
    let page: ReviewPage = expect_context();
    let reviewing = Reviewing::get_from_context();
    let done = Memo::new(move |_| reviewing.visit().done);
    let waiting = Memo::new(move |_| page.waiting());
    let put_off = Memo::new(move |_| waiting.get().saturating_sub(page.left()));
    let all = Memo::new(move |_| done.get().saturating_add(waiting.get()));
    view! {
        <div class="review-head">
            <div class="review-progress">
                <label for="review-progress" data-testid="review-progress">
                    <b>{move || format::count(waiting.get())}</b>" waiting · "{move || format::count(done.get())}" done"
                    {move || (put_off.get() > 0).then(|| format!(" · {} skipped", format::count(put_off.get())))}
                </label>
                <progress id="review-progress" max=move || all.get().max(1).to_string() value=move || done.get().to_string()></progress>
            </div>
        </div>
    }
}

/// The entries that wait, in their order.
#[component]
pub fn Queue() -> impl IntoView {
    let page: ReviewPage = expect_context();
    let place = Memo::new(move |_| {
        page.current
            .with(|current| current.as_ref().map(|(at, _)| *at))
    });
    let more = Memo::new(move |_| {
        let read = u32::try_from(page.entries().len()).unwrap_or(u32::MAX);
        page.rest().saturating_sub(read)
    });
    // The row in front stays in sight of the list, which scrolls by itself.
    Effect::new(move |_| {
        if let Some(at) = place.get() {
            request_animation_frame(move || keep_in_sight(at));
        }
    });
    view! {
        <nav class="queue" aria-label="Waiting for review">
            <ol>
                <For each=move || page.entries().into_iter().enumerate() key=|(at, entry)| (*at, row_key(entry)) let((at, entry))>
                    <li>
                        <button type="button" class="queue-row" id=format!("queue-{at}")
                            aria-current=move || (place.get() == Some(at)).then_some("true")
                            data-testid="queue-row" data-slug=entry.slug().to_owned()
                            on:click=move |_| page.show(at)>
                            <span class="queue-title" dir="auto">{entry.title()}</span>
                            <span class="queue-why">{entry.reason()}</span>
                        </button>
                    </li>
                </For>
            </ol>
            <Show when=move || { more.get() > 0 }>
                <p class="hint queue-more">{move || format!("and {} more", format::count(more.get()))}</p>
            </Show>
        </nav>
    }
}

/// Drawn anew only when what the row shows has changed.
fn row_key(entry: &Entry) -> (String, String, &'static str) {
    (entry.name(), entry.title(), entry.reason())
}

fn keep_in_sight(at: usize) {
    let Some(row) = document().get_element_by_id(&format!("queue-{at}")) else {
        return;
    };
    let Some(list) = row.closest(".queue").ok().flatten() else {
        return;
    };
    let (Ok(row), Ok(list)) = (
        row.dyn_into::<web_sys::HtmlElement>(),
        list.dyn_into::<web_sys::HtmlElement>(),
    ) else {
        return;
    };
    let (top, bottom) = (row.offset_top(), row.offset_top() + row.offset_height());
    if top < list.scroll_top() {
        list.set_scroll_top(top);
    } else if bottom > list.scroll_top() + list.client_height() {
        list.set_scroll_top(bottom - list.client_height());
    }
}
