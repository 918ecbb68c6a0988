//! Step 4: what came of the session, and which lessons were a cause.

use super::playground_state::{PlaygroundState, Run};
use super::step_list::FEEDBACK;
use crate::api::Asking;
use crate::components::{Area, Choice, ErrorNote, submit_by_key, use_toasts};
use crate::format;
use crate::outcome;
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{ErrorCode, Feedback, FeedbackGiven, FeedbackOutcome, limits};

/// A recommended lesson and whether it was a cause.
#[derive(Clone)]
struct Cause {
    slug: String,
    title: String,
    ticked: RwSignal<bool>,
}

/// The result of giving feedback.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    /// It is recorded.
    Now(FeedbackOutcome, FeedbackGiven),
    /// It was given before: what stands.
    Before(String),
}

impl Given {
    fn before(outcome: FeedbackOutcome) -> Self {
        let words = format::lower(outcome::of_session(outcome));
        Self::Before(format!("Recorded before: {words}"))
    }

    fn words(&self) -> String {
        match self {
            Self::Now(outcome, _) => {
                format!("Recorded: {}", format::lower(outcome::of_session(*outcome)))
            }
            Self::Before(words) => words.clone(),
        }
    }
}

/// Outcome, causes, and the numbers after it. Everybody gives feedback on a run once.
#[component]
pub fn FeedbackStep(state: PlaygroundState, run: Run) -> impl IntoView {
    let toasts = use_toasts();
    let me = Syncing::get_from_context().me();
    let chosen = RwSignal::new(String::new());
    let outcome_text = RwSignal::new(String::new());
    let by_text = RwSignal::new(false);
    let asking = Asking::default();
    let told = RwSignal::new(None::<Given>);
    let given = Memo::new(move |_| {
        told.get().or_else(|| {
            let me = me.get()?;
            let own = run.read(|run| {
                let own = run.feedback.iter().find(|given| given.by == me);
                own.map(|own| own.outcome)
            });
            own.flatten().map(Given::before)
        })
    });
    let is_given = Memo::new(move |_| given.read().is_some());
    let causes: Vec<Cause> = state.answered.with_untracked(|answered| {
        let items = answered
            .iter()
            .flat_map(|answered| &answered.given.recommended);
        items
            .map(|item| Cause {
                slug: item.slug.clone(),
                title: item.title.clone(),
                ticked: RwSignal::new(false),
            })
            .collect()
    });
    let kept = StoredValue::new(causes.clone());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(chosen) = FeedbackOutcome::parse(&chosen.get_untracked()) else {
            return;
        };
        if is_given.get_untracked() {
            return;
        }
        let mut causes = kept.get_value();
        causes.retain(|cause| untrack(|| run.has(&cause.slug)));
        let ticked = || {
            causes
                .iter()
                .filter(|cause| cause.ticked.get_untracked())
                .map(|cause| cause.slug.clone())
                .collect()
        };
        let by_text = by_text.get_untracked();
        let request = Feedback {
            decision_id: Some(state.decision()),
            lessons: causes.iter().map(|cause| cause.slug.clone()).collect(),
            outcome: chosen,
            causal: (!by_text).then(ticked),
            outcome_text: if by_text {
                format::filled(&outcome_text.get_untracked())
            } else {
                None
            },
        };
        asking.run(
            async move {
                let answer = state
                    .client
                    .post_json::<FeedbackGiven>("/v1/feedback", &request);
                match answer.await {
                    Ok(answer) if answer.repeated => Ok(Given::before(chosen)),
                    Ok(answer) => Ok(Given::Now(chosen, answer)),
                    // It tells what was said first.
                    Err(error) if error.code == ErrorCode::Conflict => {
                        Ok(Given::Before(format!("Recorded before: {}", error.message)))
                    }
                    Err(error) => Err(error),
                }
            },
            move |answer| {
                if matches!(answer, Given::Now(..)) {
                    toasts.good("Feedback recorded");
                }
                told.try_set(Some(answer));
            },
        );
    };
    let options = FeedbackOutcome::ALL
        .iter()
        .map(|one| (one.as_str(), outcome::of_session(*one)))
        .collect();
    let boxes = causes
        .into_iter()
        .map(|cause| {
            // A lesson that was seen as applied says so; whether it made a difference is the person's to say.
            let slug = cause.slug.clone();
            let applied = Memo::new(move |_| {
                state.tracked.with(|tracked| {
                    let mut seen = tracked.iter().flat_map(|tracked| &tracked.detections);
                    seen.any(|seen| seen.applied && seen.slug == slug)
                })
            });
            view! {
                <label class="check">
                    <input type="checkbox" prop:checked=cause.ticked data-testid="cause" data-slug=cause.slug
                        on:change:target=move |event| cause.ticked.set(event.target().checked())/>
                    <span>{cause.title}</span>
                    {move || applied.get().then(|| view! { <small class="muted">"applied"</small> })}
                </label>
            }
        })
        .collect_view();
    view! {
        <form class="card form" id=FEEDBACK tabindex="-1" on:submit=submit on:keydown=submit_by_key>
            <h2><span class="step">"4"</span>"Feedback"</h2>
            <fieldset class="form" disabled=move || asking.busy.get() || is_given.get() data-testid="feedback-controls">
                <legend class="sr-only">"Feedback on the run"</legend>
                <Choice name="feedback" legend="The work was" value=chosen options/>
                <label class="check">
                    <input type="checkbox" prop:checked=by_text on:change:target=move |event| by_text.set(event.target().checked()) data-testid="feedback-by-text"/>
                    <span>"Find them from a description of the outcome"</span>
                </label>
                <div class=move || if by_text.get() { "" } else { "hidden" }>
                    <Area id="feedback-text" label="The outcome in words" value=outcome_text rows=3 max=limits::TEXT/>
                </div>
                <fieldset class=move || if by_text.get() { "choice hidden" } else { "choice" }>
                    <legend>"Which lessons made a difference?"</legend>
                    {boxes}
                </fieldset>
                <div class="actions">
                    <button type="submit" class="primary" disabled=move || chosen.read().is_empty() || by_text.get() && outcome_text.read().trim().is_empty()
                        data-testid="feedback-submit">{move || if asking.busy.get() { "Sending…" } else { "Give feedback" }}</button>
                </div>
            </fieldset>
            <div aria-live="polite">
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || given.get().map(|given| view! { <p class="note" data-testid="feedback-given">{given.words()}</p> })}
                {move || match told.get() {
                    Some(Given::Now(_, given)) => Some(view! { <Updated given/> }),
                    _ => None,
                }}
            </div>
        </form>
    }
}

#[component]
fn Updated(given: FeedbackGiven) -> impl IntoView {
    let rows = given
        .updated
        .into_iter()
        .map(|row| {
            let address = format!("/lessons/{}", format::encode(&row.slug));
            let slug = row.slug.clone();
            view! {
                <tr data-testid="feedback-updated" data-slug=row.slug>
                    <th scope="row"><a href=address>{slug}</a></th>
                    <td class="num">{format::percent(row.effectiveness)}</td>
                    <td class="num">{row.use_count}</td>
                    <td class="num">{row.causal_hits}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0">
            <table>
                <caption>"Scores updated"</caption>
                <thead><tr><th scope="col">"Lesson"</th><th scope="col" class="num">"Effectiveness"</th><th scope="col" class="num">"Used"</th><th scope="col" class="num">"Made a difference"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
