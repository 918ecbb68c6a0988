//! Step 3: what came of the decision, and which standings it moved.

use super::Walk;
use crate::asking::Asking;
use crate::format;
use crate::ui::{BadgeChip, Choice, ErrorNote, TextField, use_toasts};
use crate::view::view;
use leptos::prelude::*;
use lesson_api::{ApiError, DecisionOutcome, ErrorCode, LessonView, Outcome, OutcomeRecorded};

/// A standing before and after.
type Moved = (LessonView, LessonView);

/// Outcome, profit in percent, and what moved.
#[component]
pub fn OutcomeStep(walk: Walk) -> impl IntoView {
    let toasts = use_toasts();
    let outcome = RwSignal::new(DecisionOutcome::Success.as_str().to_owned());
    let pnl = RwSignal::new(String::new());
    let asking = Asking::default();
    let moved = RwSignal::new(None::<Vec<Moved>>);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(chosen) = DecisionOutcome::parse(&outcome.get_untracked()) else {
            return;
        };
        let Some(answered) = walk.answered.get_untracked() else {
            return;
        };
        let pnl_percent = match format::filled(&pnl.get_untracked()) {
            None => None,
            Some(typed) => match format::number(typed.trim_end_matches('%')) {
                Some(percent) => Some(percent),
                None => {
                    let message = format!(
                        "“{typed}” is not a number. Write the percentage such as 3.5 or -2."
                    );
                    let refused = ApiError::new(ErrorCode::InvalidRequest, message);
                    asking.error.set(Some(refused.at("pnl_percent")));
                    return;
                }
            },
        };
        let request = Outcome {
            decision_id: answered.decision_id.unwrap_or_default(),
            outcome: chosen,
            pnl_percent,
        };
        let before: Vec<LessonView> = answered
            .given
            .recommended
            .into_iter()
            .map(|item| item.lesson)
            .collect();
        asking.run(record(walk, request, before), move |rows| {
            toasts.good(format!(
                "Recorded. {} moved",
                format::plural(rows.len() as u32, "standing", "standings")
            ));
            moved.try_set(Some(rows));
        });
    };
    view! {
        <form class="card form" on:submit=submit>
            <h2><span class="step">"3"</span>"What came of it"</h2>
            <Choice name="outcome" legend="Outcome" value=outcome
                options=vec![("success", "Success"), ("failure", "Failure"), ("pending", "Not known yet")]/>
            <TextField id="outcome-pnl" label="Profit or loss in percent" value=pnl kind="decimal" max=24 placeholder="optional, such as 3.5 or -2"/>
            <Show when=move || walk.tracked.read().is_none()>
                <p class="hint">"Without step 2 no lesson counts as applied, and no standing moves."</p>
            </Show>
            <div class="actions">
                <button type="submit" class="primary" disabled=asking.busy data-testid="outcome-submit">"Record outcome"</button>
            </div>
            <div aria-live="polite">
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || moved.get().map(|rows| view! { <MovedTable rows/> })}
            </div>
        </form>
    }
}

async fn record(
    walk: Walk,
    request: Outcome,
    before: Vec<LessonView>,
) -> Result<Vec<Moved>, ApiError> {
    let recorded = walk
        .client
        .post_json::<OutcomeRecorded>("/v1/outcome", &request)
        .await?;
    let mut rows = Vec::new();
    for slug in recorded.effectiveness_recalculated {
        let now = walk
            .client
            .get::<LessonView>(format!("/v1/lessons/{}", format::encode(&slug)))
            .await?;
        if let Some(then) = before.iter().find(|lesson| lesson.slug == slug) {
            rows.push((then.clone(), now));
        }
    }
    Ok(rows)
}

#[component]
fn MovedTable(rows: Vec<Moved>) -> impl IntoView {
    if rows.is_empty() {
        return view! { <p class="note" data-testid="standings-moved">"The outcome is recorded. No standing moved: no recommended lesson was seen as applied, or the outcome is not final."</p> }.into_any();
    }
    let rows = rows
        .into_iter()
        .map(|(then, now)| {
            let success = |lesson: &LessonView| format::percent_or_dash(lesson.derived.success_rate);
            let rate = format!("{} → {}", success(&then), success(&now));
            let address = format!("/lessons/{}", format::encode(&now.slug));
            view! {
                <tr data-testid="standing-moved" data-slug=now.slug>
                    <th scope="row"><a href=address>{now.title}</a></th>
                    <td class="num">{format!("{} → {}", then.standing.times_applied, now.standing.times_applied)}</td>
                    <td class="num">{rate}</td>
                    <td class="num">{format!("{} → {}", then.standing.consecutive_failures, now.standing.consecutive_failures)}</td>
                    <td><BadgeChip badge=now.derived.badge/></td>
                </tr>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    view! {
        <div class="scroll" tabindex="0">
            <table data-testid="standings-moved">
                <caption>"Standings that moved"</caption>
                <thead>
                    <tr><th scope="col">"Lesson"</th><th scope="col" class="num">"Applied"</th><th scope="col" class="num">"Success"</th><th scope="col" class="num">"Failures in a row"</th><th scope="col">"Badge"</th></tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
