//! What stands in the page, and how it becomes something else: what is alike stays, with its focus, its scroll and what
//! was typed into it.

use super::Kind;
use super::standing::Standing;
use leptos::prelude::*;
use leptos::reactive::effect::RenderEffect;
use leptos::tachys::view::any_view::AnyViewState;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Comment, Node, Text};

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
