//! Step 2: the agent's reasoning, and which lessons are seen in it.

use super::playground_state::PlaygroundState;
use super::step_list::REASONING;
use crate::api::Asking;
use crate::components::{Area, ErrorNote, submit_by_key, use_toasts};
use crate::dom::Memory;
use crate::format;
use leptos::prelude::*;
use lesson_types::{DetectionView, MatchType, Track, Tracked, limits};

/// Where the text of a run is kept until it is tracked; the run's id follows.
const DRAFT: &str = "lessonloop.draft.reasoning:";

/// Paste, track, see.
#[component]
pub fn TrackStep(state: PlaygroundState) -> impl IntoView {
    let toasts = use_toasts();
    // Pasted text stays with its run until it is tracked: going elsewhere or a reload loses nothing.
    let draft = format!("{DRAFT}{}", state.decision());
    let reasoning = RwSignal::new(Memory::Tab.find(&draft).unwrap_or_default());
    let draft = StoredValue::new(draft);
    Effect::new(move |before: Option<()>| {
        let text = reasoning.get();
        if before.is_some() {
            draft.with_value(|draft| Memory::Tab.keep(draft, &text));
        }
    });
    let asking = Asking::default();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let decision_id = state.answered.with_untracked(|answered| {
            answered
                .as_ref()
                .and_then(|answered| answered.decision_id.clone())
        });
        let request = Track {
            decision_id: decision_id.unwrap_or_default(),
            reasoning: reasoning.get_untracked(),
        };
        asking.run(
            async move {
                state
                    .client
                    .post_json::<Tracked>("/v1/track", &request)
                    .await
            },
            move |tracked| {
                let applied = tracked
                    .detections
                    .iter()
                    .filter(|detection| detection.applied)
                    .count() as u32;
                toasts.good(format!(
                    "{} applied",
                    format::plural(applied, "lesson", "lessons")
                ));
                draft.try_with_value(|draft| Memory::Tab.drop(draft));
                state.tracked.try_set(Some(tracked));
            },
        );
    };
    view! {
        <form class="card form" id=REASONING tabindex="-1" on:submit=submit on:keydown=submit_by_key>
            <h2><span class="step">"2"</span>"Reasoning"</h2>
            <Area id="track-input" label="What the agent wrote" value=reasoning rows=5 max=limits::TEXT
                hint="A lesson counts as applied when it is named, or when several of its key phrases appear."/>
            <div class="actions">
                <button type="submit" class="primary" disabled=move || asking.busy.get() || reasoning.read().trim().is_empty() data-testid="track-submit">"Find applied lessons"</button>
            </div>
            <div aria-live="polite">
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || state.tracked.get().map(|tracked| view! {
                    {(!tracked.recorded).then(|| view! { <p class="note">"Seen, but not recorded: it had been recorded before."</p> })}
                    <ul class="detections">{tracked.detections.into_iter().map(detection).collect_view()}</ul>
                })}
            </div>
        </form>
    }
}

/// Returns the class of the chip and the word for whether a lesson was applied.
pub fn seen(applied: bool, match_type: MatchType) -> (&'static str, &'static str) {
    match (applied, match_type) {
        (true, _) => ("chip chip-good", "Applied"),
        (false, MatchType::Mentioned) => ("chip chip-warn", "Mentioned, not applied"),
        (false, _) => ("chip", "Not applied"),
    }
}

/// By what it was seen.
pub fn how_seen(match_type: MatchType) -> Option<&'static str> {
    match match_type {
        MatchType::Explicit => Some("named"),
        MatchType::Implicit => Some("by its key phrases"),
        MatchType::Mentioned => Some("in a negated clause"),
        MatchType::None => None,
    }
}

fn detection(detection: DetectionView) -> AnyView {
    let (class, label) = seen(detection.applied, detection.match_type);
    let how = how_seen(detection.match_type);
    let sure = detection
        .applied
        .then(|| format!("{} sure", format::percent(detection.confidence)));
    let facts: Vec<String> = how.map(str::to_owned).into_iter().chain(sure).collect();
    let slug = detection.slug.clone();
    view! {
        <li data-testid="detection" data-slug=slug data-match=detection.match_type.as_str() data-applied=detection.applied.to_string()>
            <div class="chips">
                <span class=class>{label}</span>
                <code class="slug">{detection.slug}</code>
                <span class="muted">{facts.join(", ")}</span>
            </div>
            {detection.quote.map(|quote| view! { <blockquote dir="auto">{crate::markdown::visible(&quote)}</blockquote> })}
        </li>
    }
    .into_any()
}
