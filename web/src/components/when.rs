//! A moment, told by how far it is from now.

use crate::format;
use leptos::prelude::*;

/// Shows how long ago a time was, with the exact one for those who point at it. A text that is no time is shown as it is.
#[component]
pub fn When(
    at: String,
    /// Says so many seconds from the moment to now.
    #[prop(default = format::ago)]
    words: fn(f64) -> String,
) -> impl IntoView {
    let seconds = (js_sys::Date::now() - js_sys::Date::parse(&at)) / 1000.0;
    let told = if seconds.is_finite() {
        words(seconds)
    } else {
        at.clone()
    };
    view! { <time datetime=at.clone() title=format::exact_time(&at)>{told}</time> }
}
