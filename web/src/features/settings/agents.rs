//! The way to the agents' page.

use leptos::prelude::*;

/// What is there.
#[component]
pub fn AgentsCard() -> impl IntoView {
    view! {
        <section class="card">
            <h2>"Agents"</h2>
            <p class="muted">"Claude Code, Cursor, VS Code or a program of yours can use the lessons of a connected server, each with a key that you can take back."</p>
            <div class="actions"><a href="/agents" class="button" data-testid="open-agents">"Keys and set-up"</a></div>
        </section>
    }
}
