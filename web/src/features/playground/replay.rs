//! The same task with other weights: the sliders, and what the engine makes of them.

use super::playground_state::PlaygroundState;
use super::weights::Weights;
use crate::api::{Latest, Query, use_get};
use crate::format;
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::{ApiError, Comparison, Recommend};
use serde_json::Value;

/// A pause in moving a slider after which the situation is ranked again, in milliseconds.
const PAUSE: f64 = 120.0;
/// The comparison with other weights: the answer, and whether one is awaited.
#[derive(Clone, Copy)]
pub struct Compared {
    /// The two orders, or why there are none; nothing while no weight is moved.
    pub answer: RwSignal<Option<Result<Comparison, ApiError>>>,
    /// True while the answer for the sliders' new places is awaited.
    pub busy: RwSignal<bool>,
}

impl Compared {
    /// Nothing is compared.
    pub fn new() -> Self {
        Self {
            answer: RwSignal::new(None),
            busy: RwSignal::new(false),
        }
    }
}

/// The sliders.
#[component]
pub fn Replay(state: PlaygroundState, compared: Compared) -> impl IntoView {
    let weights = state.weights;
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    let Compared {
        answer: compared,
        busy,
    } = compared;
    let latest = Latest::default();
    let rank = move || {
        latest.begin();
        let Some(answered) = state.answered.get_untracked() else {
            return;
        };
        state.show(answered.decision_id.as_deref().unwrap_or_default(), true);
        if !weights.is_moved() {
            compared.set(None);
            busy.set(false);
            return;
        }
        busy.set(true);
        let request = Recommend {
            policy: Some(weights.policy()),
            ..answered.situation
        };
        let client = state.client;
        let asked = client.post_json::<Comparison>("/v1/recommend/compare", &request);
        latest.ask(asked, move |answer| {
            compared.set(Some(answer));
            busy.set(false);
        });
    };
    let rank_soon = use_debounce_fn(rank, PAUSE);
    // A new answer, or a slider that moves, and then a pause.
    Effect::new(move |_| {
        state.answered.track();
        weights.is_moved();
        for (_, place) in weights.each() {
            place.track();
        }
        rank_soon();
    });
    let opened = RwSignal::new(weights.is_moved());
    view! {
        <details class="replay" data-testid="replay" prop:open=opened on:toggle:target=move |event| opened.set(event.target().open())>
            <summary>"Try other weights"</summary>
            <p class="hint">"Ranks the same task again, side by side with the first answer. Nothing is stored, and no lesson counts as shown."</p>
            <div class="knobs">
                {weights.each().map(|(knob, place)| view! { <Slider name=knob.name label=knob.label about=knob.about place policy/> }).collect::<Vec<_>>()}
            </div>
            <div class="actions">
                <button type="button" disabled=move || !weights.is_moved() on:click=move |_| weights.reset() data-testid="weights-reset">"Reset all"</button>
                <span class="hint" role="status" data-testid="replay-status">{move || status(weights, busy.get(), state.answered.read().is_some(), &compared.read())}</span>
            </div>
        </details>
    }
}

fn status(
    weights: Weights,
    busy: bool,
    asked: bool,
    compared: &Option<Result<Comparison, ApiError>>,
) -> String {
    match compared {
        _ if !weights.is_moved() => "All weights are those of the space.".to_owned(),
        Some(Ok(answer)) if answer.moved == 0 => "Nothing moves: the order stays.".to_owned(),
        Some(Ok(answer)) => format!(
            "{} moved.",
            format::plural(answer.moved, "lesson has", "lessons have")
        ),
        _ if !asked => "Press “Recommend” first; then both orders are shown.".to_owned(),
        _ if busy => "Ranking again…".to_owned(),
        _ => String::new(),
    }
}

#[component]
fn Slider(
    name: &'static str,
    label: &'static str,
    about: &'static str,
    place: RwSignal<Option<f64>>,
    policy: Query<Value>,
) -> impl IntoView {
    let own = Memo::new(move |_| {
        let held = policy.map(|policy| policy.pointer(&format!("/rank/{name}"))?.as_f64());
        held.flatten()
    });
    let now = move || place.get().or(own.get()).unwrap_or(0.0);
    let hint = format!("knob-{name}-about");
    let id = format!("knob-{name}");
    let back = move |_| place.set(None);
    let slide = move |typed: String| {
        if let Some(value) = format::number(&typed) {
            // Back where it was is not moved.
            place.set((own.get_untracked() != Some(value)).then_some(value));
        }
    };
    view! {
        <div class="knob" title=about class:knob-moved=move || place.get().is_some()>
            <div class="knob-head">
                <label for=id.clone()>{label}</label>
                <output for=id.clone() class="num">{move || format::trim(now(), 2)}</output>
            </div>
            <input type="range" id=id min="0" max="1" step="0.01" aria-describedby=hint.clone() data-testid=format!("weight-{name}")
                prop:value=move || format::trim(now(), 2)
                disabled=move || own.get().is_none()
                on:input:target=move |event| slide(event.target().value())
            />
            <p class="hint knob-about" id=hint><span class="sr-only">{about}</span>
                <Show when=move || place.get().is_some()>
                    <button type="button" class="plain knob-back" on:click=back>{move || format!("back to {}", format::trim(own.get().unwrap_or_default(), 2))}</button>
                </Show>
            </p>
        </div>
    }
}
