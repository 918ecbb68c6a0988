//! Setting an agent up: what to paste where, with the address and the key filled in.

use super::address;
use super::desk::Desk;
use super::snippet::{Agent, NO_ADDRESS, NO_KEY};
use crate::components::{Choice, CopyButton, TextField};
use crate::format;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The longest address that can be typed, in characters.
const ADDRESS: usize = 300;

/// The card.
#[component]
pub fn SetupCard() -> impl IntoView {
    let desk: Desk = expect_context();
    // The page's own, once that is known to be an edge function.
    let own = RwSignal::new(None::<String>);
    let typed = RwSignal::new(String::new());
    spawn_local(async move {
        let (is_own, known) = (address::own().await, address::known().await);
        own.try_set(is_own);
        if let Some(known) = known
            && typed.try_with_untracked(String::is_empty) == Some(true)
        {
            typed.set(known);
        }
    });
    let origin = Memo::new(move |_| match own.get() {
        Some(own) => Some(Ok(own)),
        None => format::filled(&typed.read()).map(|typed| address::origin(&typed)),
    });
    Effect::new(move |before: Option<()>| {
        let origin = origin.get();
        if before.is_none() || own.read_untracked().is_some() {
            return;
        }
        match origin {
            Some(Ok(origin)) => address::keep(&origin),
            // Half typed.
            Some(Err(_)) => {}
            None => address::forget(),
        }
    });
    let error = Signal::derive(move || Some(origin.get()?.err()?.to_owned()));
    let word = RwSignal::new(Agent::ClaudeCode.word().to_owned());
    let agent = Memo::new(move |_| {
        let word = word.read();
        let known = Agent::ALL.into_iter().find(|agent| agent.word() == *word);
        known.unwrap_or(Agent::Http)
    });
    let key = Memo::new(move |_| desk.fresh.read().as_ref().map(|made| made.key.clone()));
    let text = Signal::derive(move || {
        let origin = origin.get().and_then(Result::ok);
        agent.get().text(
            origin.as_deref().unwrap_or(NO_ADDRESS),
            key.read().as_deref().unwrap_or(NO_KEY),
        )
    });
    let gaps = Memo::new(move |_| {
        let text = text.read();
        let gap = |word: &'static str, is: &'static str| text.contains(word).then_some((word, is));
        let gaps = [
            gap(NO_ADDRESS, "stands for the address above"),
            gap(
                NO_KEY,
                "stands for the agent's key; when you make one, it is filled in here",
            ),
        ];
        gaps.into_iter().flatten().collect::<Vec<_>>()
    });
    let options = Agent::ALL
        .map(|agent| (agent.word(), agent.label()))
        .to_vec();
    view! {
        <section class="card" aria-labelledby="agent-setup-title" data-testid="agent-setup">
            <h2 id="agent-setup-title">"Set an agent up"</h2>
            {move || match own.get() {
                Some(own) => view! { <p>"Agents reach the edge function that serves this page: "<code data-testid="edge-own">{own}</code></p> }.into_any(),
                None => view! {
                    <TextField id="edge-address" label="Address of your edge function" value=typed kind="url" max=ADDRESS autocomplete="url"
                        placeholder="https://lessonloop.example.workers.dev" hint="What wrangler deploy printed. It is remembered in this browser." error/>
                }.into_any(),
            }}
            <Choice name="agent" legend="Which agent?" value=word options/>
            <p class="muted">{move || agent.get().about()}</p>
            <pre class="prompt" tabindex="0" data-testid="agent-snippet">{text}</pre>
            {move || gaps.get().into_iter().map(|(word, is)| view! { <p class="hint"><code>{word}</code>" "{is}"."</p> }).collect_view()}
            <div class="actions">
                <CopyButton text label="Copy" done="It is in the clipboard" testid="copy-snippet"/>
            </div>
        </section>
    }
}
