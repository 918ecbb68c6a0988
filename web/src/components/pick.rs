//! Choices that are in view: a range of a few, tabs, and what opens below a button.

use crate::dom;
use leptos::html;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsCast;

/// One of a few, side by side.
#[component]
pub fn Segmented<T>(
    /// Name of the choice, for those who can't see it.
    label: &'static str,
    /// Each choice and its name.
    options: Vec<(T, &'static str)>,
    value: RwSignal<T>,
    testid: &'static str,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let buttons = options
        .into_iter()
        .map(|(option, name)| {
            view! {
                <button type="button" aria-pressed=move || (value.get() == option).to_string() data-testid=format!("{testid}-{name}")
                    on:click=move |_| value.set(option)>{name}</button>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    view! { <div class="segmented" role="group" aria-label=label data-testid=testid>{buttons}</div> }
}

/// Tabs: one panel at a time, by pointer and by arrow keys. The panel is the caller's, with the id `{id}-panel`.
#[component]
pub fn Tabs<T>(
    /// Names the tabs in the page.
    id: &'static str,
    /// Name of the group of tabs, for those who can't see it.
    label: &'static str,
    /// Each tab and its name.
    options: Vec<(T, &'static str)>,
    value: RwSignal<T>,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let tab_id = move |at: usize| format!("{id}-tab-{at}");
    let all: Vec<T> = options.iter().map(|(option, _)| *option).collect();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let now = all
            .iter()
            .position(|option| *option == value.get_untracked())
            .unwrap_or(0);
        let to = match event.key().as_str() {
            "ArrowLeft" => (now + all.len().saturating_sub(1)) % all.len().max(1),
            "ArrowRight" => (now + 1) % all.len().max(1),
            "Home" => 0,
            "End" => all.len().saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        if let Some(option) = all.get(to) {
            value.set(*option);
            dom::focus_by_id(tab_id(to));
        }
    };
    let tabs = options
        .into_iter()
        .enumerate()
        .map(|(at, (option, name))| {
            let chosen = move || value.get() == option;
            view! {
                <button type="button" role="tab" id=tab_id(at) aria-controls=format!("{id}-panel")
                    aria-selected=move || chosen().to_string() tabindex=move || if chosen() { "0" } else { "-1" }
                    data-testid=format!("{id}-{}", name.to_ascii_lowercase().replace(' ', "-"))
                    on:click=move |_| value.set(option)>{name}</button>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    view! { <div class="tablist" role="tablist" aria-label=label on:keydown=on_key>{tabs}</div> }
}

/// A button, and what opens below it: closed by Escape, by a press elsewhere, and when the focus leaves it.
#[component]
pub fn Popover(
    /// Names it in the page.
    id: &'static str,
    #[prop(into)] label: Signal<String>,
    /// The look of the button.
    #[prop(optional)]
    class: &'static str,
    /// Opens towards the left, at the right end of a line.
    #[prop(optional)]
    end: bool,
    /// True while it is open; its content may close it.
    open: RwSignal<bool>,
    /// Made anew each time it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    let node = NodeRef::<html::Span>::new();
    let inside = move |target: Option<web_sys::EventTarget>| {
        let target = target.and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        node.get_untracked()
            .is_some_and(|node| node.contains(target.as_ref()))
    };
    let _ = use_event_listener(window(), leptos::ev::pointerdown, move |event| {
        if open.get_untracked() && !inside(event.target()) {
            open.set(false);
        }
    });
    view! {
        <span class=if end { "popover popover-end" } else { "popover" } node_ref=node
            on:focusout=move |event| if event.related_target().is_some() && !inside(event.related_target()) { open.set(false) }
            on:keydown=move |event| if event.key() == "Escape" && open.get_untracked() {
                event.stop_propagation();
                open.set(false);
                dom::focus_by_id(format!("{id}-button"));
            }
        >
            <button type="button" class=class id=format!("{id}-button") aria-expanded=move || open.get().to_string() aria-controls=id
                data-testid=format!("{id}-button") on:click=move |_| open.update(|open| *open = !*open)>{label}</button>
            {move || open.get().then(|| view! {
                <span class="popover-panel" id=id data-testid=id>{children.with_value(|children| children())}</span>
            })}
        </span>
    }
}
