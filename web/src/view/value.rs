//! What can stand between braces in markup.

use super::{Kind, Markup, list, living, nothing};
use leptos::prelude::*;
use std::borrow::Cow;

/// What can be drawn.
pub trait IntoMarkup {
    /// As markup.
    fn into_markup(self) -> Markup;
}

impl IntoMarkup for Markup {
    fn into_markup(self) -> Markup {
        self
    }
}

impl IntoMarkup for () {
    fn into_markup(self) -> Markup {
        nothing()
    }
}

impl IntoMarkup for &str {
    fn into_markup(self) -> Markup {
        self.to_owned().into_markup()
    }
}

impl IntoMarkup for String {
    fn into_markup(self) -> Markup {
        Markup::new(Kind::Text(Cow::Owned(self)))
    }
}

impl IntoMarkup for u32 {
    fn into_markup(self) -> Markup {
        self.to_string().into_markup()
    }
}

impl IntoMarkup for usize {
    fn into_markup(self) -> Markup {
        self.to_string().into_markup()
    }
}

impl IntoMarkup for AnyView {
    fn into_markup(self) -> Markup {
        Markup::new(Kind::Other(self))
    }
}

impl<T> IntoMarkup for View<T>
where
    T: RenderHtml + 'static,
{
    fn into_markup(self) -> Markup {
        self.into_inner().into_any().into_markup()
    }
}

impl<T: IntoMarkup> IntoMarkup for Option<T> {
    fn into_markup(self) -> Markup {
        self.map_or_else(nothing, T::into_markup)
    }
}

impl<T: IntoMarkup> IntoMarkup for Vec<T> {
    fn into_markup(self) -> Markup {
        list(self.into_iter().map(T::into_markup).collect())
    }
}

impl<T: IntoMarkup, const N: usize> IntoMarkup for [T; N] {
    fn into_markup(self) -> Markup {
        list(self.into_iter().map(T::into_markup).collect())
    }
}

impl<F, T> IntoMarkup for F
where
    F: FnMut() -> T + 'static,
    T: IntoMarkup,
{
    fn into_markup(mut self) -> Markup {
        living(Box::new(move || self().into_markup()))
    }
}
