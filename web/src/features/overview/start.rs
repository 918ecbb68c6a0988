//! Before there is a lesson: what this is for, how it goes round, and three steps to begin with.

use crate::api::{Client, Engine};
use crate::features::demo::{DemoButton, offers_demo};
use crate::features::settings::SamplesButton;
use leptos::prelude::*;
use lesson_types::ModelState;

/// The first page of an empty store.
#[component]
pub fn Start() -> impl IntoView {
    let client = Client::get_from_context();
    view! {
        <section class="start" data-testid="empty">
            <div class="start-say">
                <p class="start-promise">"Your agents make the same mistake once."</p>
                <p class="start-about">"Lessonloop gives an agent the lessons that fit its task, tracks how the run went, and keeps what helps. Everything stays in this browser until you connect a server."</p>
            </div>
            <Loop/>
        </section>
        <ol class="start-steps">
            <li class="panel">
                <span class="start-step" aria-hidden="true">"1"</span>
                <h2>"Look around"</h2>
                <p>"The demo has sample lessons with ninety simulated days of runs, in a space of its own. Or begin with the samples alone."</p>
                <div class="actions"><DemoButton primary=true/><SamplesButton quiet=offers_demo()/></div>
            </li>
            <li class="panel">
                <span class="start-step" aria-hidden="true">"2"</span>
                <h2>"Get the model"</h2>
                <p>"It finds lessons by meaning, not by words alone. It is downloaded once and runs on this machine; no text leaves it."</p>
                <div class="actions"><ModelButton client/></div>
            </li>
            <li class="panel">
                <span class="start-step" aria-hidden="true">"3"</span>
                <h2>"Connect an agent"</h2>
                <p>"Claude Code, Codex, Cursor and others ask for lessons and report how it went, over MCP or HTTP."</p>
                <div class="actions"><a href="/agents" class="button">"Set up an agent"</a></div>
            </li>
        </ol>
    }
}

/// Fetches the model; says how far it is.
#[component]
fn ModelButton(client: Client) -> impl IntoView {
    let off = move || !matches!(client.engine.get(), Engine::Ready(_));
    let words = move || match client.model.get() {
        ModelState::Absent | ModelState::Failed { .. } => None,
        ModelState::Downloading { .. } | ModelState::Loading => Some("Downloading…"),
        ModelState::Indexing { .. } | ModelState::Paused { .. } | ModelState::Ready { .. } => {
            Some("The model is here")
        }
    };
    move || {
        match words() {
        Some(words) => view! { <p class="muted" role="status">{words}</p> }.into_any(),
        None => view! {
            <button type="button" data-testid="start-model" disabled=off on:click=move |_| client.load_model()>"Download the model"</button>
        }
        .into_any(),
    }
    }
}

/// The loop as a picture: task, lessons, run, outcome, and round again.
#[component]
fn Loop() -> impl IntoView {
    const STATIONS: [(&str, &str, &str, &str); 4] = [
        (
            "160",
            "34",
            "Task",
            "An agent describes what it is about to do",
        ),
        ("268", "120", "Lessons", "It gets those that fit, and why"),
        ("160", "206", "Run", "What it applies is tracked"),
        (
            "52",
            "120",
            "Outcome",
            "The result moves each lesson's standing",
        ),
    ];
    let stations = STATIONS
        .into_iter()
        .map(|(x, y, name, about)| {
            view! {
                <g><title>{about}</title>
                    <circle class="loop-station" cx=x cy=y r="33"></circle>
                    <text class="plot-middle loop-name" x=x y=y dy="4">{name}</text>
                </g>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    view! {
        <svg class="loop" viewBox="0 0 320 240" role="img" aria-label="The loop: a task, the lessons that fit, the run, its outcome, which moves the lessons for the next task">
            <path class="loop-way" d="M197 43a92 80 0 0 1 62 42M259 156a92 80 0 0 1-62 42M123 198a92 80 0 0 1-62-42M61 85a92 80 0 0 1 62-42"></path>
            <path class="loop-head" d="M262 75l-2 12-11-5M208 200l-12-2 5-11M58 165l2-12 11 5M112 40l12 2-5 11"></path>
            {stations}
        </svg>
    }
}
