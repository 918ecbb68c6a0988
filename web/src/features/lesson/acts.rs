//! The acts of a person on a lesson: rate, vote, review, edit, archive.

use super::back::{offer, refused};
use crate::api::{Acted, Asking, Client};
use crate::components::{ReasonDialog, use_toasts};
use crate::dom;
use crate::format;
use crate::shell::{Act, use_acts};
use leptos::prelude::*;
use lesson_types::{
    ApiError, Bulk, BulkAct, BulkDone, BulkItem, LessonView, Qualification, Rate, Trust, Vote,
};
use serde_json::Value;
use std::pin::Pin;

/// Something that is asked of the engine; answered with the requests that take it back, if any do.
type Deed = Pin<Box<dyn Future<Output = Result<Vec<Bulk>, ApiError>>>>;

/// One that nothing takes back.
fn for_good(acted: Acted) -> Deed {
    Box::pin(async move { acted.await.map(|()| Vec::new()) })
}

/// A person's rating of the lesson, or vote, while its page was open. Giving it again changes nothing: both times it is one
/// request with one key, to the engine too.
#[derive(Clone, Copy)]
struct Said {
    /// The last answer, `true` for good, and the key of the request that gave it.
    last: RwSignal<Option<(bool, String)>>,
}

impl Said {
    fn new() -> Self {
        Self {
            last: RwSignal::new(None),
        }
    }

    /// The key of the request that says this.
    fn key(self, good: bool) -> String {
        if let Some((was, key)) = self.last.get_untracked()
            && was == good
        {
            return key;
        }
        let key = dom::random_id();
        self.last.set(Some((good, key.clone())));
        key
    }

    fn pressed(self, good: bool) -> impl Fn() -> String + Copy {
        move || {
            self.last
                .with(|last| last.as_ref().is_some_and(|(was, _)| *was == good))
                .to_string()
        }
    }
}

/// The buttons. They stay in place while the lesson changes, so that the focus does too.
#[component]
pub fn Acts(
    lesson: Memo<Option<LessonView>>,
    editing: RwSignal<Option<LessonView>>,
) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let doing = Asking::default();
    let busy = doing.busy;
    let act = move |deed: Deed, done: &'static str| {
        let give_back = dom::hold_focus();
        doing.settle(deed, move |undo| {
            match undo {
                Ok(undo) => offer(client, toasts, done, undo),
                Err(error) => toasts.bad(error.message),
            }
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
    let (rated, voted) = (Said::new(), Said::new());
    let rate = move |helpful: bool| {
        let done = if helpful {
            "Rated helpful"
        } else {
            "Rated not helpful"
        };
        let body = Rate {
            lesson: slug(),
            helpful,
            decision_id: None,
        };
        let asked = client.act_once("/v1/rate", &body, &rated.key(helpful));
        act(for_good(asked), done);
    };
    let vote = move |up: bool| {
        let done = if up { "Voted up" } else { "Voted down" };
        let body = Vote {
            lesson: slug(),
            up,
            decision_id: None,
        };
        let asked = client.act_once("/v1/vote", &body, &voted.key(up));
        act(for_good(asked), done);
    };
    let reasoning = RwSignal::new(false);
    let change = move |what: BulkAct, reason: Option<String>, done: &'static str| {
        // A verdict is on the text that was seen.
        let verdict = matches!(what, BulkAct::Approve | BulkAct::Quarantine);
        let seen = lesson
            .with_untracked(|lesson| lesson.as_ref().map(|lesson| lesson.content_hash.clone()));
        let item = BulkItem {
            slug: slug(),
            content_hash: seen.filter(|_| verdict),
        };
        let bulk = Bulk {
            act: what,
            lessons: vec![item],
            tags: Vec::new(),
            reason,
        };
        let asked = client.post_json::<BulkDone>("/v1/lessons/bulk", &bulk);
        let changed = async move {
            let changed = asked.await?;
            refused(&changed)?;
            Ok(changed.undo)
        };
        act(Box::pin(changed), done);
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
    // Approving a text takes a reason where screening held it back.
    let approve = move || {
        if trust.get_untracked() == Some(Trust::Quarantined) {
            reasoning.set(true);
        } else {
            change(BulkAct::Approve, None, "Approved");
        }
    };
    let approve_because = Callback::new(move |reason: String| {
        change(BulkAct::Approve, Some(reason), "Approved, with your reason");
    });
    let shelve = move |()| {
        if archived.get_untracked() {
            change(
                BulkAct::Restore,
                None,
                "Restored: it may be recommended again",
            );
        } else {
            change(
                BulkAct::Archive,
                None,
                "Archived: it is no longer recommended",
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
        let path = format!("/v1/lessons/{}/trial", format::encode(&slug()));
        let asked = client.act(path, &Value::Null);
        act(
            for_good(asked),
            "Another trial: it may be recommended again",
        );
    };
    use_acts([
        Act::new("Edit this lesson", move || {
            editing.set(lesson.get_untracked());
        })
        .key("e"),
        Act::new("Approve this lesson", approve).when(move || trust.get() != Some(Trust::Approved)),
        Act::new("Give this lesson another trial", move || retry(())).when(move || kept_out.get()),
        Act::new("Archive this lesson", move || shelve(())).when(move || !archived.get()),
        Act::new("Restore this lesson", move || shelve(())).when(move || archived.get()),
    ]);
    view! {
        <div class="lesson-acts" role="group" aria-label="What to do with it">
            <Show when=move || trust.get() != Some(Trust::Approved)>
                <button type="button" class="primary" disabled=busy data-testid="approve" on:click=move |_| approve()>
                    {move || if trust.get() == Some(Trust::Quarantined) { "Approve…" } else { "Approve" }}
                </button>
            </Show>
            <button type="button" data-testid="edit" on:click=move |_| editing.set(lesson.get_untracked())>"Edit"</button>
            <Show when=move || kept_out.get()>
                <button type="button" disabled=busy aria-describedby="trial-about" data-testid="trial" on:click=move |_| retry(())>"Another trial"</button>
                <span class="sr-only" id="trial-about">"What was learned of it, and its streak of failures, is forgotten; counters stay."</span>
            </Show>
            <Show when=move || trust.get() != Some(Trust::Quarantined)>
                <button type="button" disabled=busy data-testid="quarantine"
                    on:click=move |_| change(BulkAct::Quarantine, None, "Quarantined: held back until a person approves it")>"Quarantine"</button>
            </Show>
            <button type="button" disabled=busy on:click=move |_| shelve(()) data-testid=move || if archived.get() { "restore" } else { "archive" }>
                {move || if archived.get() { "Restore" } else { "Archive" }}
            </button>
            <span class="opinions" role="group" aria-label="Your opinion">
                <button type="button" disabled=busy aria-pressed=rated.pressed(true) on:click=move |_| rate(true) data-testid="rate-helpful">"Helpful "<span class="num">{helpful}</span></button>
                <button type="button" disabled=busy aria-pressed=rated.pressed(false) on:click=move |_| rate(false) data-testid="rate-not-helpful">"Not helpful "<span class="num">{not_helpful}</span></button>
                <button type="button" disabled=busy aria-pressed=voted.pressed(true) on:click=move |_| vote(true) data-testid="vote-up"><span aria-hidden="true">"▲ "</span><span class="sr-only">"Vote up "</span><span class="num">{up}</span></button>
                <button type="button" disabled=busy aria-pressed=voted.pressed(false) on:click=move |_| vote(false) data-testid="vote-down"><span aria-hidden="true">"▼ "</span><span class="sr-only">"Vote down "</span><span class="num">{down}</span></button>
            </span>
        </div>
        <ReasonDialog open=reasoning send=approve_because
            findings=Signal::derive(move || lesson.with(|lesson| lesson.as_ref().map(|lesson| lesson.findings.clone()).unwrap_or_default()))/>
    }
}
