//! Step 3: what came of the run, and which standings it moved. A settled outcome can't be changed, so it is told once.

use super::playground_state::{PlaygroundState, Run};
use super::step_list::OUTCOME;
use crate::api::{Asking, Client};
use crate::components::{BadgeChip, Choice, ErrorNote, TextField, submit_by_key, use_toasts};
use crate::features::figures::rate;
use crate::format;
use crate::outcome;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{
    ApiError, DecisionOutcome, DecisionView, ErrorCode, LessonView, Outcome, OutcomeRecorded,
};

/// A standing before and after.
type Moved = (LessonView, LessonView);

/// The result of telling an outcome.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    outcome: DecisionOutcome,
    /// True if the run had it before.
    before: bool,
    /// By whom and when, where it was told before.
    by: String,
    lessons: u32,
    moved: Vec<Moved>,
}

impl Told {
    /// The outcome that a run has already, if it has one that stays.
    fn of_run(run: &DecisionView, me: Option<&str>) -> Option<Self> {
        let told = run.outcome.filter(|told| outcome::is_final(*told))?;
        let by = who::name(&run.outcome_by, me).map(|who| format!(", by {who}"));
        let at = run.outcome_at.as_deref().map(format::time);
        let at = at.map(|at| format!(", {at}"));
        Some(Self {
            outcome: told,
            before: true,
            by: format!("{}{}", by.unwrap_or_default(), at.unwrap_or_default()),
            lessons: run.lessons.len() as u32,
            moved: Vec::new(),
        })
    }

    /// Returns the words that are shown in place of the form's button.
    fn words(&self, domain: &str) -> String {
        let begin = if self.before {
            "Recorded before"
        } else {
            "Recorded"
        };
        let word = outcome::word(self.outcome, domain);
        format!("{begin}: {word}{}", self.by)
    }
}

/// Outcome, gain in percent, and what moved.
#[component]
pub fn OutcomeStep(state: PlaygroundState, run: Run) -> impl IntoView {
    let toasts = use_toasts();
    let me = Syncing::get_from_context().me();
    let domain = state.domain();
    let is_trading = outcome::is_trading(&domain);
    let domain = StoredValue::new(domain);
    let chosen = RwSignal::new(String::new());
    let pnl = RwSignal::new(String::new());
    let asking = Asking::default();
    let told = RwSignal::new(None::<Told>);
    // Another tab or an agent may have told it.
    let known = Memo::new(move |_| {
        let me = me.get();
        run.read(|run| Told::of_run(run, me.as_deref())).flatten()
    });
    let given = Memo::new(move |_| match told.get() {
        Some(told) if outcome::is_final(told.outcome) => Some(told),
        told => known.get().or(told),
    });
    let settled = Memo::new(move |_| {
        given.with(|given| {
            given
                .as_ref()
                .is_some_and(|given| outcome::is_final(given.outcome))
        })
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(chosen) = DecisionOutcome::parse(&chosen.get_untracked()) else {
            return;
        };
        let answered = state.answered.get_untracked();
        let Some(answered) = answered.filter(|_| !settled.get_untracked()) else {
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
        asking.run(
            record(state.client, request, before, me.get_untracked()),
            move |answer| {
                if !answer.before {
                    toasts.good(format!(
                        "Recorded for {}. {} updated",
                        format::plural(answer.lessons, "lesson", "lessons"),
                        format::plural(answer.moved.len() as u32, "score", "scores")
                    ));
                }
                told.try_set(Some(answer));
            },
        );
    };
    let label = move |one| outcome::label(one, &domain.get_value());
    let options = DecisionOutcome::ALL
        .iter()
        .map(|one| (one.as_str(), label(*one)))
        .collect();
    let percent = if is_trading {
        "Profit or loss in percent"
    } else {
        "Gain or loss in percent"
    };
    let hint = move || state.tracked.read().is_none() && !settled.get();
    view! {
        <form class="card form" id=OUTCOME tabindex="-1" on:submit=submit on:keydown=submit_by_key>
            <h2><span class="step">"3"</span>"Outcome"</h2>
            <fieldset class="form" disabled=move || asking.busy.get() || settled.get() data-testid="outcome-controls">
                <legend class="sr-only">"Outcome of the run"</legend>
                <Choice name="outcome" legend="Outcome" value=chosen options/>
                <TextField id="outcome-pnl" label=percent value=pnl kind="decimal" max=24 placeholder="optional, such as 3.5 or -2"/>
                <Show when=hint>
                    <p class="hint">"Without the reasoning no lesson counts as applied, and no score changes."</p>
                </Show>
                <div class="actions">
                    <button type="submit" class="primary" disabled=move || chosen.read().is_empty() data-testid="outcome-submit">
                        {move || if asking.busy.get() { "Recording…" } else { "Record outcome" }}
                    </button>
                </div>
            </fieldset>
            <div aria-live="polite">
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || given.get().map(|given| view! { <p class="note" data-testid="outcome-given">{given.words(&domain.get_value())}</p> })}
                {move || told.get().filter(|told| !told.before).map(|told| view! { <MovedTable rows=told.moved/> })}
            </div>
        </form>
    }
}

async fn record(
    client: Client,
    request: Outcome,
    before: Vec<LessonView>,
    me: Option<String>,
) -> Result<Told, ApiError> {
    let id = format::encode(&request.decision_id);
    let first = async || {
        let run = client.get::<DecisionView>(format!("/v1/decisions/{id}"));
        let run = run.await.ok();
        run.and_then(|run| Told::of_run(&run, me.as_deref()))
    };
    let recorded = client
        .post_json::<OutcomeRecorded>("/v1/outcome", &request)
        .await;
    let recorded = match recorded {
        // Somebody was first: what they said stands.
        Err(error) if error.code == ErrorCode::Conflict => {
            return first().await.ok_or(error);
        }
        Err(error) => return Err(error),
        Ok(recorded) => recorded,
    };
    let told = Told {
        outcome: request.outcome,
        before: recorded.repeated,
        by: String::new(),
        lessons: recorded.lessons_updated,
        moved: Vec::new(),
    };
    if recorded.repeated {
        return Ok(first().await.unwrap_or(told));
    }
    let mut moved = Vec::new();
    for slug in recorded.effectiveness_recalculated {
        let path = format!("/v1/lessons/{}", format::encode(&slug));
        // The outcome is stored, whether its lessons can be read or not.
        let now = client.get::<LessonView>(path).await.ok();
        let then = before.iter().find(|lesson| lesson.slug == slug).cloned();
        moved.extend(then.zip(now));
    }
    Ok(Told { moved, ..told })
}

#[component]
fn MovedTable(rows: Vec<Moved>) -> impl IntoView {
    if rows.is_empty() {
        return view! { <p class="note" data-testid="standings-moved">"The outcome is recorded. No score changed: no recommended lesson was applied, or the outcome is pending."</p> }.into_any();
    }
    let rows = rows
        .into_iter()
        .map(|(then, now)| {
            let success = |lesson: &LessonView| {
                let held = &lesson.standing;
                rate(held.success_count, held.times_applied)
            };
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
                <caption>"Scores updated"</caption>
                <thead>
                    <tr><th scope="col">"Lesson"</th><th scope="col" class="num">"Applied"</th><th scope="col" class="num">"Success"</th><th scope="col" class="num">"Failures in a row"</th><th scope="col">"Badge"</th></tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn what_was_told_is_shown_in_the_words_of_the_domain() {
        let told = |outcome, before| Told {
            outcome,
            before,
            by: String::new(),
            lessons: 1,
            moved: Vec::new(),
        };
        for (outcome, before, domain, words) in [
            (DecisionOutcome::Success, false, "", "Recorded: success"),
            (
                DecisionOutcome::Failure,
                true,
                "",
                "Recorded before: failure",
            ),
            (DecisionOutcome::Failure, false, "perps", "Recorded: loss"),
            (
                DecisionOutcome::Pending,
                false,
                "perps",
                "Recorded: pending",
            ),
        ] {
            assert_eq!(told(outcome, before).words(domain), words);
        }
    }
}
