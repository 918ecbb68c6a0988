//! Changes that the server refused: what they were and why.

use super::set_aside_page::SetAsidePage;
use crate::components::{Dialog, When};
use crate::format;
use leptos::prelude::*;
use lesson_types::{SetAsideEvent, Settlement};

/// All of them, to be read and dismissed.
#[component]
pub fn Refused() -> impl IntoView {
    let page: SetAsidePage = expect_context();
    let others = Memo::new(move |_| page.others());
    let count = move || u32::try_from(others.read().len()).unwrap_or(u32::MAX);
    let asks = RwSignal::new(false);
    let title = Signal::derive(move || {
        format!("Dismiss {}?", format::plural(count(), "change", "changes"))
    });
    let dismiss_all = move |_| {
        let ids =
            others.with_untracked(|others| others.iter().map(|event| event.id.clone()).collect());
        asks.set(false);
        page.settle(ids, Settlement::Theirs, "Dismissed");
    };
    view! {
        <section class="card" aria-labelledby="refused-title" data-testid="refused">
            <div class="card-head">
                <h2 id="refused-title">{move || format::plural(count(), "change was refused", "changes were refused")}</h2>
                <button type="button" disabled=page.asking.busy on:click=move |_| asks.set(true) data-testid="dismiss-all">"Dismiss all"</button>
            </div>
            <p class="muted">"They are not on the server and don't count. Make the change again if you still want it."</p>
            <table class="refused">
                <thead><tr><th scope="col">"Change"</th><th scope="col">"Why it was refused"</th><th scope="col"><span class="sr-only">"Action"</span></th></tr></thead>
                <tbody>
                    <For each=move || others.get() key=|event| event.id.clone() let:event><Row event/></For>
                </tbody>
            </table>
            <Dialog id="dismiss-all-dialog" title open=asks>
                <p>"They are then deleted from this browser and can't be viewed again."</p>
                <div class="actions">
                    <button type="button" on:click=move |_| asks.set(false)>"Cancel"</button>
                    <button type="button" class="danger" on:click=dismiss_all data-testid="dismiss-all-confirm">"Dismiss all"</button>
                </div>
            </Dialog>
        </section>
    }
}

#[component]
fn Row(event: SetAsideEvent) -> impl IntoView {
    let page: SetAsidePage = expect_context();
    let about = format!("refused-{}", event.id);
    let id = event.id;
    let field = (!event.field.is_empty())
        .then(|| view! { <span class="muted">"Field: "<code>{event.field}</code></span> });
    let subject = (!event.subject.is_empty())
        .then(|| view! { <span class="slug" dir="auto">{event.subject}</span> });
    view! {
        <tr data-testid="refused-event" data-kind=event.kind.clone()>
            <th scope="row" id=about.clone()>
                {words(&event.kind)}
                {subject}
                <span class="muted"><When at=event.at.clone()/></span>
            </th>
            <td><span dir="auto">{event.reason}</span>{field}</td>
            <td><button type="button" class="plain" aria-describedby=about disabled=page.asking.busy data-testid="dismiss"
                on:click=move |_| page.settle(vec![id.clone()], Settlement::Theirs, "Dismissed")>"Dismiss"</button></td>
        </tr>
    }
}

/// An event's name in words; the name itself for one that this page does not know.
fn words(kind: &str) -> String {
    match kind {
        "LessonAdded" => "A new lesson",
        "LessonEdited" => "An edit of a lesson",
        "LessonArchived" => "A lesson archived",
        "LessonRestored" => "A lesson restored",
        "LessonReviewed" => "A review",
        "LessonsMerged" => "Lessons merged",
        "Surfaced" => "Lessons shown to an agent",
        "UsageTracked" => "Which lessons were used",
        "OutcomeRecorded" => "An outcome",
        "FeedbackGiven" => "Feedback",
        "Rated" => "A rating",
        "Voted" => "A vote",
        "ToolSucceeded" => "A tool that worked",
        other => other,
    }
    .to_owned()
}
