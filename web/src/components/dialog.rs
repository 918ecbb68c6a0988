//! A question that has to be answered before anything else is done.

use leptos::html;
use leptos::prelude::*;

/// A modal dialog. The browser keeps the focus in it, closes it on Escape and gives the focus back.
#[component]
pub fn Dialog(
    /// Names the dialog in the page.
    id: &'static str,
    #[prop(into)] title: Signal<String>,
    open: RwSignal<bool>,
    /// Style class, where it is not a question.
    #[prop(optional)]
    class: &'static str,
    /// Made anew each time it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let is_open = open.get();
        // Once the content is drawn: the focus goes to the first thing in it.
        request_animation_frame(move || {
            let Some(dialog) = node.try_get_untracked().flatten() else {
                return;
            };
            if is_open && !dialog.open() {
                // It only fails for an element that is out of the page.
                let _ = dialog.show_modal();
            } else if !is_open && dialog.open() {
                dialog.close();
            }
        });
    });
    let title_id = format!("{id}-title");
    let named_by = title_id.clone();
    view! {
        <dialog id=id class=class node_ref=node aria-labelledby=named_by data-testid=id on:close=move |_| open.set(false)>
            <Show when=move || open.get()>
                <div class="dialog">
                    <h2 id=title_id.clone()>{title}</h2>
                    {children.with_value(|children| children())}
                </div>
            </Show>
        </dialog>
    }
}
