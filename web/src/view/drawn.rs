//! What stands in the page, and how it becomes something else: what is alike stays, with its focus, its scroll and what
//! was typed into it.

use super::Kind;
use super::element::{Element, Heed, Item, Parts, Way};
use super::setting::{Setting, Value};
use leptos::prelude::*;
use leptos::reactive::effect::RenderEffect;
use leptos::tachys::view::any_view::AnyViewState;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Comment, Event, HtmlElement, Node, Text};

/// Something in the page.
pub enum Drawn {
    /// Nothing, and where it is.
    Nothing(Comment),
    Text(Text, Cow<'static, str>),
    Element(Box<Standing>),
    /// Its last node marks its end.
    List(Vec<Drawn>, Comment),
    Living {
        now: Rc<RefCell<Drawn>>,
        effect: RenderEffect<()>,
    },
    /// What Leptos draws, and its end.
    Other(AnyViewState, Comment),
}

impl Drawn {
    /// Draws, beside the page.
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Nothing => Self::Nothing(mark()),
            Kind::Text(text) => Self::Text(document().create_text_node(&text), text),
            Kind::Element(element) => Self::Element(Box::new(Standing::new(element))),
            Kind::List(list) => Self::List(list.into_iter().map(Self::new).collect(), mark()),
            Kind::Living(make) => {
                let now = Rc::new(RefCell::new(Self::Nothing(mark())));
                let effect = follow(make, &now);
                Self::Living { now, effect }
            }
            Kind::Other(view) => Self::Other(view.build(), mark()),
        }
    }

    /// Becomes something else.
    pub(super) fn become_of(&mut self, kind: Kind) {
        let kind = match (&mut *self, kind) {
            (Self::Nothing(_), Kind::Nothing) => return,
            (Self::Text(node, now), Kind::Text(text)) => {
                if *now != text {
                    node.set_data(&text);
                    *now = text;
                }
                return;
            }
            (Self::Element(now), Kind::Element(element)) => match now.become_of(element) {
                Ok(()) => return,
                Err(element) => Kind::Element(element),
            },
            (Self::List(now, end), Kind::List(list)) => return become_list(now, end, list),
            (Self::Living { now, effect }, Kind::Living(make)) => {
                *effect = follow(make, now);
                return;
            }
            (Self::Other(now, _), Kind::Other(view)) => return view.rebuild(now),
            (_, kind) => kind,
        };
        let mut new = Self::new(kind);
        self.insert_before_this(&mut new);
        self.unmount();
        *self = new;
    }
}

impl Mountable for Drawn {
    fn unmount(&mut self) {
        match self {
            Self::Nothing(mark) => mark.remove(),
            Self::Text(text, _) => text.remove(),
            Self::Element(standing) => standing.node.remove(),
            Self::List(list, end) => {
                list.iter_mut().for_each(Mountable::unmount);
                end.remove();
            }
            Self::Living { now, .. } => now.borrow_mut().unmount(),
            Self::Other(view, end) => {
                view.unmount();
                end.remove();
            }
        }
    }

    fn mount(&mut self, parent: &web_sys::Element, before: Option<&Node>) {
        match self {
            Self::Nothing(mark) => insert(parent, mark, before),
            Self::Text(text, _) => insert(parent, text, before),
            Self::Element(standing) => insert(parent, &standing.node, before),
            Self::List(list, end) => {
                for part in list {
                    part.mount(parent, before);
                }
                insert(parent, end, before);
            }
            Self::Living { now, .. } => now.borrow_mut().mount(parent, before),
            Self::Other(view, end) => {
                insert(parent, end, before);
                view.mount(parent, Some(end));
            }
        }
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        match self {
            Self::Nothing(mark) => insert_before(mark, child),
            Self::Text(text, _) => insert_before(text, child),
            Self::Element(standing) => insert_before(&standing.node, child),
            Self::List(list, end) => match list.first() {
                Some(first) => first.insert_before_this(child),
                None => insert_before(end, child),
            },
            Self::Living { now, .. } => now.borrow().insert_before_this(child),
            Self::Other(view, end) => view.insert_before_this(child) || insert_before(end, child),
        }
    }

    fn elements(&self) -> Vec<web_sys::Element> {
        match self {
            Self::Element(standing) => vec![standing.node.clone()],
            Self::List(list, _) => list.iter().flat_map(Mountable::elements).collect(),
            Self::Living { now, .. } => now.borrow().elements(),
            Self::Other(view, _) => view.elements(),
            Self::Nothing(_) | Self::Text(..) => Vec::new(),
        }
    }
}

/// Draws what `make` makes, whenever that changes, in the place of what is there.
fn follow(mut make: Box<dyn FnMut() -> Kind>, now: &Rc<RefCell<Drawn>>) -> RenderEffect<()> {
    // An effect that is dropped lets go of its closure only at its next turn. What is drawn must not wait for that: the
    // effects in it would have theirs before, with signals that are gone.
    let now = Rc::downgrade(now);
    RenderEffect::new(move |_| {
        let kind = make();
        if let Some(now) = now.upgrade() {
            now.borrow_mut().become_of(kind);
        }
    })
}

/// Marks a place where nothing is seen.
fn mark() -> Comment {
    document().create_comment("")
}

fn insert(parent: &Node, node: &Node, before: Option<&Node>) {
    // It fails where something else has changed the page; there is nothing to do about that.
    let _ = parent.insert_before(node, before);
}

fn insert_before(node: &Node, child: &mut dyn Mountable) -> bool {
    let Some(parent) = node.parent_element() else {
        return false;
    };
    child.mount(&parent, Some(node));
    true
}

fn become_list(now: &mut Vec<Drawn>, end: &Comment, list: Vec<Kind>) {
    for mut old in now.drain(list.len().min(now.len())..) {
        old.unmount();
    }
    let mut list = list.into_iter();
    for (old, kind) in now.iter_mut().zip(list.by_ref()) {
        old.become_of(kind);
    }
    for kind in list {
        let mut new = Drawn::new(kind);
        insert_before(end, &mut new);
        now.push(new);
    }
}

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
                Self::Living(way, name, follow_value(node, way, name, value, None))
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
                *effect = follow_value(node, *way, name, value, before);
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
fn follow_value(
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
