//! What the parts of the shell share, the pages that they know, and what a page offers to be done.

use super::acts::{Act, Acts};
use super::singles;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

/// What the parts of the shell share; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Shell {
    /// Whether the palette is open.
    pub palette: RwSignal<bool>,
    /// Whether the sheet of shortcuts is open.
    pub sheet: RwSignal<bool>,
    /// Whether keys without Ctrl or Cmd do anything.
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
    /// The path of its icon's strokes, on a square of 24.
    pub icon: &'static str,
}

/// The pages, in the order of the navigation.
pub const PAGES: &[Page] = &[
    Page {
        label: "Lessons",
        href: "/",
        key: "l",
        icon: "M5 4h14v16H5zM9 9h6M9 13h6",
    },
    Page {
        label: "Review",
        href: "/review",
        key: "v",
        icon: "M4 12.5l4.5 4.5L20 6M4 5h7M4 20h9",
    },
    Page {
        label: "Recommend",
        href: "/recommend",
        key: "r",
        icon: "M12 3v4M12 17v4M3 12h4M17 12h4M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
    },
    Page {
        label: "Runs",
        href: "/runs",
        key: "n",
        icon: "M4 6h3M4 12h3M4 18h3M11 6h9M11 12h9M11 18h5",
    },
    Page {
        label: "Tools",
        href: "/tools",
        key: "t",
        icon: "M14.5 6.5a4 4 0 0 0-5.3 5.1L4 17v3h3l5.4-5.2a4 4 0 0 0 5.1-5.3L15 12l-3-3z",
    },
    Page {
        label: "Stats",
        href: "/stats",
        key: "s",
        icon: "M5 20V11M12 20V4M19 20v-6",
    },
    Page {
        label: "Data",
        href: "/data",
        key: "d",
        icon: "M4 6c0-3 16-3 16 0v12c0 3-16 3-16 0zM4 6c0 3 16 3 16 0M4 12c0 3 16 3 16 0",
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
