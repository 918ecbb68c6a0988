//! Setting an agent up: what to paste where, with the address and the key filled in.

use super::address;
use super::agents_page::AgentsPage;
use super::edge_state::EdgeState;
use super::snippet::{Agent, NO_ADDRESS, NO_FOLDER, NO_KEY};
use crate::api::{Client, use_fetch};
use crate::components::{Choice, CopyButton, Empty, Segmented, TextField};
use crate::format;
use leptos::prelude::*;

/// The longest address that can be typed, in characters.
const ADDRESS: usize = 300;

/// The client's own settings, with address and key.
#[component]
fn OverHttp(agent: Memo<Agent>) -> impl IntoView {
    let page: AgentsPage = expect_context();
    let found = use_fetch(String::new, || async {
        Ok((address::own().await, address::known().await))
    });
    // The page's own, once that is known to be an edge function.
    let own = Memo::new(move |_| found.value()?.0);
    let typed = RwSignal::new(String::new());
    Effect::new(move |_| {
        if let Some((_, Some(known))) = found.value()
            && typed.read_untracked().is_empty()
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
    let key = Memo::new(move |_| page.fresh.read().as_ref().map(|made| made.key.clone()));
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
    view! {
        {move || match own.get() {
            Some(own) => view! {
                <p>"Agents reach the edge function that serves this page: "<code data-testid="edge-own">{own}</code></p>
                <EdgeState/>
            }.into_any(),
            None => view! {
                <TextField id="edge-address" label="Address of your edge function" value=typed kind="url" max=ADDRESS autocomplete="url"
                    placeholder="https://lessonloop.example.workers.dev" hint="What wrangler deploy printed. It is remembered in this browser." error/>
                {move || origin.get().and_then(Result::ok).map(|origin| view! {
                    <p class="hint">"To see what its set-up lacks, if anything: "<code>{format!("lessonloop doctor --edge {origin}")}</code></p>
                })}
            }.into_any(),
        }}
        <p class="muted">{move || agent.get().about()}</p>
        <pre class="prompt" tabindex="0" data-testid="agent-snippet">{text}</pre>
        {move || gaps.get().into_iter().map(|(word, is)| view! { <p class="hint"><code>{word}</code>" "{is}"."</p> }).collect_view()}
        <div class="actions">
            <CopyButton text label="Copy" done="Snippet copied" testid="copy-snippet"/>
        </div>
    }
}

/// Where an agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// On this machine, with a store in files.
    Local,
    /// Anywhere, with a key.
    Http,
}

/// The card: which agent, and where it runs.
#[component]
pub fn SetupCard(
    /// True while a server is connected.
    on: Memo<bool>,
) -> impl IntoView {
    let word = RwSignal::new(Agent::ClaudeCode.word().to_owned());
    let agent = Memo::new(move |_| {
        let word = word.read();
        let known = Agent::ALL.into_iter().find(|agent| agent.word() == *word);
        known.unwrap_or(Agent::Http)
    });
    let way = RwSignal::new(if on.get_untracked() {
        Way::Http
    } else {
        Way::Local
    });
    Effect::new(move |before: Option<bool>| {
        let now = on.get();
        if before == Some(false) && now {
            way.set(Way::Http);
        }
        now
    });
    let options = Agent::ALL
        .map(|agent| (agent.word(), agent.label()))
        .to_vec();
    view! {
        <section class="card" id="setup" tabindex="-1" aria-labelledby="agent-setup-title" data-testid="agent-setup">
            <div class="card-head">
                <h2 id="agent-setup-title">"Set up an agent"</h2>
                <Segmented label="Where the agent runs" options=vec![(Way::Local, "This machine"), (Way::Http, "Over HTTP")] value=way testid="agent-way"/>
            </div>
            <Choice name="agent" legend="Which agent?" value=word options/>
            {move || match (way.get(), on.get()) {
                (Way::Local, _) => view! { <OnThisMachine agent/> }.into_any(),
                (Way::Http, true) => view! { <OverHttp agent/> }.into_any(),
                (Way::Http, false) => view! {
                    <Empty title="Over HTTP, agents need a server" text="They can't reach this browser. Connect a server: it stores your lessons, an edge function serves them to agents, and what the agents do syncs back here.">
                        <a href="/settings#sync" class="button primary">"Connect a server"</a>
                    </Empty>
                }.into_any(),
            }}
        </section>
    }
}

/// The command for a client of this machine.
#[component]
fn OnThisMachine(agent: Memo<Agent>) -> impl IntoView {
    let client = Client::get_from_context();
    // Where a process serves the page it says how it is started; else the package may lie beside the page.
    let found = use_fetch(String::new, move || async move {
        Ok(match client.command.get_untracked() {
            Some(_) => None,
            None => address::package().await,
        })
    });
    let served = Memo::new(move |_| found.value().flatten());
    let text = Signal::derive(move || {
        let rest = match agent.get().init() {
            Some(client) => format!("init {client}"),
            None => "mcp".to_owned(),
        };
        let start = client.command.get();
        let start =
            start.unwrap_or_else(|| format!("npx --package {} lessonloop", package(served)));
        format!("{start} {rest}")
    });
    let is_unknown = Memo::new(move |_| client.command.read().is_none() && served.read().is_none());
    view! {
        <p class="muted">{move || if agent.get().init().is_some() {
            "Run this once in a project; it needs Node 20. The agent gets lessons for each task and reports which it applied. Lessons are stored in files on this machine: “serve” in place of “init” and what follows shows them on this page, and “--remove” undoes the setup."
        } else {
            "Any MCP client can start this as a server."
        }}</p>
        <pre class="prompt" tabindex="0" data-testid="agent-init">{text}</pre>
        <Show when=move || is_unknown.get()>
            <p class="hint" data-testid="agent-init-gap"><code>{NO_FOLDER}</code>" stands for the folder of the package, which “cargo xtask build” makes in “dist”. It is not on npm yet."</p>
        </Show>
        <div class="actions"><CopyButton text label="Copy" done="Copied" testid="copy-init"/></div>
    }
}

/// Where the package is: beside the page, or a file of which the person knows the folder.
fn package(served: Memo<Option<String>>) -> String {
    let served = served.get();
    served.unwrap_or_else(|| format!("{NO_FOLDER}{}", address::PACKAGE))
}
