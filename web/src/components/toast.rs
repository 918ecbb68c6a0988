//! Short messages that come and go: what was done, or what did not work.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use lesson_types::ApiError;
use std::sync::Arc;

/// A good message is gone after this, in milliseconds.
const GOOD_STAYS: u32 = 5_000;
/// A bad one stays longer, and can be closed.
const BAD_STAYS: u32 = 12_000;
/// One with something to do about it stays as long as it takes to read, reach and decide.
const ACT_STAYS: u32 = 20_000;
/// Messages at a time: more would lie over what the person works on.
const MOST: usize = 3;

#[derive(Clone)]
struct Toast {
    id: u32,
    good: bool,
    text: String,
    /// The act on offer: the button's label, and what it does.
    act: Option<(&'static str, ToastAct)>,
}

/// The act of a message's button. The message owns it: it outlives the part of the page that said so.
type ToastAct = Arc<dyn Fn() + Send + Sync>;

/// The messages on show; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u32>,
}

impl Toasts {
    /// No messages.
    pub fn new() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            next: StoredValue::new(0),
        }
    }

    /// Something was done.
    pub fn good(self, text: impl Into<String>) {
        self.show(true, text.into(), None);
    }

    /// Something did not work.
    pub fn bad(self, text: impl Into<String>) {
        self.show(false, text.into(), None);
    }

    /// Something was done, and something can be done about it, such as undo. The message closes with it.
    pub fn with_act(
        self,
        text: impl Into<String>,
        label: &'static str,
        act: impl Fn() + Send + Sync + 'static,
    ) {
        self.show(true, text.into(), Some((label, Arc::new(act))));
    }

    /// Tells what came of an act.
    pub fn tell<T>(self, result: &Result<T, ApiError>, done: impl Into<String>) {
        match result {
            Ok(_) => self.good(done),
            Err(error) => self.bad(error.message.clone()),
        }
    }

    fn show(self, good: bool, text: String, act: Option<(&'static str, ToastAct)>) {
        self.next.update_value(|id| *id += 1);
        let id = self.next.get_value();
        let stays = match (good, &act) {
            (_, Some(_)) => ACT_STAYS,
            (true, None) => GOOD_STAYS,
            (false, None) => BAD_STAYS,
        };
        self.list.update(|list| {
            let toast = Toast {
                id,
                good,
                text,
                act,
            };
            put(list, toast);
        });
        Timeout::new(stays, move || self.close(id)).forget();
    }

    fn close(self, id: u32) {
        self.list.update(|list| list.retain(|toast| toast.id != id));
    }
}

/// Adds a message. One that says the same again takes the earlier one's place; of too many, the oldest that nothing can be
/// done about goes first.
fn put(list: &mut Vec<Toast>, toast: Toast) {
    list.retain(|held| held.text != toast.text || held.act.is_some() || toast.act.is_some());
    list.push(toast);
    while list.len() > MOST {
        let oldest = list.iter().position(|held| held.act.is_none()).unwrap_or(0);
        // The newest is what just happened.
        list.remove(if oldest + 1 == list.len() { 0 } else { oldest });
    }
}

/// The messages of this page.
pub fn use_toasts() -> Toasts {
    // The app provides them before any page is made.
    expect_context()
}

/// Shows the messages.
#[component]
pub fn ToastList() -> impl IntoView {
    let toasts = use_toasts();
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || toasts.list.get() key=|toast| toast.id let:toast>
                <div class=if toast.good { "toast" } else { "toast toast-bad" } data-testid="toast">
                    <span>{toast.text}</span>
                    {toast.act.map(|(label, act)| view! {
                        <button type="button" class="toast-act" data-testid="toast-act" on:click=move |_| {
                            toasts.close(toast.id);
                            act();
                        }>{label}</button>
                    })}
                    <button type="button" class="plain" aria-label="Close message" on:click=move |_| toasts.close(toast.id)>"×"</button>
                </div>
            </For>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn messages_do_not_pile_up() {
        let toast = |id: u32, text: &str, acts: bool| Toast {
            id,
            good: true,
            text: text.to_owned(),
            act: acts.then(|| ("Undo", Arc::new(|| ()) as ToastAct)),
        };
        let mut list = Vec::new();
        for (id, text, acts) in [
            (1, "archived", true),
            (2, "copied", false),
            (3, "copied", false),
            (4, "saved", false),
            (5, "tagged", true),
        ] {
            put(&mut list, toast(id, text, acts));
        }
        let ids: Vec<u32> = list.iter().map(|toast| toast.id).collect();
        assert_eq!(
            ids,
            [1, 4, 5],
            "an undo outlives what nothing can be done about"
        );
    }
}
