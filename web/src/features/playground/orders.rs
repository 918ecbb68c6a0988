//! Two orders of the same lessons side by side, and what moved and why.

use super::playground_state::PlaygroundState;
use super::replay::Compared;
use super::trace::label;
use crate::components::ErrorNote;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Compared as Lesson, Comparison};

/// Height of a row of the two orders, in pixels; `.orders li` in the styles has the same.
const ROW: f64 = 44.0;

/// The changes that other weights make, once a slider has moved.
#[component]
pub fn Difference(state: PlaygroundState, compared: Compared) -> impl IntoView {
    move || {
        let answer = compared.answer.get().filter(|_| state.weights.is_moved())?;
        Some(match answer {
            Ok(answer) => view! {
                <section class="panel pad replay-orders" aria-label="Try other weights">
                    <Orders answer/>
                </section>
            }
            .into_any(),
            Err(error) => view! { <ErrorNote error/> }.into_any(),
        })
    }
}

/// The two orders with a line from each lesson's place to its other one, and what moved below.
#[component]
fn Orders(answer: Comparison) -> impl IntoView {
    let order = |rank: fn(&Lesson) -> Option<u32>| {
        let mut list: Vec<Lesson> = answer
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
    let side = |list: Vec<Lesson>, rank: fn(&Lesson) -> Option<u32>, moves: bool| {
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
        {(!answer.semantic).then(|| view! { <p class="note">"Without the model, shared words stand in for semantic similarity, project and confidence, so these are not weighed against each other."</p> })}
        <div class="orders">
            <section aria-labelledby="order-before"><h3 id="order-before">"Current weights"</h3><ol>{side(before, |lesson| lesson.before.rank, false)}</ol></section>
            <svg class="slopes" height=height aria-hidden="true">{slopes}</svg>
            <section aria-labelledby="order-after"><h3 id="order-after">"Your weights"</h3><ol>{side(after, |lesson| lesson.after.rank, true)}</ol></section>
        </div>
        {(!none).then(|| view! {
            <h3>"What moved, and why"</h3>
            <ul class="moves" data-testid="moves">{moved}</ul>
        })}
    }
}

/// By how much a lesson moved, in words and a sign.
#[component]
fn Turn(lesson: Lesson) -> impl IntoView {
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
fn Moved(lesson: Lesson) -> impl IntoView {
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
                    <summary>"Factors that differ"</summary>
                    <Show when=move || open.get()>
                        <div class="scroll" tabindex="0" role="group" aria-label="Factors that differ">
                            <table>
                                <thead><tr><th scope="col">"Factor"</th><th scope="col" class="num">"Current weights"</th><th scope="col" class="num">"Your weights"</th><th scope="col" class="num">"Difference"</th></tr></thead>
                                <tbody>{rows.try_update_value(Option::take).flatten()}</tbody>
                            </table>
                        </div>
                    </Show>
                </details>
            })}
        </li>
    }
}
