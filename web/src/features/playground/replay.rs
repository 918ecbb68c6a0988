//! The same situation with other weights: sliders, the two orders side by side, and what moved and why.

use super::trace::label;
use super::walk::Walk;
use super::weights::Weights;
use crate::api::use_get;
use crate::components::ErrorNote;
use crate::format;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{ApiError, Compared, Comparison, Recommend};
use serde_json::Value;

/// A pause in moving a slider after which the situation is ranked again, in milliseconds.
const PAUSE: u32 = 120;
/// Height of a row of the two orders, in pixels; `.orders li` in the styles has the same.
const ROW: f64 = 60.0;

/// The sliders, and what they would change.
#[component]
pub fn Replay(walk: Walk) -> impl IntoView {
    let weights = walk.weights;
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    let compared = RwSignal::new(None::<Result<Comparison, ApiError>>);
    let busy = RwSignal::new(false);
    let turn = StoredValue::new(0_u32);
    let pause = StoredValue::new_local(None::<Timeout>);
    let rank = move || {
        turn.update_value(|turn| *turn += 1);
        let mine = turn.get_value();
        let Some(answered) = walk.answered.get_untracked() else {
            return;
        };
        walk.show(answered.decision_id.as_deref().unwrap_or_default(), true);
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
        spawn_local(async move {
            let answer = walk
                .client
                .post_json::<Comparison>("/v1/recommend/compare", &request)
                .await;
            // A slider has moved on meanwhile, or the page was left.
            if turn.try_get_value() == Some(mine) {
                compared.try_set(Some(answer));
                busy.try_set(false);
            }
        });
    };
    // A new answer, or a slider that moves, and then a pause.
    Effect::new(move |_| {
        walk.answered.track();
        weights.is_moved();
        for (_, place) in weights.each() {
            place.track();
        }
        pause.set_value(Some(Timeout::new(PAUSE, move || {
            if turn.try_get_value().is_some() {
                rank();
            }
        })));
    });
    let opened = RwSignal::new(weights.is_moved());
    view! {
        <details class="card replay" data-testid="replay" prop:open=opened on:toggle:target=move |event| opened.set(event.target().open())>
            <summary><h2>"What if other things counted more?"</h2></summary>
            <p class="muted">"Move a slider: the same situation is ranked again beside the first answer. Nothing is stored, and no lesson counts as shown."</p>
            <div class="knobs">
                {weights.each().map(|(knob, place)| view! { <Slider name=knob.name label=knob.label about=knob.about place policy=policy.data/> }).collect::<Vec<_>>()}
            </div>
            <div class="actions">
                <button type="button" disabled=move || !weights.is_moved() on:click=move |_| weights.reset() data-testid="weights-reset">"Reset all"</button>
                <span class="muted" role="status" data-testid="replay-status">{move || status(weights, busy.get(), &compared.read())}</span>
            </div>
            {move || compared.get().filter(|_| weights.is_moved()).map(|answer| match answer {
                Ok(answer) => view! { <Orders answer/> }.into_any(),
                Err(error) => view! { <ErrorNote error/> }.into_any(),
            })}
        </details>
    }
}

fn status(weights: Weights, busy: bool, compared: &Option<Result<Comparison, ApiError>>) -> String {
    match compared {
        _ if !weights.is_moved() => "All weights are as the space has them.".to_owned(),
        Some(Ok(answer)) if answer.moved == 0 => "Nothing moves: the order stays.".to_owned(),
        Some(Ok(answer)) => format!(
            "{} moved.",
            format::plural(answer.moved, "lesson has", "lessons have")
        ),
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
    policy: RwSignal<Option<Result<Value, ApiError>>>,
) -> impl IntoView {
    let own = Memo::new(move |_| {
        policy.with(|policy| match policy {
            Some(Ok(policy)) => policy.pointer(&format!("/rank/{name}"))?.as_f64(),
            _ => None,
        })
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
        <div class="knob" class:knob-moved=move || place.get().is_some()>
            <div class="knob-head">
                <label for=id.clone()>{label}</label>
                <output for=id.clone() class="num">{move || format::trim(now(), 2)}</output>
            </div>
            <input type="range" id=id min="0" max="1" step="0.01" aria-describedby=hint.clone() data-testid=format!("weight-{name}")
                prop:value=move || format::trim(now(), 2)
                disabled=move || own.get().is_none()
                on:input:target=move |event| slide(event.target().value())
            />
            <p class="hint" id=hint>{about}
                <Show when=move || place.get().is_some()>
                    <button type="button" class="plain knob-back" on:click=back>{move || format!("back to {}", format::trim(own.get().unwrap_or_default(), 2))}</button>
                </Show>
            </p>
        </div>
    }
}

/// The two orders with a line from each lesson's place to its other one, and what moved below.
#[component]
fn Orders(answer: Comparison) -> impl IntoView {
    let order = |rank: fn(&Compared) -> Option<u32>| {
        let mut list: Vec<Compared> = answer
            .lessons
            .iter()
            .filter(|lesson| rank(lesson).is_some())
            .cloned()
            .collect();
        list.sort_by_key(rank);
        list
    };
    let before = order(|lesson| lesson.before.rank);
    let after = order(|lesson| lesson.after.rank);
    let rows = before.len().max(after.len());
    let middle = |rank: u32| format::trim((f64::from(rank) - 0.5) * ROW, 1);
    let slopes = answer
        .lessons
        .iter()
        .filter_map(|lesson| {
            let (from, to) = (lesson.before.rank?, lesson.after.rank?);
            let class = match to.cmp(&from) {
                std::cmp::Ordering::Less => "slope slope-up",
                std::cmp::Ordering::Greater => "slope slope-down",
                std::cmp::Ordering::Equal => "slope",
            };
            Some(
                view! { <line class=class x1="0%" x2="100%" y1=middle(from) y2=middle(to)></line> }
                    .into_any(),
            )
        })
        .collect::<Vec<_>>();
    let height = format::trim(rows as f64 * ROW, 1);
    let side = |list: Vec<Compared>, rank: fn(&Compared) -> Option<u32>, moves: bool| {
        list.into_iter()
            .map(|lesson| {
                let place = rank(&lesson).unwrap_or_default();
                view! {
                    <li data-slug=lesson.slug.clone() data-testid=if moves { "order-after" } else { "order-before" }>
                        <span class="rank">{place}</span>
                        <span class="order-title" dir="auto">{lesson.title.clone()}</span>
                        {moves.then(|| view! { <Turn lesson=lesson.clone()/> })}
                    </li>
                }
                .into_any()
            })
            .collect::<Vec<_>>()
    };
    let moved = answer
        .lessons
        .iter()
        .filter(|lesson| lesson.before.rank != lesson.after.rank)
        .cloned()
        .map(|lesson| view! { <Moved lesson/> }.into_any())
        .collect::<Vec<_>>();
    let none = moved.is_empty();
    view! {
        {(!answer.semantic).then(|| view! { <p class="note">"There is no model at work, so likeness, project and confidence are not weighed against each other here: words in common take their place."</p> })}
        <div class="orders">
            <section aria-labelledby="order-before"><h3 id="order-before">"As it is"</h3><ol>{side(before, |lesson| lesson.before.rank, false)}</ol></section>
            <svg class="slopes" height=height aria-hidden="true">{slopes}</svg>
            <section aria-labelledby="order-after"><h3 id="order-after">"With your weights"</h3><ol>{side(after, |lesson| lesson.after.rank, true)}</ol></section>
        </div>
        {(!none).then(|| view! {
            <h3>"What moved, and why"</h3>
            <ul class="moves" data-testid="moves">{moved}</ul>
        })}
    }
}

/// By how much a lesson moved, in words and a sign.
#[component]
fn Turn(lesson: Compared) -> impl IntoView {
    let (class, words) = match (lesson.before.rank, lesson.after.rank) {
        (None, Some(_)) => ("chip chip-good", "new".to_owned()),
        (Some(_), None) => ("chip chip-bad", "out".to_owned()),
        (Some(from), Some(to)) if to < from => ("chip chip-good", format!("▲ {}", from - to)),
        (Some(from), Some(to)) if to > from => ("chip chip-warn", format!("▼ {}", to - from)),
        _ => ("chip", "stays".to_owned()),
    };
    view! { <span class=class>{words}</span> }
}

#[component]
fn Moved(lesson: Compared) -> impl IntoView {
    let address = format!("/lessons/{}", format::encode(&lesson.slug));
    let signed = |value: f64| {
        let sign = if value < 0.0 { "−" } else { "+" };
        format!("{sign}{}", format::trim(value.abs(), 4))
    };
    let place = |rank: Option<u32>| {
        rank.map_or_else(|| "not in it".to_owned(), |rank| format!("rank {rank}"))
    };
    let ranks = format!(
        "{} → {}",
        place(lesson.before.rank),
        place(lesson.after.rank)
    );
    let rows = lesson
        .factors
        .iter()
        .map(|factor| {
            view! {
                <tr>
                    <th scope="row">{label(&factor.name)}</th>
                    <td class="num">{signed(factor.before)}</td>
                    <td class="num">{signed(factor.after)}</td>
                    <td class="num"><b>{signed(factor.after - factor.before)}</b></td>
                </tr>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    let has_rows = !rows.is_empty();
    let rows = StoredValue::new_local(Some(rows));
    let open = RwSignal::new(false);
    let (slug, title, sentence) = (
        lesson.slug.clone(),
        lesson.title.clone(),
        lesson.sentence.clone(),
    );
    view! {
        <li data-testid="moved" data-slug=slug>
            <div class="moved-head"><a href=address dir="auto">{title}</a><Turn lesson/></div>
            <p class="muted">{ranks}". "{sentence}</p>
            {has_rows.then(|| view! {
                <details on:toggle=move |_| open.set(true)>
                    <summary>"Which factors differ"</summary>
                    <Show when=move || open.get()>
                        <div class="scroll" tabindex="0" role="group" aria-label="Factors that differ">
                            <table>
                                <thead><tr><th scope="col">"Factor"</th><th scope="col" class="num">"As it is"</th><th scope="col" class="num">"With your weights"</th><th scope="col" class="num">"Difference"</th></tr></thead>
                                <tbody>{rows.try_update_value(Option::take).flatten()}</tbody>
                            </table>
                        </div>
                    </Show>
                </details>
            })}
        </li>
    }
}
