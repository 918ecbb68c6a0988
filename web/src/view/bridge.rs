//! Markup as a view of Leptos's, so that components can give and take it. It is drawn in the browser only.

use super::Markup;
use super::drawn::Drawn;
use leptos::prelude::*;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::{Position, PositionState};

leptos::tachys::no_attrs!(Markup);

impl Render for Markup {
    type State = Drawn;

    fn build(self) -> Drawn {
        Drawn::new(self.kind())
    }

    fn rebuild(self, state: &mut Drawn) {
        state.become_of(self.kind());
    }
}

impl RenderHtml for Markup {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(
        self,
        _: &mut String,
        _: &mut Position,
        _: bool,
        _: bool,
        _: Vec<AnyAttribute>,
    ) {
    }

    fn hydrate<const FROM_SERVER: bool>(self, _: &Cursor, _: &PositionState) -> Drawn {
        self.build()
    }

    fn into_owned(self) -> Self {
        self
    }
}
