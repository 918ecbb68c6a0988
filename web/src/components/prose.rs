//! A lesson's markdown as elements. No HTML is ever parsed: every piece is made as an element or as text.

use crate::markdown::{Block, Inline, parse};
use leptos::prelude::*;

/// Shows a markdown text.
#[component]
pub fn Prose(#[prop(into)] text: String) -> impl IntoView {
    view! { <div class="prose" dir="auto">{blocks(parse(&text))}</div> }
}

fn blocks(list: Vec<Block>) -> Vec<AnyView> {
    list.into_iter().map(block).collect()
}

fn block(block: Block) -> AnyView {
    match block {
        // The page's own headings end at level 2.
        Block::Heading(1 | 2, inner) => view! { <h3>{inlines(inner)}</h3> }.into_any(),
        Block::Heading(3, inner) => view! { <h4>{inlines(inner)}</h4> }.into_any(),
        Block::Heading(_, inner) => view! { <h5>{inlines(inner)}</h5> }.into_any(),
        Block::Paragraph(inner) => view! { <p>{inlines(inner)}</p> }.into_any(),
        Block::Code(text) => view! { <pre tabindex="0"><code>{text}</code></pre> }.into_any(),
        Block::Quote(inner) => view! { <blockquote>{blocks(inner)}</blockquote> }.into_any(),
        Block::List(None, items) => {
            view! { <ul>{items.into_iter().map(item).collect_view()}</ul> }.into_any()
        }
        Block::List(Some(start), items) => {
            view! { <ol start=start.to_string()>{items.into_iter().map(item).collect_view()}</ol> }
                .into_any()
        }
        Block::Table(rows) => table(rows),
        Block::Rule => view! { <hr/> }.into_any(),
    }
}

fn item(mut parts: Vec<Block>) -> AnyView {
    // A tight list: one paragraph needs no element of its own.
    if let [Block::Paragraph(_)] = parts.as_slice()
        && let Some(Block::Paragraph(inner)) = parts.pop()
    {
        return view! { <li>{inlines(inner)}</li> }.into_any();
    }
    view! { <li>{blocks(parts)}</li> }.into_any()
}

fn table(mut rows: Vec<Vec<Vec<Inline>>>) -> AnyView {
    let body = if rows.is_empty() {
        Vec::new()
    } else {
        rows.split_off(1)
    };
    let head = rows.pop().unwrap_or_default();
    view! {
        <div class="scroll" tabindex="0">
            <table>
                <thead><tr>{head.into_iter().map(|cell| view! { <th scope="col">{inlines(cell)}</th> }.into_any()).collect_view()}</tr></thead>
                <tbody>
                    {body.into_iter().map(|row| {
                        let cells = row.into_iter().map(|cell| view! { <td>{inlines(cell)}</td> }.into_any()).collect_view();
                        view! { <tr>{cells}</tr> }.into_any()
                    }).collect_view()}
                </tbody>
            </table>
        </div>
    }
    .into_any()
}

fn inlines(list: Vec<Inline>) -> Vec<AnyView> {
    list.into_iter().map(inline).collect()
}

fn inline(piece: Inline) -> AnyView {
    match piece {
        Inline::Text(text) => text.into_any(),
        Inline::Code(text) => view! { <code>{text}</code> }.into_any(),
        Inline::Emphasis(inner) => view! { <em>{inlines(inner)}</em> }.into_any(),
        Inline::Strong(inner) => view! { <strong>{inlines(inner)}</strong> }.into_any(),
        Inline::Struck(inner) => view! { <del>{inlines(inner)}</del> }.into_any(),
        Inline::Link(inner, address) => {
            view! { <span class="inert-link">{inlines(inner)}<span class="address">" ("{address}")"</span></span> }.into_any()
        }
        Inline::Image(inner, address) => {
            view! { <span class="inert-link">"Image: "{inlines(inner)}<span class="address">" ("{address}")"</span></span> }.into_any()
        }
        Inline::Break => view! { <br/> }.into_any(),
    }
}
