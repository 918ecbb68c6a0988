//! `view!` for the dashboard. It reads what Leptos's macro of that name reads, and writes calls of `crate::view`, which
//! has one type for all markup: Leptos gives each element, attribute and event a type of its own, and code of its own.
//! Components are Leptos's, and are left to its macro.
#![forbid(unsafe_code)]

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use rstml::node::{
    KeyedAttribute, KeyedAttributeValue, Node, NodeAttribute, NodeBlock, NodeElement,
};
use rstml::{Infallible, Parser, ParserConfig};
use syn::spanned::Spanned as _;
use syn::{Expr, LitStr, Stmt};

type Element = NodeElement<Infallible>;

/// Elements that only SVG has; in one of them, all are SVG's.
const SVG: &[&str] = &[
    "svg", "g", "path", "circle", "rect", "line", "polygon", "polyline",
];

/// Markup as a `crate::view::Markup`.
#[proc_macro]
pub fn view(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let config = ParserConfig::default().recover_block(true);
    let parsed = Parser::new(config).parse_recoverable(TokenStream::from(tokens));
    let (nodes, errors) = parsed.split_vec();
    let errors: Vec<TokenStream> = errors
        .into_iter()
        .map(|error| error.emit_as_expr_tokens())
        .collect();
    let view = whole(&nodes, false);
    quote! {{ #(#errors)* #view }}.into()
}

/// Nodes side by side as one piece of markup.
fn whole(nodes: &[Node], svg: bool) -> TokenStream {
    let parts: Vec<TokenStream> = nodes.iter().filter_map(|node| child(node, svg)).collect();
    match parts.as_slice() {
        [] => quote! { crate::view::nothing() },
        [one] => one.clone(),
        _ => quote! { crate::view::list(vec![#(#parts),*]) },
    }
}

/// A node as markup.
fn child(node: &Node, svg: bool) -> Option<TokenStream> {
    match node {
        Node::Comment(_) | Node::Doctype(_) => None,
        Node::Fragment(fragment) => Some(whole(&fragment.children, svg)),
        Node::Text(text) => Some(text_of(&text.value)),
        Node::RawText(raw) => Some(text_of(&LitStr::new(&raw.to_string_best(), raw.span()))),
        Node::Block(block) => {
            let value = value_of(block);
            Some(quote_spanned! {block.span()=> crate::view::IntoMarkup::into_markup(#value) })
        }
        Node::Element(element) if is_component(element) => Some(component(element)),
        Node::Element(element) => {
            let element = made(element, svg);
            Some(quote! { #element.done() })
        }
        Node::Custom(_) => None,
    }
}

fn text_of(text: &LitStr) -> TokenStream {
    quote! { crate::view::text(#text) }
}

/// What stands between braces; without them where it is one expression.
fn value_of(block: &NodeBlock) -> TokenStream {
    match block {
        NodeBlock::ValidBlock(block) => match block.stmts.as_slice() {
            [Stmt::Expr(one, None)] => quote! { #one },
            _ => quote! { #block },
        },
        NodeBlock::Invalid(_) => quote! { #block },
    }
}

fn is_component(element: &Element) -> bool {
    let name = element.name().to_string();
    name.starts_with(char::is_uppercase) || name.contains("::")
}

/// A component, with its children made here.
fn component(element: &Element) -> TokenStream {
    let name = element.name().to_string();
    if name == "Show" {
        return show(element);
    }
    let (open, close) = (&element.open_tag, &element.close_tag);
    let children = (!element.children.is_empty()).then(|| {
        let children = whole(&element.children, false);
        quote! { {#children} }
    });
    quote! { crate::view::IntoMarkup::into_markup(::leptos::prelude::view! { #open #children #close }) }
}

/// `<Show when=… fallback=…>`.
fn show(element: &Element) -> TokenStream {
    let children = whole(&element.children, false);
    let of = |name: &str| {
        element
            .attributes()
            .iter()
            .find_map(|attribute| match attribute {
                NodeAttribute::Attribute(attribute) if attribute.key.to_string() == name => {
                    attribute.value().map(bare)
                }
                _ => None,
            })
    };
    let Some(when) = of("when") else {
        return error(element.name().span(), "`Show` needs `when`");
    };
    let other = of("fallback").map_or_else(
        || quote! { crate::view::nothing },
        |other| quote! { move || crate::view::IntoMarkup::into_markup((#other)()) },
    );
    quote! { crate::view::show(#when, move || #children, #other) }
}

/// An element of the page, as a `crate::view::Element`.
fn made(element: &Element, svg: bool) -> TokenStream {
    let name = element.name().to_string();
    let svg = svg || SVG.contains(&name.as_str());
    let tag = LitStr::new(&name, element.name().span());
    let start = if svg {
        quote! { crate::view::svg(#tag) }
    } else {
        quote! { crate::view::html(#tag) }
    };
    let attributes = element
        .attributes()
        .iter()
        .map(|attribute| match attribute {
            NodeAttribute::Attribute(attribute) => attribute_of(attribute, &name),
            NodeAttribute::Block(block) => {
                error(block.span(), "spread attributes are not read here")
            }
        });
    let children = element.children.iter().filter_map(|node| match node {
        Node::Text(text) => {
            let text = &text.value;
            Some(quote! { .say(#text) })
        }
        Node::Element(element) if !is_component(element) => {
            let element = made(element, svg);
            Some(quote! { .put(#element) })
        }
        _ => child(node, svg).map(|child| quote! { .hold(#child) }),
    });
    quote! { #start #(#attributes)* #(#children)* }
}

fn attribute_of(attribute: &KeyedAttribute, tag: &str) -> TokenStream {
    let key = attribute.key.to_string();
    let at = attribute.key.span();
    if matches!(attribute.possible_value, KeyedAttributeValue::Binding(_)) {
        return error(at, "an element takes no such binding");
    }
    let value = attribute.value().map_or_else(|| quote! { true }, bare);
    if key == "node_ref" {
        let kind = kind(tag);
        return quote_spanned! {at=> .refer::<::leptos::html::#kind, _>(#value) };
    }
    let Some((how, name)) = key.split_once(':') else {
        if let Some(Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        })) = attribute.value()
        {
            return quote! { .plain(#key, #text) };
        }
        return quote_spanned! {at=> .attr(#key, #value) };
    };
    match how {
        "on" => match name.split_once(':') {
            None => {
                let event = format_ident!("{name}", span = at);
                quote_spanned! {at=> .on(::leptos::ev::#event, #value) }
            }
            Some((name, "target")) => {
                let (event, kind) = (format_ident!("{name}", span = at), kind(tag));
                quote_spanned! {at=>
                    .on_target::<<::leptos::html::#kind as ::leptos::html::ElementType>::Output, _, _>(::leptos::ev::#event, #value)
                }
            }
            Some(_) => error(at, "events know `:target` only"),
        },
        "prop" => quote_spanned! {at=> .prop(#name, #value) },
        "class" => quote_spanned! {at=> .class(#name, #value) },
        "style" => quote_spanned! {at=> .style(#name, #value) },
        _ => error(at, "this kind of attribute is not known"),
    }
}

/// The name of an element's type in Leptos.
fn kind(tag: &str) -> syn::Ident {
    let mut letters = tag.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    format_ident!("{name}")
}

/// An expression without braces that hold nothing else.
fn bare(value: &Expr) -> TokenStream {
    match value {
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            match block.block.stmts.as_slice() {
                [Stmt::Expr(one, None)] => quote! { #one },
                _ => quote! { #block },
            }
        }
        _ => quote! { #value },
    }
}

fn error(at: Span, message: &str) -> TokenStream {
    syn::Error::new(at, message).to_compile_error()
}
