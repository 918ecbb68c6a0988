//! The space that is shown, and the way to the other one: one's own, or the demo.

use crate::components::Popover;
use crate::space::Space;
use crate::sync::Syncing;
use leptos::prelude::*;
use leptos_router::components::A;

/// The name of the space, as a button that lists the spaces.
#[component]
pub fn SpaceMenu() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let own = Memo::new(move |_| {
        syncing.read(|status| match status.space.trim() {
            "" if Space::is_of_host() => "This machine".to_owned(),
            "" => "This browser".to_owned(),
            name => name.to_owned(),
        })
    });
    let here = Space::current();
    let name = Signal::derive(move || match here {
        Space::Own => own.get(),
        Space::Demo => "Demo".to_owned(),
    });
    let open = RwSignal::new(false);
    let choice = move |space: Space, label: String, about: &'static str, testid: &'static str| {
        view! {
            <button type="button" aria-pressed=(space == here).to_string() data-testid=testid
                on:click=move |_| if space == here { open.set(false) } else { space.open() }
            >
                <span><strong dir="auto">{label}</strong><small>{about}</small></span>
            </button>
        }
    };
    view! {
        <span class="space-menu">
            <span class="mark" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M12 4a8 8 0 1 1-7.4 5M4 4v5h5"></path></svg></span>
            <Popover id="spaces" label=name class="space-name" open>
                {choice(Space::Own, match here { Space::Own => own.get(), Space::Demo => "Your lessons".to_owned() }, "What you and your agents wrote", "space-own")}
                {(!Space::is_of_host()).then(|| choice(Space::Demo, "Demo".to_owned(), "Sample lessons with 90 simulated days", "space-demo"))}
                <A href="/settings" on:click=move |_| open.set(false)>"Settings of this space"</A>
            </Popover>
        </span>
    }
}
