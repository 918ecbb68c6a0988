//! Where a person was in a long page, so that going back or loading it again brings them there.

use crate::dom::Memory;
use leptos::ev;
use leptos::prelude::*;

const KEY: &str = "lessonloop.place:";

/// A place in a list.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Place {
    /// Distance that the window was scrolled, in pixels.
    pub y: i32,
    /// Number of rows at that time.
    pub total: u32,
    /// The row that was opened, to give the focus back to.
    pub row: Option<u32>,
}

/// The address that the browser last went back or forward to, or loaded anew, until its page is made; cheap to copy,
/// provided as a context.
#[derive(Clone, Copy)]
pub struct Places {
    back_to: StoredValue<Option<String>>,
}

fn address() -> Option<String> {
    window().location().href().ok()
}

impl Places {
    /// Follows the browser's history from now on.
    pub fn follow() -> Self {
        // The first page of a tab may be one that was loaded anew; only this tab's own places are known.
        let places = Self {
            back_to: StoredValue::new(address()),
        };
        if let Ok(history) = window().history() {
            // Rows come later than the browser would scroll.
            let _ = history.set_scroll_restoration(web_sys::ScrollRestoration::Manual);
        }
        // Added at once, so that it is heard before the router's, which makes the page.
        let handle = window_event_listener(ev::popstate, move |_| {
            places.back_to.set_value(address());
        });
        on_cleanup(move || handle.remove());
        places
    }

    /// The places of this tab.
    pub fn get_from_context() -> Self {
        // The app provides them before any page is made.
        expect_context()
    }

    /// True if the page that is being made was reached by going back. It is told once.
    pub fn came_back(self) -> bool {
        let back_to = self.back_to.try_update_value(Option::take).flatten();
        back_to.is_some() && back_to == address()
    }

    /// Remembers a place in the page with this address, where storage allows.
    pub fn keep(self, address: &str, place: Place) {
        let row = place.row.map_or("-".to_owned(), |row| row.to_string());
        let word = format!("{} {} {row}", place.y, place.total);
        Memory::Tab.keep(&format!("{KEY}{address}"), &word);
    }

    /// The place in the page with this address.
    pub fn find(self, address: &str) -> Option<Place> {
        let word = Memory::Tab.find(&format!("{KEY}{address}"))?;
        let mut parts = word.split(' ');
        Some(Place {
            y: parts.next()?.parse().ok()?,
            total: parts.next()?.parse().ok()?,
            row: parts.next()?.parse().ok(),
        })
    }
}
