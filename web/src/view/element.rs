//! An element with its attributes, what it heeds, and what is in it.

use super::setting::{IntoSetting, Setting, Value};
use super::{Kind, Markup};
use leptos::ev::{EventDescriptor, Targeted};
use leptos::html::ElementType;
use leptos::prelude::*;
use leptos::tachys::html::node_ref::NodeRefContainer;
use std::borrow::Cow;
use wasm_bindgen::JsCast;

/// What is called when something happens.
pub(super) type Heed = Box<dyn FnMut(web_sys::Event)>;

/// An element; cheap to move.
pub struct Element(pub(super) Box<Parts>);

/// Its parts.
pub(super) struct Parts {
    pub tag: &'static str,
    pub svg: bool,
    pub items: Vec<Item>,
    pub children: Vec<Kind>,
}

/// Something of an element besides its children.
pub(super) enum Item {
    Set(Way, &'static str, Setting),
    Heed(Cow<'static, str>, Heed),
    Refer(Box<dyn FnOnce(&web_sys::Element)>),
}

/// How something is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Attribute,
    Property,
    Class,
    Style,
}

impl Element {
    pub(super) fn new(tag: &'static str, svg: bool) -> Self {
        Self(Box::new(Parts {
            tag,
            svg,
            items: Vec::new(),
            children: Vec::new(),
        }))
    }

    fn with(mut self, item: Item) -> Self {
        self.0.items.push(item);
        self
    }

    /// An attribute that is written in the markup.
    pub fn plain(self, name: &'static str, text: &'static str) -> Self {
        let value = Value::Text(Cow::Borrowed(text));
        self.with(Item::Set(Way::Attribute, name, Setting::Fixed(value)))
    }

    /// An attribute.
    pub fn attr(self, name: &'static str, value: impl IntoSetting) -> Self {
        self.with(Item::Set(Way::Attribute, name, value.into_setting()))
    }

    /// A property of the element in the page.
    pub fn prop(self, name: &'static str, value: impl IntoSetting) -> Self {
        self.with(Item::Set(Way::Property, name, value.into_setting()))
    }

    /// A class that is there or not.
    pub fn class(self, name: &'static str, value: impl IntoSetting) -> Self {
        self.with(Item::Set(Way::Class, name, value.into_setting()))
    }

    /// A property of its style.
    pub fn style(self, name: &'static str, value: impl IntoSetting) -> Self {
        self.with(Item::Set(Way::Style, name, value.into_setting()))
    }

    /// What is done when something happens, within the part of the page that made it.
    pub fn on<E, F>(self, event: E, mut heed: F) -> Self
    where
        E: EventDescriptor,
        E::EventType: JsCast + 'static,
        F: FnMut(E::EventType) + 'static,
    {
        self.heed(
            event.name(),
            Box::new(move |event| heed(event.unchecked_into())),
        )
    }

    /// The same, told with the element's own type.
    pub fn on_target<T, E, F>(self, event: E, mut heed: F) -> Self
    where
        T: 'static,
        E: EventDescriptor,
        E::EventType: JsCast + 'static,
        F: FnMut(Targeted<E::EventType, T>) + 'static,
    {
        self.on(event, move |event| heed(Targeted::from(event)))
    }

    fn heed(self, name: Cow<'static, str>, mut heed: Heed) -> Self {
        let owner = Owner::current().unwrap_or_default();
        let heed = move |event| owner.with(|| heed(event));
        self.with(Item::Heed(name, Box::new(heed)))
    }

    /// Where the element is to be found once it is there.
    pub fn refer<E, C>(self, node: C) -> Self
    where
        E: ElementType,
        C: NodeRefContainer<E>,
    {
        self.with(Item::Refer(Box::new(move |element| node.load(element))))
    }

    /// A text in it.
    pub fn say(mut self, text: &'static str) -> Self {
        self.0.children.push(Kind::Text(Cow::Borrowed(text)));
        self
    }

    /// An element in it.
    pub fn put(mut self, element: Self) -> Self {
        self.0.children.push(Kind::Element(element));
        self
    }

    /// What else is in it.
    pub fn hold(mut self, child: Markup) -> Self {
        self.0.children.push(child.kind());
        self
    }

    /// The whole.
    pub fn done(self) -> Markup {
        Markup::new(Kind::Element(self))
    }
}
