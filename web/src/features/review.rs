//! The review queue: what waits for a person's judgement, one after the other, by keyboard, mouse or touch.

mod card;
mod double;
mod end;
mod entry;
mod filters;
mod hurts;
mod item_address;
mod keys;
mod merge;
mod proposals;
mod queue;
mod reasons;
mod review_page;
mod suggested;

use crate::components::{Empty, ErrorNote, Loading, Page, ReasonDialog};
use crate::parameters::use_parameters;
use crate::review::{ReviewFilter, Reviewing};
use crate::sync::Syncing;
use card::Card;
use end::End;
use filters::Filters;
use keys::{Keys, listen};
use leptos::prelude::*;
use lesson_types::SyncPhase;
use merge::MergeDialog;
use proposals::ProposalsCard;
use queue::{Progress, Queue};
use review_page::{Command, ReviewPage};
use suggested::Suggestions;

/// Lessons that are read at a time; the next ones come as these are dealt with.
const SOME: u32 = 100;

/// The views that the page can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Loading,
    Failed,
    Asking,
    /// Nothing fits the filters.
    NoneFits,
    End,
}

/// The page.
#[component]
pub fn ReviewPage() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let page = ReviewPage::new(reviewing);
    provide_context(page);
    item_address::follow(page);
    listen(page);
    // More are read where many of those that came first are put off.
    Effect::new(move |_| {
        let put_off = reviewing.skipped() + reviewing.visit().kept;
        reviewing.want(
            (SOME + put_off)
                .div_ceil(SOME)
                .saturating_mul(SOME)
                .min(1_000),
        );
    });
    on_cleanup(move || reviewing.close());
    let parameters = use_parameters();
    Effect::new(move |_| reviewing.want_only(ReviewFilter::read(&parameters.read())));
    let stage = Memo::new(move |_| {
        if reviewing.failed().is_some() {
            Stage::Failed
        } else if !reviewing.is_read() || !page.knows_conflicts() {
            Stage::Loading
        } else if page.has_entries() {
            Stage::Asking
        } else if reviewing.waiting() > reviewing.proposals()
            && !ReviewFilter::read(&parameters.read()).is_plain()
        {
            Stage::NoneFits
        } else {
            Stage::End
        }
    });
    let some = Memo::new(move |_| matches!(stage.get(), Stage::Asking | Stage::NoneFits));
    let offline = Syncing::get_from_context();
    let offline = Memo::new(move |_| offline.read(|status| status.phase == SyncPhase::Offline));
    view! {
        <Page title="Review" intro="Lessons and proposed changes that wait for your decision. Agents see what you decide." actions=|| view! { <Keys/> }.into_any()>
            <p class="sr-only" role="status" aria-live="polite" data-testid="review-said">{page.said}</p>
            <Show when=move || offline.get()>
                <p class="note" data-testid="review-offline">"Offline: what you decide counts here at once, and is sent when the server can be reached again."</p>
            </Show>
            <ProposalsCard/>
            <Suggestions/>
            <Show when=move || some.get() || (reviewing.proposals() > 0)>
                <Progress/>
            </Show>
            <Show when=move || some.get()>
                <Filters/>
            </Show>
            {move || match stage.get() {
                Stage::Loading => view! { <Loading label="Looking what waits…"/> }.into_any(),
                Stage::Failed => view! { <Failed/> }.into_any(),
                Stage::NoneFits => view! {
                    <Empty title="Nothing that waits fits" text="Clear a filter to see more."/>
                }.into_any(),
                Stage::End => view! { <End/> }.into_any(),
                Stage::Asking => view! {
                    <div class="review">
                        <Queue/>
                        <Card/>
                    </div>
                }.into_any(),
            }}
            <UndoBar/>
            <MergeDialog/>
            <ReasonDialog open=page.reasoning send=Callback::new(move |reason| page.approve_because(reason))
                findings=Signal::derive(move || page.findings())/>
        </Page>
    }
}

#[component]
fn Failed() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let on_server = Syncing::get_from_context().on_server();
    view! {
        {move || reviewing.failed().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            {move || if on_server.get() {
                view! { <a href="/lessons?trust=unreviewed" class="button primary">"Lessons to review"</a> }.into_any()
            } else {
                view! { <button type="button" on:click=move |_| reviewing.ask_again()>"Try again"</button> }.into_any()
            }}
        </div>
    }
}

/// The last act, and the way back, for as long as it waits.
#[component]
fn UndoBar() -> impl IntoView {
    let page: ReviewPage = expect_context();
    view! {
        {move || page.offer.get().map(|(_, text)| view! {
            <div class="undo-bar" data-testid="undo-bar">
                <span dir="auto">{text}</span>
                <button type="button" data-testid="undo" on:click=move |_| page.run(Command::Undo)>"Undo"<kbd aria-hidden="true">"u"</kbd></button>
                <i class="undo-time" aria-hidden="true"></i>
            </div>
        })}
    }
}
