//! Two texts side by side, with the words marked that differ.

use crate::diff::{Piece, compare};
use leptos::prelude::*;

/// The two sides of one field. What only the left side has is struck out and what only the right one has is underlined
/// where `is_edit` says that the right one came of the left one; else both are marked.
#[component]
pub fn Versus(
    /// What both are texts of.
    #[prop(into)]
    name: String,
    /// The names of the sides.
    titles: (&'static str, &'static str),
    left: String,
    right: String,
    #[prop(optional)] is_edit: bool,
) -> impl IntoView {
    let (left, right) = compare(&left, &right);
    let tags = if is_edit {
        (Mark::Gone, Mark::New)
    } else {
        (Mark::Other, Mark::Other)
    };
    view! {
        <div class="versus-sides">
            <Side title=titles.0 name=name.clone() pieces=left mark=tags.0/>
            <Side title=titles.1 name pieces=right mark=tags.1/>
        </div>
    }
}

#[derive(Debug, Clone, Copy)]
enum Mark {
    Gone,
    New,
    Other,
}

#[component]
fn Side(title: &'static str, name: String, pieces: Vec<Piece>, mark: Mark) -> impl IntoView {
    let empty = pieces.is_empty();
    let pieces = pieces
        .into_iter()
        .map(|piece| match (piece.differs, mark) {
            (false, _) => piece.text.into_any(),
            (true, Mark::Gone) => view! { <del>{piece.text}</del> }.into_any(),
            (true, Mark::New) => view! { <ins>{piece.text}</ins> }.into_any(),
            (true, Mark::Other) => view! { <mark>{piece.text}</mark> }.into_any(),
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
