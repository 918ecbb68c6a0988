//! The Lessonloop dashboard: a page that shows what the engine worker says, and asks it. It holds no rule about
//! lessons itself.
#![forbid(unsafe_code)]

mod api;
mod app;
mod components;
mod day;
mod diff;
mod dom;
mod features;
mod format;
mod markdown;
mod more;
mod outcome;
mod parameters;
mod print;
mod review;
mod shell;
mod space;
mod sync;
mod theme;
mod who;

fn main() {
    console_error_panic_hook::set_once();
    theme::Theme::load().apply();
    leptos::mount::mount_to_body(app::App);
}
