//! The address of the item in front, so that a link, a reload and going back find it.

use super::review_page::ReviewPage;
use crate::parameters::{use_parameters, use_replace};
use crate::review::ReviewFilter;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// Keeps the address and the item in front the same.
pub fn follow(page: ReviewPage) {
    let parameters = use_parameters();
    let path = use_location().pathname;
    let own = path.get_untracked();
    let named = Memo::new(move |_| parameters.read().text("item"));
    let front = Memo::new(move |_| {
        let current = page.current.get();
        current.map(|(_, entry)| entry.name())
    });
    let here = own.clone();
    // A link or going back names another one.
    Effect::new(move |before: Option<String>| {
        let name = named.get();
        let moved = before.is_some_and(|before| before != name);
        let other = front.with_untracked(|front| front.as_ref() != Some(&name));
        if moved && other && !name.is_empty() && path.get_untracked() == here {
            page.show_named(name.clone());
        }
        name
    });
    let replace = use_replace();
    Effect::new(move |before: Option<Option<String>>| {
        let now = front.get();
        // The first item of the queue needs no name, until one moves on.
        let moved = before
            .flatten()
            .is_some_and(|before| Some(&before) != now.as_ref());
        let name = now.clone().unwrap_or_default();
        if moved && named.get_untracked() != name && path.get_untracked() == own {
            let filter = ReviewFilter::read(&parameters.read_untracked());
            replace(&filter.address(&name));
        }
        now
    });
}
