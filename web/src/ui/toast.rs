//! Short messages that come and go: what was done, or what did not work.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use lesson_api::ApiError;

/// A good message is gone after this, in milliseconds.
const GOOD_STAYS: u32 = 5_000;
/// A bad one stays longer, and can be closed.
const BAD_STAYS: u32 = 12_000;

#[derive(Clone)]
struct Toast {
    id: u32,
    good: bool,
    text: String,
}

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
        self.show(true, text.into());
    }

    /// Something did not work.
    pub fn bad(self, text: impl Into<String>) {
        self.show(false, text.into());
    }

    /// Tells what came of an act.
    pub fn tell<T>(self, result: &Result<T, ApiError>, done: impl Into<String>) {
        match result {
            Ok(_) => self.good(done),
            Err(error) => self.bad(error.message.clone()),
        }
    }

    fn show(self, good: bool, text: String) {
        self.next.update_value(|id| *id += 1);
        let id = self.next.get_value();
        self.list.update(|list| list.push(Toast { id, good, text }));
        Timeout::new(if good { GOOD_STAYS } else { BAD_STAYS }, move || {
            self.close(id)
        })
        .forget();
    }

    fn close(self, id: u32) {
        self.list.update(|list| list.retain(|toast| toast.id != id));
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
                    <button type="button" class="plain" aria-label="Close message" on:click=move |_| toasts.close(toast.id)>"×"</button>
                </div>
            </For>
        </div>
    }
}
