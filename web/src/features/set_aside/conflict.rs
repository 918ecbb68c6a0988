//! An edit that came too late: both texts side by side, and the decision.

use super::desk::Desk;
use crate::diff::{Piece, compare};
use crate::format;
use leptos::prelude::*;
use lesson_types::{ConflictField, EditConflict, Settlement};

/// One edit.
#[component]
pub fn ConflictCard(conflict: EditConflict) -> impl IntoView {
    let desk: Desk = expect_context();
    let EditConflict {
        id,
        at,
        now,
        slug,
        fields,
    } = conflict;
    let heading = format!("conflict-{id}");
    let about = heading.clone();
    let there = now.is_some();
    let archived = now.as_ref().is_some_and(|lesson| lesson.archived);
    let title = now.map_or_else(|| slug.clone(), |lesson| lesson.title);
    let address = format!("/lessons/{}", format::encode(&slug));
    let fields = fields.into_iter().map(field).collect_view();
    let id = StoredValue::new(id);
    let settle = move |keep, done: &'static str| desk.settle(vec![id.get_value()], keep, done);
    view! {
        <article class="card conflict" aria-labelledby=heading.clone() data-testid="conflict" data-slug=slug>
            <div class="conflict-head">
                <h3 id=heading.clone() dir="auto">
                    {if there { view! { <a href=address>{title}</a> }.into_any() } else { title.into_any() }}
                </h3>
                <p class="muted">"Your edit of "<time datetime=at.clone()>{format::time(&at)}</time>" UTC"</p>
            </div>
            {archived.then(|| view! { <p class="note">"The lesson is archived now."</p> })}
            {(!there).then(|| view! { <p class="note note-warn">"The lesson is not there any more, so your text can't be put into it. Copy what you want to keep."</p> })}
            {fields}
            <div class="actions">
                {there.then(|| view! {
                    <button type="button" class="primary" aria-describedby=about.clone() disabled=desk.asking.busy data-testid="keep-mine"
                        on:click=move |_| settle(Settlement::Mine, "Your text is in force and waits to be sent")>"Keep mine"</button>
                })}
                <button type="button" aria-describedby=about.clone() disabled=desk.asking.busy data-testid="keep-theirs"
                    on:click=move |_| settle(Settlement::Theirs, "The server's text stays; yours is dropped")>"Keep the server's"</button>
            </div>
        </article>
    }
}

fn field(field: ConflictField) -> AnyView {
    let (theirs, mine) = compare(&field.theirs, &field.mine);
    view! {
        <section class="versus" data-testid="conflict-field" data-field=field.name.clone()>
            <h4>{label(&field.name)}</h4>
            <div class="versus-sides">
                <Side title="On the server" pieces=theirs/>
                <Side title="Yours" pieces=mine/>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Side(title: &'static str, pieces: Vec<Piece>) -> impl IntoView {
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
            <p class="hint">{title}</p>
            <div class="side-text" dir="auto" tabindex="0" role="group" aria-label=title>{pieces}{empty.then(|| view! { <span class="muted">"(empty)"</span> })}</div>
        </div>
    }
}

/// A field by the name that the lesson's form gives it.
fn label(name: &str) -> String {
    match name {
        "context" => "When it applies".to_owned(),
        "recommendation" => "What to do".to_owned(),
        "project_types" => "Kinds of project".to_owned(),
        "tech_stacks" => "Technologies".to_owned(),
        other => format::spaced(other),
    }
}
