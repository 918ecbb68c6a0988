//! A lesson's markdown as elements. No HTML is ever parsed: every piece is made as an element or as text.

use crate::markdown::{Block, Inline, parse};
use leptos::prelude::*;

/// Shows a markdown text.
#[component]
pub fn Prose(
    #[prop(into)] text: String,
    /// Set if its links can be followed: not in a text that nobody should trust.
    #[prop(optional)]
    links: bool,
) -> impl IntoView {
    view! { <div class="prose" dir="auto">{blocks(parse(&text), links)}</div> }
}

/// Where a link of a text leads: to a page of the web, or by a slug or a path to a lesson here; `None` where it leads
/// nowhere that is safe to follow.
fn destination(address: &str) -> Option<String> {
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        address
            .get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    });
    if is_web {
        return Some(address.to_owned());
    }
    let slug = address.strip_prefix("/lessons/").unwrap_or(address);
    let is_slug = !slug.is_empty()
        && slug
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    is_slug.then(|| format!("/lessons/{slug}"))
}

fn blocks(list: Vec<Block>, links: bool) -> Vec<AnyView> {
    list.into_iter().map(|one| block(one, links)).collect()
}

fn block(block: Block, links: bool) -> AnyView {
    match block {
        // The page's own headings end at level 2.
        Block::Heading(1 | 2, inner) => view! { <h3>{inlines(inner, links)}</h3> }.into_any(),
        Block::Heading(3, inner) => view! { <h4>{inlines(inner, links)}</h4> }.into_any(),
        Block::Heading(_, inner) => view! { <h5>{inlines(inner, links)}</h5> }.into_any(),
        Block::Paragraph(inner) => view! { <p>{inlines(inner, links)}</p> }.into_any(),
        Block::Code(text) => view! { <pre tabindex="0"><code>{text}</code></pre> }.into_any(),
        Block::Quote(inner) => view! { <blockquote>{blocks(inner, links)}</blockquote> }.into_any(),
        Block::List(None, items) => {
            view! { <ul>{items.into_iter().map(|one| item(one, links)).collect_view()}</ul> }.into_any()
        }
        Block::List(Some(start), items) => {
            view! { <ol start=start.to_string()>{items.into_iter().map(|one| item(one, links)).collect_view()}</ol> }
                .into_any()
        }
        Block::Table(rows) => table(rows, links),
        Block::Rule => view! { <hr/> }.into_any(),
    }
}

fn item(mut parts: Vec<Block>, links: bool) -> AnyView {
    // A tight list: one paragraph needs no element of its own.
    if let [Block::Paragraph(_)] = parts.as_slice()
        && let Some(Block::Paragraph(inner)) = parts.pop()
    {
        return view! { <li>{inlines(inner, links)}</li> }.into_any();
    }
    view! { <li>{blocks(parts, links)}</li> }.into_any()
}

fn table(mut rows: Vec<Vec<Vec<Inline>>>, links: bool) -> AnyView {
    let body = if rows.is_empty() {
        Vec::new()
    } else {
        rows.split_off(1)
    };
    let head = rows.pop().unwrap_or_default();
    view! {
        <div class="scroll" tabindex="0">
            <table>
                <thead><tr>{head.into_iter().map(|cell| view! { <th scope="col">{inlines(cell, links)}</th> }.into_any()).collect_view()}</tr></thead>
                <tbody>
                    {body.into_iter().map(|row| {
                        let cells = row.into_iter().map(|cell| view! { <td>{inlines(cell, links)}</td> }.into_any()).collect_view();
                        view! { <tr>{cells}</tr> }.into_any()
                    }).collect_view()}
                </tbody>
            </table>
        </div>
    }
    .into_any()
}

fn inlines(list: Vec<Inline>, links: bool) -> Vec<AnyView> {
    list.into_iter().map(|one| inline(one, links)).collect()
}

fn inline(piece: Inline, links: bool) -> AnyView {
    match piece {
        Inline::Text(text) => text.into_any(),
        Inline::Code(text) => view! { <code>{text}</code> }.into_any(),
        Inline::Emphasis(inner) => view! { <em>{inlines(inner, links)}</em> }.into_any(),
        Inline::Strong(inner) => view! { <strong>{inlines(inner, links)}</strong> }.into_any(),
        Inline::Struck(inner) => view! { <del>{inlines(inner, links)}</del> }.into_any(),
        Inline::Link(inner, address) if links && destination(&address).is_some() => {
            let to = destination(&address).unwrap_or_default();
            // A page here is opened by the app.
            let away = (!to.starts_with('/')).then_some("_blank");
            let rel = away.map(|_| "noopener noreferrer nofollow");
            view! { <a href=to target=away rel=rel title=address>{inlines(inner, false)}</a> }
                .into_any()
        }
        Inline::Link(inner, address) => {
            view! { <span class="inert-link">{inlines(inner, links)}<span class="address">" ("{address}")"</span></span> }.into_any()
        }
        Inline::Image(inner, address) => {
            view! { <span class="inert-link">"Image: "{inlines(inner, links)}<span class="address">" ("{address}")"</span></span> }.into_any()
        }
        Inline::Break => view! { <br/> }.into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::destination;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_link_leads_to_the_web_or_to_a_lesson() {
        for (address, to) in [
            (
                "https://example.org/a?b=c",
                Some("https://example.org/a?b=c"),
            ),
            ("HTTP://example.org", Some("HTTP://example.org")),
            ("strategy-wide-range", Some("/lessons/strategy-wide-range")),
            ("/lessons/a-1", Some("/lessons/a-1")),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("//example.org", None),
            ("/settings", None),
            ("../x", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(destination(address).as_deref(), to, "{address}");
        }
    }
}
