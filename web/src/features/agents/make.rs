//! Making a key.

use super::agents_page::AgentsPage;
use super::fresh::PANEL;
use crate::api::Asking;
use crate::components::{ErrorNote, TextField};
use crate::dom;
use leptos::prelude::*;
use lesson_types::{ErrorCode, MadeAgentKey, NewAgentKey, limits};

/// The field, and what is not about it.
const NAME: &str = "agent-name";
const ERROR: &str = "agent-error";

/// Asks for the agent's name.
#[component]
pub fn MakeForm() -> impl IntoView {
    let page: AgentsPage = expect_context();
    let name = RwSignal::new(String::new());
    let asking = Asking::default();
    let part = move |of_name: bool| {
        asking.error.with(|error| {
            let error = error.as_ref()?;
            ((error.field.as_deref() == Some("name")) == of_name).then(|| error.clone())
        })
    };
    Effect::new(move |_| {
        if asking.error.read().is_some() {
            dom::focus(if part(true).is_some() { NAME } else { ERROR });
        }
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let request = NewAgentKey {
            name: name.get_untracked(),
        };
        asking.run(
            async move {
                let answer = page
                    .client
                    .post_json::<MadeAgentKey>("/v1/agent-keys", &request)
                    .await;
                // Without an answer there may be a key all the same.
                if answer
                    .as_ref()
                    .err()
                    .is_none_or(|error| error.code == ErrorCode::Unavailable)
                {
                    page.read();
                }
                answer
            },
            move |made| {
                page.fresh.try_set(Some(made));
                dom::focus(PANEL);
            },
        );
    };
    view! {
        <form class="form" on:submit=submit data-testid="make-key-form">
            <TextField id=NAME label="Name of the agent" value=name max=limits::WORD required=true
                placeholder="For example: Claude Code on my laptop" hint="Shows you and the other members which agent the key belongs to."
                error=Signal::derive(move || part(true).map(|error| error.message))/>
            <div id=ERROR tabindex="-1">{move || part(false).map(|error| view! { <ErrorNote error/> })}</div>
            <div class="actions">
                <button type="submit" class="primary" disabled=asking.busy data-testid="make-key">
                    {move || if asking.busy.get() { "Creating the key…" } else { "Create API key" }}
                </button>
            </div>
        </form>
    }
}
