//! An element in the page: what is set on it, what it heeds, and what is in it.

use super::drawn::Drawn;
use super::element::{Element, Heed, Item, Parts, Way};
use super::setting::{Setting, Value};
use leptos::prelude::*;
use leptos::reactive::effect::RenderEffect;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlElement};

const SVG: &str = "http://www.w3.org/2000/svg";

/// An element in the page.
pub struct Standing {
    pub(super) node: web_sys::Element,
    tag: &'static str,
    items: Vec<Held>,
    children: Vec<Drawn>,
}

/// What is set on an element.
enum Held {
    Fixed(Way, &'static str, Value),
    Living(Way, &'static str, RenderEffect<Value>),
    Heed(Listener),
    Refer,
}

/// Calls what heeds an event, until it is dropped.
struct Listener {
    node: web_sys::Element,
    name: Cow<'static, str>,
    heed: Rc<RefCell<Heed>>,
    call: Closure<dyn FnMut(Event)>,
}

impl Standing {
    /// Makes it, beside the page.
    pub(super) fn new(element: Element) -> Self {
        let Parts {
            tag,
            svg,
            items,
            children,
        } = *element.0;
        let made = if svg {
            document().create_element_ns(Some(SVG), tag)
        } else {
            document().create_element(tag)
        };
        // The names are those of the markup, which are all good.
        let node = made.unwrap_throw();
        let items = items
            .into_iter()
            .map(|item| Held::new(&node, item))
            .collect();
        let children = children
            .into_iter()
            .map(|child| {
                let mut child = Drawn::new(child);
                child.mount(&node, None);
                child
            })
            .collect();
        Self {
            node,
            tag,
            items,
            children,
        }
    }

    /// Becomes another element of the same kind; gives it back where it is of another one.
    pub(super) fn become_of(&mut self, element: Element) -> Result<(), Element> {
        let parts = &element.0;
        let alike = self.tag == parts.tag
            && self.items.len() == parts.items.len()
            && self.children.len() == parts.children.len()
            && self
                .items
                .iter()
                .zip(&parts.items)
                .all(|(held, item)| held.is_of(item));
        if !alike {
            return Err(element);
        }
        let parts = *element.0;
        for (held, item) in self.items.iter_mut().zip(parts.items) {
            held.become_of(&self.node, item);
        }
        for (old, kind) in self.children.iter_mut().zip(parts.children) {
            old.become_of(kind);
        }
        Ok(())
    }
}

impl Held {
    fn new(node: &web_sys::Element, item: Item) -> Self {
        match item {
            Item::Set(way, name, Setting::Fixed(value)) => {
                if value != Value::Absent {
                    set(node, way, name, &value);
                }
                Self::Fixed(way, name, value)
            }
            Item::Set(way, name, Setting::Living(value)) => {
                Self::Living(way, name, follow(node, way, name, value, None))
            }
            Item::Heed(name, heed) => Self::Heed(Listener::new(node, name, heed)),
            Item::Refer(refer) => {
                refer(node);
                Self::Refer
            }
        }
    }

    /// Whether it can become this.
    fn is_of(&self, item: &Item) -> bool {
        match (self, item) {
            (Self::Fixed(way, name, value), Item::Set(to, other, Setting::Fixed(new))) => {
                // Another id is another element.
                way == to && name == other && (*name != "id" || value == new)
            }
            (Self::Living(way, name, _), Item::Set(to, other, Setting::Living(_))) => {
                way == to && name == other
            }
            (Self::Heed(listener), Item::Heed(name, _)) => listener.name == *name,
            (Self::Refer, Item::Refer(_)) => true,
            _ => false,
        }
    }

    fn become_of(&mut self, node: &web_sys::Element, item: Item) {
        match (self, item) {
            (Self::Fixed(way, name, now), Item::Set(_, _, Setting::Fixed(value)))
                if *now != value =>
            {
                set(node, *way, name, &value);
                *now = value;
            }
            (Self::Living(way, name, effect), Item::Set(_, _, Setting::Living(value))) => {
                let before = effect.take_value();
                *effect = follow(node, *way, name, value, before);
            }
            (Self::Heed(listener), Item::Heed(_, heed)) => {
                // It is called by nobody now: what happens in the page waits for this to end.
                if let Ok(mut now) = listener.heed.try_borrow_mut() {
                    *now = heed;
                }
            }
            (_, Item::Refer(refer)) => refer(node),
            _ => {}
        }
    }
}

/// Sets what is read, whenever it changes.
fn follow(
    node: &web_sys::Element,
    way: Way,
    name: &'static str,
    mut value: Box<dyn FnMut() -> Value>,
    before: Option<Value>,
) -> RenderEffect<Value> {
    let node = node.clone();
    RenderEffect::new_with_value(
        move |before: Option<Value>| {
            let value = value();
            if before.unwrap_or(Value::Absent) != value {
                set(&node, way, name, &value);
            }
            value
        },
        before,
    )
}

fn set(node: &web_sys::Element, way: Way, name: &str, value: &Value) {
    let text = match value {
        Value::Absent => None,
        Value::On => Some(""),
        Value::Text(text) => Some(text.as_ref()),
    };
    // What fails here is a name that no browser takes, and the markup has none.
    match way {
        Way::Attribute => {
            let _ = match text {
                Some(text) => node.set_attribute(name, text),
                None => node.remove_attribute(name),
            };
        }
        Way::Property => {
            let value = match value {
                Value::Text(text) => JsValue::from_str(text),
                _ => JsValue::from_bool(*value == Value::On),
            };
            let _ = js_sys::Reflect::set(node, &name.into(), &value);
        }
        Way::Class => {
            let _ = node.class_list().toggle_with_force(name, text.is_some());
        }
        Way::Style => {
            let style = node.unchecked_ref::<HtmlElement>().style();
            let _ = style.set_property(name, text.unwrap_or_default());
        }
    }
}

impl Listener {
    fn new(node: &web_sys::Element, name: Cow<'static, str>, heed: Heed) -> Self {
        let heed = Rc::new(RefCell::new(heed));
        let called = Rc::clone(&heed);
        let call = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            if let Ok(mut heed) = called.try_borrow_mut() {
                heed(event);
            }
        });
        let function = call.as_ref().unchecked_ref();
        let _ = node.add_event_listener_with_callback(&name, function);
        Self {
            node: node.clone(),
            name,
            heed,
            call,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let function = self.call.as_ref().unchecked_ref();
        let _ = self
            .node
            .remove_event_listener_with_callback(&self.name, function);
    }
}
