//! The factors of a lesson's score as a waterfall: each row begins where the one before ended.

use crate::format;
use leptos::prelude::*;
use lesson_types::{Factor, FactorKind, TraceEntry};

/// The factors in order, each with its step from the score before to the one after, and the sum.
#[component]
pub fn Waterfall(entry: TraceEntry) -> impl IntoView {
    // Scores are at most 1; decision and project relevance are added before their mean is taken.
    let most = entry
        .factors
        .iter()
        .map(|factor| factor.running)
        .fold(1.0_f64, f64::max);
    let notes = RwSignal::new(false);
    let mut before = 0.0;
    let rows = entry
        .factors
        .iter()
        .map(|factor| {
            let from = std::mem::replace(&mut before, factor.running);
            row(factor, from / most, factor.running / most)
        })
        .collect::<Vec<_>>();
    let total = entry.score / most;
    let score = format::trim(entry.score, 4);
    view! {
        <div class="waterfall-frame" class:waterfall-notes=move || notes.get()>
            <p class="waterfall-said" data-testid="waterfall-said">{said(&entry)}</p>
            {likelihood(&entry).map(|told| view! { <p class="hint" data-testid="waterfall-likelihood">{told}</p> })}
            <table class="waterfall" data-testid="waterfall">
                <caption class="sr-only">{format!("How the score of {} was computed", entry.title)}</caption>
                <thead>
                    <tr>
                        <th scope="col">"Factor"</th>
                        <th scope="col" class="waterfall-scale"><span>"0"</span><span>{format::trim(most, 2)}</span></th>
                        <th scope="col" class="num">"Effect"</th>
                        <th scope="col" class="num">"Score"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">"Score"</th>
                        <td class="bar-cell">{step(0.0, total, "fall-total")}</td>
                        <td></td>
                        <td class="num" data-testid="waterfall-score" data-value=entry.score.to_string()>{score}</td>
                    </tr>
                </tfoot>
            </table>
            <button type="button" class="plain waterfall-more" aria-pressed=move || notes.get().to_string() data-testid="waterfall-notes"
                on:click=move |_| notes.update(|notes| *notes = !*notes)>{move || if notes.get() { "Hide notes" } else { "Show notes" }}</button>
        </div>
    }
}

/// Returns the likelihood that the lesson is the right one, and how it came about, in words.
fn likelihood(entry: &TraceEntry) -> Option<String> {
    let (likelihood, formula) = (entry.likelihood?, entry.likelihood_formula.as_ref()?);
    let share = format::trim(likelihood, 3);
    Some(format!(
        "Likelihood to be the right one: {share} = {formula}"
    ))
}

fn row(factor: &Factor, from: f64, to: f64) -> AnyView {
    let amount = |value: f64| format::trim(value, 4);
    let effect = match factor.kind {
        FactorKind::Add if factor.contribution < 0.0 => {
            format!("−{}", amount(factor.contribution.abs()))
        }
        FactorKind::Add => format!("+{}", amount(factor.contribution)),
        FactorKind::Multiply => format!("× {}", amount(factor.contribution)),
        FactorKind::Cap => format!("≤ {}", amount(factor.contribution)),
    };
    let sum = match factor.kind {
        FactorKind::Add if factor.weight != 1.0 => Some(format!(
            "{} × {}",
            amount(factor.input),
            amount(factor.weight)
        )),
        _ => None,
    };
    let class = if to < from { "fall-down" } else { "fall-up" };
    view! {
        <tr data-testid="waterfall-row" data-factor=factor.name.to_string()>
            <th scope="row">
                {label(&factor.name)}
                <span class="waterfall-note">{sum.map(|sum| view! { <span class="num">{sum}</span>" · " })}{factor.note.clone()}</span>
            </th>
            <td class="bar-cell">{step(from, to, class)}</td>
            <td class="num">{effect}</td>
            <td class="num">{amount(factor.running)}</td>
        </tr>
    }
    .into_any()
}

/// A step from one score to the next, with the line on which the next row begins.
fn step(from: f64, to: f64, class: &'static str) -> AnyView {
    let share = |value: f64| format!("{}%", format::trim(value.clamp(0.0, 1.0) * 100.0, 2));
    let (left, right) = if from <= to { (from, to) } else { (to, from) };
    view! {
        <svg class="fall" aria-hidden="true">
            <line class="fall-edge" x1=share(from) x2=share(from) y1="0%" y2="50%"></line>
            <line class="fall-edge" x1=share(to) x2=share(to) y1="50%" y2="100%"></line>
            <rect class=class x=share(left) y="25%" width=share(right - left) height="50%" rx="2"></rect>
            // A factor that moves nothing still has a place to be seen at.
            <line class=format!("{class} fall-mark") x1=share(to) x2=share(to) y1="22%" y2="78%"></line>
        </svg>
    }
    .into_any()
}

/// The waterfall in a sentence: what carried the score, and what took most from it.
fn said(entry: &TraceEntry) -> String {
    let mut running = 0.0;
    let mut best: Option<(&str, f64)> = None;
    let mut worst: Option<(&str, f64)> = None;
    for factor in &entry.factors {
        let effect = factor.running - running;
        running = factor.running;
        if effect > best.map_or(0.0, |(_, most)| most) {
            best = Some((&factor.name, effect));
        }
        // The mean of two relevances takes half of their sum, which is no verdict.
        if factor.name != "mean" && effect < worst.map_or(-0.0005, |(_, least)| least) {
            worst = Some((&factor.name, effect));
        }
    }
    let amount = |value: f64| format::trim(value.abs(), 3);
    let carried = best.map(|(name, effect)| {
        format!(
            "Most of it comes from {} (+{})",
            lower(name),
            amount(effect)
        )
    });
    let taken =
        worst.map(|(name, effect)| format!("{} takes off most (−{})", label(name), amount(effect)));
    match (carried, taken) {
        (Some(carried), Some(taken)) => format!("{carried}. {taken}."),
        (Some(one), None) | (None, Some(one)) => format!("{one}."),
        (None, None) => "Nothing speaks for it.".to_owned(),
    }
}

/// A factor in the words of the page.
pub fn label(name: &str) -> String {
    match name {
        "match" => "Match",
        "metadata" => "Project, tech stack",
        "confidence" => "Confidence",
        "decision" => "Decision",
        "decision_cap" => "Decision, at most",
        "mean" => "Mean of both",
        "at_most_one" => "At most 1",
        "low_rating" => "Poor ratings",
        "never_helpful" => "Never helpful",
        "causal" => "Causal impact",
        other => return format::spaced(other),
    }
    .to_owned()
}

fn lower(name: &str) -> String {
    let mut label = label(name);
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn entry(steps: &[(&str, f64)]) -> TraceEntry {
        let factors = steps
            .iter()
            .map(|(name, running)| Factor {
                name: (*name).to_owned().into(),
                kind: FactorKind::Add,
                input: 0.0,
                weight: 1.0,
                contribution: 0.0,
                running: *running,
                note: String::new(),
            })
            .collect();
        TraceEntry {
            slug: "a".into(),
            title: "A".into(),
            rank: Some(1),
            relevance: 0.0,
            likelihood: None,
            likelihood_formula: None,
            score: 0.0,
            factors,
            excluded: None,
            reason: None,
        }
    }

    #[test]
    fn the_sentence_names_what_moved_the_score_most() {
        for (steps, words) in [
            (
                vec![("match", 0.4), ("causal", 0.3)],
                "Most of it comes from match (+0.4). Causal impact takes off most (−0.1).",
            ),
            (
                vec![("metadata", 0.2), ("match", 0.7), ("at_most_one", 0.7)],
                "Most of it comes from match (+0.5).",
            ),
            (vec![], "Nothing speaks for it."),
        ] {
            assert_eq!(said(&entry(&steps)), words);
        }
    }
}
