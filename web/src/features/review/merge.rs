//! Two lessons that say the same, side by side, and which of them stays.

use super::entry::Entry;
use super::reasons::alike;
use super::review_page::ReviewPage;
use crate::api::{Query, use_get};
use crate::components::{Dialog, ErrorNote, Loading, Pick, Versus};
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::{LessonView, ReviewItem};

/// The question into which lesson to merge.
#[component]
pub fn MergeDialog() -> impl IntoView {
    let page: ReviewPage = expect_context();
    // The lesson that was in front when the question was asked.
    let asked = RwSignal::new(None::<ReviewItem>);
    Effect::new(move |_| {
        if page.merging.get() {
            asked.set(match page.current.get_untracked() {
                Some((_, Entry::Lesson(item))) => Some(*item),
                _ => None,
            });
        }
    });
    view! {
        <Dialog id="merge-dialog" title=Signal::stored("Merge two lessons".to_owned()) open=page.merging>
            {move || asked.get().map(|item| view! { <Question item/> })}
        </Dialog>
    }
}

#[component]
fn Question(item: ReviewItem) -> impl IntoView {
    let page: ReviewPage = expect_context();
    let item = StoredValue::new(item);
    let others = item.with_value(|item| item.duplicates.clone());
    let chosen = RwSignal::new(
        others
            .first()
            .map(|other| other.slug.clone())
            .unwrap_or_default(),
    );
    // True if the lesson in front is the one that stays.
    let turned = RwSignal::new(false);
    let own = item.with_value(|item| item.slug.clone());
    let mine: Query<LessonView> = use_get(move || path(&own));
    let theirs: Query<LessonView> = use_get(move || path(&chosen.get()));
    let both = Memo::new(move |_| {
        let (mine, theirs) = (mine.data.get()?, theirs.data.get()?);
        Some(mine.and_then(|mine| Ok((mine, theirs?))))
    });
    let options = others
        .iter()
        .map(|other| (other.slug.clone(), other.title.clone()))
        .collect::<Vec<_>>();
    let many = options.len() > 1;
    let likeness = {
        let others = others.clone();
        move || {
            let chosen = chosen.get();
            others.iter().find(|other| other.slug == chosen).map(alike)
        }
    };
    // Two lessons that contradict each other are not merged by a key alone.
    let is_agreed = RwSignal::new(false);
    let contradicts = Memo::new(move |_| {
        let chosen = chosen.get();
        let mut others = others.iter();
        let other = others.find(|other| other.slug == chosen)?;
        other.contradicts.clone()
    });
    Effect::new(move |_| {
        chosen.track();
        is_agreed.set(false);
    });
    let read = move || {
        let is_settled = contradicts.read().is_none() || is_agreed.get();
        is_settled && matches!(both.get(), Some(Ok(_)))
    };
    let merge = move || {
        if !read() {
            return;
        }
        let (own, other) = (
            item.with_value(|item| item.slug.clone()),
            chosen.get_untracked(),
        );
        let (into, from) = if turned.get_untracked() {
            (own, other)
        } else {
            (other, own)
        };
        item.with_value(|item| page.merge(item, into, from));
    };
    view! {
        <div class="merge-question" on:keydown=move |event| if dom::is_submit(&event) { event.prevent_default(); merge(); }>
        <p class="muted" dir="auto">{likeness}</p>
        {many.then(|| view! {
            <Pick id="merge-other" label="The other lesson" value=chosen on_pick=Callback::new(move |slug| chosen.set(slug)) options/>
        })}
        {move || match both.get() {
            None => view! { <Loading/> }.into_any(),
            Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
            Some(Ok((mine, theirs))) => {
                let (stays, goes) = if turned.get() { (mine, theirs) } else { (theirs, mine) };
                view! { <Sides stays goes/> }.into_any()
            }
        }}
        {move || contradicts.get().map(|word| view! {
            <label class="note note-warn" data-testid="merge-contradicts">
                <input type="checkbox" prop:checked=is_agreed on:change=move |event| is_agreed.set(event_target_checked(&event))/>
                {format!(" They contradict each other, by “{word}”: only the text of the one that stays is kept. I have read both.")}
            </label>
        })}
        <p class="hint">"The other lesson is archived, and its counts are added to the one that stays. No text is changed; edit the lesson afterwards if something is missing."</p>
        <div class="actions">
            <button type="button" class="primary" aria-disabled=move || (!read()).then_some("true") on:click=move |_| merge() data-testid="merge-confirm">"Merge"<kbd aria-hidden="true">{format!("{} ↵", dom::key_name("Ctrl"))}</kbd></button>
            <button type="button" on:click=move |_| turned.update(|turned| *turned = !*turned) data-testid="merge-turn">"Keep the other one"</button>
            <button type="button" autofocus on:click=move |_| page.merging.set(false) data-testid="merge-cancel">"Cancel"</button>
        </div>
        </div>
    }
}

#[component]
fn Sides(stays: LessonView, goes: LessonView) -> impl IntoView {
    let fields = [
        ("Title", &stays.title, &goes.title),
        ("Description", &stays.description, &goes.description),
        ("When it applies", &stays.context, &goes.context),
        ("What to do", &stays.recommendation, &goes.recommendation),
    ];
    let fields = fields
        .into_iter()
        .filter(|(_, stays, goes)| !stays.trim().is_empty() || !goes.trim().is_empty())
        .map(|(name, stays, goes)| {
            let same = stays.trim() == goes.trim();
            view! {
                <section class="versus">
                    <h3>{name}{same.then(|| view! { <span class="hint">" the same in both"</span> })}</h3>
                    <Versus name titles=("Stays", "Goes") left=stays.clone() right=goes.clone()/>
                </section>
            }
        })
        .collect_view();
    view! {
        <div class="versus-sides merge-heads">
            <MergeHead label="Stays" class="chip chip-good" lesson=stays.clone()/>
            <MergeHead label="Goes" class="chip chip-warn" lesson=goes.clone()/>
        </div>
        {fields}
    }
}

#[component]
fn MergeHead(label: &'static str, class: &'static str, lesson: LessonView) -> impl IntoView {
    let held = &lesson.standing;
    let numbers = format!(
        "shown {}, rated {} helpful and {} not, applied {}",
        format::count(held.times_surfaced),
        format::count(held.times_helpful),
        format::count(held.times_not_helpful),
        format::count(held.times_applied)
    );
    let slug = lesson.slug.clone();
    view! {
        <div data-testid=format!("merge-{}", format::lower(label)) data-slug=lesson.slug>
            <p><span class=class>{label}</span>" "<code class="slug">{slug}</code></p>
            <p class="hint">{numbers}</p>
        </div>
    }
}

fn path(slug: &str) -> String {
    format!("/v1/lessons/{}", format::encode(slug))
}
