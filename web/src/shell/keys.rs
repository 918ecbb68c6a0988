//! Shortcuts: one table that the sheet shows, and the keydown listener for those that hold on every page.
//!
//! A key without Ctrl or Cmd does nothing while somebody types, while a dialog is open, or when shortcuts of a single
//! key are switched off (WCAG 2.1.4).

use super::singles;
use super::state::{PAGES, Shell};
use crate::dom::is_submit;
use gloo::timers::callback::Timeout;
use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};

/// Time to wait for the second key of a pair, in milliseconds.
const PAIR: u32 = 1_500;

/// The shortcuts of a page.
pub struct Group {
    /// Where they hold.
    pub page: &'static str,
    /// The keys of each, and what it does.
    pub lines: &'static [(&'static [&'static str], &'static str)],
}

/// Every shortcut, for the sheet. A page that heeds keys has its lines here.
pub const TABLE: &[Group] = &[
    Group {
        page: "Everywhere",
        lines: &[
            (&["Ctrl", "K"], "Search lessons, go anywhere, do anything"),
            (&["?"], "This list"),
            (&["/"], "Search lessons"),
            (&["Ctrl", "Enter"], "Submit the current form"),
            (&["g", "o"], "Go to Overview"),
            (&["g", "l"], "Go to Lessons"),
            (&["g", "v"], "Go to Review"),
            (&["g", "p"], "Go to Playground"),
            (&["g", "n"], "Go to Runs"),
            (&["g", "i"], "Go to Insights"),
            (&["g", "t"], "Go to Tools"),
            (&["g", "a"], "Go to Agents"),
            (&["g", "s"], "Go to Settings"),
        ],
    },
    Group {
        page: "Lessons",
        lines: &[
            (&["j"], "Next lesson"),
            (&["k"], "Lesson before"),
            (&["x"], "Select or deselect the lesson"),
            (&["Shift", "x"], "Select all rows up to this one"),
            (&["Shift", "↓"], "Select on, row by row"),
            (&["Enter"], "Open the lesson"),
            (&["Home"], "First lesson"),
            (&["End"], "Last lesson"),
            (&["n"], "Write a lesson"),
            (&["u"], "Undo the last act"),
        ],
    },
    Group {
        page: "Review",
        lines: &[
            (&["j"], "Next lesson"),
            (&["k"], "Lesson before"),
            (&["h"], "Helpful"),
            (&["n"], "Not helpful"),
            (&["a"], "Approve"),
            (&["x"], "Archive"),
            (&["m"], "Merge"),
            (&["t"], "Another trial"),
            (&["s"], "Skip"),
            (&["u"], "Undo"),
        ],
    },
    Group {
        page: "A lesson",
        lines: &[(&["e"], "Edit")],
    },
];

impl Shell {
    /// Switches single keys on or off, and remembers it where storage allows.
    pub fn set_singles(self, on: bool) {
        self.singles.set(on);
        singles::save(on);
    }

    /// Installs the keydown listener.
    pub fn listen(self, go: impl Fn(&'static str) + 'static) {
        let _ = use_event_listener(window(), ev::keydown, move |event| {
            if self.heed(&event, &go) {
                event.prevent_default();
            }
        });
    }

    /// True if the next key is the second one of a pair.
    pub fn awaits_second(self) -> bool {
        self.going.with_value(Option::is_some)
    }

    /// Acts on a key; true if it was a shortcut.
    fn heed(self, event: &KeyboardEvent, go: &impl Fn(&'static str)) -> bool {
        if event.default_prevented() || event.is_composing() {
            return false;
        }
        let key = event.key();
        let with = event.ctrl_key() || event.meta_key();
        if with && !event.alt_key() && !event.shift_key() && key.eq_ignore_ascii_case("k") {
            if self.palette.get_untracked() {
                self.palette.set(false);
            } else if !dialog_open() {
                self.palette.set(true);
            }
            return true;
        }
        if is_submit(event) {
            return !event.repeat() && event.target().is_some_and(|target| send_form(&target));
        }
        // One that opens is not on the page yet; what is typed is meant for it.
        let opening = self.palette.get_untracked() || self.sheet.get_untracked();
        let typing = opening || event.target().is_some_and(|target| takes_text(&target));
        if with || event.alt_key() || typing || dialog_open() || !self.singles.get_untracked() {
            return false;
        }
        let going = self.going.try_update_value(Option::take).flatten();
        if going.is_some() {
            let page = PAGES.iter().find(|page| page.key == key);
            return page.inspect(|page| go(page.href)).is_some();
        }
        match key.as_str() {
            "?" => self.sheet.set(true),
            "g" => {
                let pair = Timeout::new(PAIR, move || {
                    self.going.try_set_value(None);
                });
                self.going.set_value(Some(pair));
            }
            _ => match self.acts.of_key(&key) {
                Some(act) => act.run.run(()),
                // Where there is no search of the page's own, the palette's finds lessons.
                None if key == "/" => self.palette.set(true),
                None => return false,
            },
        }
        true
    }
}

/// True if a dialog waits for an answer.
fn dialog_open() -> bool {
    let open = document().query_selector("dialog[open]");
    open.is_ok_and(|open| open.is_some())
}

/// Presses the button that sends the form around an element; `false` where there is none, or it rests.
fn send_form(target: &web_sys::EventTarget) -> bool {
    let form = target
        .dyn_ref::<Element>()
        .and_then(|element| element.closest("form").ok().flatten());
    let button = form.and_then(|form| {
        form.query_selector("button[type=submit]:not(:disabled)")
            .ok()
            .flatten()
    });
    button
        .and_then(|button| button.dyn_into::<HtmlElement>().ok())
        .map(|button| button.click())
        .is_some()
}

/// True if keys belong to this element: a field to type in, or a list of choices.
fn takes_text(target: &web_sys::EventTarget) -> bool {
    if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        return !matches!(
            input.type_().as_str(),
            "checkbox" | "radio" | "button" | "submit" | "file" | "reset"
        );
    }
    let named = target
        .dyn_ref::<Element>()
        .is_some_and(|element| matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT"));
    named
        || target
            .dyn_ref::<HtmlElement>()
            .is_some_and(HtmlElement::is_content_editable)
}
