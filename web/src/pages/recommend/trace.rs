//! What the ranking did: the factors of a lesson's score as a waterfall, and what was left out and why.

use crate::format;
use js_sys::{Array, Reflect};
use leptos::prelude::*;
use leptos_router::components::A;
use lesson_api::{Factor, FactorKind, TraceEntry};
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};

/// Lessons left out for one reason that are listed; the rest is counted.
const LISTED: usize = 30;

/// The part of a trace that is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// Entries of the recommended lessons.
    ranked: Vec<TraceEntry>,
    /// The others, by the reason's code.
    left_out: BTreeMap<String, LeftOut>,
}

/// Lessons left out for one reason.
#[derive(Debug, Clone, Default, PartialEq)]
struct LeftOut {
    count: u32,
    /// The ones with the highest score.
    best: Vec<TraceEntry>,
}

impl Trace {
    /// Reads a trace as it came from the worker.
    pub fn read(entries: &JsValue) -> Self {
        let mut trace = Self::default();
        let mut others: BTreeMap<String, Vec<(f64, JsValue)>> = BTreeMap::new();
        let Some(entries) = entries.dyn_ref::<Array>() else {
            return trace;
        };
        for entry in entries.iter() {
            let reason = Reflect::get(&entry, &"excluded".into())
                .ok()
                .and_then(|reason| reason.as_string());
            match reason {
                None => trace
                    .ranked
                    .extend(serde_wasm_bindgen::from_value::<TraceEntry>(entry)),
                Some(reason) => {
                    let score = Reflect::get(&entry, &"score".into())
                        .ok()
                        .and_then(|score| score.as_f64());
                    others
                        .entry(reason)
                        .or_default()
                        .push((score.unwrap_or_default(), entry));
                }
            }
        }
        for (reason, mut entries) in others {
            let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
            entries.sort_by(|a, b| b.0.total_cmp(&a.0));
            let best = entries
                .into_iter()
                .take(LISTED)
                .filter_map(|(_, entry)| serde_wasm_bindgen::from_value(entry).ok())
                .collect();
            trace.left_out.insert(reason, LeftOut { count, best });
        }
        trace
    }

    /// The entry of a recommended lesson.
    pub fn of(&self, slug: &str) -> Option<&TraceEntry> {
        self.ranked.iter().find(|entry| entry.slug == slug)
    }
}

/// The factors of one score, in order, each with its bar from the running score before to the one after.
#[component]
pub fn Waterfall(entry: TraceEntry) -> impl IntoView {
    let most = entry
        .factors
        .iter()
        .map(|factor| factor.running)
        .fold(1.0_f64, f64::max);
    let mut before = 0.0;
    let rows = entry
        .factors
        .iter()
        .map(|factor| {
            let from = std::mem::replace(&mut before, factor.running);
            row(factor, from / most, factor.running / most)
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0">
            <table class="waterfall" data-testid="waterfall">
                <caption class="sr-only">{format!("How the score of {} came about", entry.title)}</caption>
                <thead>
                    <tr>
                        <th scope="col">"Factor"</th>
                        <th scope="col" class="num">"Input"</th>
                        <th scope="col" class="num">"Weight"</th>
                        <th scope="col" class="num">"Effect"</th>
                        <th scope="col">"Score so far"</th>
                        <th scope="col" class="num">"After"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot><tr><th scope="row" colspan="5">"Final score"</th><td class="num">{format::trim(entry.score, 4)}</td></tr></tfoot>
            </table>
        </div>
    }
}

fn row(factor: &Factor, from: f64, to: f64) -> AnyView {
    let effect = match factor.kind {
        FactorKind::Add => format!(
            "{}{}",
            if factor.contribution < 0.0 { "" } else { "+" },
            format::trim(factor.contribution, 4)
        ),
        FactorKind::Multiply => format!("×{}", format::trim(factor.contribution, 4)),
        FactorKind::Cap => format!("≤{}", format::trim(factor.contribution, 4)),
    };
    let (left, right) = if from <= to { (from, to) } else { (to, from) };
    let class = if to < from { "bar-loss" } else { "bar-fill" };
    // A factor that moves nothing still has a place to be seen at.
    let width = ((right - left) * 100.0).max(0.6);
    view! {
        <tr>
            <th scope="row"><b>{format::spaced(&factor.name)}</b><span class="muted">{factor.note.clone()}</span></th>
            <td class="num">{format::trim(factor.input, 4)}</td>
            <td class="num">{format::trim(factor.weight, 4)}</td>
            <td class="num">{effect}</td>
            <td class="bar-cell">
                <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="bar-back" width="100" height="10"></rect>
                    <rect class=class x=format::trim(left * 100.0, 2) width=format::trim(width, 2) height="10"></rect>
                </svg>
            </td>
            <td class="num">{format::trim(factor.running, 4)}</td>
        </tr>
    }
    .into_any()
}

/// What was left out, grouped by reason.
#[component]
pub fn LeftOutList(trace: Trace) -> impl IntoView {
    let groups = trace
        .left_out
        .into_iter()
        .map(|(reason, group)| view! { <Group reason group/> }.into_any())
        .collect::<Vec<_>>();
    if groups.is_empty() {
        return view! { <p class="muted">"Nothing was left out."</p> }.into_any();
    }
    view! { <div class="groups">{groups}</div> }.into_any()
}

#[component]
fn Group(reason: String, group: LeftOut) -> impl IntoView {
    let label = match reason.as_str() {
        "archived" => "Archived".to_owned(),
        "quarantined" => "Quarantined: held back until a person approves them".to_owned(),
        "domain" => "For another domain".to_owned(),
        "category" => "Not for this phase of work".to_owned(),
        "low_effectiveness" => "Failed too often when applied".to_owned(),
        "low_relevance" => "Not relevant enough".to_owned(),
        "duplicate_title" => "Same title as a better one".to_owned(),
        "beyond_limit" => "Fits, but others fit better".to_owned(),
        other => format::spaced(other),
    };
    let rest = group.count as usize - group.best.len().min(group.count as usize);
    let rows = group
        .best
        .into_iter()
        .map(|entry| {
            let (title, why) = (entry.title.clone(), entry.reason.clone());
            let address = format!("/lessons/{}", format::encode(&entry.slug));
            let has_factors = !entry.factors.is_empty();
            view! {
                <li>
                    <A href=address>{title}</A>
                    {why.map(|why| view! { <span class="muted">{why}</span> })}
                    {has_factors.then(|| {
                        let kept = StoredValue::new(entry);
                        let open = RwSignal::new(false);
                        view! {
                            <details on:toggle=move |_| open.set(true)>
                                <summary>"How it was scored"</summary>
                                <Show when=move || open.get()><Waterfall entry=kept.get_value()/></Show>
                            </details>
                        }
                    })}
                </li>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    let rows = StoredValue::new_local(Some(rows));
    let open = RwSignal::new(false);
    view! {
        <details class="group" data-testid="left-out" data-reason=reason on:toggle=move |_| open.set(true)>
            <summary><span>{label}</span><span class="count">{format::count(group.count)}</span></summary>
            {move || open.get().then(|| view! { <ul>{rows.try_update_value(Option::take).flatten()}</ul> })}
            {(rest > 0).then(|| view! { <p class="muted">{format!("and {} more", format::count(rest as u64))}</p> })}
        </details>
    }
}
