//! The Lessonloop dashboard: a page that shows what the engine worker says, and asks it. It holds no rule about
//! lessons itself.
#![forbid(unsafe_code)]

mod app;
mod asking;
mod client;
mod diff;
mod dom;
mod format;
mod markdown;
mod more;
mod outcome;
mod pages;
mod parameters;
mod review;
mod shell;
mod sync;
mod theme;
mod ui;
mod who;

fn main() {
    console_error_panic_hook::set_once();
    theme::Theme::load().apply();
    leptos::mount::mount_to_body(app::App);
}
