//! Two texts compared: side by side with the words marked that differ, or an edit as one text.

use crate::diff::{Kind, Piece, compare, unified, word_count};
use crate::format;
use leptos::prelude::*;

/// The two sides of one field, each with what the other one lacks marked.
#[component]
pub fn Versus(
    /// Name of the field that both are texts of.
    #[prop(into)]
    name: String,
    /// The names of the sides.
    titles: (&'static str, &'static str),
    left: String,
    right: String,
) -> impl IntoView {
    let (left, right) = compare(&left, &right);
    view! {
        <div class="versus-sides">
            <Side title=titles.0 name=name.clone() pieces=left/>
            <Side title=titles.1 name pieces=right/>
        </div>
    }
}

#[component]
fn Side(title: &'static str, name: String, pieces: Vec<Piece>) -> impl IntoView {
    let empty = pieces.is_empty();
    let pieces = pieces
        .into_iter()
        .map(|piece| {
            if piece.differs {
                view! { <mark>{piece.text}</mark> }.into_any()
            } else {
                piece.text.into_any()
            }
        })
        .collect_view();
    view! {
        <div class="side">
            <p class="side-label">{title}</p>
            <div class="side-text" dir="auto" tabindex="0" role="group" aria-label=format!("{name}, {}", title.to_ascii_lowercase())>
                {pieces}{empty.then(|| view! { <span class="muted">"(empty)"</span> })}
            </div>
        </div>
    }
}

/// An edit of one field as one text: what went is struck out, what came is underlined, and a long stretch that stayed is
/// folded away.
#[component]
pub fn Edited(
    /// Name of the field that was edited.
    #[prop(into)]
    name: String,
    before: String,
    after: String,
) -> impl IntoView {
    let parts = unified(&before, &after)
        .into_iter()
        .map(|(kind, text)| match kind {
            Kind::Same => text.into_any(),
            Kind::Gone => view! { <del>{text}</del> }.into_any(),
            Kind::New => view! { <ins>{text}</ins> }.into_any(),
            Kind::Long => folded(text),
        })
        .collect_view();
    view! {
        <div class="side-text edited" dir="auto" tabindex="0" role="group" aria-label=format!("{name}, with what changed")>{parts}</div>
    }
}

fn folded(text: String) -> AnyView {
    let open = RwSignal::new(false);
    let count = u32::try_from(word_count(&text)).unwrap_or(u32::MAX);
    let label = format!("{} unchanged", format::plural(count, "word", "words"));
    let text = StoredValue::new(text);
    view! {
        {move || if open.get() {
            text.get_value().into_any()
        } else {
            view! { <button type="button" class="plain unchanged" data-testid="unchanged" on:click=move |_| open.set(true)>"⋯ "{label.clone()}" ⋯"</button> }.into_any()
        }}
    }
    .into_any()
}
