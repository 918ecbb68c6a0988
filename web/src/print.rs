//! Printing a list of which only a part is here: the rest is fetched first, as the browser waits for nothing once it
//! lays out paper.

use crate::api::Asking;
use crate::shell::{Act, use_acts};
use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;

/// Rows on paper, at most: some two hundred pages.
pub const MOST: u32 = 5_000;

/// Prints the whole list of this page by Ctrl+P and from the palette. `is_whole` says that nothing is missing, `fetch`
/// fetches what is; it answers `false` where the page asked for something else meanwhile.
pub fn use_whole_print<F>(
    is_whole: impl Fn() -> bool + Copy + Send + Sync + 'static,
    fetch: impl Fn() -> F + Copy + Send + Sync + 'static,
) where
    F: Future<Output = bool> + 'static,
{
    let asking = Asking::default();
    let print = move || {
        let read = async move { untrack(is_whole) || fetch().await };
        asking.settle(read, |is_here| {
            if is_here {
                // The rows that were fetched are drawn by then.
                request_animation_frame(|| {
                    let _ = window().print();
                });
            }
        });
    };
    use_acts([Act::new("Print the whole list", print)]);
    let _ = use_event_listener(window(), ev::keydown, move |event| {
        let with = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key();
        if with && event.key().eq_ignore_ascii_case("p") && !untrack(is_whole) {
            event.prevent_default();
            print();
        }
    });
}
