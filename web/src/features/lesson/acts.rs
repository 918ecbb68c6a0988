//! What a person can do with a lesson: rate, vote, review, edit, archive.

use crate::api::{Acted, Client};
use crate::components::use_toasts;
use crate::dom;
use crate::format;
use crate::shell::{Act, use_acts};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{LessonView, Qualification, Rate, Review, Trust, Verdict, Vote};

/// The buttons. They stay in place while the lesson changes, so that the focus does too.
#[component]
pub fn Acts(
    lesson: Memo<Option<LessonView>>,
    editing: RwSignal<Option<LessonView>>,
) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let busy = RwSignal::new(false);
    let act = move |asked: Acted, done: &'static str| {
        if busy.get_untracked() {
            return;
        }
        let give_back = dom::hold_focus();
        busy.set(true);
        spawn_local(async move {
            let answer = asked.await;
            toasts.tell(&answer, done);
            busy.try_set(false);
            give_back();
        });
    };
    let slug = move || {
        lesson.with_untracked(|lesson| {
            lesson
                .as_ref()
                .map(|lesson| lesson.slug.clone())
                .unwrap_or_default()
        })
    };
    let path = move |what: &str| format!("/v1/lessons/{}/{what}", format::encode(&slug()));
    let rate = move |helpful: bool| {
        let done = if helpful {
            "Rated helpful"
        } else {
            "Rated not helpful"
        };
        let lesson = slug();
        act(
            client.act(
                "/v1/rate",
                &Rate {
                    lesson,
                    helpful,
                    decision_id: None,
                },
            ),
            done,
        );
    };
    let vote = move |up: bool| {
        let done = if up { "Voted up" } else { "Voted down" };
        let lesson = slug();
        act(
            client.act(
                "/v1/vote",
                &Vote {
                    lesson,
                    up,
                    decision_id: None,
                },
            ),
            done,
        );
    };
    let review = move |verdict: Verdict, done: &'static str| {
        let content_hash = lesson
            .with_untracked(|lesson| lesson.as_ref().map(|lesson| lesson.content_hash.clone()));
        let review = Review {
            verdict,
            content_hash,
        };
        act(client.act(path("review"), &review), done);
    };
    let count = move |read: fn(&LessonView) -> u32| {
        move || format::count(lesson.with(|lesson| lesson.as_ref().map_or(0, read)))
    };
    let helpful = count(|lesson| lesson.standing.times_helpful);
    let not_helpful = count(|lesson| lesson.standing.times_not_helpful);
    let up = count(|lesson| lesson.standing.upvotes);
    let down = count(|lesson| lesson.standing.downvotes);
    let trust =
        Memo::new(move |_| lesson.with(|lesson| lesson.as_ref().map(|lesson| lesson.trust)));
    let archived = Memo::new(move |_| {
        lesson.with(|lesson| lesson.as_ref().is_some_and(|lesson| lesson.archived))
    });
    let shelve = move |()| {
        if archived.get_untracked() {
            act(
                client.act(path("restore"), &()),
                "Restored: it may be recommended again",
            );
        } else {
            act(
                client.act(path("archive"), &()),
                "Archived. “Restore” brings it back",
            );
        }
    };
    let kept_out = Memo::new(move |_| {
        lesson.with(|lesson| {
            lesson
                .as_ref()
                .is_some_and(|lesson| lesson.derived.qualification != Qualification::Qualified)
        })
    });
    let retry = move |()| {
        act(
            client.act(path("trial"), &()),
            "Another trial: it may be recommended again",
        );
    };
    use_acts([
        Act::new("Edit this lesson", move || {
            editing.set(lesson.get_untracked());
        })
        .key("e"),
        Act::new("Approve this lesson", move || {
            review(Verdict::Approve, "Approved");
        })
        .when(move || trust.get() != Some(Trust::Approved)),
        Act::new("Give this lesson another trial", move || retry(())).when(move || kept_out.get()),
        Act::new("Archive this lesson", move || shelve(())).when(move || !archived.get()),
        Act::new("Restore this lesson", move || shelve(())).when(move || archived.get()),
    ]);
    view! {
        <section class="card acts">
            <h2>"Your judgement"</h2>
            <div class="pair">
                <button type="button" disabled=busy on:click=move |_| rate(true) data-testid="rate-helpful">"Helpful ("{helpful}")"</button>
                <button type="button" disabled=busy on:click=move |_| rate(false) data-testid="rate-not-helpful">"Not helpful ("{not_helpful}")"</button>
                <button type="button" disabled=busy on:click=move |_| vote(true) data-testid="vote-up">"▲ Up ("{up}")"</button>
                <button type="button" disabled=busy on:click=move |_| vote(false) data-testid="vote-down">"▼ Down ("{down}")"</button>
            </div>
            <div class="pair">
                <Show when=move || trust.get() != Some(Trust::Approved)>
                    <button type="button" class="primary" data-testid="approve"
                        on:click=move |_| review(Verdict::Approve, "Approved")>"Approve"</button>
                </Show>
                <Show when=move || trust.get() != Some(Trust::Quarantined)>
                    <button type="button" data-testid="quarantine"
                        on:click=move |_| review(Verdict::Quarantine, "Quarantined: held back until a person approves it")>"Quarantine"</button>
                </Show>
                <button type="button" data-testid="edit" on:click=move |_| editing.set(lesson.get_untracked())>"Edit"</button>
                <button type="button" on:click=move |_| shelve(()) data-testid=move || if archived.get() { "restore" } else { "archive" }>
                    {move || if archived.get() { "Restore" } else { "Archive" }}
                </button>
            </div>
            <Show when=move || kept_out.get()>
                <button type="button" disabled=busy aria-describedby="trial-about" data-testid="trial" on:click=move |_| retry(())>"Another trial"</button>
                <p class="hint" id="trial-about">"Its run of failures is forgiven; counters stay."</p>
            </Show>
        </section>
    }
}
