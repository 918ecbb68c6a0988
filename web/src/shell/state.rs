//! State that the parts of the shell share, the pages that they know, and the acts that a page offers.

use super::acts::{Act, Acts};
use super::singles;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

/// State that the parts of the shell share; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Shell {
    /// True while the palette is open.
    pub palette: RwSignal<bool>,
    /// True while the sheet of shortcuts is open.
    pub sheet: RwSignal<bool>,
    /// True if keys without Ctrl or Cmd do anything.
    pub singles: RwSignal<bool>,
    pub(super) acts: Acts,
    /// Set while a second key is awaited.
    pub(super) going: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Shell {
    /// A shell with everything closed.
    pub fn new() -> Self {
        Self {
            palette: RwSignal::new(false),
            sheet: RwSignal::new(false),
            singles: RwSignal::new(singles::load()),
            acts: Acts::new(),
            going: StoredValue::new_local(None),
        }
    }

    /// The shell of this page.
    pub fn get_from_context() -> Self {
        // The app provides it before any page is made.
        expect_context()
    }
}

/// A page, as the navigation, the palette and the keys know it.
pub struct Page {
    /// Its name in the navigation.
    pub label: &'static str,
    /// Its address.
    pub href: &'static str,
    /// The key after `g`.
    pub key: &'static str,
    /// The path of its icon's strokes, on a square of 16.
    pub icon: &'static str,
}

impl Page {
    /// True if the page with this path is this one, or lies under it.
    pub fn is_at(&self, path: &str) -> bool {
        match path.strip_prefix(self.href) {
            Some("") => true,
            // Everything is under the first page.
            Some(rest) => self.href != "/" && rest.starts_with('/'),
            None => false,
        }
    }
}

/// The pages, in the order of the navigation.
pub const PAGES: &[Page] = &[
    Page {
        label: "Overview",
        href: "/",
        key: "o",
        icon: "M2.5 13.5V8.5M8 13.5v-11M13.5 13.5V6",
    },
    Page {
        label: "Lessons",
        href: "/lessons",
        key: "l",
        icon: "M3.5 2h9v12h-9zM6 5.5h4M6 8.5h4",
    },
    Page {
        label: "Review",
        href: "/review",
        key: "v",
        icon: "M2.5 8.5l3.5 3.5 7.5-8.5",
    },
    Page {
        label: "Playground",
        href: "/playground",
        key: "p",
        icon: "M4.5 2.5v11l8.5-5.5z",
    },
    Page {
        label: "Runs",
        href: "/runs",
        key: "n",
        icon: "M2 4h12M2 8h12M2 12h8",
    },
    Page {
        label: "Insights",
        href: "/insights",
        key: "i",
        icon: "M2 12l4-5 3 3 5-7",
    },
    Page {
        label: "Tools",
        href: "/tools",
        key: "t",
        icon: "M10 2a4 4 0 0 0-3.6 5.7L2 12l2 2 4.3-4.4A4 4 0 0 0 14 6l-2.5 1.5L9.5 6 11 3z",
    },
    Page {
        label: "Agents",
        href: "/agents",
        key: "a",
        icon: "M8 2.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.8 13.8a5.2 5.2 0 0 1 10.4 0",
    },
    Page {
        label: "Settings",
        href: "/settings",
        key: "s",
        icon: "M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.5v1.8M8 12.7v1.8M1.5 8h1.8M12.7 8h1.8M3.4 3.4l1.3 1.3M11.3 11.3l1.3 1.3M3.4 12.6l1.3-1.3M11.3 4.7l1.3-1.3",
    },
];

/// Offers acts for as long as the part of the page lives that calls this.
pub fn use_acts(acts: impl IntoIterator<Item = Act>) {
    let Acts { list, next } = Shell::get_from_context().acts;
    next.update_value(|id| *id += 1);
    let id = next.get_value();
    list.update(|list| list.extend(acts.into_iter().map(|act| (id, act))));
    on_cleanup(move || {
        list.try_update(|list| list.retain(|(other, _)| *other != id));
    });
}
