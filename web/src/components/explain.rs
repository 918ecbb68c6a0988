//! The meaning of a word, one hover, focus or tap away from it.

use leptos::prelude::*;

/// A small button beside a word; while it is hovered, focused or pressed, a panel explains the word. Escape closes it.
#[component]
pub fn Explain(
    /// Names the panel in the page.
    #[prop(into)]
    id: String,
    /// The word that is explained.
    #[prop(into)]
    word: String,
    /// Made when it is first opened.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    let hovered = RwSignal::new(false);
    let focused = RwSignal::new(false);
    let pinned = RwSignal::new(false);
    let open = Memo::new(move |_| hovered.get() || focused.get() || pinned.get());
    let close = move || {
        hovered.set(false);
        focused.set(false);
        pinned.set(false);
    };
    let panel = id.clone();
    view! {
        <span class="explain"
            on:mouseenter=move |_| hovered.set(true)
            on:mouseleave=move |_| hovered.set(false)
            on:focusin=move |_| focused.set(true)
            on:focusout=move |_| close()
            on:keydown=move |event| if event.key() == "Escape" && open.get_untracked() {
                event.stop_propagation();
                close();
            }
        >
            <button type="button" class="info" aria-label=format!("What “{word}” means") aria-expanded=move || open.get().to_string()
                aria-controls=panel.clone() data-testid=format!("explain-{id}")
                on:click=move |_| {
                    // A tap focuses as well: the first one opens, the next one closes.
                    if pinned.get_untracked() { close() } else { pinned.set(true) }
                }
            >
                <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.5"></circle><path d="M8 7.2v4M8 4.6v.2"></path></svg>
            </button>
            <span class="explain-panel" id=panel role="group" hidden=move || !open.get()>
                {move || open.get().then(|| children.with_value(|children| children()))}
            </span>
        </span>
    }
}
