//! Step 5: what one thinks of each lesson. Everybody says it of a lesson once in a run, as a rating and as a vote.

use super::playground_state::{PlaygroundState, Run};
use crate::api::{Asking, Client};
use crate::components::ErrorNote;
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{ApiError, ErrorCode, Rate, Rated, Vote};

/// The lessons that were recommended, each with its ratings and votes.
#[component]
pub fn OpinionStep(state: PlaygroundState, run: Run) -> impl IntoView {
    let lessons = state.answered.with_untracked(|answered| {
        let items = answered
            .iter()
            .flat_map(|answered| &answered.given.recommended);
        items
            .map(|item| (item.slug.clone(), item.title.clone()))
            .collect::<Vec<_>>()
    });
    let rows = lessons
        .into_iter()
        .map(|(slug, title)| {
            let is_in = slug.clone();
            let is_in = Memo::new(move |_| run.has(&is_in));
            let own = slug.clone();
            view! {
                <li data-testid="opinion" data-slug=slug class=move || if is_in.get() { "" } else { "hidden" }>
                    <b dir="auto">{title.clone()}</b>
                    <div class="opinions">
                        <Ask state run slug=own.clone() title=title.clone() is_vote=false/>
                        <Ask state run slug=own.clone() title=title.clone() is_vote=true/>
                    </div>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="card" aria-labelledby="opinions-title">
            <h2 id="opinions-title"><span class="step">"5"</span>"Rate each lesson"</h2>
            <ul class="shown">{rows}</ul>
        </section>
    }
}

/// One question about a lesson, with two answers.
#[component]
fn Ask(
    state: PlaygroundState,
    run: Run,
    slug: String,
    title: String,
    is_vote: bool,
) -> impl IntoView {
    let me = Syncing::get_from_context().me();
    let asking = Asking::default();
    let told = RwSignal::new(None::<String>);
    let slug = StoredValue::new(slug);
    let given = Memo::new(move |_| {
        told.get().or_else(|| {
            let me = me.get()?;
            let own = run.read(|run| {
                let own = run.opinions.iter().find(|given| {
                    given.by == me
                        && given.is_vote == is_vote
                        && slug.with_value(|slug| *slug == given.lesson)
                });
                own.map(|own| own.is_positive)
            });
            own.flatten()
                .map(|is_positive| words(is_vote, is_positive, true))
        })
    });
    let press = move |is_positive: bool| {
        if given.read_untracked().is_some() {
            return;
        }
        let lesson = slug.get_value();
        let request = send(state.client, lesson, state.decision(), is_vote, is_positive);
        asking.run(request, move |words| {
            told.try_set(Some(words));
        });
    };
    let (up, down) = if is_vote {
        ("vote-up", "vote-down")
    } else {
        ("rate-helpful", "rate-not-helpful")
    };
    let (yes, no) = if is_vote {
        ("Vote up", "Vote down")
    } else {
        ("Helpful", "Not helpful")
    };
    view! {
        <fieldset class="actions" disabled=move || asking.busy.get() || given.read().is_some()>
            <legend class="sr-only">{if is_vote { format!("Vote on {title}") } else { format!("Rating of {title}") }}</legend>
            <button type="button" data-testid=format!("run-{up}") on:click=move |_| press(true)>{yes}</button>
            <button type="button" data-testid=format!("run-{down}") on:click=move |_| press(false)>{no}</button>
        </fieldset>
        <div aria-live="polite">
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            {move || given.get().map(|given| view! { <span class="muted" data-testid=if is_vote { "vote-given" } else { "rating-given" }>{given}</span> })}
        </div>
    }
}

/// Says it, and tells in words what stands then.
async fn send(
    client: Client,
    lesson: String,
    decision: String,
    is_vote: bool,
    is_positive: bool,
) -> Result<String, ApiError> {
    let decision_id = Some(decision);
    let answer = if is_vote {
        let vote = Vote {
            lesson,
            up: is_positive,
            decision_id,
        };
        client.post_json::<Rated>("/v1/vote", &vote).await
    } else {
        let rate = Rate {
            lesson,
            helpful: is_positive,
            decision_id,
        };
        client.post_json::<Rated>("/v1/rate", &rate).await
    };
    match answer {
        Ok(answer) => Ok(words(is_vote, is_positive, answer.repeated)),
        // It tells what was said first.
        Err(error) if error.code == ErrorCode::Conflict => {
            Ok(format!("Recorded before: {}", error.message))
        }
        Err(error) => Err(error),
    }
}

fn words(is_vote: bool, is_positive: bool, before: bool) -> String {
    let begin = if before {
        "Recorded before"
    } else {
        "Recorded"
    };
    let what = match (is_vote, is_positive) {
        (true, true) => "up",
        (true, false) => "down",
        (false, true) => "helpful",
        (false, false) => "not helpful",
    };
    format!("{begin}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn what_was_said_is_shown() {
        for (is_vote, is_positive, before, said) in [
            (false, true, false, "Recorded: helpful"),
            (false, false, true, "Recorded before: not helpful"),
            (true, true, true, "Recorded before: up"),
            (true, false, false, "Recorded: down"),
        ] {
            assert_eq!(words(is_vote, is_positive, before), said);
        }
    }
}
