//! Markup, all of one type. Leptos gives every element, attribute and event a type of its own, and the compiler code
//! for each; here they are data, and what draws them is compiled once. Signals, effects and components are Leptos's.

mod bridge;
mod drawn;
mod element;
mod setting;
mod value;

pub use element::Element;
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyView;
use send_wrapper::SendWrapper;
use setting::{IntoSetting, Setting};
use std::borrow::Cow;
pub use value::IntoMarkup;
pub use view_macro::view;

/// A signal is read whenever it changes, as a child and as an attribute.
macro_rules! signals {
    ($($signal:ident)*) => {$(
        impl<T> IntoMarkup for $signal<T>
        where
            T: IntoMarkup + Clone + Send + Sync + 'static,
        {
            fn into_markup(self) -> Markup {
                (move || self.get()).into_markup()
            }
        }

        impl<T> IntoSetting for $signal<T>
        where
            T: IntoSetting + Clone + Send + Sync + 'static,
        {
            fn into_setting(self) -> Setting {
                (move || self.get()).into_setting()
            }
        }
    )*};
}

signals!(RwSignal Memo Signal ReadSignal);

/// Something to be drawn.
pub struct Markup(SendWrapper<Kind>);

/// What there is to be drawn.
enum Kind {
    Nothing,
    Text(Cow<'static, str>),
    Element(Element),
    List(Vec<Kind>),
    /// Drawn anew whenever what it reads has changed.
    Living(Box<dyn FnMut() -> Kind>),
    /// A view of Leptos's own.
    Other(AnyView),
}

impl Markup {
    fn new(kind: Kind) -> Self {
        Self(SendWrapper::new(kind))
    }

    fn kind(self) -> Kind {
        self.0.take()
    }
}

/// Draws nothing.
pub fn nothing() -> Markup {
    Markup::new(Kind::Nothing)
}

/// A piece of text.
pub fn text(text: &'static str) -> Markup {
    Markup::new(Kind::Text(Cow::Borrowed(text)))
}

/// One after the other.
pub fn list(parts: Vec<Markup>) -> Markup {
    Markup::new(Kind::List(parts.into_iter().map(Markup::kind).collect()))
}

/// What `make` makes, made anew whenever what it reads has changed.
fn living(mut make: Box<dyn FnMut() -> Markup>) -> Markup {
    Markup::new(Kind::Living(Box::new(move || make().kind())))
}

/// An element of HTML.
pub fn html(tag: &'static str) -> Element {
    Element::new(tag, false)
}

/// An element of SVG.
pub fn svg(tag: &'static str) -> Element {
    Element::new(tag, true)
}

/// One thing or the other; made anew only when the condition turns.
pub fn show(
    when: impl Fn() -> bool + Send + Sync + 'static,
    then: impl Fn() -> Markup + 'static,
    other: impl Fn() -> Markup + 'static,
) -> Markup {
    choose(Box::new(when), Box::new(then), Box::new(other))
}

fn choose(
    when: Box<dyn Fn() -> bool + Send + Sync>,
    then: Box<dyn Fn() -> Markup>,
    other: Box<dyn Fn() -> Markup>,
) -> Markup {
    let when = Memo::new(move |_| when());
    living(Box::new(move || if when.get() { then() } else { other() }))
}
