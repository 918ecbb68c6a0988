//! The text of a near duplicate beside the lesson that it is like: the words that differ, before anybody has to ask.

use super::reasons::alike;
use crate::api::{Client, use_query};
use crate::components::{Loaded, Versus};
use crate::format;
use leptos::prelude::*;
use lesson_types::{LessonView, NearDuplicate, ReviewItem, ReviewReason};

/// The two texts side by side, for an entry that is here as a near duplicate.
#[component]
pub fn Double(item: Memo<Option<ReviewItem>>, mine: Memo<Option<LessonView>>) -> impl IntoView {
    let other = Memo::new(move |_| {
        item.with(|item| {
            let item = item.as_ref()?;
            let asked = item.reasons.contains(&ReviewReason::NearDuplicate);
            item.duplicates.first().filter(|_| asked).cloned()
        })
    });
    move || other.get().map(|other| view! { <Beside other mine/> })
}

#[component]
fn Beside(other: NearDuplicate, mine: Memo<Option<LessonView>>) -> impl IntoView {
    let client = Client::get_from_context();
    let address = format!("/lessons/{}", format::encode(&other.slug));
    let path = format!("/v1{address}");
    let theirs = use_query(move || client.get::<LessonView>(path.clone()));
    view! {
        <section class="review-diff" aria-label="Beside the lesson that it is like" data-testid="review-diff">
            <header>
                <b dir="auto">{alike(&other)}</b>
                <a href=address>"Open the other"</a>
            </header>
            <Loaded of=theirs lines=3 children={move |theirs: Memo<LessonView>| {
                move || mine.get().map(|mine| theirs.with(|theirs| fields(theirs, &mine)))
            }}/>
        </section>
    }
}

/// The fields that differ; that they are the same where none does.
fn fields(theirs: &LessonView, mine: &LessonView) -> AnyView {
    let fields = [
        ("Title", &theirs.title, &mine.title),
        ("Description", &theirs.description, &mine.description),
        ("When it applies", &theirs.context, &mine.context),
        ("What to do", &theirs.recommendation, &mine.recommendation),
    ];
    let differing: Vec<_> = fields
        .into_iter()
        .filter(|(_, theirs, mine)| theirs.trim() != mine.trim())
        .map(|(name, theirs, mine)| {
            view! {
                <section class="versus">
                    <h3>{name}</h3>
                    <Versus name titles=("The other", "This one") left=theirs.clone() right=mine.clone()/>
                </section>
            }
            .into_any()
        })
        .collect();
    if differing.is_empty() {
        return view! { <p class="muted">"Both say the same, word for word."</p> }.into_any();
    }
    differing.into_any()
}
